package selfreference

import (
	"slices"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/answer"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of what the judge does with its own answer. Each is of a mode, and of the difference of both.
const (
	OwnRightAccuracy  = "own-right-accuracy"  // judgments with J where G
	OwnWrongAccuracy  = "own-wrong-accuracy"  // judgments with J where not G
	OwnSameCorrect    = "own-same-correct"    // of answers that are the judge's own: called Correct
	OwnOtherIncorrect = "own-other-incorrect" // of answers that are others: called Incorrect
	OwnSided          = "own-sided"           // either
)

// Whether the agent's answer is the judge's own.
const (
	sameUnknown int8 = iota
	sameAnswer
	otherAnswer
)

// sameAs tells whether the agent of a record says what the judge itself says. Where one of the two is right that is
// known; where neither is, by what was read from both.
func sameAs(r *judging.Record) int8 {
	right := r.Gold == labelCorrect
	switch {
	case r.Own == nil:
		return sameUnknown
	case r.Own.Right && right:
		return sameAnswer
	case r.Own.Right || right:
		return otherAnswer
	case r.Said == nil:
		return sameUnknown
	case *r.Said != "" && (*r.Said == r.Own.Value || answer.SameNumber(*r.Said, r.Own.Value)):
		return sameAnswer
	}
	return otherAnswer
}

// describe notes of an answer who gave it, and what was read from it.
func describe(r *judging.Record, item datasets.Item, _ judging.Presentation) {
	r.Describe(item.Answered)
	if a := item.Answered; a != nil && a.Own != nil {
		r.Said = new(answer.Said(a.Of, a.Text))
	}
}

// heard is a judgment in one mode.
type heard struct {
	judgment
	verdict int8
}

// sides tells whether the judge sides with its own answer.
func (h heard) sides() bool {
	return h.same == sameAnswer && h.verdict == saidCorrect || h.same == otherAnswer && h.verdict == saidIncorrect
}

// isRight tells whether the judgment is.
func (h heard) isRight() bool {
	return h.verdict != saidNothing && (h.verdict == saidCorrect) == h.right
}

// rightWhere is how often the judge is right where its own answer is of a kind.
func rightWhere(own int8) func(heard) (num, den float64) {
	return func(h heard) (num, den float64) {
		of := scoring.One(h.own == own)
		return of * scoring.One(h.isRight()), of
	}
}

// sidedWhere is how often it sides with its own answer, of some answers.
func sidedWhere(same ...int8) func(heard) (num, den float64) {
	return func(h heard) (num, den float64) {
		of := scoring.One(slices.Contains(same, h.same))
		return of * scoring.One(h.sides()), of
	}
}

// ownMetrics have no result by group.
var ownMetrics = []scoring.Summed[heard]{
	ownMetric(OwnRightAccuracy, rightWhere(ownRight)),
	ownMetric(OwnWrongAccuracy, rightWhere(ownWrong)),
	ownMetric(OwnSameCorrect, sidedWhere(sameAnswer)),
	ownMetric(OwnOtherIncorrect, sidedWhere(otherAnswer)),
	ownMetric(OwnSided, sidedWhere(sameAnswer, otherAnswer)),
}

func ownMetric(name string, adds func(heard) (num, den float64)) scoring.Summed[heard] {
	all := func(c []float64) float64 { return c[1] }
	return scoring.Summed[heard]{Metric: scoring.Metric{Name: name, Kind: scoring.Several, All: all}, Adds: adds}
}

// ownResults are theirs: of each mode and, of the judgments that count in both, the difference.
func (f *judgments) ownResults(rep *scoring.Report, sheet *scoring.Sheet, b stats.Bootstrap) []scoring.Result {
	width := 2 * len(ownMetrics)
	list := f.inModes(scoring.Lay(ownMetrics), width, rep.Missing)
	return sheet.Beside(list, 4*width, func(u scoring.Unit) []float64 {
		j := u.Of.(judgment)
		row := make([]float64, 4*width)
		j.count(rep.Missing, func(table int, said int8) {
			scoring.Fill(ownMetrics, heard{judgment: j, verdict: said}, row[table*width:])
		})
		return row
	}).Whole(scoring.Overall, rep.Bootstrap.Unit, b)
}
