package labels

import (
	"fmt"
	"strings"

	"gavel/scoring"
)

// whole is a percentage with its interval: "84 % [79, 88]".
func (n Number) whole() string {
	text := scoring.Percentage(*n.Value)
	if n.Low != nil && n.High != nil {
		text += fmt.Sprintf(" [%.0f, %.0f]", scoring.Unsigned(*n.Low, 0), scoring.Unsigned(*n.High, 0))
	}
	return text
}

// answer says which judge agrees best with the labels, and whether others can be told from it.
func (a *Agreement) answer() string {
	var judges []Standing
	for _, j := range a.Judges {
		if j.Agreement.Value != nil {
			judges = append(judges, j)
		}
	}
	if len(judges) == 0 {
		return "No judge has judged an item with a label."
	}
	best := judges[0]
	says := fmt.Sprintf("%s agrees with the labels on %s of %d items.",
		scoring.JudgeName(best.Model), best.Agreement.whole(), best.N)
	if len(judges) == 1 {
		return says
	}
	alike := 0
	for _, j := range judges[1:] {
		if strings.ContainsAny(j.Letters, best.Letters) {
			alike++
		}
	}
	switch {
	case alike == 0:
		return strings.Replace(says, "agrees with", "agrees best with", 1)
	case alike == len(judges)-1:
		return fmt.Sprintf("No judge can be told from the first: %s", says)
	}
	return fmt.Sprintf("%s Of the other %d judges %d cannot be told from it.", says, len(judges)-1, alike)
}

// answer says how often the response is better.
func (e *Estimated) answer() string {
	if e.Share.Value == nil {
		return fmt.Sprintf("Nobody can say how often %s is better: no pair has both a verdict and a label.", e.Response)
	}
	says := fmt.Sprintf("%s is better in %s of the %d pairs", e.Response, e.Share.whole(), e.Judged)
	if e.JudgeAlone.Value == nil {
		return says + "."
	}
	return fmt.Sprintf("%s; the judge alone says %s.", says, scoring.Percentage(*e.JudgeAlone.Value))
}

// answer says how many verdicts can be believed.
func (s *Selective) answer() string {
	if s.Covered == 0 {
		return fmt.Sprintf("No verdict can be believed: of the surest on %d labelled items too many are wrong, or there are "+
			"too few, to say that at most %g %% are.", s.Labelled, s.Risk)
	}
	return fmt.Sprintf("%d of %d items (%.0f %%) have a verdict to believe: at most %g %% of these are wrong, with "+
		"probability %g %%.", s.Covered, s.Items, 100*float64(s.Covered)/float64(s.Items), s.Risk, 100-s.Delta)
}
