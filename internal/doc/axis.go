package doc

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel/scoring"
)

// Axis describes the axis on which numbers are drawn: its range, and its lines.
type Axis struct {
	Min, Max   float64
	Unit       string    // unit of the numbers; numbers of another unit are not drawn
	Ticks      []float64 // values that have a line with their number
	StrongTick float64   // the value of Ticks whose line is stronger
	Signed     bool      // the numbers are differences, written with signs
	Ends       [2]string // words at both ends; in a [ChartScatter], of the line at Zero and of the zone; "" for none
	ZoneStart  float64   // value from which on a [ChartScatter] has another background; 0 for none
}

// PercentAxis shows shares from 0 to 100 %, with a stronger line at 50.
var PercentAxis = Axis{Min: 0, Max: 100, Ticks: []float64{0, 25, 50, 75, 100}, StrongTick: 50}

// AxisForUnit returns the axis for numbers of a unit: percent ("") from 0 to 100, correlations from −1 to 1, scores
// from 0 to 1.
func AxisForUnit(unit string) *Axis {
	axis := PercentAxis
	switch unit {
	case scoring.UnitCorrelation:
		axis = Axis{Min: -1, Max: 1, Ticks: []float64{-1, -.5, 0, .5, 1}}
	case scoring.UnitScore:
		axis = Axis{Min: 0, Max: 1, Ticks: []float64{0, .25, .5, .75, 1}, StrongTick: .5}
	}
	axis.Unit = unit
	return &axis
}

// DifferenceAxis returns an axis with 0 in its middle. It is the shortest of a few on which all differences with their
// intervals fit; differences of another unit than the first do not count.
func DifferenceAxis(differences ...scoring.Result) *Axis {
	largest := 0.0
	unit := ""
	for i, d := range differences {
		if i == 0 {
			unit = d.Unit
		}
		if d.Unit != unit {
			continue
		}
		for _, v := range []*float64{d.Value, d.Low, d.High} {
			if v != nil {
				largest = max(largest, math.Abs(*v))
			}
		}
	}
	limits := []float64{10, 20, 40, 60, 80, 100}
	if unit != "" {
		limits = []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1, 2}
	}
	limit := 0.0
	for _, limit = range limits {
		if largest <= limit {
			break
		}
	}
	return &Axis{
		Min:    -limit,
		Max:    limit,
		Unit:   unit,
		Ticks:  []float64{-limit, -limit / 2, 0, limit / 2, limit},
		Signed: true,
	}
}

// CountAxis returns an axis from 0 to n, with a few round numbers between.
func CountAxis(n int) *Axis {
	a := &Axis{Max: float64(max(1, n)), Ticks: []float64{0}, StrongTick: -1}
	step := 1.0
	for _, step = range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000} {
		if a.Max/step <= 5 {
			break
		}
	}
	for v := step; v < a.Max-step/2; v += step {
		a.Ticks = append(a.Ticks, v)
	}
	a.Ticks = append(a.Ticks, a.Max)
	return a
}

// PositionPercent returns a value's position on the axis: 0 at its start or before, 100 at its end or beyond.
func (a *Axis) PositionPercent(v float64) float64 {
	return 100 * (max(a.Min, min(a.Max, v)) - a.Min) / (a.Max - a.Min)
}

// Coordinate returns a number with at most two decimals, as an attribute of SVG.
func Coordinate(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64) }

// tick holds a line of an axis for SVG: its position in percent, its class, and its number with the number's alignment.
type tick struct{ At, Class, Anchor, Number string }

// Lines returns the axis's lines at its ticks, for SVG.
func (a *Axis) Lines() (all []tick) {
	for i, v := range a.Ticks {
		t := tick{At: Coordinate(a.PositionPercent(v)) + "%", Class: "g", Anchor: "middle"}
		switch {
		case v == a.StrongTick && a.Signed:
			t.Class = "g zero"
		case v == a.StrongTick:
			t.Class = "g strong"
		}
		switch {
		case i == 0 && v == a.Min:
			t.Anchor = "start"
		case i == len(a.Ticks)-1 && v == a.Max:
			t.Anchor = "end"
		}
		t.Number = a.number(v)
		all = append(all, t)
	}
	return all
}

// minus replaces the hyphen in front of a negative number by a minus sign.
func minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// number returns the words for the number at a line of the axis.
func (a *Axis) number(v float64) string {
	number := minus(strconv.FormatFloat(v, 'g', 3, 64))
	if a.Signed && v > 0 {
		return "+" + number
	}
	return number
}

// terminalScaleLine returns a line of width characters for a terminal, with the numbers of the axis's ends and middle.
func (a *Axis) terminalScaleLine(width int) string {
	middle := a.number((a.Min + a.Max) / 2)
	line := fmt.Sprintf("%-*s%s", (width-utf8.RuneCountInString(middle))/2, a.number(a.Min), middle)
	return line + fmt.Sprintf("%*s", width-utf8.RuneCountInString(line), a.number(a.Max))
}

// scaleTo returns a function that maps values on the axis to coordinates from low to high.
func (a *Axis) scaleTo(low, high float64) func(v float64) float64 {
	return func(v float64) float64 { return low + (high-low)*a.PositionPercent(v)/100 }
}

// terminalStrip draws a number and its interval in width characters for a terminal: ···━●━······
// If the reference is a range, lines mark its ends: ╎··━●━·····╎·
func (a *Axis) terminalStrip(x Value, width int) string {
	if x.Result.Value == nil || x.Unit != a.Unit {
		return ""
	}
	column := func(v float64) int { return int(math.Round(a.PositionPercent(v) / 100 * float64(width-1))) }
	line := slices.Repeat([]rune{'·'}, width)
	if x.HasInterval() {
		for i := column(*x.Low); i <= column(*x.High); i++ {
			line[i] = '━'
		}
	}
	if a.Signed {
		line[width/2] = '│'
	}
	if r := x.Reference; r != nil && r.Value == nil && r.Low != nil {
		line[column(*r.Low)] = '╎'
		line[column(*r.High)] = '╎'
	}
	line[column(*x.Result.Value)] = '●'
	return string(line)
}
