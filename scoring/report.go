package scoring

import (
	"fmt"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Report has the results of a run: an element of `gavel score --json`, and, without Run, results.json.
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

// Question says who was asked what.
type Question struct {
	Prompt string `json:"prompt"` // its name
	// what was asked for beside the prompt: `constrained`, `think …`, `strict determinism`
	Settings  string `json:"settings,omitempty"`
	Model     string `json:"model"`          // the judge
	Name      string `json:"name,omitempty"` // of the judge, where a suite's file gives one
	Dataset   string `json:"dataset"`        // its name
	Simulated bool   `json:"simulated"`      // no model was asked
}

// Answer has the result of a run in words.
type Answer struct {
	Says      string     `json:"says,omitempty"`      // the answer in a sentence: what to do with the judge
	Also      string     `json:"also,omitempty"`      // what else to know of it, in a few sentences
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"` // what the judge is good for, in words
	// every answer is a preference: what is right is what people prefer
	Preferences bool `json:"preferences,omitempty"`
}

// Level returns the level of the judge, unknown without a diagnosis.
func (a Answer) Level() Level {
	if a.Diagnosis == nil {
		return Unknown
	}
	return a.Diagnosis.Level
}

// Method says how the replies of a run were read, and how its numbers were computed.
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

// Extras has results that not every run has.
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

// questionOf returns the question of a run from its manifest.
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

// Version is raised whenever the same records lead to other numbers or other words. Pages score a stored run again if
// its results.json has a lower one.
const Version = 8

// settings returns the settings by which two runs of one prompt differ.
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

// OtherReading is the headline by the reading that was not chosen.
type OtherReading struct {
	Reading judging.Readers `json:"reading"`        // the one that was not chosen
	Metric  string          `json:"metric"`         // of the headline
	Mode    string          `json:"mode,omitempty"` // of the headline
	Value   *float64        `json:"value"`          // by that reading
}
