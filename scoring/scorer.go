package scoring

import (
	"errors"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// Scorer is what the records of a protocol are scored as. Its methods are called under the loader's lock, then, once all records are
// in, from one goroutine.
type Scorer interface {
	// add takes a judgment, read again by p: the first time that it was asked for,
	// and the others where the scorer is a repeater. It
	// keeps no hold of the record, but may keep its strings' clones, and lets the
	// first of two records of one judgment stand (then added is false).
	add(r *judging.Record, v judging.Verdict, p judging.Asker) (added bool, err error)
	// finish is called once, after the last record. complete counts the items
	// whose judgments are all there, partial those of which some are missing.
	finish() (complete, partial int)
	// score fills in Results, further sections of the report and warnings.
	score(rep *Report, b stats.Bootstrap)
	// compare lists what b, another run's units of the same scorer, has over
	// these, on what both judged, B minus A: n is how many units that are, the
	// two others those left out; they are counted in what noun says, else in
	// what unit says. b may be of another scorer with the same unit: that is
	// errOtherFamily.
	compare(b Scorer, boot stats.Bootstrap) (differences []Difference, n, onlyA, onlyB int, err error)
	// unit is what is resampled, in words: "question", "item".
	unit() string
}

// What a scorer may have beside.
type (
	// repeater is given the judgments of every time, not only of the first.
	repeater interface {
		repeat(r *judging.Record, g game) bool
	}
	// lent takes a list of the ids that records will be of, only to be read.
	lent interface{ lend(*judging.IDs) }
	// calibrated says of how many verdicts the probability is known, and how many
	// of those are not the likeliest.
	calibrated interface{ confidences() (known, unlikely int) }
	// lacks says what items are that have not all their judgments.
	lacks interface{ lacking() string }
	// noun is what one record is, in words, where it is not a judgment.
	nouned interface{ noun() string }
	// headline is the metric whose differences Holm's correction is over.
	headlined interface{ headline() string }
	// count sets how judgments without a verdict count, to one of policies, of
	// which the first is the default; it is called before score and compare.
	counting interface {
		policies() []Missing
		count(Missing)
	}
	// together is what two runs that were asked different things say of each
	// other.
	paired interface {
		together(c *Comparison, b Scorer, boot stats.Bootstrap)
	}
)

// Missing says how a judgment without a verdict counts, where the protocol
// leaves a choice.
type Missing string

const (
	MissingWrong  Missing = "wrong"  // J = 0, and for F1 it is read as not judged Correct
	MissingDrop   Missing = "drop"   // the judgment is left out
	MissingUsable Missing = "usable" // of several options: shares are over the judgments that have one (the authors')
	MissingStrict Missing = "strict" // of several options: a choice of nothing
)

// MissingPolicies lists them, the default of self-reference first.
var MissingPolicies = []Missing{MissingWrong, MissingDrop, MissingUsable, MissingStrict}

// CountMissing sets how judgments without a verdict count. Runs whose metrics
// say so each by itself, as those of pairs do, have no such choice, and a policy
// of another protocol leaves a run at its own default.
func (run *Run) CountMissing(how Missing) {
	if f, ok := run.scorer.(counting); ok {
		if run.missing = how; !slices.Contains(f.policies(), how) {
			run.missing = f.policies()[0]
		}
		f.count(run.missing)
	}
	if run.readings.other != nil {
		run.readings.other.CountMissing(how)
	}
}

// lost says what becomes of records without a verdict.
func (run *Run) lost() string {
	switch run.missing {
	case MissingDrop, MissingUsable:
		return "are left out"
	case MissingStrict:
		return "count as a choice of nothing"
	}
	return "count as wrong"
}

// noun is what one record is.
func (run *Run) noun() string {
	if f, ok := run.scorer.(nouned); ok {
		return f.noun()
	}
	return "judgment"
}

func (run *Run) headline() string {
	if f, ok := run.scorer.(headlined); ok {
		return f.headline()
	}
	return "strict"
}

var errOtherFamily = errors.New("they are not scored alike: compare runs of one protocol")

// scorers are those of the protocols.
var scorers = map[string]func(*judging.Manifest) Scorer{}

// Register names the scorer of a protocol's runs.
func Register(protocol string, scorer func(*judging.Manifest) Scorer) { scorers[protocol] = scorer }

func init() {
	Register("pairwise", newPairs)
	Register("reversed", newPairs)
	Register("answer", newAnswers)
	Register("self-reference", newSelfReference)
	Register("multi-option", newMultiOption)
}

// Units of Result.Value, where it is not a percentage.
const (
	UnitScore       = "score"       // 0 to 1, as the paper prints it
	UnitCorrelation = "correlation" // −1 to 1
	UnitStatistic   = "statistic"   // of a test, such as χ²
	UnitCount       = "count"
)
