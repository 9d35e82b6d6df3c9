package scoring

import (
	"errors"
	"fmt"
	"slices"

	"gavel/judging"
	"gavel/scoring/stats"
)

// family is what the records of a protocol are scored as, where they are not
// pairs of games. A new one is a file of this package and a line in families.
//
// Its methods are called under the loader's lock, then, once all records are
// in, from one goroutine.
type family interface {
	// add takes the first time that a judgment was asked for, read again. It
	// keeps no hold of the record, but may keep its strings' clones, and lets the
	// first of two records of one judgment stand (then added is false).
	add(r *judging.Record, v judging.Verdict) (added bool, err error)
	// finish is called once, after the last record. complete counts the items
	// whose judgments are all there, partial those of which some are missing.
	finish() (complete, partial int)
	// score fills in Results, further sections of the report and warnings.
	score(rep *Report, b stats.Bootstrap)
	// compare lists what b, another run's units of the same family, has over
	// these, on what both judged, B minus A: n is how many units that are, the
	// two others those left out; they are counted in what noun says, else in
	// what unit says. b may be of another family with the same unit: that is
	// errOtherFamily.
	compare(b family, boot stats.Bootstrap) (differences []Difference, n, onlyA, onlyB int, err error)
	// unit is what is resampled, in words: "question", "item".
	unit() string
}

// What a family may have beside.
type (
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
		together(b family, boot stats.Bootstrap) []Result
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
	if f, ok := run.family.(counting); ok {
		if run.missing = how; !slices.Contains(f.policies(), how) {
			run.missing = f.policies()[0]
		}
		f.count(run.missing)
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
	if run.family == nil {
		return "game"
	}
	if f, ok := run.family.(nouned); ok {
		return f.noun()
	}
	return "judgment"
}

func (run *Run) headline() string {
	if f, ok := run.family.(headlined); ok {
		return f.headline()
	}
	return "strict"
}

var errOtherFamily = errors.New("they are not scored alike: compare runs of one protocol")

// families are the protocols that are not scored as pairs of games.
var families = map[string]func(*judging.Manifest) family{
	"answer":         newAnswers,
	"self-reference": newSelfReference,
	"multi-option":   newMultiOption,
}

// Units of Result.Value, where it is not a percentage.
const (
	UnitScore       = "score"       // 0 to 1, as the paper prints it
	UnitCorrelation = "correlation" // −1 to 1
	UnitStatistic   = "statistic"   // of a test, such as χ²
	UnitCount       = "count"
)

// add hands a record to the run's family.
func (l *Loader) addToFamily(r *judging.Record, v judging.Verdict) error {
	run := l.run
	run.Records++
	if v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice || v.Answer != r.Answer {
		run.Reread++
	}
	if r.Repeat > 0 {
		if v.Outcome != judging.Failed {
			run.Answered++
		}
		return nil
	}
	added, err := run.family.add(r, v)
	if err != nil || !added {
		return err
	}
	run.Outcomes[v.Outcome]++
	if v.Outcome != judging.Failed {
		run.Answered++
	}
	run.remark(r, v)
	return nil
}

// scoreFamily is Score of a run that is not of pairs.
func (run *Run) scoreFamily(rep Report, b stats.Bootstrap) Report {
	run.family.score(&rep, b)
	return rep
}

// compareFamilies is the comparison of two runs of one family.
func compareFamilies(a, b *Run, boot stats.Bootstrap) (*Comparison, error) {
	diffs, n, onlyA, onlyB, err := a.family.compare(b.family, boot)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", a.Dir, b.Dir, err)
	}
	unit := a.family.unit()
	if f, ok := a.family.(nouned); ok {
		unit = f.noun()
	}
	if n == 0 {
		return nil, fmt.Errorf("%s and %s have no %s in common (datasets %s and %s): compare runs on the same dataset", a.Dir, b.Dir, unit, a.Manifest.Dataset.Name, b.Manifest.Dataset.Name)
	}
	c := &Comparison{A: side(a), B: side(b), N: n, OnlyA: onlyA, OnlyB: onlyB, Differences: diffs, Unit: unit, Warnings: []string{}}
	c.Sides = [2]Side{c.A, c.B}
	c.exchange(a.family, b.family, boot)
	if f, ok := a.family.(paired); ok {
		c.Together = f.together(b.family, boot)
	}
	c.warn(a, b, unit)
	return c, nil
}
