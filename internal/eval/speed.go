package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/backends"
	"gavel/judging"
)

// Speeds are how long a judge's calls took, from the records of earlier runs.
type Speeds struct {
	runs   []string // folders that may be runs
	byName map[judging.ModelSpec][]*timing
	read   bool
}

// timing is what one run, or a probe, tells.
type timing struct {
	dir              string // not read yet; "" where there is nothing more to read
	protocol, prompt string
	concurrency      int
	judgments        int
	seconds          float64 // of the clock, as far as these judgments go
	replyTokens      int
	probe            bool
}

// Pace is how long a judgment takes, and what is written.
type Pace struct {
	Seconds     float64
	ReplyTokens float64
	Basis       string
}

// mostTimed is how many records of a run are enough to tell its speed.
const mostTimed = 1000

// SpeedsIn looks for runs in folders.
func SpeedsIn(folders ...string) *Speeds {
	found := &Speeds{byName: map[judging.ModelSpec][]*timing{}}
	for _, dir := range folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // none yet
		}
		for _, entry := range entries {
			if entry.IsDir() {
				found.runs = append(found.runs, filepath.Join(dir, entry.Name()))
			}
		}
	}
	return found
}

// index reads the manifests, the first time somebody wants to know.
func (s *Speeds) index() {
	if s.read {
		return
	}
	s.read = true
	for _, dir := range s.runs {
		m, err := judging.ReadManifest(dir)
		if err != nil || m.Simulated || m.Imported != "" {
			continue
		}
		s.byName[m.Spec.Model] = append(s.byName[m.Spec.Model], &timing{
			dir: dir, protocol: m.Spec.Protocol, prompt: m.Spec.Prompt.Name, concurrency: max(1, m.Concurrency),
		})
	}
}

func (s *Speeds) add(m *judging.Manifest, t timing) {
	t.protocol = m.Spec.Protocol
	t.prompt = m.Spec.Prompt.Name
	t.probe = true
	s.byName[m.Spec.Model] = append(s.byName[m.Spec.Model], &t)
}

// How near a run must be to be a measure.
const (
	OnlySame   = false // the same protocol and prompt
	AnyOfJudge = true  // else the same protocol, else whatever the judge was asked
)

// Of is the pace of runs of the same protocol and prompt, or, where near, of
// whatever the judge was asked; false where nothing is known.
func (s *Speeds) Of(m *judging.Manifest, near bool) (Pace, bool) {
	return s.OfModel(m.Spec.Model, m.Spec.Protocol, m.Spec.Prompt.Name, near)
}

// OfModel is Of for a run that is not there yet.
func (s *Speeds) OfModel(model judging.ModelSpec, protocol, prompt string, near bool) (Pace, bool) {
	s.index()
	same := func(t *timing) bool { return t.protocol == protocol && t.prompt == prompt }
	if p, ok := s.over(model, same, ""); ok || !near {
		return p, ok
	}
	if p, ok := s.over(model, func(t *timing) bool { return t.protocol == protocol }, ", other prompts"); ok {
		return p, ok
	}
	return s.over(model, func(*timing) bool { return true }, ", other protocols")
}

// over sums up what some of a judge's runs tell.
func (s *Speeds) over(model judging.ModelSpec, in func(*timing) bool, remark string) (Pace, bool) {
	var sum timing
	var from []string
	for _, t := range s.byName[model] {
		if !in(t) {
			continue
		}
		t.load()
		if t.judgments == 0 {
			continue
		}
		sum.judgments += t.judgments
		sum.seconds += t.seconds
		sum.replyTokens += t.replyTokens
		word := "earlier runs"
		if t.probe {
			word = "a probe"
		}
		if !slices.Contains(from, word) {
			from = append(from, word)
		}
	}
	if sum.judgments == 0 {
		return Pace{}, false
	}
	n := float64(sum.judgments)
	p := Pace{Seconds: sum.seconds / n, ReplyTokens: float64(sum.replyTokens) / n}
	p.Basis = strings.Join(from, " and ") + remark
	return p, true
}

var errEnough = errors.New("enough")

// load reads a run's records. So many calls at once share the time that each took. What cannot be read tells nothing.
func (t *timing) load() {
	if t.dir == "" {
		return
	}
	path := filepath.Join(t.dir, judging.RecordsFile)
	t.dir = ""
	judging.ReadRecords(path, func(r *judging.Record) error {
		if t.count(r); t.judgments >= mostTimed {
			return errEnough
		}
		return nil
	})
	t.seconds /= float64(t.concurrency)
}

// count adds a judgment that was asked, and not remembered.
func (t *timing) count(r *judging.Record) {
	ms, tokens := 0.0, 0
	for _, reply := range r.Replies {
		if reply.Cached {
			return
		}
		ms, tokens = ms+reply.Milliseconds, tokens+reply.ReplyTokens
	}
	if ms > 0 {
		t.judgments++
		t.seconds += ms / 1000
		t.replyTokens += tokens
	}
}

// Probe asks a few of a planned run's questions, the last ones, and adds the time they took. One item goes before, so
// that loading the model is not counted. The replies are in the cache for the run.
func (s *Speeds) Probe(ctx context.Context, e *Maker, run *RunPlan) error {
	p := run.prepared
	var rows []int
	each := max(1, p.job.Manifest.Judgments/max(1, len(p.job.Rows))) // judgments of an item
	most := 1 + min(4, 1+p.job.Concurrency/each)
	for _, row := range slices.Backward(p.job.Rows) {
		if !p.job.Completed.Complete(p.set.ID(row), p.job.Manifest.Spec.Parameters.Repetitions()) && len(rows) < most {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	client, closeClient, err := e.client(ctx, p)
	if err != nil {
		return err
	}
	defer closeClient()
	e.say("probe: %s, %s, prompt %s",
		p.job.Manifest.Model.Name, p.job.Manifest.Spec.Protocol, p.job.Manifest.Spec.Prompt.Name)
	if _, err := e.askFew(ctx, p, client, rows[:1]); err != nil {
		return err
	}
	if len(rows) > 1 {
		rows = rows[1:]
	}
	t, err := e.askFew(ctx, p, client, rows)
	if err == nil {
		s.add(p.job.Manifest, t)
	}
	return err
}

// askFew asks for the judgments of a few items, and writes none of them.
func (e *Maker) askFew(ctx context.Context, p *runState, client backends.Client, rows []int) (t timing, err error) {
	var mu sync.Mutex
	failed := ""
	job := *p.job
	job.Client, job.Rows = client, rows
	job.Write = func(r *judging.Record) error {
		mu.Lock()
		defer mu.Unlock()
		if t.count(r); r.Outcome == judging.Failed {
			failed = r.Error
		}
		return nil
	}
	start := e.Now()
	err = job.Run(ctx)
	if t.judgments > 0 {
		t.seconds = e.Now().Sub(start).Seconds()
	}
	if err == nil && failed != "" {
		err = fmt.Errorf("the probe failed: %s", failed)
	}
	return t, err
}

// ModelSpec is the model of a run that asks these servers.
func ModelSpec(judges []backends.Member) judging.ModelSpec {
	m := JointModel(judges)
	return judging.ModelSpec{Name: m.Name, Identity: m.Identity(judges[0].Server.Kind)}
}
