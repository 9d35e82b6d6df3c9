package scoring

import (
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
	// two others those left out.
	compare(b family, boot stats.Bootstrap) (differences []Difference, n, onlyA, onlyB int, err error)
	// unit is what is resampled, in words: "question", "item".
	unit() string
}

// families are the protocols that are not scored as pairs of games.
var families = map[string]func(*judging.Manifest) family{}

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
	rep.Items, rep.Bootstrap.Unit = run.complete, run.family.unit()
	run.family.score(&rep, b)
	return rep
}

// compareFamilies is the comparison of two runs of one family.
func compareFamilies(a, b *Run, boot stats.Bootstrap) (*Comparison, error) {
	diffs, n, onlyA, onlyB, err := a.family.compare(b.family, boot)
	if err != nil {
		return nil, err
	}
	c := &Comparison{A: side(a), B: side(b), N: n, OnlyA: onlyA, OnlyB: onlyB, Differences: diffs, Unit: a.family.unit(), Warnings: []string{}}
	c.Sides = [2]Side{c.A, c.B}
	return c, nil
}
