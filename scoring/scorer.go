package scoring

import (
	"gavel/judging"
	"gavel/scoring/stats"
)

// Scorer is what the records of a protocol are scored as. Its methods are called under the loader's lock, then, once
// all records are in, from one goroutine.
type Scorer interface {
	Words() Words
	// Add takes a judgment, read again. It keeps no hold of the record, but may keep its strings' clones, and lets
	// the first of two records of one judgment stand (then added is false).
	Add(r *judging.Record, v judging.Verdict) (added bool, err error)
	// Finish is called once, after the last record. complete counts the items whose judgments are all there.
	Finish() (complete int)
	// Sheet is what the records come to. how is one of Words().Policies, where there are some; what is simulated for it
	// begins with seed.
	Sheet(how MissingPolicy, seed uint64) *Sheet
}

// Words are what a scorer calls things, and what it leaves to choose.
type Words struct {
	Unit     string          // what is resampled: "pair", "question", "item"
	Record   string          // what a record is: "judgment", "answer"
	Asked    string          // what follows the name of a metric where it is asked otherwise than the name tells
	Common   string          // what two runs have in common, where it is not the unit
	Lacking  string          // what is said of items that have not all their judgments
	Policies []MissingPolicy // how judgments without a verdict may count, the default first
}

// What a scorer may have beside.
type (
	// Itemwise is of protocols whose items are right or wrong one by one. Item returns what an item adds to a metric with
	// [Term.PerItem], before Finish; complete is false until all judgments of it were added.
	Itemwise interface {
		Item(id, metric string) (num, den float64, complete bool)
	}
	// Labelling says how many units have no label, and are left out of what needs one.
	Labelling interface{ Unlabelled() int }
	// Extender adds to a report what is not a metric of its units.
	Extender interface {
		Extend(rep *Report, s *Sheet, b stats.Bootstrap)
	}
	// Matcher adds to a comparison what is not a difference of metrics. other is a scorer of the same protocol or one with
	// the same metrics.
	Matcher interface {
		Match(c *Comparison, other Scorer, joined []Joined, b stats.Bootstrap)
	}
)

// scorers are those of the protocols, and parts the names of the ends that their units come to.
var (
	scorers = map[string]func(*judging.Manifest) Scorer{}
	parts   = map[string][]string{}
)

// Register names the scorer of a protocol's runs and the ends that its units come to, in their order, and enters the
// protocol's metrics, its headline first. A metric of the table that has only a key is one of [CommonTerms]. A test
// reports an error in the table, which is part of the program.
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

// GenerationAccuracy is a metric of several protocols: the share of questions that a judge's own answer is right to.
const GenerationAccuracy = "generation-accuracy"

// ItemResult is the result of an item by a metric. An item without a verdict is LeftOut if the metric does not count
// it.
type ItemResult int

// Results of an item.
const (
	Wrong ItemResult = iota
	Right
	LeftOut
	NotKnown // a judgment failed
)
