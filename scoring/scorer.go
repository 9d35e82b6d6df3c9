package scoring

import (
	"gavel/judging"
	"gavel/scoring/stats"
)

// Scorer turns the records of one protocol into a sheet, a table of scored units. The loader calls Add under its lock
// and the other methods, after the last record, from one goroutine.
type Scorer interface {
	// Terms returns the scorer's nouns and policies.
	Terms() ScorerTerms
	// Add takes a judgment with its verdict. It must not keep the record, but may keep clones of its strings. Of two
	// records of one judgment it keeps the first and returns false for the second.
	Add(r *judging.Record, v judging.Verdict) (added bool, err error)
	// Finish ends the scoring after the last record. complete is the number of items with all their judgments.
	Finish() (complete int)
	// Sheet returns the scored units and the metrics. missing tells how judgments without a verdict count, one of
	// Words().Policies if there are any; seed starts the simulations.
	Sheet(missing MissingPolicy, seed uint64) *Sheet
}

// ScorerTerms holds a scorer's nouns for what it counts, and its policies for judgments without a verdict.
type ScorerTerms struct {
	Unit                  string          // noun for the scored unit, which intervals resample: "pair", "question", "item"
	Record                string          // noun for one record: "judgment", "answer"
	MetricSuffix          string          // words after the name of a metric, to say what was asked
	ComparisonUnit        string          // noun for the units by which two runs are compared, if not Unit
	IncompleteItemsPhrase string          // words for items without all their judgments: "pairs lack a judgment"
	Policies              []MissingPolicy // ways to count judgments without a verdict, the default first
}

// Optional interfaces of scorers.
type (
	// ItemwiseScorer is a scorer whose items are right or wrong. Item returns the numbers that an item adds to numerator
	// and denominator of a metric with [Term.RightByItem], before Finish; complete is false until all judgments of the
	// item were added.
	ItemwiseScorer interface {
		ItemContribution(id, metric string) (num, den float64, complete bool)
	}
	// UnlabelledCounter is a scorer that counts the units without a label, which metrics that need one leave out.
	UnlabelledCounter interface{ Unlabelled() int }
	// ReportExtender is a scorer that adds results to a report which are not metrics of its units, such as soft verdicts.
	ReportExtender interface {
		ExtendReport(rep *Report, s *Sheet, b stats.Bootstrap)
	}
	// ComparisonExtender is a scorer that adds results to a comparison which are not differences of metrics. other is the
	// scorer of the second run, of the same protocol or of one with the same metrics.
	ComparisonExtender interface {
		ExtendComparison(c *Comparison, other Scorer, shared []SharedUnit, b stats.Bootstrap)
	}
)

// Registered protocols, by name: constructors of their scorers, and the outcomes that their units can have.
var (
	scorers      = map[string]func(*judging.Manifest) Scorer{}
	unitOutcomes = map[string][]string{}
)

// Register adds a protocol: the constructor of its scorer, its table of metrics in YAML, the headline first, and the
// outcomes of its units in the order of tables. A row of the table with only a key refers to [CommonTerms]. The table
// is part of the program; a test reports errors in it.
func Register(protocol string, scorer func(*judging.Manifest) Scorer, table string, ends ...string) {
	scorers[protocol] = scorer
	unitOutcomes[protocol] = ends
	terms, _ := ReadTerms(table)
	for i, t := range terms {
		if t.Label == "" {
			terms[i], _ = termOf(CommonTerms, t.Metric)
		}
	}
	metrics[protocol] = terms
}

// GenerationAccuracy is the key of the share of questions that the judge itself answers correctly, a metric of several
// protocols.
const GenerationAccuracy = "generation-accuracy"

// ItemResult tells whether an item is right by a metric.
type ItemResult int

// Results of an item by a metric.
const (
	ItemWrong ItemResult = iota
	ItemRight
	ItemNotCounted // the metric does not count the item, for example without a verdict
	ItemUnknown    // a judgment of the item failed and will be repeated
)
