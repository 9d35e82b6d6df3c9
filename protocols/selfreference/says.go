package selfreference

import (
	"math"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/scoring"
)

// sentences returns whether the judge's own answer helps it (text) and the numbers behind that (detail), for the
// diagnosis d. text is "" if d needs no other sentence, such as for a run with one mode.
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
	code := "self.no-difference"
	switch {
	case e.Above:
		code = "self.helps"
	case e.Below:
		code = "self.harms"
	}
	text = phrases.Say(code, scoring.Percentage(*self.Value), scoring.Percentage(*cot.Value))
	repeats, _ := r.Result(JMinusCorrect, scoring.Overall, scoring.ModeDifference).Against(0)
	if repeats.Below {
		text += " " + phrases.Say("self.repeats")
	}
	unit := "points"
	if math.Abs(math.Round(e.Value)) == 1 {
		unit = "point"
	}
	detail = phrases.Say("self.difference", doc.Brief(difference), unit,
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
		detail += " " + phrases.Say("self.by-own", shares...)
	}
	return text, detail
}
