package pairwise

import (
	"strings"
	"testing"

	"gavel/scoring"
)

// TestLevelsAreOfTheRows checks that the level follows the rows of the table, also with unlabelled pairs, clusters, and
// runs that a rule ended.
func TestLevelsAreOfTheRows(t *testing.T) {
	row := func(metric string, value, low, high float64, n int) scoring.Result {
		return scoring.Result{Metric: metric, Group: scoring.Overall, Value: &value, Low: &low, High: &high, N: n}
	}
	for _, c := range []struct {
		name          string
		strict, right scoring.Result
		alike         scoring.Result
		unlabelled    int
		level         scoring.UsabilityLevel
		text          string
	}{
		{
			name:       "pairs without a label flip, the others do not",
			strict:     row("strict", 65, 54.8, 74.3, 100),
			right:      row(AccuracyWhenConsistent, 65, 54.8, 74.3, 100),
			alike:      row("consistency", 50, 43, 57, 200),
			unlabelled: 100,
			level:      scoring.LevelWeak,
			text:       "only 65 % are correct",
		},
		{
			name:   "a run that ended by a rule",
			strict: row("strict", 74, 55.2, 87, 60),
			right:  row(AccuracyWhenConsistent, 79, 60.7, 91, 56),
			alike:  row("consistency", 93, 80, 98, 60),
			level:  scoring.LevelWeak,
			text:   "too few pairs",
		},
		{
			name:   "many pairs of few questions",
			strict: row("strict", 57.5, 54.4, 60.4, 1161),
			right:  row(AccuracyWhenConsistent, 74.8, 71.6, 77.7, 893),
			alike:  row("consistency", 77, 74, 80, 1161),
			level:  scoring.LevelUsable,
		},
		{
			name:       "of pairs with a label none is judged alike",
			strict:     row("strict", 0, 0, 4, 100),
			right:      scoring.Result{Metric: AccuracyWhenConsistent, Group: scoring.Overall},
			alike:      row("consistency", 50, 43, 57, 200),
			unlabelled: 100,
			level:      scoring.LevelUnknown,
			text:       "Accuracy when consistent has no interval",
		},
	} {
		n := max(c.strict.N, c.alike.N)
		rep := scoring.Report{
			Items:      n,
			Expected:   n,
			Unlabelled: c.unlabelled,
			Goal:       "better",
			Outcomes:   map[string]int{scoring.OutcomeDecided: 2 * n},
			Results: []scoring.Result{
				c.strict, c.right, c.alike, row("drop", *c.strict.Value, 0, 100, c.strict.N),
				row("first-position", 50, 48, 52, 2*n),
				row(Coverage, 100*float64(c.right.N)/float64(c.strict.N), 0, 100, c.strict.N),
			},
		}
		d := new(pairScorer).diagnoseWithoutBaselines(&rep)
		if d.Level != c.level || c.text != "" && !strings.Contains(d.Text, c.text) {
			t.Errorf("%s: %s, %s", c.name, d.Level, d.Text)
		}
	}
}

// TestSentencesAgreeWithTheNumbers checks that no sentence on a judge contradicts its scores.
func TestSentencesAgreeWithTheNumbers(t *testing.T) {
	row := func(metric string, k, n int) scoring.Result {
		e := scoring.ShareEvidence(metric, float64(k), float64(n), 0)
		return scoring.Result{Metric: metric, Group: scoring.Overall, Value: &e.Value, Low: &e.Low, High: &e.High, N: n}
	}
	for _, c := range []struct {
		name                              string
		pairs, silent, alike, right, once int // once: right in one order, of all pairs
		text                              string
	}{
		{
			name: "right on all of many verdicts that agree", pairs: 350, alike: 180, right: 180, once: 265,
			text: "Keep only consistent verdicts: 100 % are correct, but they cover only 51 % of the pairs.",
		},
		{
			name: "one verdict that agrees", pairs: 16, alike: 1, right: 1, once: 8,
			text: "The verdict changes with the order in 94 % of pairs: too few consistent verdicts are left to use.",
		},
		{
			name: "some verdicts are missing in one order", pairs: 350, silent: 54, alike: 296, right: 266, once: 290,
			text: "One order is enough: it is correct on 83 % of 350 pairs, and hardly any verdict changes with the order.",
		},
	} {
		rep := scoring.Report{
			Items:    c.pairs,
			Expected: c.pairs,
			Goal:     "better",
			Outcomes: map[string]int{scoring.OutcomeDecided: 2*c.pairs - c.silent, "no-verdict": c.silent},
			Results: []scoring.Result{
				row("strict", c.right, c.pairs), row("drop", c.right, c.pairs-c.silent), row(AccuracyWhenConsistent, c.right, c.alike),
				row("consistency", c.alike, c.pairs-c.silent), row(Coverage, c.alike, c.pairs),
				row("first-order", c.once, c.pairs), row("second-order", c.once, c.pairs),
				row("first-position", c.pairs, 2*c.pairs),
			},
		}
		if text := new(pairScorer).diagnoseWithoutBaselines(&rep).Text; text != c.text {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}
