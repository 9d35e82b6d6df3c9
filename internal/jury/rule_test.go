package jury

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
)

// TestWeighted: a juror who is sure outvotes two who are not.
func TestWeighted(t *testing.T) {
	sure := vote{judging.Decided, "A", map[string]float64{"A": 0.99, "B": 0.01}}
	unsure := vote{judging.Decided, "B", map[string]float64{"A": 0.45, "B": 0.55}}
	choice, outcome := combineVotes([]vote{sure, unsure, unsure}, Weighted)
	assert.Equal(t, choice, "A")
	assert.Equal(t, outcome, judging.Decided)
	choice, _ = combineVotes([]vote{sure, unsure, unsure}, Majority)
	assert.Equal(t, choice, "B")
}

// TestWeightedTie: what is likely to be a tie counts for a tie, and a juror without probabilities counts 1.
func TestWeightedTie(t *testing.T) {
	tie := vote{judging.Tie, tieChoice, map[string]float64{tieChoice: 0.8, "A": 0.15, "B": 0.05}}
	a := vote{judging.Decided, "A", map[string]float64{tieChoice: 0.4, "A": 0.6}}
	for _, c := range []struct {
		votes []vote
		want  string
	}{
		{[]vote{tie, a}, tieChoice},                                            // 1.2 and 0.75
		{[]vote{tie, a, a}, tieChoice},                                         // 1.6 and 1.35
		{[]vote{tie, a, a, a}, tieChoice},                                      // 2 and 1.95
		{[]vote{tie, a, {outcome: judging.Decided, choice: "A"}}, "A"},         // 1.2 and 1.75
		{[]vote{tie, a, {outcome: judging.Tie, choice: tieChoice}}, tieChoice}, // 2.2 and 0.75
		// Who says nothing has no vote.
		{[]vote{a, {outcome: judging.NoVerdict}}, "A"},
	} {
		choice, _ := combineVotes(c.votes, Weighted)
		assert.Equal(t, choice, c.want)
	}
}

// offersTie reads the labels A, B and C, which is a tie.
type offersTie struct{ judging.Asker }

func (offersTie) Parse(_ judging.Presentation, label string, _ judging.ReadingOptions) judging.Verdict {
	if at := strings.Index("AB", label); at >= 0 {
		return judging.Verdict{Outcome: judging.Decided, Choice: at}
	}
	return judging.Verdict{Outcome: judging.Tie, Choice: judging.NoCandidate}
}

// TestSharesHaveTheTie: of a prompt that offers a tie, its label's probability is that of a tie.
func TestSharesHaveTheTie(t *testing.T) {
	r := &judging.Record{Order: []string{"A", "B"}, Probabilities: []judging.Probability{
		{Label: "C", P: 0.5}, {Label: "A", P: 0.125}, {Label: "B", P: 0.375},
	}}
	want := map[string]float64{tieChoice: 0.5, "A": 0.125, "B": 0.375}
	assert.DeepEqual(t, choiceProbabilities(r, offersTie{}, judging.ReadingOptions{}), want)
}
