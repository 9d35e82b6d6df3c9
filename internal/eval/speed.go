package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gavel/backends"
	"gavel/judging"
)

// JudgmentTime holds the seconds and reply tokens that a judgment takes, and the source of these numbers.
type JudgmentTime struct {
	Seconds     float64 // elapsed time of a run divided by its number of judgments
	ReplyTokens float64 // mean number of tokens of a judgment's replies
	Basis       string  // the source in words, such as "earlier runs, other prompts"
}

// SimulatedPace is the pace of judges without a server.
var SimulatedPace = JudgmentTime{Basis: "simulated"}

// Speeds holds earlier runs, whose records show how long their judges' calls took.
type Speeds struct {
	runs []*pastRun
}

// pastRun sums up the judgments of one run that were asked of a server.
type pastRun struct {
	dir         string // the run's folder; "" once its records have been read
	manifest    *judging.Manifest
	judgments   int     // number of judgments read
	seconds     float64 // elapsed time that these judgments took
	replyTokens int     // tokens of their replies
}

// maxTimed limits the records read to measure a run's speed.
const maxTimed = 1000

// SpeedsIn returns the runs in folders that asked a server. It reads their manifests, not yet their records.
func SpeedsIn(folders ...string) *Speeds {
	speeds := &Speeds{}
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // none if it does not exist yet
		for _, entry := range entries {
			dir := filepath.Join(folder, entry.Name())
			m, err := judging.ReadManifest(dir)
			if err == nil && !m.Simulated && m.Imported == "" {
				speeds.runs = append(speeds.runs, &pastRun{dir: dir, manifest: m})
			}
		}
	}
	return speeds
}

// Pace returns the time that a judgment of a model takes, from its runs with the same protocol and prompt, else with
// the same protocol, else from any of its runs; nil if there are none.
func (s *Speeds) Pace(model judging.ModelSpec, protocol, prompt string) *JudgmentTime {
	for _, level := range []struct {
		remark  string
		matches func(judging.Spec) bool
	}{
		{"", func(spec judging.Spec) bool { return spec.Protocol == protocol && spec.Prompt.Name == prompt }},
		{", other prompts", func(spec judging.Spec) bool { return spec.Protocol == protocol }},
		{", other protocols", func(judging.Spec) bool { return true }},
	} {
		var sum pastRun
		for _, run := range s.runs {
			if spec := run.manifest.Spec; spec.Model != model || !level.matches(spec) {
				continue
			}
			run.measureSpeed()
			sum.judgments += run.judgments
			sum.seconds += run.seconds
			sum.replyTokens += run.replyTokens
		}
		if n := float64(sum.judgments); n > 0 {
			return &JudgmentTime{
				Seconds:     sum.seconds / n,
				ReplyTokens: float64(sum.replyTokens) / n,
				Basis:       "earlier runs" + level.remark,
			}
		}
	}
	return nil
}

var errEnough = errors.New("enough")

// measureSpeed reads and counts up to maxTimed records of the run, once. It divides the time of their calls by the
// run's concurrency, since concurrent calls share the elapsed time. It ignores unreadable records.
func (t *pastRun) measureSpeed() {
	if t.dir == "" {
		return
	}
	path := filepath.Join(t.dir, judging.RecordsFile)
	t.dir = ""
	judging.ReadRecords(path, func(r *judging.Record) error {
		if t.addJudgment(r); t.judgments >= maxTimed {
			return errEnough
		}
		return nil
	})
	t.seconds /= float64(max(1, t.manifest.Concurrency))
}

// addJudgment adds a judgment, unless a reply came from the cache.
func (t *pastRun) addJudgment(r *judging.Record) {
	if ms, tokens := recordTimeAndTokens(r); ms > 0 {
		t.judgments++
		t.seconds += ms / 1000
		t.replyTokens += tokens
	}
}

// recordTimeAndTokens returns the sum of milliseconds that a judgment's calls took and the tokens of their replies, or
// zeros if a reply came from the cache.
func recordTimeAndTokens(r *judging.Record) (ms float64, tokens int) {
	for _, reply := range r.Replies {
		if reply.Cached {
			return 0, 0
		}
		ms += reply.Milliseconds
		tokens += reply.ReplyTokens
	}
	return ms, tokens
}

// ModelSpec returns the part of a run's spec that identifies the model, for a run that asks these servers.
func ModelSpec(judges []backends.PoolMember) judging.ModelSpec {
	m := JointModel(judges)
	return judging.ModelSpec{Name: m.Name, Identity: m.Identity(judges[0].Server.WireFormat)}
}

// paceOf returns the time that a judgment of a planned run takes, by earlier runs of the judge in e.Speeds or else in
// the folders of runs; nil if nothing is asked or there is no such run.
func (e *Maker) paceOf(run *RunPlan) *JudgmentTime {
	if run.Manifest.Simulated {
		return &SimulatedPace
	}
	if run.Plan.Calls() <= 0 {
		return nil
	}
	speeds := e.Speeds
	if speeds == nil {
		speeds = SpeedsIn(e.runsFolder(), filepath.Dir(filepath.Clean(run.Dir)))
	}
	spec := run.Manifest.Spec
	return speeds.Pace(spec.Model, spec.Protocol, spec.Prompt.Name)
}

// Seconds returns the elapsed seconds that the plan's calls will take; ok is false without earlier runs of the judge.
func (run *RunPlan) Seconds() (seconds float64, ok bool) {
	switch {
	case run.Plan.Calls() <= 0:
		return 0, true
	case run.Pace == nil:
		return 0, false
	}
	return run.Pace.Seconds * float64(run.Plan.Calls()), true
}

// Time returns in words how long the plan's calls will take, or how to find out.
func (run *RunPlan) Time() string {
	s, ok := run.Seconds()
	switch {
	case !ok:
		return "unknown: no earlier run of this judge; to measure it, first run it on a few items (--limit 5)"
	case s == 0:
		return "none: no server is asked"
	}
	return fmt.Sprintf("about %s, by %s", DurationText(s), run.Pace.Basis)
}

// DurationText returns a number of seconds in words, in seconds, minutes or hours.
func DurationText(s float64) string {
	switch {
	case s < 10 && s != 0:
		return fmt.Sprintf("%.2g s", s)
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}
