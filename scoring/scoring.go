// Package scoring turns records into results. It asks no model and changes no
// file: the same records give the same results, whatever order they were
// written in.
package scoring

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

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
	Value   *float64 `json:"value"` // null where undefined; Note says why
	N       int      `json:"n"`     // what it is a share of
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
	Model     string         `json:"model"`
	Dataset   string         `json:"dataset"`
	Simulated bool           `json:"simulated"`
	Items     int            `json:"items"`    // scored: all their showings are in the records
	Expected  int            `json:"expected"` // items of the run
	Results   []Result       `json:"results"`
	Outcomes  map[string]int `json:"outcomes"` // of games, all eight
	Policy    judging.Policy `json:"policy"`
	AcceptCut bool           `json:"accept_cut"`
	Bootstrap Bootstrap      `json:"bootstrap"`
	Warnings  []string       `json:"warnings"`
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
}

// DefaultOptions are what results.json is made with.
var DefaultOptions = Options{Reading: judging.Reading{Policy: judging.Unique}, Bootstrap: stats.Default}

// Game is one judgment of a pair, as scores need it.
type Game struct {
	Outcome judging.Outcome
	Choice  int8 // candidate judged the better; -1 for none
	First   int8 // candidate shown first
	seen    bool
}

// decided tells whether the game names a response.
func (g Game) decided() bool { return g.Outcome == judging.Decided }

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
	Item  string
	Group string
	Gold  int8
	Games [2]Game
}

func (u Unit) complete() bool { return u.Games[0].seen && u.Games[1].seen }

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
}

// Load reads a run directory. Every stored reply is read again.
func Load(dir string, how judging.Reading) (*Run, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	protocol, err := judging.ProtocolOf(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
	}
	run := &Run{Dir: dir, Manifest: m, Reading: how, Outcomes: map[judging.Outcome]int{}}
	load := loader{run: run, protocol: protocol, at: map[string]int32{}, groups: map[string]string{}}
	if err := judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), load.add); err != nil {
		return nil, err
	}
	all := run.Units
	run.Units = run.Units[:0]
	for _, u := range all {
		for _, g := range u.Games {
			if g.seen {
				run.Outcomes[g.Outcome]++
			}
		}
		if u.complete() {
			run.Units = append(run.Units, u)
		} else {
			run.Partial++
		}
	}
	slices.SortFunc(run.Units, func(a, b Unit) int { return strings.Compare(a.Item, b.Item) })
	return run, nil
}

// loader gathers records into units.
type loader struct {
	run      *Run
	protocol judging.Protocol
	at       map[string]int32  // unit by item
	groups   map[string]string // one copy of each name
}

func (l *loader) add(r *judging.Record) error {
	run := l.run
	if len(r.Order) != 2 || r.Showing > 1 {
		return fmt.Errorf("%s has two showings of two candidates, this record is of another kind", run.Manifest.Spec.Protocol)
	}
	v, err := r.Read(l.protocol, run.Reading)
	if err != nil {
		return err
	}
	run.Records++
	if v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice {
		run.Reread++
	}
	i, ok := l.at[r.Item]
	if !ok {
		group, ok := l.groups[r.Group]
		if !ok {
			group = strings.Clone(r.Group)
			l.groups[group] = group
		}
		i = int32(len(run.Units))
		run.Units = append(run.Units, Unit{Item: strings.Clone(r.Item), Group: group, Gold: candidate(r, r.Gold)})
		l.at[run.Units[i].Item] = i
	}
	game := &run.Units[i].Games[r.Showing]
	if game.seen {
		return nil // the first stands, as for the run itself
	}
	*game = Game{Outcome: v.Outcome, Choice: int8(v.Choice), First: candidate(r, r.Order[0]), seen: true}
	return nil
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
