package report

import (
	"strings"
	"testing"

	"gavel/report/table"
	"gavel/scoring"
)

func TestReferenceTable(t *testing.T) {
	of := func(x float64) *float64 { return &x }
	r := twoRuns().Runs[0]
	if got := pairTables(r); len(got) != 1 {
		t.Errorf("a run without references: %+v", got)
	}
	r.Results = append(r.Results,
		scoring.Result{Metric: scoring.GenerationAccuracy, Group: scoring.Overall, Value: of(60), Low: of(30), High: of(90), N: 10, Missing: "pair left out"},
		scoring.Result{Metric: scoring.CorrelationGJ, Group: scoring.Overall, Unit: scoring.UnitCorrelation, Value: of(0.583333), Low: of(-0.1), High: of(1), N: 10, Missing: "wrong"},
		scoring.Result{Metric: scoring.StrictOwnWrong, Group: scoring.Overall, Missing: "wrong", Note: "undefined: nothing is wrong"},
	)
	tables := pairTables(r)
	if len(tables) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	var b strings.Builder
	if err := table.Text(&b, tables[1]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"where it answers right?", "60.00 [30.0, 90.0]", "0.5833 [-0.100, 1.000]", "n/a", "strict-own-wrong: undefined: nothing is wrong"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
