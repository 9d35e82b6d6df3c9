package selfreference

import (
	"fmt"
	"testing"

	"gavel/scoring"
)

// The parts are counted independently of the accuracies and agree with them: right in a mode are those right both times
// and those right in that mode only.
func TestPartsAreTheAccuracies(t *testing.T) {
	f := &selfReferenceScorer{hasMode: [2]bool{true, true}}
	missing := 0
	for _, own := range []int8{ownRight, ownWrong, ownUnknown} {
		for _, right := range []bool{true, false} {
			for _, alone := range []int8{calledCorrect, calledIncorrect, noVerdict} {
				for _, shown := range []int8{calledCorrect, calledIncorrect, noVerdict} {
					id := fmt.Sprint(own, right, alone, shown)
					f.rows = append(f.rows, &judgment{item: id, question: id, ownAnswer: own, answerIsRight: right, verdicts: [2]int8{alone, shown}})
					if alone == noVerdict || shown == noVerdict {
						missing++
					}
				}
			}
		}
	}
	count := map[string]int{}
	var accurate [2]float64
	for _, u := range f.Sheet(scoring.MissingWrong, 1).Units {
		part := f.UnitOutcome(u)
		count[part]++
		for m := range accurate {
			if part != OutcomeMissing {
				span := tableColumns(m)
				accurate[m] += totalConfusion(u.Row[span[0]:span[1]]).right()
			}
		}
	}
	if count[OutcomeMissing] != missing || missing == 0 {
		t.Errorf("%d lack a verdict, want %d", count[OutcomeMissing], missing)
	}
	if got := count[OutcomeRight] + count[OutcomeHarmed]; got != int(accurate[0]) {
		t.Errorf("%d are right without its own answer, the accuracy counts %v", got, accurate[0])
	}
	if got := count[OutcomeRight] + count[OutcomeHelped]; got != int(accurate[1]) {
		t.Errorf("%d are right with its own answer, the accuracy counts %v", got, accurate[1])
	}
	if sum := count[OutcomeRight] + count[OutcomeHelped] + count[OutcomeHarmed] + count[OutcomeWrong] + missing; sum != len(f.rows) {
		t.Errorf("%d of %d are in a part", sum, len(f.rows))
	}
}
