package labels

import (
	"fmt"
	"strings"

	"gavel/scoring"
)

// withInterval returns a percentage with its interval: "84 % [79, 88]".
func (n Number) withInterval() string {
	text := scoring.Percentage(*n.Value)
	if n.Low != nil && n.High != nil {
		text += fmt.Sprintf(" [%.0f, %.0f]", scoring.Unsigned(*n.Low, 0), scoring.Unsigned(*n.High, 0))
	}
	return text
}

// answer says which judge agrees best with the labels, and whether its lead is significant.
func (a *Agreement) answer() string {
	var judges []JudgeAgreement
	for _, j := range a.Judges {
		if j.Agreement.Value != nil {
			judges = append(judges, j)
		}
	}
	if len(judges) == 0 {
		return "No run covers the labelled items yet."
	}
	best := judges[0]
	text := fmt.Sprintf("%s agrees with the labels on %s of %d items.",
		scoring.JudgeName(best.Model), best.Agreement.withInterval(), best.N)
	if len(judges) == 1 {
		return text
	}
	tied := 0
	for _, j := range judges[1:] {
		if strings.ContainsAny(j.Letters, best.Letters) {
			tied++
		}
	}
	switch {
	case tied == 0:
		return strings.Replace(text, "agrees with", "agrees best with", 1)
	case tied == len(judges)-1:
		return fmt.Sprintf("%s No other judge differs significantly.", text)
	}
	return fmt.Sprintf("%s The difference to %d of the other %d judges is not significant.", text, tied, len(judges)-1)
}

// answer says in which share of pairs the response is better.
func (e *ShareEstimate) answer() string {
	if e.Share.Value == nil {
		return fmt.Sprintf("It is unknown how often %s is better: no pair has both a verdict and a label.", e.Response)
	}
	text := fmt.Sprintf("%s is better in %s of the %d pairs", e.Response, e.Share.withInterval(), e.Judged)
	if e.JudgeAlone.Value == nil {
		return text + "."
	}
	return fmt.Sprintf("%s; the judge alone says %s.", text, scoring.Percentage(*e.JudgeAlone.Value))
}

// answer says how many verdicts can be accepted.
func (s *Selective) answer() string {
	if s.Covered == 0 {
		return fmt.Sprintf("No verdict can be accepted: the most confident ones on %d labelled items are wrong too often, or "+
			"too few, to bound the errors at %g %%.", s.Labelled, s.Risk)
	}
	return fmt.Sprintf("%d of %d items (%.0f %%) have an accepted verdict: at most %g %% of these are wrong, with "+
		"probability %g %%.", s.Covered, s.Items, 100*float64(s.Covered)/float64(s.Items), s.Risk, 100-s.Delta)
}
