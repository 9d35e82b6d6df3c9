package scoring_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// TestSoFar: what a run in progress comes to is of the pairs that are whole and have a label, once they are thirty, and
// names the goal where it is reversed.
func TestSoFar(t *testing.T) {
	said := func(m *judging.Manifest, units ...twoJudgments) string {
		how := judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}
		records, err := scoring.NewLoader(m, how)
		soFar := scoring.NewLiveScore(records)
		for _, u := range units {
			for _, r := range u.records() {
				if err == nil {
					err = records.Add(r)
				}
				soFar.Add(r)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		return soFar.String()
	}
	many := func(n int, gold string, judgments ...string) (units []twoJudgments) {
		for i := range n {
			units = append(units, unit(fmt.Sprintf("%s%v%d", gold, judgments, i), "g", gold, judgments...))
		}
		return units
	}
	right := many(20, "A", "A", "A")
	place := many(10, "A", "A", "B")
	worse := pairsManifest(100)
	worse.Spec.Protocol = "reversed"
	worse.Spec.Goal = "worse"
	for _, tc := range []struct {
		name, want string
		manifest   *judging.Manifest
		units      []twoJudgments
	}{
		{name: "too few", units: slices.Concat(right, place[:9])},
		{name: "halves do not count", units: slices.Concat(right, many(40, "A", "A"))},
		{name: "no label", units: many(40, "", "A", "A")},
		{
			name:  "thirty",
			units: slices.Concat(right, place),
			want:  "correct in both orders on 38 to 89 % of 30 pairs",
		},
		{
			name:  "what failed may be right",
			units: slices.Concat(right, many(10, "A", "A", "failed")),
			want:  "correct in both orders on 38 to 100 % of 30 pairs",
		},
		{
			name:     "the worse",
			manifest: worse,
			units:    slices.Concat(right, place),
			want:     "correct in both orders (which is worse) on 38 to 89 % of 30 pairs",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := cmp.Or(tc.manifest, pairsManifest(100))
			if got := said(m, tc.units...); got != tc.want {
				t.Errorf("said %q, want %q", got, tc.want)
			}
		})
	}
}
