// Package scoring turns records into results. It asks no model and changes no
// file: the same records give the same results, whatever order they were
// written in.
package scoring

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Overall is the group of all items.
const Overall = "overall"

// Decided is the outcome of a game that names a response.
const Decided = string(judging.Decided)

// Outcomes are the names of all outcomes, in the order tables print them.
var Outcomes = func() []string {
	names := make([]string, len(judging.Outcomes))
	for i, o := range judging.Outcomes {
		names[i] = string(o)
	}
	return names
}()

// Games is the number of games in the records.
func (r Report) Games() int {
	n := 0
	for _, k := range r.Outcomes {
		n += k
	}
	return n
}

// Result is one number: a metric on a group, in percent.
type Result struct {
	Metric  string   `json:"metric"`
	Group   string   `json:"group"`
	Mode    string   `json:"mode,omitempty"` // of protocols that ask in several ways: which, or "difference"
	Unit    string   `json:"unit,omitempty"` // of the value, where it is not percent
	Value   *float64 `json:"value"`          // null where undefined; Note says why
	N       int      `json:"n"`              // what it is a share of
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Missing string   `json:"missing"` // how games without a verdict counted
	Note    string   `json:"note,omitempty"`
}

// Report is what a run comes to: one run of `gavel score --json`, and, without
// Run, results.json.
type Report struct {
	Run          string          `json:"run,omitempty"` // the directory
	ID           string          `json:"id"`
	Protocol     string          `json:"protocol"`
	Goal         string          `json:"goal"`
	Prompt       string          `json:"prompt"`
	Settings     string          `json:"settings,omitempty"` // what was asked for beside the prompt
	Model        string          `json:"model"`
	Dataset      string          `json:"dataset"`
	Simulated    bool            `json:"simulated"`
	Items        int             `json:"items"`    // scored: all their showings are in the records
	Expected     int             `json:"expected"` // items of the run
	Results      []Result        `json:"results"`
	Outcomes     map[string]int  `json:"outcomes"`          // of games, all eight
	Reading      judging.Readers `json:"reading,omitempty"` // "": as published
	Policy       judging.Policy  `json:"policy"`
	AcceptCut    bool            `json:"accept_cut"`
	Otherwise    int             `json:"read_otherwise,omitempty"` // replies that the other reading reads otherwise
	OtherReading []OtherReading  `json:"other_reading,omitempty"`  // where they are more than one of a hundred: its headlines
	Origins      []Origin        `json:"origins,omitempty"`
	Missing      Missing         `json:"missing,omitempty"` // of protocols that leave a choice: how judgments without a verdict count
	Bootstrap    Bootstrap       `json:"bootstrap"`

	Repeats     *Repeats     `json:"repeats,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"`

	Warnings []string `json:"warnings"`
}

// Origin is how many of a run's replies are from a bundle that was taken in.
type Origin struct {
	Bundle  string `json:"bundle"`
	Replies int    `json:"replies"`
	Of      int    `json:"of"` // replies of the run
}

func (o Origin) String() string {
	return fmt.Sprintf("%d of %d replies came from bundle %s", o.Replies, o.Of, o.Bundle)
}

// settings names what makes two runs of one prompt differ.
func settings(s judging.Spec) string {
	var parts []string
	p := s.Parameters
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		parts = append(parts, name+" "+s.Options[name])
	}
	if s.Dataset.Unrelated {
		parts = append(parts, "unrelated option")
	}
	if n := s.Dataset.MaxOptions; n > 0 {
		parts = append(parts, fmt.Sprintf("at most %d options", n))
	}
	if p.Constrain {
		parts = append(parts, "constrained")
	}
	if p.Think != "" {
		parts = append(parts, "think "+string(p.Think))
	}
	if p.StrictDeterminism {
		parts = append(parts, "strict determinism")
	}
	return strings.Join(parts, ", ")
}

// Bootstrap says how the intervals were made.
type Bootstrap struct {
	Rounds int     `json:"rounds"`
	Level  float64 `json:"level"`
	Seed   uint64  `json:"seed"`
	Unit   string  `json:"unit"` // what was resampled
}

// Options of scoring.
type Options struct {
	Reading   judging.Reading
	Bootstrap stats.Bootstrap
	Missing   Missing // see [Run.CountMissing]
}

// DefaultOptions are what results.json is made with.
var DefaultOptions = Options{Reading: judging.Reading{Policy: judging.Unique}, Bootstrap: stats.Default, Missing: MissingWrong}

// Run is a run directory as scores need it.
type Run struct {
	Dir      string
	Manifest *judging.Manifest
	Reading  judging.Reading
	Items    int // scored: with all their judgments
	Partial  int // of which only some judgments are in the records
	Outcomes map[judging.Outcome]int
	Reread   int // records whose outcome or choice differs from the one stored
	Records  int
	Answered int // judgments that did not fail, of every time
	Thought  int // replies cut in the midst of thinking, before any answer
	Shrunk   int // prompts that the server cut without saying so
	Unheld   int // replies that a server was asked to hold to the labels, and did not
	replies  int
	origins  map[string]int // replies from each bundle

	scorer   Scorer
	missing  Missing
	readings readings
}

// Load reads a run directory. Every stored reply is read again.
func Load(dir string, how judging.Reading) (*Run, error) {
	run, err := load(dir, how)
	if err == nil {
		err = run.CompareReadings(func(how judging.Reading) (*Run, error) { return load(dir, how) })
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

func load(dir string, how judging.Reading) (*Run, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	load, err := NewLoader(m, how, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
	}
	if err := judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), load.Add); err != nil {
		return nil, err
	}
	run := load.Run()
	run.Dir = dir
	return run, nil
}

// Loader gathers the records of one run. It is for scoring a run from what is
// in hand while it is made: it comes to what [Load] would read from the files.
type Loader struct {
	mu       sync.Mutex
	run      *Run
	protocol judging.Asker
}

// NewLoader makes a loader for the run of a manifest. items are the ids that its
// records will be of, where the caller has them: they are only read.
func NewLoader(m *judging.Manifest, how judging.Reading, items *judging.IDs) (*Loader, error) {
	protocol, err := judging.AskerOf(m)
	if err != nil {
		return nil, err
	}
	make, ok := scorers[m.Spec.Protocol]
	if !ok {
		return nil, fmt.Errorf("nothing scores runs of the protocol %q", m.Spec.Protocol)
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	how.Name = cmp.Or(how.Name, judging.ReadersOf(m.Imported != ""))
	run := &Run{Manifest: m, Reading: how, Outcomes: map[judging.Outcome]int{}, scorer: make(m)}
	run.CountMissing("")
	if s, ok := run.scorer.(lent); ok && items != nil {
		s.lend(items)
	}
	return &Loader{run: run, protocol: protocol}, nil
}

// Add takes a record; it keeps no hold of it. It may be called from many
// goroutines.
func (l *Loader) Add(r *judging.Record) error {
	run := l.run
	v, other, err := r.ReadBoth(l.protocol, run.Reading)
	if err != nil {
		return err
	}
	paper := v // as is recorded
	if run.Reading.Name == judging.Robust {
		paper = other
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if run.Records++; !v.Same(other) {
		run.readings.differ++
	}
	run.trace(r)
	if paper.Outcome != r.Outcome || r.CandidateID(paper.Choice) != r.Choice || paper.Answer != r.Answer {
		run.Reread++
	}
	if _, ok := run.scorer.(repeater); r.Repeat > 0 && !ok {
		run.answered(v)
		return nil
	}
	added, err := run.scorer.add(r, v, l.protocol)
	if err != nil || !added {
		return err
	}
	run.answered(v)
	if r.Repeat > 0 { // the scores are those of the first time
		return nil
	}
	run.Outcomes[v.Outcome]++
	run.remark(r, v)
	return nil
}

func (run *Run) answered(v judging.Verdict) {
	if v.Outcome != judging.Failed {
		run.Answered++
	}
}

// Run is what the records come to. The loader is of no use afterwards.
func (l *Loader) Run() *Run {
	l.run.Items, l.run.Partial = l.run.scorer.finish()
	return l.run
}

// trace counts where replies came from.
func (run *Run) trace(r *judging.Record) {
	run.replies += len(r.Replies)
	for _, reply := range r.Replies {
		if reply.Origin == "" {
			continue
		}
		if run.origins == nil {
			run.origins = map[string]int{}
		}
		run.origins[strings.Clone(reply.Origin)]++
	}
}

// Origins are the bundles that replies came from, by name.
func (run *Run) Origins() (origins []Origin) {
	for _, bundle := range slices.Sorted(maps.Keys(run.origins)) {
		origins = append(origins, Origin{bundle, run.origins[bundle], run.replies})
	}
	return origins
}

// remark counts what a table warns of.
func (run *Run) remark(r *judging.Record, v judging.Verdict) {
	if len(r.Replies) == 0 {
		return
	}
	switch last := r.Replies[len(r.Replies)-1]; {
	case v.Outcome == judging.Cut && last.Text == "" && last.Thinking != "":
		run.Thought++
	case v.Outcome == judging.NoVerdict && last.Constrained:
		run.Unheld++
	case v.Outcome == judging.TooLong && strings.HasPrefix(last.Detail, judging.CutPrompt):
		run.Shrunk++
	}
}

// percent rounds to four places, so that the bytes do not depend on how a
// processor fuses its multiplications.
func percent(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	x = math.Round(100*x*1e4) / 1e4
	if x == 0 {
		x = 0 // never −0
	}
	return &x
}
