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

// Term holds a row of a table of metrics such as metrics.yaml: the names and texts of a metric.
type Term struct {
	Metric   string   `yaml:"key"`            // or a pattern for several keys, as in [path.Match]: "place-*"
	Label    string   `yaml:"label"`          // in tables, axes and sentences; * stands for the matched part of the key
	Short    string   `yaml:"short"`          // for narrow columns; "" in the file: the label
	Plain    string   `yaml:"definition"`     // in plain words
	Source   string   `yaml:"source"`         // of the formula
	Others   string   `yaml:"others"`         // name in other publications
	Unit     string   `yaml:"unit"`           // of its values, as in [Result]
	Best     Best     `yaml:"best"`           // "" if no value is better than another
	Chance   string   `yaml:"chance"`         // value of a random judge; "" if that is not informative
	Called   []string `yaml:"called"`         // other names in tables, with patterns as in Metric
	PerItem  bool     `yaml:"per-item"`       // every item is right or wrong by it, so a run can end early by it
	Missing  string   `yaml:"missing"`        // how judgments without a verdict count
	Strict   string   `yaml:"missing-strict"` // the same under [MissingStrict], if that differs
	None     string   `yaml:"undefined"`      // why there is no value, if the reason is always the same
	Compared Scope    `yaml:"compared"`       // units on which two runs are compared by it; headline: always [ByGroup]
}

//go:embed metrics.yaml
var commonTable string

// CommonTerms holds the metrics that several protocols share.
var CommonTerms, _ = ReadTerms(commonTable)

// metrics holds the table of metrics of each protocol.
var metrics = map[string][]Term{}

// ReadTerms parses a table of metrics.
func ReadTerms(table string) (terms []Term, err error) {
	d := yaml.NewDecoder(strings.NewReader(table))
	d.KnownFields(true)
	err = d.Decode(&terms)
	return terms, err
}

// Keys of metrics of all protocols, and of the metrics of pairs on leaderboards.
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

// Best states which values of a metric are better.
type Best string

// Values of Best.
const (
	Higher Best = "higher is better"
	Lower  Best = "lower is better"
)

// Is reports whether the term has this name.
func (t Term) Is(name string) bool {
	return name == t.Label || slices.ContainsFunc(append([]string{t.Metric}, t.Called...), func(pattern string) bool {
		match, _ := path.Match(pattern, strings.ReplaceAll(name, "/", " "))
		return match
	})
}

// ID returns the id of the term's explanation on a page. Terms of two protocols with the same name have different ids.
func (t Term) ID() string {
	h := fnv.New32a()
	io.WriteString(h, t.Metric+"\n"+t.Plain)
	return fmt.Sprintf("term-%08x", h.Sum32())
}

// TermIn finds a term by name; false if none has it.
func TermIn(terms []Term, name string) (Term, bool) {
	if i := slices.IndexFunc(terms, func(t Term) bool { return t.Is(name) }); i >= 0 && name != "" {
		return terms[i], true
	}
	return Term{}, false
}

// MetricsOf lists the metrics of a protocol in the order in which tables print them.
func MetricsOf(protocol string) []Term { return metrics[protocol] }

// MetricOf finds the metric of a result by its key, first among those of the protocol, then among [CommonTerms]. It
// returns false for an unknown key.
func MetricOf(protocol, key string) (Term, bool) {
	return termOf(slices.Concat(metrics[protocol], CommonTerms), key)
}

// termOf returns the row of a key, with its pattern filled in. It returns false for an unknown key.
func termOf(terms []Term, key string) (Term, bool) {
	exact := func(t Term) bool { return t.Metric == key }
	i := slices.IndexFunc(terms, exact)
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

// WithoutVerdict is the key of the share of judgments without a verdict.
const WithoutVerdict = "without-verdict"
