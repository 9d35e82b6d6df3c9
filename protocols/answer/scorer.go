package answer

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of the answer protocol, besides [scoring.GenerationAccuracy].
const (
	NoAnswerShare = "no-answer" // share of questions without an answer in the reply
	Chance        = "chance"    // expected accuracy of guessing among the options
	// RuleCountPrefix begins the names of metrics, such as rule:answer-is, that count the answers found by one rule.
	RuleCountPrefix = "rule:"
)

// questionAnswer holds a question and the model's answer to it, as the metrics need them.
type questionAnswer struct {
	item         string
	group        string
	isRight      bool   // the answer is right, by the dataset
	hasAnswer    bool   // an answer could be read from the reply
	rule         string // rule that found the answer in the reply
	optionCount  int    // number of options of a choice or a preference; else 0
	gold         string // the right answer; "" without a label
	isPreference bool   // the question is which of two responses people prefer
}

// answerScorer scores runs in which a model answers questions.
type answerScorer struct {
	scoring.Collector[questionAnswer]
	rows []*questionAnswer // one for each question; set by Finish
}

// NewScorer returns a scorer of runs in which a model answers questions.
func NewScorer(*judging.Manifest) scoring.Scorer {
	return &answerScorer{Collector: scoring.Collector[questionAnswer]{Metrics: answerMetrics}}
}

func (*answerScorer) Terms() scoring.ScorerTerms {
	return scoring.ScorerTerms{
		Unit:                  "question",
		Record:                "answer",
		ComparisonUnit:        "answer",
		IncompleteItemsPhrase: "items lack a judgment",
	}
}

func (f *answerScorer) Add(r *judging.Record, v judging.Verdict) (bool, error) {
	switch r.Shape {
	case "choice", "number", "preference", "open": // "open" is of a pair and has no label
	default:
		return false, fmt.Errorf("an answer is to a choice, a number or a preference; "+
			"this record is of another kind (shape %q)", r.Shape)
	}
	if f.Lookup(r.Item) != nil {
		return false, nil
	}
	f.Get(r.Item, func(item string) questionAnswer {
		a := questionAnswer{
			item:         item,
			group:        strings.Clone(r.Group),
			gold:         strings.Clone(r.Gold),
			hasAnswer:    v.Outcome == judging.Decided,
			isRight:      judging.IsRightVerdict(r, v),
			rule:         strings.Clone(v.Rule),
			isPreference: r.Shape == "preference",
		}
		if r.Shape == "choice" || a.isPreference { // a tie is one of the options
			a.optionCount = len(r.Order)
		}
		return a
	})
	return true, nil
}

func (f *answerScorer) Finish() (complete int) {
	f.rows = f.CompleteUnits()
	return len(f.rows)
}

// MetricsYAML is the YAML table that labels and defines the metrics of answers.
//
//go:embed metrics.yaml
var MetricsYAML string

// answerMetrics computes the metrics: accuracy over the questions with a label, missing answers over all questions, and
// chance over the questions with options.
var answerMetrics = []scoring.SumMetric[questionAnswer]{
	{
		Metric: scoring.Metric{
			Name:     scoring.GenerationAccuracy,
			N:        func(c []float64) float64 { return c[1] },
			Headline: true,
		},
		Contribution: func(a questionAnswer) (float64, float64) {
			return scoring.Indicator(a.isRight), scoring.Indicator(a.gold != "")
		},
	},
	{
		Metric:       scoring.Metric{Name: NoAnswerShare},
		Contribution: func(a questionAnswer) (float64, float64) { return scoring.Indicator(!a.hasAnswer), 1 },
	},
	{
		Metric: scoring.Metric{Name: Chance, Kind: scoring.KindFromItems, OmitsEmptyGroups: true},
		Contribution: func(a questionAnswer) (float64, float64) {
			return 1 / float64(max(1, a.optionCount)) * scoring.Indicator(a.optionCount > 0),
				scoring.Indicator(a.optionCount > 0)
		},
	},
}

func (f *answerScorer) Sheet(scoring.MissingPolicy, uint64) *scoring.Sheet {
	s := &scoring.Sheet{
		Metrics:     scoring.AssignColumns(answerMetrics),
		ColumnCount: 2 * len(answerMetrics),
		Divisions:   []func(a, b string) int{judging.CompareGroups},
		Units:       make([]scoring.Unit, len(f.rows)),
	}
	for i, a := range f.rows {
		s.Units[i] = scoring.Unit{
			ID:     a.item,
			Groups: []string{a.group},
			Gold:   a.gold,
			Row:    make([]float64, s.ColumnCount),
			Data:   *a,
		}
		scoring.FillRow(answerMetrics, *a, s.Units[i].Row)
	}
	return s
}

// ExtendReport adds how many answers each rule found, and a warning that counts the questions without a label.
func (f *answerScorer) ExtendReport(rep *scoring.Report, _ *scoring.Sheet, _ stats.Bootstrap) {
	for i, r := range rep.Results {
		if r.Metric == Chance {
			rep.Results[i].Note = "interval: none, it is known: the mean of 1/options"
		}
	}
	rep.Results = append(rep.Results, f.ruleCounts()...)
	rep.LabelsArePreferences = !slices.ContainsFunc(f.rows, func(a *questionAnswer) bool { return !a.isPreference })
	unlabelled := 0
	for _, a := range f.rows {
		if a.gold == "" {
			unlabelled++
		}
	}
	if unlabelled > 0 {
		rep.Warnings = append(rep.Warnings, phrases.Sentence("answer.unlabelled", unlabelled, len(f.rows)))
	}
}

// ruleCounts returns a result for each rule: how many answers it found in the replies.
func (f *answerScorer) ruleCounts() (results []scoring.Result) {
	counts := map[string]float64{}
	read := 0
	for _, a := range f.rows {
		if a.hasAnswer {
			read++
			counts[a.rule]++
		}
	}
	delete(counts, "")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		results = append(results, scoring.Result{
			Metric:      RuleCountPrefix + name,
			Group:       scoring.Overall,
			Unit:        scoring.UnitCount,
			N:           read,
			Value:       new(counts[name]),
			MissingRule: "answer left out",
		})
	}
	return results
}
