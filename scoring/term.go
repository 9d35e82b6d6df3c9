package scoring

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Term holds a row of a table of metrics such as metrics.yaml: the key, names and texts of a metric.
type Term struct {
	// key of the metric, or a pattern for several keys, as in [path.Match]: "place-*"
	Metric string `yaml:"key"`
	// name in tables, axes and sentences; * stands for the part of the key that the pattern's * matches
	Label     string    `yaml:"label"`
	Short     string    `yaml:"short"`      // name for narrow columns; "" in the file: the label
	Plain     string    `yaml:"definition"` // definition in plain words
	Source    string    `yaml:"source"`     // where the formula was published
	Others    string    `yaml:"others"`     // name of the metric in other publications
	Unit      string    `yaml:"unit"`       // unit of the metric's values, as in [Result]
	Direction Direction `yaml:"best"`       // whether higher or lower values are better; "" if neither
	Chance    string    `yaml:"chance"`     // value of a random judge; "" if that is not informative
	Aliases   []string  `yaml:"called"`     // other names of the metric in tables, with patterns as in Metric
	// every item is right or wrong by the metric, so that a run can end early by it
	RightByItem   bool   `yaml:"per-item"`
	MissingRule   string `yaml:"missing"`        // how judgments without a verdict count, in words
	StrictMissing string `yaml:"missing-strict"` // how they count under [MissingStrict], if that differs
	None          string `yaml:"undefined"`      // why the metric has no value, if the reason is always the same
	// groups of units on which two runs are compared by the metric; for a headline metric always [ScopeGroups]
	CompareScope Scope `yaml:"compared"`
}

// commonTable is the text of the table that [CommonTerms] holds.
//
//go:embed metrics.yaml
var commonTable string

// CommonTerms holds the metrics that several protocols share.
var CommonTerms, _ = ReadTerms(commonTable)

// metrics holds the table of metrics of each protocol, by the protocol's name.
var metrics = map[string][]Term{}

// ReadTerms parses a table of metrics in YAML.
func ReadTerms(table string) (terms []Term, err error) {
	d := yaml.NewDecoder(strings.NewReader(table))
	d.KnownFields(true)
	err = d.Decode(&terms)
	return terms, err
}

// Keys of metrics of all protocols, and of the metrics of pairs on leaderboards.
const (
	SelfAgreement          = "self-agreement"
	NoiseFloorPrefix       = "noise-floor:" // begins the key of a metric's noise floor, followed by the metric's key
	Brier                  = "brier"
	CalibrationECE         = "ece"
	AccuracyWhenConsistent = "right-where-alike"
	Coverage               = "coverage"
	FirstPosition          = "first-position"
	Consistency            = "consistency"
)

// Direction tells whether higher or lower values of a metric are better; "" if neither.
type Direction string

// Values of [Term.Direction]: which values of a metric are better.
const (
	Higher Direction = "higher is better"
	Lower  Direction = "lower is better"
)

// HasName reports whether the term's metric has this name: its label, its key or one of its other names.
func (t Term) HasName(name string) bool {
	return name == t.Label || slices.ContainsFunc(append([]string{t.Metric}, t.Aliases...), func(pattern string) bool {
		match, _ := path.Match(pattern, strings.ReplaceAll(name, "/", " "))
		return match
	})
}

// ID returns the HTML id of the metric's explanation on a page. Metrics of two protocols with the same name have
// different ids.
func (t Term) ID() string {
	h := fnv.New32a()
	io.WriteString(h, t.Metric+"\n"+t.Plain)
	return fmt.Sprintf("term-%08x", h.Sum32())
}

// FindTerm returns the term with a name, as in [Term.HasName]; false if no term has it.
func FindTerm(terms []Term, name string) (Term, bool) {
	if i := slices.IndexFunc(terms, func(t Term) bool { return t.HasName(name) }); i >= 0 && name != "" {
		return terms[i], true
	}
	return Term{}, false
}

// MetricsOf lists the metrics of a protocol in the order in which tables print them.
func MetricsOf(protocol string) []Term { return metrics[protocol] }

// MetricOf returns the names and texts of a metric by its key, first among the metrics of the protocol, then among
// [CommonTerms]. It returns false for an unknown key.
func MetricOf(protocol, key string) (Term, bool) {
	return termOf(slices.Concat(metrics[protocol], CommonTerms), key)
}

// termOf returns the term of a key, with * in its names replaced by the part of the key that it matches. It returns
// false for an unknown key.
func termOf(terms []Term, key string) (Term, bool) {
	i := slices.IndexFunc(terms, func(t Term) bool { return t.Metric == key })
	if i < 0 {
		for k, t := range terms { // the longest pattern wins
			if match, _ := path.Match(t.Metric, key); match && (i < 0 || len(t.Metric) > len(terms[i].Metric)) {
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

// WithoutVerdictShare is the key of the share of judgments without a verdict.
const WithoutVerdictShare = "without-verdict"
