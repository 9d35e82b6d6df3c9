package selfreference

import (
	"fmt"
	"math"

	"gavel/internal/doc"
	"gavel/scoring"
)

// sentences say whether the judge's own answer helps it, and what else there is to know. They are of a diagnosis that
// was made, and add no rule of their own. says is "" where the diagnosis says it already, as of one mode alone.
func sentences(r *scoring.Report, d scoring.Diagnosis) (says, also string) {
	alone := r.Result(F1, scoring.Overall, ModeCoT)
	shown := r.Result(F1, scoring.Overall, ModeSelf)
	difference := r.Result(F1, scoring.Overall, scoring.ModeDifference)
	e, known := difference.Held(0)
	if !known {
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
	says = fmt.Sprintf("Its own answer %s: F1 is %s with it, %s without", helps,
		scoring.Percentage(*shown.Value), scoring.Percentage(*alone.Value))
	repeats, _ := r.Result(JMinusCorrect, scoring.Overall, scoring.ModeDifference).Held(0)
	if repeats.Below {
		says += ", and it repeats its own mistakes"
	}
	unit := "points"
	if math.Abs(math.Round(e.Value)) == 1 {
		unit = "point"
	}
	also = fmt.Sprintf("The difference is %s %s [%s, %s].", doc.Brief(difference), unit,
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
		also += fmt.Sprintf(" Where its own answer is right, %s of its judgments are right with it and %s without; "+
			"where it is wrong, %s and %s.", shares...)
	}
	return says + ".", also
}
