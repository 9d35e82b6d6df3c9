// Package scoring turns records into results. It asks no model and changes no file: the same records give the same
// results, whatever order they were written in.
package scoring

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Decided is the outcome of a judgment that names a response.
const Decided = string(judging.Decided)

// Outcomes are the names of all outcomes, in the order tables print them.
var Outcomes = func() []string {
	names := make([]string, len(judging.Outcomes))
	for i, o := range judging.Outcomes {
		names[i] = string(o)
	}
	return names
}()

// Judgments is the number of judgments in the records.
func (r Report) Judgments() int {
	n := 0
	for _, k := range r.Outcomes {
		n += k
	}
	return n
}

// Result is one number: a metric on a group, in percent.
type Result struct {
	Metric string `json:"metric"`         // its name, see below
	Group  string `json:"group"`          // `overall`, a category, `agent: NAME` or `N options`
	Mode   string `json:"mode,omitempty"` // `cot`, `self`, or `difference`, which is self − cot
	// `score` (0 to 1), `correlation` (−1 to 1), `statistic` or `count`; left out for percent
	Unit  string   `json:"unit,omitempty"`
	Value *float64 `json:"value"` // null where undefined
	N     int      `json:"n"`     // what it is a share of
	// in how many questions or templates these are, where several belong together
	Clusters int      `json:"clusters,omitempty"`
	Low      *float64 `json:"low"`                // of the 95 % interval
	High     *float64 `json:"high"`               // of the 95 % interval
	Interval string   `json:"interval,omitempty"` // how it was made, see PROTOCOLS.md §5
	Missing  string   `json:"missing"`            // how judgments without a verdict counted
	Note     string   `json:"note,omitempty"`     // why it is undefined, or what else to know
}

// Count is n and, where several units belong together, in how many clusters they are.
func (r Result) Count() string {
	if r.Clusters == 0 || r.Clusters == r.N {
		return strconv.Itoa(r.N)
	}
	return fmt.Sprintf("%d in %d", r.N, r.Clusters)
}

// Report is what a run comes to: one run of `gavel score --json`, and, without Run, results.json.
type Report struct {
	Run string `json:"run,omitempty"` // the folder, as it was given; not in results.json
	ID  string `json:"id"`            // of the run
	// raised whenever the same records come to other numbers or words; left out by gavels that did not count
	Scoring  int    `json:"scoring,omitempty"`
	Protocol string `json:"protocol"` // as in the manifest
	Goal     string `json:"goal"`     // as in the manifest
	Question
	Items      int `json:"items"`                // scored: all their presentations are in the records
	Unlabelled int `json:"unlabelled,omitempty"` // of the items: they are left out of what needs a label
	Expected   int `json:"expected"`             // items of the run
	Answer
	Results    []Result       `json:"results"`             // a row per metric, group and mode
	Breakdowns []Breakdown    `json:"breakdown,omitempty"` // what became of the items, a row a group
	Outcomes   map[string]int `json:"outcomes"`            // judgments by outcome, all eight; of the first time
	Method
	Extras

	Warnings []string `json:"warnings"` // what the table prints after `!`

	// what a diagnosis advises by
	manifest *judging.Manifest // of the run; nil of a report that was read
	remarks  remarks           // of the run
}

// Question is who was asked what.
type Question struct {
	Prompt string `json:"prompt"` // its name
	// what was asked for beside the prompt: `constrained`, `think …`, `strict determinism`
	Settings  string `json:"settings,omitempty"`
	Model     string `json:"model"`          // the judge
	Name      string `json:"name,omitempty"` // of the judge, where a suite's file gives one
	Dataset   string `json:"dataset"`        // its name
	Simulated bool   `json:"simulated"`      // no model was asked
}

// Answer is what a run says of its judge, in words.
type Answer struct {
	Says      string     `json:"says,omitempty"`      // the answer in a sentence: what to do with the judge
	Also      string     `json:"also,omitempty"`      // what else to know of it, in a few sentences
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"` // what the judge is good for, in words
	// every answer is a preference: what is right is what people prefer
	Preferences bool `json:"preferences,omitempty"`
}

// Method is how the replies of a run were read, and how its numbers were computed from them.
type Method struct {
	// how replies were read: `robust`; left out for as published
	Reading   judging.Readers `json:"reading,omitempty"`
	Policy    judging.Policy  `json:"policy"`                   // of several verdicts in a reply; empty: none
	AcceptCut bool            `json:"accept_cut"`               // as in the manifest
	Otherwise int             `json:"read_otherwise,omitempty"` // replies that the other reading reads otherwise
	// where they are more than one of a hundred: its headlines
	OtherReading []OtherReading `json:"other_reading,omitempty"`
	Origins      []Origin       `json:"origins,omitempty"` // where replies came with bundles
	// of protocols that leave a choice, how judgments without a verdict count: `wrong` or `drop`, `usable` or `strict`
	Missing MissingPolicy `json:"missing,omitempty"`
	// what intervals that are drawn were made with
	Bootstrap Bootstrap `json:"bootstrap"`
	// which rule ended the run before its last item
	Stopped *judging.Stopped `json:"stopped,omitempty"`
}

// Extras are results that not every run has.
type Extras struct {
	// only with `--repeat`
	Repetitions *Repetitions `json:"repeats,omitempty"`
	// only where a decided judgment has probabilities
	Calibration *Calibration `json:"calibration,omitempty"`
	// of pairs whose two judgments tell the probabilities of both responses
	Soft *Soft `json:"soft,omitempty"`
	// of the protocol `probe`: what each rewrite does to the verdicts, in the order of the catalogue
	Probes []Probe `json:"probes,omitempty"`
	// what rules that do not read get right on the pairs
	Rules []Rule `json:"rules,omitempty"`
	// published judges on the very items of the run, the best first
	References []Reference `json:"references,omitempty"`
	// items right by the headline for 1,000 generated tokens, whoever paid for these; only where servers tell them
	PerThousand *float64 `json:"right_per_1000_tokens,omitempty"`
	// what it cost, only where servers were asked. It differs from one making of a run to another,
	// so results.json has none.
	Ledger *Ledger `json:"ledger,omitempty"`
}

// questionOf returns who a manifest says was asked what.
func questionOf(m *judging.Manifest) Question {
	return Question{
		Prompt:    m.Spec.Prompt.Name,
		Settings:  settings(m.Spec),
		Model:     m.Spec.Model.Name,
		Name:      m.Name,
		Dataset:   m.Dataset.Name,
		Simulated: m.Simulated,
	}
}

// Version is raised whenever the same records come to other numbers or other words. Pages score a stored run again
// whose results.json has a lower one.
const Version = 7

// settings names what makes two runs of one prompt differ.
func settings(s judging.Spec) string {
	labels := s.Labels()
	if n := s.Dataset.MaxOptions; n > 0 {
		labels = slices.Insert(labels, len(s.Options), fmt.Sprintf("at most %d options", n))
	}
	if s.Dataset.Unrelated {
		labels = slices.Insert(labels, len(s.Options), "unrelated option")
	}
	return strings.Join(labels, ", ")
}

// Bootstrap says how the intervals were made.
type Bootstrap struct {
	Rounds int     `json:"rounds"` // draws
	Level  float64 `json:"level"`  // of all intervals
	Seed   uint64  `json:"seed"`   // of the draws
	Unit   string  `json:"unit"`   // what was resampled
}

func bootstrapOf(b stats.Bootstrap, unit string) Bootstrap {
	return Bootstrap{Rounds: b.Rounds, Level: b.Level, Seed: b.Seed, Unit: unit}
}

// Options of scoring.
type Options struct {
	Reading   judging.Reading
	Bootstrap stats.Bootstrap
	Missing   MissingPolicy // see [Run.CountMissing]
}

// DefaultOptions are what results.json is made with.
var DefaultOptions = Options{
	Reading:   judging.Reading{Policy: judging.Unique},
	Bootstrap: stats.Default,
	Missing:   MissingWrong,
}

// Score computes every metric, overall and by group.
func (run *Run) Score(b stats.Bootstrap) Report {
	m := run.Manifest
	rep := Report{
		Scoring:    Version,
		ID:         m.ID,
		Protocol:   m.Spec.Protocol,
		Goal:       m.Spec.Goal,
		Question:   questionOf(m),
		Items:      run.Items,
		Unlabelled: run.unlabelled(),
		Expected:   m.Spec.Dataset.Items,
		Outcomes:   map[string]int{},
		Method: Method{
			Reading:   run.reading(),
			Policy:    run.policy(),
			AcceptCut: run.Reading.AcceptCut,
			Origins:   run.Origins(),
			Missing:   run.missing,
			Bootstrap: bootstrapOf(b, run.resampled()),
			Stopped:   m.Stopped,
		},
		Warnings: run.warnings(),
		manifest: m,
		remarks:  run.remarks,
	}
	for _, o := range Outcomes {
		rep.Outcomes[o] = run.Outcomes[judging.Outcome(o)]
	}
	sheet := run.sheet(b.Seed)
	rep.Results = sheet.score(run.resampled(), b)
	if rep.Results == nil {
		rep.Results = []Result{} // an empty list in JSON
	}
	rep.Warnings = append(rep.Warnings, withoutInterval(rep.Results)...)
	if !run.unpaid() {
		rep.PerThousand = perThousand(sheet.right(), run.account.GeneratedTokens)
	}
	rep.Repetitions, rep.Calibration = run.repeated(sheet, b), run.calibration(b)
	if s, ok := run.scorer.(Parter); ok {
		rep.Breakdowns = sheet.breakdowns(s)
	}
	if s, ok := run.scorer.(Extender); ok {
		s.Extend(&rep, sheet, b)
	}
	run.scoreOther(&rep, sheet, b)
	rep.Rules = run.rules(b)
	rep.diagnose(run.scorer)
	return rep
}

// SameValues tells whether another report of the run has the numbers of this one, intervals aside. It may have more:
// a later gavel counts what an earlier one did not.
func (rep Report) SameValues(other Report) bool {
	if !maps.Equal(rep.Outcomes, other.Outcomes) {
		return false
	}
	for _, a := range rep.Results {
		b := other.Result(a.Metric, a.Group, a.Mode)
		if a.Metric != b.Metric || a.N != b.N || (a.Value == nil) != (b.Value == nil) ||
			a.Value != nil && math.Abs(*a.Value-*b.Value) > 1e-4 {
			return false
		}
	}
	return true
}

// Percent writes a share in percent, and Fraction a number as it is, with so many places that the bytes do not depend
// on how a processor fuses its multiplications.
func Percent(x float64) *float64  { return rounded(100*x, 4) }
func Fraction(x float64) *float64 { return rounded(x, 6) }

// rounded keeps more places where fewer would be printed as another number: 51 of 101 is 50.50, and not 50.4950,
// which is rounded once more, to 50.49. Values are printed with two places less, the ends of intervals with three.
func rounded(x float64, places int) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	to := func(places int) float64 { return math.Round(x*math.Pow10(places)) / math.Pow10(places) }
	print := func(x float64, places int) string { return strconv.FormatFloat(x, 'f', places, 64) }
	y := to(places)
	if print(x, places-2) != print(y, places-2) || print(x, places-3) != print(y, places-3) {
		y = to(places + 4)
	}
	if y == 0 {
		y = 0 // never −0
	}
	return &y
}

// One is 1 for what is so, else 0.
func One(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
