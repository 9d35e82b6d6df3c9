package scoring

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"
)

// Term is an entry of the table of metrics: a metric in words. A [Metric] has it in its literal, and fills in the key
// and the unit.
type Term struct {
	Metric  string   // its key, or a pattern for several keys, as [path.Match] reads it: "place-*"
	Label   string   // in tables, on axes and in sentences; a * stands for that part of the key
	Short   string   // where there is little room; "" in the literal of a metric: the label
	Unit    string   // of its values, as in [Result]
	PerItem bool     // every item is right or wrong by it, so that a run can end early by it
	Called  []string // how else tables call it, with patterns as in Metric
	Plain   string   // what it says, in plain words
	Source  string   // of the formula
	Others  string   // what others call it
	Chance  string   // what a judge without judgment gets; "" where that says nothing
	Best    Best     // "" where that cannot be said
}

// Keys of metrics that runs of every protocol may have, and of those of pairs that stand on every board.
const (
	SelfAgreement   = "self-agreement"
	NoiseFloor      = "noise-floor:" // of the metric whose key follows
	Brier           = "brier"
	CalibrationECE  = "ece"
	AUROC           = "auroc"
	RightWhereAlike = "right-where-alike"
	Coverage        = "coverage"
	FirstPosition   = "first-position"
)

// Best says which values of a metric are the better, in words.
type Best string

// Which values are the better.
const (
	Higher Best = "higher is better"
	Lower  Best = "lower is better"
)

// Is tells whether a name is the term's.
func (t Term) Is(name string) bool {
	return name == t.Label || slices.ContainsFunc(append([]string{t.Metric}, t.Called...), func(pattern string) bool {
		is, _ := path.Match(pattern, strings.ReplaceAll(name, "/", " "))
		return is
	})
}

// ID of the term's explanation on a page: terms of two protocols that go by one name have two.
func (t Term) ID() string {
	h := fnv.New32a()
	io.WriteString(h, t.Metric+"\n"+t.Plain)
	return fmt.Sprintf("term-%08x", h.Sum32())
}

// TermIn finds a name among terms; false where none has it.
func TermIn(terms []Term, name string) (Term, bool) {
	if i := slices.IndexFunc(terms, func(t Term) bool { return t.Is(name) }); i >= 0 && name != "" {
		return terms[i], true
	}
	return Term{}, false
}

// metrics is the table of metrics, by protocol.
var metrics = map[string][]Term{}

// MetricsOf lists the metrics of a protocol in the order in which tables print them.
func MetricsOf(protocol string) []Term { return metrics[protocol] }

// MetricOf finds the metric of a result by its key, first among those of the protocol, then among [CommonTerms]. It
// returns false for a key that neither has.
func MetricOf(protocol, key string) (Term, bool) {
	terms := slices.Concat(metrics[protocol], CommonTerms)
	exact := func(t Term) bool { return t.Metric == key }
	i := slices.IndexFunc(terms, exact)
	if i < 0 {
		for k, t := range terms { // of several patterns the longest
			if is, _ := path.Match(t.Metric, key); is && (i < 0 || len(t.Metric) > len(terms[i].Metric)) {
				i = k
			}
		}
	}
	if i < 0 {
		return Term{Metric: key, Label: key, Short: key}, false
	}
	t := terms[i]
	if before, after, pattern := strings.Cut(t.Metric, "*"); pattern {
		part := strings.TrimSuffix(strings.TrimPrefix(key, before), after)
		if k := slices.IndexFunc(terms, func(t Term) bool { return t.Metric == part }); k >= 0 {
			part = terms[k].Label
			t.Unit = terms[k].Unit
		}
		t.Metric = key
		t.Label = strings.Replace(t.Label, "*", strings.ReplaceAll(part, "-", " "), 1)
		t.Short = strings.Replace(t.Short, "*", strings.ReplaceAll(part, "-", " "), 1)
	}
	t.Label = cmp.Or(t.Label, key)
	t.Short = cmp.Or(t.Short, t.Label)
	return t, true
}

// CommonTerms define what runs of every protocol may have.
var CommonTerms = []Term{
	{
		Metric: SelfAgreement,
		Label:  "intra-rater agreement",
		Short:  "agreement",
		Plain:  "prompts with the same verdict every time they were asked",
		Source: "share of prompts that got a verdict",
		Others: "test-retest reliability",
	},
	{
		Metric: NoiseFloor + "*",
		Label:  "noise floor of *",
		Called: []string{"noise floor"},
		Plain:  "the largest difference between two repeats of the same run",
		Source: "gavel",
		Others: "run-to-run variance",
	},
	{
		Metric: AUROC,
		Label:  "AUROC",
		Unit:   UnitScore,
		Plain: "take two pairs with different labels: " +
			"how often the odds of response A are higher in the pair in which A is labelled better",
		Source: "DeLong et al. 1988; clusters by Obuchowski 1997",
		Others: "AUC; c-statistic; Mann-Whitney U over the number of pairs",
		Chance: "0.5",
	},
	{
		Metric: Brier,
		Label:  "Brier score",
		Short:  "Brier",
		Unit:   UnitScore,
		Plain:  "squared distance between confidence and right or wrong; 0 is best",
		Source: "Brier 1950",
		Others: "mean squared error of a forecast",
		Chance: "0.25 if it says so",
	},
	{
		Metric: CalibrationECE,
		Label:  "expected calibration error",
		Short:  "ECE",
		Unit:   UnitScore,
		Plain:  "distance between confidence and accuracy, over ten bins; 0 is best",
		Source: "Guo et al., arXiv 1706.04599",
		Others: "expected calibration error",
	},
	WithoutVerdictTerm,
}

// WithoutVerdictTerm is of every protocol.
var WithoutVerdictTerm = Term{
	Metric: WithoutVerdict,
	Label:  "no verdict",
	Called: []string{"without a verdict"},
	Plain:  "judgments that name nothing: no verdict could be read, the reply was cut, the call failed",
	Source: "share of judgments",
	Others: "invalid or unparsed responses, refusals",
}

// WithoutVerdict is the share of judgments without a verdict.
const WithoutVerdict = "without-verdict"
