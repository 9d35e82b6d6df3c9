package labels

import "testing"

// TestLabelsSay: every branch of the first lines, over made-up numbers.
func TestLabelsSay(t *testing.T) {
	number := func(v float64) Statistic { return Statistic{Value: &v, Low: new(v - 5), High: new(v + 5)} }
	judge := func(model, letters string, v float64) JudgeAgreement {
		return JudgeAgreement{Model: model, Letters: letters, Agreement: number(v), N: 40}
	}
	for _, c := range []struct{ name, got, want string }{
		{"no judge", (&Agreement{}).answer(), "No run covers the labelled items yet."},
		{"one", (&Agreement{Judges: []JudgeAgreement{judge("org/x", "a", 80)}}).answer(),
			"x agrees with the labels on 80 % [75, 85] of 40 items."},
		{"the best", (&Agreement{Judges: []JudgeAgreement{judge("x", "a", 80), judge("y", "b", 60)}}).answer(),
			"x agrees best with the labels: on 80 % [75, 85] of 40 items."},
		{"alike", (&Agreement{Judges: []JudgeAgreement{judge("x", "a", 80), judge("y", "a", 79)}}).answer(),
			"x agrees with the labels on 80 % [75, 85] of 40 items. No other judge differs significantly."},
		{"some alike", (&Agreement{Judges: []JudgeAgreement{judge("x", "a", 80), judge("y", "ab", 79), judge("z", "b", 60)}}).answer(),
			"x agrees with the labels on 80 % [75, 85] of 40 items. The difference to 1 of the other 2 judges is not significant."},
		{"a share", (&ShareEstimate{Response: "A", Judged: 90, Share: number(60), JudgeAlone: number(70)}).answerSentence(),
			"A is better in 60 % [55, 65] of 90 pairs. By the judge's verdicts alone: 70 %."},
		{"no share", (&ShareEstimate{Response: "B"}).answerSentence(),
			"It is unknown how often B is better: no pair has both a verdict and a label."},
		{"some believed", (&CascadeResults{Items: 40, CoveredItems: 30, Risk: 10, Delta: 5}).answer(),
			"30 of 40 items (75 %) have an accepted verdict: at most 10 % of these are wrong, with probability 95 %."},
		{"none believed", (&CascadeResults{Items: 40, Labelled: 20, Risk: 10, Delta: 5}).answer(),
			"No verdict can be accepted: on 20 labelled items the most confident verdicts are wrong too often, or too few, to bound the errors at 10 %."},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
