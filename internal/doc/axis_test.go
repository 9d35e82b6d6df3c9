package doc

import (
	"math"
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
		if a.Min != -c.max || a.Max != c.max || a.PositionPercent(0) != 50 {
			t.Errorf("%s: %+v, want an end of %g", c.name, a, c.max)
		}
	}
	var heads []string
	for _, tick := range DifferenceAxis(of("", 30, 20, 55)).Lines() {
		heads = append(heads, tick.Number)
	}
	if got := strings.Join(heads, " "); got != "−60 −30 0 +30 +60" {
		t.Errorf("the heads are %s", got)
	}
}

// A range without a number is drawn by its ends, also where the interval lies.
func TestStripOfRange(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      string
	}{
		{low: 45, high: 55, want: "·······╎╎━━●━━··"},
		{low: 80, high: math.Inf(1), want: "·········━━●╎━·╎"},
		{low: math.Inf(-1), high: 5, want: "╎╎·······━━●━━··"},
	} {
		x := Value{Result: scoring.Result{Value: new(72.0), Low: new(57.0), High: new(85.0)}}
		x.Reference = &scoring.Result{Low: &tt.low, High: &tt.high}
		if got := PercentAxis.terminalStrip(x, stripWidth); got != tt.want {
			t.Errorf("%v: %s, want %s", tt, got, tt.want)
		}
	}
}

// TestStrip: the dot is where the value is, the line from the low end to the high one.
func TestStrip(t *testing.T) {
	for _, tt := range []struct {
		low, value, high float64
		unit, want       string
	}{
		{low: 77, value: 81, high: 84, want: "············●━··"},
		{low: 0, value: 0, high: 5, want: "●━··············"},
		{low: 95, value: 100, high: 100, want: "··············━●"},
		{low: 0.4, value: 0.5, high: 0.7, unit: scoring.UnitScore, want: "······━━●━━━····"},
	} {
		x := scoring.Result{Value: &tt.value, Low: &tt.low, High: &tt.high, Unit: tt.unit}
		if got := AxisForUnit(tt.unit).terminalStrip(Value{Result: x}, stripWidth); got != tt.want {
			t.Errorf("%v: %s, want %s", tt, got, tt.want)
		}
	}
}
