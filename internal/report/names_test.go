package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gavel/scoring"
)

func TestLabelsOfRuns(t *testing.T) {
	base := scoring.Report{Run: "runs/a", RunSetup: scoring.RunSetup{Model: "m", Prompt: "sop", Dataset: "d"}, Protocol: "pairwise", Goal: "better"}
	with := func(change func(*scoring.Report)) scoring.Report { r := base; change(&r); return r }
	reversed := with(func(r *scoring.Report) { r.Protocol, r.Goal = "reversed", "worse" })
	for _, c := range []struct {
		name string
		runs []scoring.Report
		want []string
	}{
		{"one", []scoring.Report{base}, []string{"m"}},
		{"models", []scoring.Report{base, with(func(r *scoring.Report) { r.Model = "n" })}, []string{"m", "n"}},
		{"models of one name", []scoring.Report{with(func(r *scoring.Report) { r.Model = "lab/m" }), with(func(r *scoring.Report) { r.Model = "other/m" })}, []string{"lab/m", "other/m"}},
		{"protocols say their goal", []scoring.Report{base, reversed}, []string{"m · pairwise", "m · reversed"}},
		{"goals of one protocol", []scoring.Report{base, with(func(r *scoring.Report) { r.Goal = "worse" })}, []string{"m · better", "m · worse"}},
		{"prompt, settings and dataset", []scoring.Report{base, with(func(r *scoring.Report) { r.Prompt, r.Settings, r.Dataset = "cot", "constrained", "e" })}, []string{"m · prompt sop · d", "m · prompt cot · constrained · e"}},
		{"goals that are settings too", []scoring.Report{base, with(func(r *scoring.Report) { r.Goal, r.Settings = "worst", "goal worst, orders all" })}, []string{"m · better", "m · worst · orders all"}},
		{"alike", []scoring.Report{base, with(func(r *scoring.Report) { r.Run = "runs/b" })}, []string{"m · runs/a", "m · runs/b"}},
	} {
		if got := NamesOf(c.runs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSimulationsAreSaid(t *testing.T) {
	model, sim := scoring.Report{}, scoring.Report{RunSetup: scoring.RunSetup{Simulated: true}}
	for _, c := range []struct {
		runs []scoring.Report
		want string
	}{
		{[]scoring.Report{model}, ""}, {nil, ""},
		{[]scoring.Report{model, sim}, "SIMULATION: 1 of the 2 runs"},
		{[]scoring.Report{sim, sim}, "SIMULATION: no model was asked"},
	} {
		if got := simulatedNote(c.runs); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%d runs: %q", len(c.runs), got)
		}
	}
}

// TestNamesOfManyRuns: the work for a run does not grow with the number of runs.
func TestNamesOfManyRuns(t *testing.T) {
	allocations := func(n int) float64 {
		runs := make([]scoring.Report, n)
		for i := range runs {
			runs[i].Model = fmt.Sprintf("org/model-%d", i)
		}
		if names := NamesOf(runs); names[n-1] != fmt.Sprintf("model-%d", n-1) {
			t.Errorf("%d runs: the last is named %q", n, names[n-1])
		}
		return testing.AllocsPerRun(1, func() { NamesOf(runs) }) / float64(n)
	}
	if few, many := allocations(100), allocations(1000); many > 1.5*few {
		t.Errorf("%.1f allocations for each of 100 runs, %.1f for each of 1,000", few, many)
	}
}
