package scoring

import (
	"gavel/judging"
	"gavel/scoring/stats"
)

// Scorer turns the records of one protocol into a sheet. The loader calls Add under its lock and the other methods,
// after the last record, from one goroutine.
type Scorer interface {
	Words() ScorerTerms
	// Add takes a judgment with its verdict. It must not keep the record, but may keep clones of its strings. Of two
	// records of one judgment it keeps the first and returns false for the second.
	Add(r *judging.Record, v judging.Verdict) (added bool, err error)
	// Finish is called once, after the last record. complete is the number of items with all their judgments.
	Finish() (complete int)
	// Sheet returns units and metrics. missing is one of Words().Policies if there are any; seed starts the
	// simulations.
	Sheet(missing MissingPolicy, seed uint64) *Sheet
}

// ScorerTerms holds a scorer's names for things, and its policies for judgments without a verdict.
type ScorerTerms struct {
	Unit     string          // the resampled unit: "pair", "question", "item"
	Record   string          // a record: "judgment", "answer"
	Asked    string          // follows the name of a metric if the question differs from what the name suggests
	Common   string          // what two runs have in common, if not the unit
	Lacking  string          // phrase for items without all their judgments
	Policies []MissingPolicy // ways to count judgments without a verdict, the default first
}

// Optional interfaces of scorers.
type (
	// Itemwise is a scorer whose items are right or wrong. Item returns what an item adds to a metric with
	// [Term.PerItem], before Finish; complete is false until all its judgments were added.
	Itemwise interface {
		Item(id, metric string) (num, den float64, complete bool)
	}
	// Labelling counts the units without a label, which are left out of metrics that need one.
	Labelling interface{ Unlabelled() int }
	// Extender adds results to a report that are not metrics of its units.
	Extender interface {
		Extend(rep *Report, s *Sheet, b stats.Bootstrap)
	}
	// Matcher adds results to a comparison that are not differences of metrics. other is a scorer of the same
	// protocol, or of one with the same metrics.
	Matcher interface {
		Match(c *Comparison, other Scorer, shared []SharedUnit, b stats.Bootstrap)
	}
)

// scorers holds the scorers by protocol, and parts the outcomes of their units.
var (
	scorers = map[string]func(*judging.Manifest) Scorer{}
	parts   = map[string][]string{}
)

// Register adds a protocol: the scorer of its runs, its table of metrics, the headline first, and the outcomes of
// its units in their order. A row of the table with only a key refers to [CommonTerms]. The table is part of the
// program; a test reports errors in it.
func Register(protocol string, scorer func(*judging.Manifest) Scorer, table string, ends ...string) {
	scorers[protocol] = scorer
	parts[protocol] = ends
	terms, _ := ReadTerms(table)
	for i, t := range terms {
		if t.Label == "" {
			terms[i], _ = termOf(CommonTerms, t.Metric)
		}
	}
	metrics[protocol] = terms
}

// GenerationAccuracy is the metric of several protocols for the share of questions that the judge itself answers
// correctly.
const GenerationAccuracy = "generation-accuracy"

// ItemResult is the result of an item by a metric. LeftOut means that the metric does not count the item, for example
// without a verdict.
type ItemResult int

// Results of an item.
const (
	Wrong ItemResult = iota
	Right
	LeftOut
	UnknownResult // a judgment failed
)
