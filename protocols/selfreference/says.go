package selfreference

import (
	"fmt"
	"math"
	"strings"

	"gavel/scoring"
)

// sentences say whether the judge's own answer helps it, and what else there is to know. They are of a diagnosis that
// was made, and add no rule of their own. says is "" where the diagnosis says it already, as of one mode alone.
func sentences(r *scoring.Report, d scoring.Diagnosis) (says, also string) {
	alone := r.Result(F1, scoring.Overall, ModeCoT)
	shown := r.Result(F1, scoring.Overall, ModeSelf)
	difference := r.Result(F1, scoring.Overall, scoring.ModeDifference)
	if alone.Value == nil || shown.Value == nil || difference.Value == nil ||
		difference.Low == nil || difference.High == nil {
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
	unit := "points"
	if d := signed(*difference.Value); d == "+1" || d == "−1" {
		unit = "point"
	}
	also = fmt.Sprintf("The difference is %s %s [%s, %s].", signed(*difference.Value), unit,
		signed(*difference.Low), signed(*difference.High))
	right := [2]count{countOf(r, ModeCoT, ownRight), countOf(r, ModeSelf, ownRight)}
	wrong := [2]count{countOf(r, ModeCoT, ownWrong), countOf(r, ModeSelf, ownWrong)}
	if right[0].of > 0 && right[1].of > 0 && wrong[0].of > 0 && wrong[1].of > 0 {
		also += fmt.Sprintf(" Where its own answer is right, %s of its judgments are right with it and %s without; "+
			"where it is wrong, %s and %s.",
			right[1].percent(), right[0].percent(), wrong[1].percent(), wrong[0].percent())
	}
	return says + ".", also
}

// count is how many judgments are right, of so many.
type count struct{ right, of int }

func (c count) percent() string { return scoring.Percentage(100 * float64(c.right) / float64(c.of)) }

// countOf are the judgments in a mode where the judge's own answer is right, or wrong.
func countOf(r *scoring.Report, mode string, own int) (c count) {
	metrics := [2]string{JPlusCorrect, JPlusIncorrect}
	if own == ownWrong {
		metrics = [2]string{JMinusCorrect, JMinusIncorrect}
	}
	for _, metric := range metrics {
		x := r.Result(metric, scoring.Overall, mode)
		if x.Value != nil {
			c.right += int(math.Round(*x.Value / 100 * float64(x.N)))
			c.of += x.N
		}
	}
	return c
}

// signed is a difference: "+1", "−2".
func signed(x float64) string {
	x = scoring.Unsigned(x, 0)
	if x == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+.0f", x), "-", "−", 1)
}
