package report

import "testing"

// TestRankingSays: every branch of the first line of a suite's results, over made-up numbers.
func TestRankingSays(t *testing.T) {
	condition := func(says string, ranks ...int) RankedCondition {
		c := RankedCondition{Says: says, board: Board{Says: says}}
		for i, first := range ranks {
			c.board.Rows = append(c.board.Rows, BoardRow{Name: string(rune('a' + i)), FirstRank: first, LastRank: len(ranks)})
		}
		return c
	}
	for _, c := range []struct {
		name       string
		judges     []string
		conditions []RankedCondition
		want       string
	}{
		{name: "nothing judged", judges: []string{"a", "b"}, conditions: []RankedCondition{{}}, want: "Nothing has been judged yet."},
		{name: "one condition", judges: []string{"a", "b"}, conditions: []RankedCondition{condition("a judges best.", 1, 2), {}}, want: "a judges best."},
		{name: "one judge", judges: []string{"a"}, conditions: []RankedCondition{condition("x", 1), condition("a: 3 %.", 1)}, want: "a: 3 %."},
		{name: "the best", judges: []string{"a", "b"}, conditions: []RankedCondition{condition("", 1, 2), condition("", 1, 1)},
			want: "a is most often among the best: under 2 of 2 conditions."},
		{name: "two of three", judges: []string{"a", "b", "c"}, conditions: []RankedCondition{condition("", 1, 1, 3), condition("", 1, 1, 3)},
			want: "a and b are most often among the best: under 2 of 2 conditions."},
		{name: "alike", judges: []string{"a", "b"}, conditions: []RankedCondition{condition("", 1, 1), condition("", 1, 1)},
			want: "No judge is more often among the best than the others, under 2 conditions."},
	} {
		if got := (SuiteRanking{Judges: c.judges, Conditions: c.conditions}).answer(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
