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
	Run string `json:"run,omitempty"` // folder of the run, as given; not in results.json
	ID  string `json:"id"`            // id of the run
	// version of the scoring: raised whenever the same records lead to other numbers or words; missing in old files
	ScoringVersion int    `json:"scoring,omitempty"`
	Protocol       string `json:"protocol"` // the run's protocol, as in the manifest
	Goal           string `json:"goal"`     // the run's goal, as in the manifest
	RunSetup
	Items int `json:"items"` // scored items: those with all their judgments in the records
	// scored items without a label, which are left out of metrics that need one
	Unlabelled int `json:"unlabelled,omitempty"`
	Expected   int `json:"expected"` // items of the run when it is complete
	RunSummary
	Results []Result `json:"results"` // values of all metrics: one row per metric, group and mode
	// number of units by outcome, such as right and wrong, one row per group
	Breakdowns []Breakdown `json:"breakdown,omitempty"`
	// judgments of the first repetition by outcome, such as decided and tie, all eight
	Outcomes map[string]int `json:"outcomes"`
	ScoringMethod
	OptionalResults

	Warnings []string `json:"warnings"` // warnings about the run, printed after `!`

	manifest *judging.Manifest // of the run, for the diagnosis; nil for a stored report
	remarks  remarks           // counts from the run's records, for the diagnosis
}

// RunSetup identifies what a run asked: its judge, prompt and dataset.
type RunSetup struct {
	Prompt string `json:"prompt"` // name of the prompt
	// settings besides the prompt: `constrained`, `think …`, `strict determinism`
	Settings  string `json:"settings,omitempty"`
	Model     string `json:"model"`          // model name of the judge
	Name      string `json:"name,omitempty"` // name of the judge, if a suite's file gives one
	Dataset   string `json:"dataset"`        // name of the dataset
	Simulated bool   `json:"simulated"`      // the judge is simulated: no model was called
}

// RunSummary holds the result of a run in words.
type RunSummary struct {
	Says      string     `json:"says,omitempty"`      // what to do with the judge, in a sentence
	Also      string     `json:"also,omitempty"`      // further remarks, in a few sentences
	Diagnosis *Diagnosis `json:"diagnosis,omitempty"` // level of the judge, with the numbers behind it
	// the labels of the items are preferences of people, not facts
	LabelsArePreferences bool `json:"preferences,omitempty"`
}

// Level returns the level of the judge, [LevelUnknown] without a diagnosis.
func (a RunSummary) Level() UsabilityLevel {
	if a.Diagnosis == nil {
		return LevelUnknown
	}
	return a.Diagnosis.Level
}

// ScoringMethod records how the replies of a run were read and how its numbers were computed.
type ScoringMethod struct {
	// how replies were read: `robust`; left out for the published rule
	Reading judging.ReaderSet `json:"reading,omitempty"`
	// which of several verdicts in a reply counts; empty if the rule leaves no choice
	LabelPolicy judging.LabelPolicy `json:"policy"`
	AcceptCut   bool                `json:"accept_cut"` // a verdict counts even if the reply was truncated after it
	// replies from which the published rule and gavel's robust rule read different verdicts
	RuleDisagreements int `json:"read_otherwise,omitempty"`
	// headline metrics by the rule that was not selected, if the two differ in more than 1 % of the replies
	OtherReading []OtherReading `json:"other_reading,omitempty"`
	Origins      []Origin       `json:"origins,omitempty"` // imported bundles that replies come from
	// how judgments without a verdict count, if the protocol offers a choice: `wrong` or `drop`, `usable` or `strict`
	Missing MissingPolicy `json:"missing,omitempty"`
	// settings of resampled intervals
	Bootstrap BootstrapInfo `json:"bootstrap"`
	// the rule that ended the run before its last item; left out if none did
	StopRule *judging.StopRule `json:"stopped,omitempty"`
}

// OptionalResults holds results that only some runs have.
type OptionalResults struct {
	// only with `--repeat`: agreement of the judge with itself
	Repetitions *Repetitions `json:"repeats,omitempty"`
	// only if decided judgments have probabilities: confidence of the judge against its accuracy
	Calibration *Calibration `json:"calibration,omitempty"`
	// only for pairs with label probabilities of both responses in both judgments: quality of these probabilities
	SoftVerdicts *Soft `json:"soft,omitempty"`
	// only for the protocol `probe`: the effect of each rewrite of the pairs, in the order of the catalogue of rewrites
	Probes []Probe `json:"probes,omitempty"`
	// only for pairs: baselines that pick responses without reading them
	Baselines []Baseline `json:"rules,omitempty"`
	// results of published judges on exactly the items of the run, the best first
	References []Reference `json:"references,omitempty"`
	// items right by the headline metric per 1,000 generated tokens, whoever paid; only if servers report tokens
	RightPerThousandTokens *float64 `json:"right_per_1000_tokens,omitempty"`
	// requests, tokens and time of the run; only if servers were called. They differ between repetitions of a run, so
	// results.json omits them.
	Ledger *Ledger `json:"ledger,omitempty"`
}

// setupOf returns the judge, prompt and dataset of a run from its manifest.
func setupOf(m *judging.Manifest) RunSetup {
	return RunSetup{
		Prompt:    m.Spec.Prompt.Name,
		Settings:  settingsText(m.Spec),
		Model:     m.Spec.Model.Name,
		Name:      m.Name,
		Dataset:   m.Dataset.Name,
		Simulated: m.Simulated,
	}
}

// Version is the version of the scoring, raised whenever the same records lead to other numbers or other words. Pages
// score a stored run again if its results.json has a lower one.
const Version = 10

// settingsText returns in words the settings by which two runs of one prompt differ.
func settingsText(s judging.Spec) string {
	labels := s.SettingLabels()
	if n := s.Dataset.MaxOptions; n > 0 {
		labels = slices.Insert(labels, len(s.ProtocolOptions), fmt.Sprintf("at most %d options", n))
	}
	if s.Dataset.Unrelated {
		labels = slices.Insert(labels, len(s.ProtocolOptions), "unrelated option")
	}
	return strings.Join(labels, ", ")
}

// BootstrapInfo holds the settings of resampled intervals.
type BootstrapInfo struct {
	Rounds int     `json:"rounds"` // number of resamples
	Level  float64 `json:"level"`  // confidence level of all intervals, such as 0.95
	Seed   uint64  `json:"seed"`   // seed of the resampling
	Unit   string  `json:"unit"`   // name of the unit that is resampled, such as pair or question
}

// bootstrapInfo returns the settings for reports; unit names the resampled unit.
func bootstrapInfo(b stats.Bootstrap, unit string) BootstrapInfo {
	return BootstrapInfo{Rounds: b.Rounds, Level: b.Level, Seed: b.Seed, Unit: unit}
}

// OtherReading holds a headline metric of a run whose replies are read by the other of the two rules, published or
// robust.
type OtherReading struct {
	Reading judging.ReaderSet `json:"reading"`        // the rule that was not selected: `paper` (published) or `robust`
	Metric  string            `json:"metric"`         // key of the headline metric
	Mode    string            `json:"mode,omitempty"` // the mode in which the judge was asked, as in `results`
	// value of the metric by the rule that was not selected, in percent or in the metric's unit
	Value *float64 `json:"value"`
}
