package server

import (
	"slices"
	"testing"

	"gavel/datasets"
	"gavel/judging"
)

// Of several options the right ones are told by the goal, options with the same text included.
func TestToName(t *testing.T) {
	ranks := map[string]int{"01": 0, "02": 1, "03": 2}
	for name, c := range map[string]struct {
		goal string
		r    judging.Record
		want []string
	}{
		"best":        {"best", judging.Record{Gold: "01", Ranks: ranks}, []string{"01"}},
		"worst":       {"worst", judging.Record{Gold: "01", Ranks: ranks}, []string{"03"}},
		"unrelated":   {"worst", judging.Record{Gold: "01", Ranks: ranks, UnrelatedID: "02"}, []string{"02"}},
		"not ranked":  {"worst", judging.Record{Gold: "01"}, nil},
		"no label":    {"best", judging.Record{}, nil},
		"twice there": {"best", judging.Record{Gold: "01", EqualOptions: [][]string{{"01", "03"}}}, []string{"01", "03"}},
	} {
		c.r.Order, c.r.Shape = []string{"03", "01", "02"}, datasets.ShapeOptions
		m := &judging.Manifest{Spec: judging.Spec{Protocol: "multi-option", ProtocolOptions: judging.Settings{"goal": c.goal}}}
		if got := m.CorrectCandidateIDs(&c.r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
