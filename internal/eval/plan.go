package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"gavel/backends"
	"gavel/cache"
	"gavel/judging"
)

// Plan is what a request would do, and asks nothing.
type Plan struct {
	Runs []*RunPlan // in the order they would be made; the last is of the request itself, if there is no Later
	// Later is how many judgments stand on answers that are not there yet; what they would be is known when these are.
	Later *Later
	Notes []string // for people
}

// RunPlan is what one run would do.
type RunPlan struct {
	Request  Request
	Dir      string
	Manifest *judging.Manifest
	Judges   []backends.Member
	Plan     judging.Plan
	Pace     *Pace // of earlier runs of the judge; nil where there is none
}

// Later are judgments that follow on stages which are not there yet.
type Later struct {
	Request   Request
	Judgments int
	Judges    []backends.Member
}

// planRun adds a run to the plan.
func (w *work) planRun(ctx context.Context, p *runState) error {
	p.lookBack()
	if old := p.earlier; old != nil {
		if old.ID != p.job.Manifest.ID {
			return judging.OtherRun(p.out, old, p.job.Manifest)
		}
		err := p.recount(func(r *judging.Record) bool { return !p.again(r) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // of one that was begun this moment
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
	case p.req.Shard != "" && w.Shared == nil && !exists(p.replies()):
		note = "the shard has none yet"
	default:
		store, closeStore, err := w.replies(p.replies())
		if err != nil {
			note = "unknown: " + err.Error()
		} else {
			defer closeStore()
			cached = w.known(store.Peek)
		}
	}
	p.job.Manifest.Longest = w.longest(ctx, p)
	plan, err := p.job.MakePlan(ctx, cached)
	if err != nil {
		return err
	}
	plan.CacheNote = note
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// known adds to what the cache has what plans before will have asked.
func (e *Maker) known(cached func(backends.Request) bool) func(backends.Request) bool {
	if e.Planned == nil {
		return cached
	}
	return func(req backends.Request) bool {
		if cached(req) {
			return true
		}
		key := cache.Key(req)
		if e.Planned[key] {
			return true
		}
		e.Planned[key] = true
		return false
	}
}

// CallRange writes how many calls are made, at least and at most.
func CallRange(least, most int) string {
	if most <= least {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d, at most %d", least, most)
}
