// Package scoring turns records into results. It asks no model and changes no
// file: the same records give the same results, whatever order they were
// written in.
package scoring

import (
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

// items is how many are scored.
func (run *Run) items() int {
	if run.family != nil {
		return run.complete
	}
	return len(run.Units)
}

// resampled is what the bootstrap draws.
func (run *Run) resampled() string {
	if run.family != nil {
		return run.family.unit()
	}
	return "pair"
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
	Run       string         `json:"run,omitempty"` // the directory
	ID        string         `json:"id"`
	Protocol  string         `json:"protocol"`
	Goal      string         `json:"goal"`
	Prompt    string         `json:"prompt"`
	Settings  string         `json:"settings,omitempty"` // what was asked for beside the prompt
	Model     string         `json:"model"`
	Dataset   string         `json:"dataset"`
	Simulated bool           `json:"simulated"`
	Items     int            `json:"items"`    // scored: all their showings are in the records
	Expected  int            `json:"expected"` // items of the run
	Results   []Result       `json:"results"`
	Outcomes  map[string]int `json:"outcomes"` // of games, all eight
	Policy    judging.Policy `json:"policy"`
	AcceptCut bool           `json:"accept_cut"`
	Origins   []Origin       `json:"origins,omitempty"`
	Missing   Missing        `json:"missing,omitempty"` // of protocols that leave a choice: how judgments without a verdict count
	Bootstrap Bootstrap      `json:"bootstrap"`

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

// Game is one judgment of a pair, as scores need it.
type Game struct {
	Outcome judging.Outcome
	Choice  int8 // candidate judged the better; -1 for none
	First   int8 // candidate shown first
	seen    bool
}

// decided tells whether the game names a response.
func (g Game) decided() bool { return g.Outcome == judging.Decided }

// verdict tells whether the game has one, a tie included.
func (g Game) verdict() bool { return g.decided() || g.Outcome == judging.Tie }

// points is JudgeBench's: +1 for the labelled answer, −1 for the opposite, 0
// for anything else.
func (g Game) points(gold int8) int {
	switch {
	case !g.decided():
		return 0
	case g.Choice == gold:
		return 1
	}
	return -1
}

// Unit is a pair with its two games: what is scored and resampled.
type Unit struct {
	Item string
	*Pattern
}

// Pattern is all of a pair that scores look at. There are few, whatever the
// number of pairs, and the units share them.
type Pattern struct {
	Group string
	Gold  int8
	Own   int8 // the judge's own answer to the question, where it was shown: see the Own constants
	Games [2]Game
}

func (p *Pattern) complete() bool { return p.Games[0].seen && p.Games[1].seen }

// Run is a run directory as scores need it.
type Run struct {
	Dir      string
	Manifest *judging.Manifest
	Reading  judging.Reading
	Units    []Unit // with both games, by item id
	Partial  int    // pairs of which only one game is in the records
	Outcomes map[judging.Outcome]int
	Reread   int // records whose outcome or choice differs from the one stored
	Records  int
	Answered int // judgments that did not fail, of every time
	Thought  int // replies cut in the midst of thinking, before any answer
	Shrunk   int // prompts that the server cut without saying so
	Unheld   int // replies that a server was asked to hold to the labels, and did not
	replies  int
	origins  map[string]int // replies from each bundle
	Unlikely int            // decided games whose label is not the likeliest of those on offer

	family   family // of protocols that are not scored as pairs of games, else nil
	complete int    // items of the family with all their judgments
	missing  Missing

	Forecasts []Forecast // of decided games whose label probabilities are known
	repeats   map[string]*repeated
}

// Load reads a run directory. Every stored reply is read again.
func Load(dir string, how judging.Reading) (*Run, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	protocol, err := judging.AskerOf(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
	}
	load := newLoader(m, how, protocol, nil)
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
	items    *judging.IDs
	lent     bool               // items is somebody else's
	patterns []*Pattern         // the distinct ones
	number   map[Pattern]uint32 // of a pattern in patterns
	of       []uint32           // 1 + the pattern of each item; 0: no record yet
}

// NewLoader makes a loader for the run of a manifest. items are the ids that its
// records will be of, where the caller has them: they are only read.
func NewLoader(m *judging.Manifest, how judging.Reading, items *judging.IDs) (*Loader, error) {
	protocol, err := judging.AskerOf(m)
	if err != nil {
		return nil, err
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	return newLoader(m, how, protocol, items), nil
}

func newLoader(m *judging.Manifest, how judging.Reading, protocol judging.Asker, items *judging.IDs) *Loader {
	l := &Loader{
		run:      &Run{Manifest: m, Reading: how, Outcomes: map[judging.Outcome]int{}},
		protocol: protocol, items: items, lent: items != nil, number: map[Pattern]uint32{},
	}
	if !l.lent {
		l.items = new(judging.IDs)
	}
	if f := families[m.Spec.Protocol]; f != nil {
		l.run.family = f(m)
		l.run.CountMissing("")
	}
	return l
}

// Add takes a record; it keeps no hold of it. It may be called from many
// goroutines.
func (l *Loader) Add(r *judging.Record) error {
	run := l.run
	if run.family != nil {
		v, err := r.Read(l.protocol, run.Reading)
		if err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		run.trace(r)
		return l.addToFamily(r, v)
	}
	if len(r.Order) != 2 || r.Showing > 1 {
		return fmt.Errorf("%s has two showings of two candidates, this record is of another kind", run.Manifest.Spec.Protocol)
	}
	v, err := r.Read(l.protocol, run.Reading)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	run.Records++
	run.trace(r)
	if v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice {
		run.Reread++
	}
	first := candidate(r, r.Order[0])
	made := Game{Outcome: v.Outcome, Choice: int8(v.Choice), First: first, seen: true}
	if run.Manifest.Spec.Parameters.Times() > 1 && !run.repeat(r, made) {
		return nil
	}
	if r.Repeat > 0 { // the scores are those of the first time
		run.answered(made)
		return nil
	}
	i := l.item(r.Item)
	p := Pattern{Group: r.Group, Gold: candidate(r, r.Gold), Own: knownOwn(r)}
	if n := l.of[i]; n > 0 {
		p = *l.patterns[n-1]
	}
	game := &p.Games[r.Showing]
	if game.seen {
		return nil // the first stands, as for the run itself
	}
	*game = made
	run.remark(r, v)
	run.answered(made)
	if c, ok := confidence(r, l.protocol, v); ok && v.Outcome == judging.Decided {
		if slices.ContainsFunc(r.Probabilities, func(p judging.Probability) bool { return p.P > c }) {
			run.Unlikely++
		}
		run.Forecasts = append(run.Forecasts, Forecast{strings.Clone(r.Item), r.Showing, c, int8(v.Choice) == p.Gold})
	}
	l.of[i] = l.pattern(p) + 1
	return nil
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

func (run *Run) answered(g Game) {
	if g.Outcome != judging.Failed {
		run.Answered++
	}
}

// item numbers an item.
func (l *Loader) item(id string) int {
	i, ok := l.items.Find(id)
	if !ok {
		if l.lent { // an item that the caller did not know of
			own := new(judging.IDs)
			for i := range l.items.Len() {
				own.Add(l.items.At(i))
			}
			l.items, l.lent = own, false
		}
		i, _ = l.items.Add(id)
	}
	for len(l.of) <= i {
		l.of = append(l.of, 0)
	}
	return i
}

func (l *Loader) pattern(p Pattern) uint32 {
	n, ok := l.number[p]
	if !ok {
		p.Group = strings.Clone(p.Group) // not a view into a record
		n = uint32(len(l.patterns))
		l.patterns, l.number[p] = append(l.patterns, &p), n
	}
	return n
}

// Run is what the records come to. The loader is of no use afterwards.
func (l *Loader) Run() *Run {
	run := l.run
	if run.family != nil {
		run.complete, run.Partial = run.family.finish()
		return run
	}
	pairs := 0
	for _, n := range l.of {
		if n > 0 && l.patterns[n-1].complete() {
			pairs++
		}
	}
	run.Units = make([]Unit, 0, pairs)
	for i, n := range l.of {
		if n == 0 {
			continue
		}
		p := l.patterns[n-1]
		for _, g := range p.Games {
			if g.seen {
				run.Outcomes[g.Outcome]++
			}
		}
		if p.complete() {
			run.Units = append(run.Units, Unit{l.items.At(i), p})
		} else {
			run.Partial++
		}
	}
	slices.SortFunc(run.Units, func(a, b Unit) int { return strings.Compare(a.Item, b.Item) })
	run.Forecasts = slices.DeleteFunc(run.Forecasts, func(f Forecast) bool { // of pairs that are not scored
		_, ok := slices.BinarySearchFunc(run.Units, f.Item, func(u Unit, item string) int { return strings.Compare(u.Item, item) })
		return !ok
	})
	return run
}

// candidate is the index of a candidate of a pair.
func candidate(r *judging.Record, id string) int8 {
	if r.CandidateID(0) == id {
		return 0
	}
	return 1
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
