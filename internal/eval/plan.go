package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"gavel/backends"
	"gavel/cache"
	"gavel/internal/disk"
	"gavel/judging"
)

// Plan describes what a request would do. Making it asks for no judgment.
type Plan struct {
	Runs []*RunPlan // in the order made; the last is the request's own run, unless Later is set
	// Later describes judgments of answers that do not exist yet; details are known once they do. Nil if there are none.
	Later *FutureJudgments
	Notes []string // lines about stages, for people
}

// RunPlan describes what one run would do.
type RunPlan struct {
	Request  RunRequest
	Dir      string
	Manifest *judging.Manifest
	Judges   []backends.PoolMember // the servers to ask
	Plan     judging.CallPlan
	Pace     *JudgmentTime // measured in earlier runs of the judge; nil if there are none
}

// FutureJudgments describes the judgments of answers that models have not given yet.
type FutureJudgments struct {
	Request      RunRequest
	Judgments    int                   // estimate of their number
	JudgeServers []backends.PoolMember // the servers to ask
}

// planRun adds to the plan a run of the request, its own or one whose answers it needs: the judgments that the run has
// already, those in the cache, and the calls to make.
func (w *requestWork) planRun(ctx context.Context, p *runState) error {
	p.readEarlierManifest()
	if old := p.earlierManifest; old != nil {
		if old.ID != p.job.Manifest.ID {
			return judging.OtherRun(p.out, old, p.job.Manifest)
		}
		err := p.askAllExcept(func(r *judging.Record) bool { return !p.shouldAskAgain(r) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was just started
			return err
		}
	}
	var cached func(backends.Request) bool
	note := ""
	switch {
	case p.req.NoCache || p.req.Simulated():
		note = "the cache is not used"
	case p.req.AskAgain:
		note = "the cache is not read"
	case p.req.Shard != "" && w.SharedCache == nil && !disk.Exists(p.cacheFolder()):
		note = "the shard has none yet"
	default:
		store, closeStore, err := w.acquireCache(p.cacheFolder())
		if err != nil {
			note = "unknown: " + err.Error()
		} else {
			defer closeStore()
			cached = w.cachedOrPlannedFunc(store.CanAnswer)
		}
	}
	p.job.Manifest.LongestPrompt = w.longestPromptLength(ctx, p)
	plan, err := p.job.MakePlan(ctx, cached)
	if err != nil {
		return err
	}
	plan.CacheUnreadReason = note
	run := &RunPlan{
		Request:  p.req,
		Dir:      p.out,
		Manifest: p.job.Manifest,
		Judges:   p.judges,
		Plan:     plan,
	}
	run.Pace = w.paceOf(run)
	w.plan.Runs = append(w.plan.Runs, run)
	return nil
}

// cachedOrPlannedFunc returns a function that reports whether a request is in the cache or in an earlier plan, and adds
// it to Planned if not.
func (e *Maker) cachedOrPlannedFunc(cached func(backends.Request) bool) func(backends.Request) bool {
	if e.PlannedKeys == nil {
		return cached
	}
	return func(req backends.Request) bool {
		if cached(req) {
			return true
		}
		key := cache.Key(req)
		if e.PlannedKeys[key] {
			return true
		}
		e.PlannedKeys[key] = true
		return false
	}
}

// CallRange formats the least and the greatest number of calls. reason follows the greatest if it is larger.
func CallRange(minCalls, maxCalls int, reason string) string {
	if maxCalls <= minCalls {
		return strconv.Itoa(minCalls)
	}
	return fmt.Sprintf("%d, at most %d%s", minCalls, maxCalls, reason)
}
