package report

import (
	"strings"
	"testing"

	"gavel/scoring"
)

func TestDifferenceAxisHoldsWhatIsDrawn(t *testing.T) {
	of := func(unit string, value, low, high float64) scoring.Result {
		return scoring.Result{Unit: unit, Value: &value, Low: &low, High: &high}
	}
	for _, c := range []struct {
		name string
		of   []scoring.Result
		max  float64
	}{
		{name: "none", max: 10},
		{name: "no value", of: []scoring.Result{{}}, max: 10},
		{name: "small", of: []scoring.Result{of("", 4, -2, 10)}, max: 10},
		{name: "the longest counts", of: []scoring.Result{of("", 4, -2, 10), of("", -44, -62, -21)}, max: 80},
		{name: "at the end", of: []scoring.Result{of("", 100, 90, 100)}, max: 100},
		{name: "correlations", of: []scoring.Result{of(scoring.UnitCorrelation, .3, .1, .5)}, max: 0.6},
		{name: "beyond all", of: []scoring.Result{of(scoring.UnitCorrelation, 3, 1, 5)}, max: 2},
	} {
		a := DifferenceAxis(c.of...)
		if a.Min != -c.max || a.Max != c.max || a.place(0) != 50 {
			t.Errorf("%s: %+v, want an end of %g", c.name, a, c.max)
		}
	}
	heads := string(DifferenceAxis(of("", 30, 20, 55)).heads())
	for _, want := range []string{">−60<", ">−30<", ">0<", ">+30<", ">+60<"} {
		if !strings.Contains(heads, want) {
			t.Errorf("the heads have no %s: %s", want, heads)
		}
	}
}

func TestDumbbellDrawsWhatThereIs(t *testing.T) {
	a, b := 58.0, 62.5
	both := string(Dumbbell(PercentAxis, &a, &b))
	for _, want := range []string{`class="side-a" cx="58%"`, `class="side-b" cx="62.5%"`, `class="between" x1="58%" x2="62.5%"`} {
		if !strings.Contains(both, want) {
			t.Errorf("no %s in %s", want, both)
		}
	}
	one := string(Dumbbell(PercentAxis, nil, &b))
	if strings.Contains(one, "side-a") || strings.Contains(one, "between") || !strings.Contains(one, "side-b") {
		t.Errorf("of one value: %s", one)
	}
	if none := string(Dumbbell(PercentAxis, nil, nil)); strings.Contains(none, "circle") || !strings.Contains(none, "<line") {
		t.Errorf("of none: %s", none)
	}
}
