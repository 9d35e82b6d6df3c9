package selfreference

import (
	"math"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// referenceSentences returns whether the reference helps the judge, and the numbers behind that, for a diagnosis that
// was made already. text is "" where the diagnosis stands as it is, such as with one mode alone.
func referenceSentences(r *scoring.Report, d scoring.Diagnosis) (text, detail string) {
	metric := F1
	reference := referenceSetting(r.Settings)
	if reference == ReferenceWrong {
		metric = Accuracy
	}
	cot := r.Result(metric, scoring.Overall, ModeCoT)
	self := r.Result(metric, scoring.Overall, ModeSelf)
	difference := r.Result(metric, scoring.Overall, scoring.ModeDifference)
	e, ok := difference.CompareWithThreshold(0)
	if !ok {
		return "", ""
	}
	switch d.Code {
	case scoring.CodeWeakJudge, scoring.CodeUsableJudge, scoring.CodeStrongJudge, codeTrustsOwnAnswer:
	default:
		return "", ""
	}
	code := "no-difference"
	switch {
	case e.AboveThreshold:
		code = "helps"
	case e.BelowThreshold:
		code = "harms"
	}
	with := scoring.Percentage(*self.Value)
	without := scoring.Percentage(*cot.Value)
	text = phrases.Sentence("self.shown-"+code, doc.Capital(referenceWords[reference]), with, without)
	if reference == ReferenceWrong {
		misled := r.Overall(Misled)
		share, _ := misled.CompareWithThreshold(0)
		text = phrases.Sentence("self.wrong-"+code, with, without, table.CountWithNoun(misled.N, "judgment"), share)
	}
	repeats, _ := r.Result(OnlyAgentRightAccuracy, scoring.Overall, scoring.ModeDifference).CompareWithThreshold(0)
	if repeats.BelowThreshold && reference == ReferenceOwn {
		text += " " + phrases.Sentence("self.repeats")
	}
	unit := "points"
	if math.Abs(math.Round(e.Value)) == 1 {
		unit = "point"
	}
	detail = phrases.Sentence("self.difference", doc.ShortNumber(difference), unit,
		doc.ShortInUnit(difference, e.Low, 0), doc.ShortInUnit(difference, e.High, 0))
	var shares []any
	for _, metric := range []string{OwnRightAccuracy, OwnWrongAccuracy} {
		for _, mode := range []string{ModeSelf, ModeCoT} {
			if x := r.Result(metric, scoring.Overall, mode); x.Value != nil {
				shares = append(shares, scoring.Percentage(*x.Value))
			}
		}
	}
	if len(shares) == 4 && reference == ReferenceOwn {
		detail += " " + phrases.Sentence("self.by-own", shares...)
	}
	return text, detail
}
