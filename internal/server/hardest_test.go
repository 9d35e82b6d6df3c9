package server

import (
	"testing"

	"gavel/judging"
)

// Simulated judges are wrong on purpose, so their errors say nothing of the labels.
func TestHardestSays(t *testing.T) {
	model := RunRow{manifest: manifestOfPairs(), RunHead: RunHead{Protocol: "pairwise"}}
	simulated := RunRow{manifest: manifestOfPairs(), RunHead: RunHead{Protocol: "pairwise", Simulated: true}}
	for _, c := range []struct {
		judges         []RunRow
		wrong, certain int
		want           string
	}{
		{[]RunRow{model, model}, 2, 2, "Every judge is wrong in both orders on 1 of 10 pairs: the labels may be wrong."},
		{[]RunRow{model, model, simulated}, 3, 3, "Every judge is wrong in both orders on 1 of 10 pairs: the labels may be wrong."},
		{[]RunRow{model, simulated}, 2, 2, "Every judge is wrong in both orders on 1 of 10 pairs."},
		{[]RunRow{simulated, simulated}, 2, 2, "Every judge is wrong in both orders on 1 of 10 pairs."},
		{[]RunRow{model, model}, 2, 1, "No judge is correct in both orders on 1 of 10 pairs."},
	} {
		m := outcomeMatrix{runs: c.judges, items: make([]itemOutcomes, 10)}
		for i := range m.items {
			m.items[i].right = len(c.judges)
		}
		m.items[0] = itemOutcomes{mixed: c.wrong - c.certain, wrong: c.certain}
		if got := m.Says(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// manifestOfPairs is of ten pairs in both orders.
func manifestOfPairs() *judging.Manifest {
	m := &judging.Manifest{Judgments: 20}
	m.Spec.Protocol = "pairwise"
	m.Spec.Dataset.Items = 10
	return m
}
