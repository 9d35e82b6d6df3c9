package pairwise

import (
	"strings"
	"testing"

	"gavel/internal/report/table"
	"gavel/scoring"
)

func TestReferenceTable(t *testing.T) {
	r := scoring.Report{Results: []scoring.Result{{Metric: "strict", Group: scoring.Overall, Value: new(50.0), N: 10}}}
	if got := tables(r); len(got) != 1 {
		t.Errorf("a run without references: %+v", got)
	}
	r.Results = append(r.Results,
		scoring.Result{Metric: scoring.GenerationAccuracy, Group: scoring.Overall, Value: new(60.0), Low: new(30.0), High: new(90.0), N: 10, Missing: "pair left out"},
		scoring.Result{Metric: correlationGJ, Group: scoring.Overall, Unit: scoring.UnitCorrelation, Value: new(0.583333), Low: new(-0.1), High: new(1.0), N: 10, Missing: "wrong"},
		scoring.Result{Metric: StrictOwnWrong, Group: scoring.Overall, Missing: "wrong", Note: "undefined: nothing is wrong"},
	)
	all := tables(r)
	if len(all) != 2 {
		t.Fatalf("%d tables", len(all))
	}
	var b strings.Builder
	if err := table.Text(&b, all[1]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"where it answers right?", "60.0 [30.0, 90.0]", "0.5833 [-0.100, 1.000]", "n/a", "strict-own-wrong: undefined: nothing is wrong"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
