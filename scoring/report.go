package scoring

import (
	"fmt"
	"slices"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Report holds the results of a run: an element of the JSON output of `gavel score`, and, without Run, results.json.
type Report struct {
	Run string `json:"run,omitempty"` // the folder, as given; not in results.json
	ID  string `json:"id"`            // of the run
	// version of the scoring: raised whenever the same records lead to other numbers or words; missing in old files
	Scoring  int    `json:"scoring,omitempty"`
	Protocol string `json:"protocol"` // as in the manifest
	Goal     string `json:"goal"`     // as in the manifest
	Question
	Items      int `json:"items"`                // scored: all their judgments are in the records
	Unlabelled int `json:"unlabelled,omitempty"` // of the items: without a label, so left out of metrics that need one
	Expected   int `json:"expected"`             // items of the run
	RunSummary
	Results    []Result       `json:"results"`             // one row per metric, group and mode
	Breakdowns []Breakdown    `json:"breakdown,omitempty"` // outcomes of the items, one row per group
	Outcomes   map[string]int `json:"outcomes"`            // judgments of the first repetition by outcome, all eight
	Method
	OptionalResults

	Warnings []string `json:"warnings"` // printed after `!`

	// inputs of the diagnosis
	manifest *judging.Manifest // nil for a stored report
	remarks  remarks           // of the run
}

// Question identifies the judge, the prompt and the dataset.
type Question struct {
	Prompt string `json:"prompt"` // its name
	// settings besides the prompt: `constrained`, `think …`, `strict determinism`
	Settings  string `json:"settings,omitempty"`
	Model     string `json:"model"`          // the judge
	Name      string `json:"name,omitempty"` // of the judge, if a suite's file names it
	Dataset   string `json:"dataset"`        // its name
	Simulated bool   `json:"simulated"`      // no model was called
}

// RunSummary holds the result of a run in words.
type RunSummary struct {
	Says      string     `json:"says,omitempty"`      // the answer in a sentence: what to do with the judge
	Also      string     `json:"also,omitempty"`      // further remarks, in a few sentences
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"` // what the judge is good for
	// the labels are preferences of people, not facts
	Preferences bool `json:"preferences,omitempty"`
}

// Level returns the level of the judge, unknown without a diagnosis.
func (a RunSummary) Level() Level {
	if a.Diagnosis == nil {
		return Unknown
	}
	return a.Diagnosis.Level
}

// Method records how the replies of a run were read and how its numbers were computed.
type Method struct {
	// how replies were read: `robust`; left out for the published rule
	Reading         judging.Readers `json:"reading,omitempty"`
	Policy          judging.Policy  `json:"policy"`                   // for several verdicts in a reply; empty: none
	AcceptCut       bool            `json:"accept_cut"`               // as in the manifest
	ReadDifferently int             `json:"read_otherwise,omitempty"` // replies that the other reading reads differently
	// its headlines, if they are more than 1 % of the replies
	OtherReading []OtherReading `json:"other_reading,omitempty"`
	Origins      []Origin       `json:"origins,omitempty"` // imported bundles that replies come from
	// how judgments without a verdict count, if the protocol offers a choice: `wrong` or `drop`, `usable` or `strict`
	Missing MissingPolicy `json:"missing,omitempty"`
	// settings of resampled intervals
	Bootstrap BootstrapInfo `json:"bootstrap"`
	// the rule that ended the run before its last item
	Stopped *judging.StopRule `json:"stopped,omitempty"`
}

// OptionalResults holds results that only some runs have.
type OptionalResults struct {
	// only with `--repeat`
	Repetitions *Repetitions `json:"repeats,omitempty"`
	// only if decided judgments have probabilities
	Calibration *Calibration `json:"calibration,omitempty"`
	// only for pairs with label probabilities of both responses in both judgments
	Soft *Soft `json:"soft,omitempty"`
	// only for the protocol `probe`: the effect of each rewrite, in the order of the catalogue
	Probes []Probe `json:"probes,omitempty"`
	// baselines that do not read the responses
	Rules []Baseline `json:"rules,omitempty"`
	// published judges on exactly the items of the run, the best first
	References []Reference `json:"references,omitempty"`
	// items right by the headline per 1,000 generated tokens, whoever paid; only if servers report them
	PerThousand *float64 `json:"right_per_1000_tokens,omitempty"`
	// what the run cost; only if servers were called. It differs between repetitions of a run, so results.json
	// omits it.
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
const Version = 9

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

// BootstrapInfo holds the settings of resampled intervals.
type BootstrapInfo struct {
	Rounds int     `json:"rounds"` // draws
	Level  float64 `json:"level"`  // of all intervals
	Seed   uint64  `json:"seed"`   // of the resampling
	Unit   string  `json:"unit"`   // the resampled unit
}

func bootstrapOf(b stats.Bootstrap, unit string) BootstrapInfo {
	return BootstrapInfo{Rounds: b.Rounds, Level: b.Level, Seed: b.Seed, Unit: unit}
}

// OtherReading holds a headline by the reading that was not selected.
type OtherReading struct {
	Reading judging.Readers `json:"reading"`        // the reading that was not selected
	Metric  string          `json:"metric"`         // of the headline
	Mode    string          `json:"mode,omitempty"` // of the headline
	Value   *float64        `json:"value"`          // by that reading
}
