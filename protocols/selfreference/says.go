package selfreference

import (
	"fmt"
	"strings"

	"gavel/scoring"
)

// sentences say whether the judge's own answer helps it, and what else there is to know. They are of a diagnosis that
// was made, and add no rule of their own. says is "" where the diagnosis says it already, as of one mode alone.
func sentences(r *scoring.Report, d scoring.Diagnosis) (says, also string) {
	alone := r.Result(F1, scoring.Overall, ModeCoT)
	shown := r.Result(F1, scoring.Overall, ModeSelf)
	difference := r.Result(F1, scoring.Overall, scoring.ModeDifference)
	if alone.Value == nil || shown.Value == nil || difference.Low == nil || difference.High == nil {
		return "", ""
	}
	switch d.Code {
	case scoring.CodeWeak, scoring.CodeUsable, scoring.CodeStrong, codeOwnAnswer:
	default:
		return "", ""
	}
	helps := "is of no clear help"
	switch {
	case *difference.Low > 0:
		helps = "helps"
	case *difference.High < 0:
		helps = "harms"
	}
	says = fmt.Sprintf("Its own answer %s: F1 is %s with it, %s without", helps,
		scoring.Percentage(*shown.Value), scoring.Percentage(*alone.Value))
	repeats := r.Result(JMinusCorrect, scoring.Overall, scoring.ModeDifference)
	if repeats.High != nil && *repeats.High < 0 {
		says += ", and it repeats its own mistakes"
	}
	also = fmt.Sprintf("The difference is %s points [%s, %s].", signed(*difference.Value), signed(*difference.Low),
		signed(*difference.High))
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

// signed is a difference: "+1", "−2".
func signed(x float64) string {
	x = scoring.Unsigned(x, 0)
	if x == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+.0f", x), "-", "−", 1)
}
