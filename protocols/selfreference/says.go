package selfreference

import (
	"fmt"
	"math"

	"gavel/internal/doc"
	"gavel/scoring"
)

// sentences returns whether the judge's own answer helps it, and the numbers behind that, for a diagnosis that was made
// already. text is "" where the diagnosis stands as it is, such as with one mode alone.
func sentences(r *scoring.Report, d scoring.Diagnosis) (text, detail string) {
	cot := r.Result(F1, scoring.Overall, ModeCoT)
	self := r.Result(F1, scoring.Overall, ModeSelf)
	difference := r.Result(F1, scoring.Overall, scoring.ModeDifference)
	e, ok := difference.Against(0)
	if !ok {
		return "", ""
	}
	switch d.Code {
	case scoring.CodeWeak, scoring.CodeUsable, scoring.CodeStrong, codeOwnAnswer:
	default:
		return "", ""
	}
	helps := "is of no clear help"
	switch {
	case e.Above:
		helps = "helps"
	case e.Below:
		helps = "harms"
	}
	text = fmt.Sprintf("Its own answer %s: F1 is %s with it, %s without", helps,
		scoring.Percentage(*self.Value), scoring.Percentage(*cot.Value))
	repeats, _ := r.Result(JMinusCorrect, scoring.Overall, scoring.ModeDifference).Against(0)
	if repeats.Below {
		text += ", and it repeats its own mistakes"
	}
	unit := "points"
	if math.Abs(math.Round(e.Value)) == 1 {
		unit = "point"
	}
	detail = fmt.Sprintf("The difference is %s %s [%s, %s].", doc.Brief(difference), unit,
		doc.Shortly(difference, e.Low, 0), doc.Shortly(difference, e.High, 0))
	var shares []any
	for _, metric := range []string{OwnRightAccuracy, OwnWrongAccuracy} {
		for _, mode := range []string{ModeSelf, ModeCoT} {
			if x := r.Result(metric, scoring.Overall, mode); x.Value != nil {
				shares = append(shares, scoring.Percentage(*x.Value))
			}
		}
	}
	if len(shares) == 4 {
		detail += fmt.Sprintf(" Where its own answer is right, %s of its judgments are right with it and %s without; "+
			"where it is wrong, %s and %s.", shares...)
	}
	return text + ".", detail
}
