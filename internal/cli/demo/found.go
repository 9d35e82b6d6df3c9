package demo

import (
	"fmt"

	"gavel/internal/report/table"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// value of a metric of the judge given as the i-th, over all items.
func (d *Demo) value(i int, metric, mode string) float64 {
	if v := d.reports[i].Result(metric, scoring.Overall, mode).Value; v != nil {
		return *v
	}
	return 0
}

// worseFound holds two judges against each other that know the same, and names one that knows nothing.
func worseFound(d *Demo) {
	const steady, leaning, guessing = 1, 3, 4
	d.found = []string{
		fmt.Sprintf("Two judges know what is right on %d %% of the pairs. The one that names the first on %d %% is right in "+
			"both orders on %.0f %% of them, the other on %.0f %%.", d.judges[leaning].right, d.judges[leaning].first,
			d.value(leaning, "strict", ""), d.value(steady, "strict", "")),
		fmt.Sprintf("Where both orders agree they are right on %.0f and %.0f %%; but only %.0f %% of the pairs get such a "+
			"verdict of the first.", d.value(leaning, "right-where-alike", ""),
			d.value(steady, "right-where-alike", ""), d.value(leaning, "coverage", "")),
		fmt.Sprintf("Who guesses once for each pair gives the same verdict in both orders on %.0f %%: steady is not right.",
			d.value(guessing, "coverage", "")),
	}
}

// ownFound says whether the judge's own answer helps it.
func ownFound(d *Demo) {
	helped := 0
	harmed := 0
	low := 0.0
	high := 0.0
	for i := range d.reports {
		x := d.reports[i].Result(selfreference.F1, scoring.Overall, scoring.ModeDifference)
		if x.Value == nil || x.Low == nil || x.High == nil {
			continue
		}
		low = min(low, *x.Value)
		high = max(high, *x.Value)
		if *x.Low > 0 {
			helped++
		}
		if *x.High < 0 {
			harmed++
		}
	}
	d.says = fmt.Sprintf("With its own answer in sight %s of the %d judges is surely better, and %s surely worse: F1 "+
		"changes by %s to %s points.", numberOf(helped), len(d.reports), numberOf(harmed), table.Signed(&low, 0),
		table.Signed(&high, 0))
	const judge = 2
	d.found = []string{
		d.board.Says,
		fmt.Sprintf("“%s” shows why: on sums that it solves, F1 rises from %.0f to %.0f %% with its own answer in "+
			"sight; on those that it gets wrong it falls from %.0f to %.0f %%. It repeats its own mistakes.", d.names[judge],
			d.value(judge, selfreference.F1JPlus, selfreference.ModeCoT),
			d.value(judge, selfreference.F1JPlus, selfreference.ModeSelf),
			d.value(judge, selfreference.F1JMinus, selfreference.ModeCoT),
			d.value(judge, selfreference.F1JMinus, selfreference.ModeSelf)),
	}
}

// choiceFound says what the Grade score does not.
func choiceFound(d *Demo) {
	const guessing = 4
	d.found = []string{
		"A high Grade score says that a judge chooses a result and not a place; it does not say that the choice is right.",
		fmt.Sprintf("“%s” keeps its choice in every order on %.0f %% of the sums, and is right on %.0f %%.",
			d.names[guessing], d.value(guessing, "same-choice", ""), d.value(guessing, "accuracy", "")),
	}
}

// numberOf writes out that there are none.
func numberOf(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
