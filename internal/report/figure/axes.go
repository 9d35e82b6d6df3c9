package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is what is measured along a side of a picture.
type Axis struct {
	Label    string
	Min, Max float64 // shown at least
	Decimals int     // of its numbers in the table
}

// Percent is the axis of a share.
func Percent(label string) Axis { return Axis{Label: label, Max: 100, Decimals: 2} }

// Unit is the axis of a number from 0 to 1.
func Unit(label string) Axis { return Axis{Label: label, Max: 1, Decimals: 4} }

// around is the axis with room for values: nothing is drawn outside of it.
func (a Axis) around(values []float64) Axis {
	a.Min = min(a.Min, slices.Min(values))
	a.Max = max(a.Max, slices.Max(values))
	if a.Min == a.Max {
		a.Max++
	}
	return a
}

// share is how far along an axis a number stands.
func (a Axis) share(v float64) float64 { return (v - a.Min) / (a.Max - a.Min) }

const (
	tickLength vg.Length = 5
	wordHeight vg.Length = 16                            // of a line of words along a side
	sideHeight           = tickLength + 2*wordHeight + 4 // of the lower side
)

var (
	axisLine = draw.LineStyle{Color: ink, Width: 0.8}
	gridLine = draw.LineStyle{Color: grid, Width: 0.6}
)

// drawSides draws the sides of a plot, with lines across it at their ticks, and returns the canvas between them. y is
// nil for a plot without a scale on its left. The library's own axes would bring twelve fonts and five file formats.
func drawSides(c draw.Canvas, x Axis, y *Axis) draw.Canvas {
	below := aligned(tiny, text.XCenter, text.YTop)
	before := aligned(tiny, text.XRight, text.YCenter)
	title := aligned(small, text.XCenter, text.YCenter)
	left := vg.Length(0)
	var rising []tick
	if y != nil {
		rising = ticks(y.Min, y.Max)
		for _, t := range rising {
			left = max(left, before.Width(t.label))
		}
		left += tickLength + wordHeight + 6
	}
	inner := draw.Crop(c, left, 0, sideHeight, 0)
	for _, t := range ticks(x.Min, x.Max) {
		at := inner.X(x.share(t.at))
		c.StrokeLine2(gridLine, at, inner.Min.Y, at, inner.Max.Y)
		c.StrokeLine2(axisLine, at, inner.Min.Y, at, inner.Min.Y-tickLength)
		c.FillText(below, vg.Point{X: at, Y: inner.Min.Y - tickLength}, t.label)
	}
	c.StrokeLine2(axisLine, inner.Min.X, inner.Min.Y, inner.Max.X, inner.Min.Y)
	width := inner.Max.X - inner.Min.X
	c.FillText(title, vg.Point{X: inner.Center().X, Y: c.Min.Y + 4 + wordHeight/2}, label(x.Label, small, width))
	if y == nil {
		return inner
	}
	for _, t := range rising {
		at := inner.Y(y.share(t.at))
		c.StrokeLine2(gridLine, inner.Min.X, at, inner.Max.X, at)
		c.StrokeLine2(axisLine, inner.Min.X, at, inner.Min.X-tickLength, at)
		c.FillText(before, vg.Point{X: inner.Min.X - tickLength - 3, Y: at}, t.label)
	}
	c.StrokeLine2(axisLine, inner.Min.X, inner.Min.Y, inner.Min.X, inner.Max.Y)
	title.Rotation = math.Pi / 2
	c.FillText(title, vg.Point{X: c.Min.X + wordHeight/2, Y: inner.Center().Y}, label(y.Label, small, narrow-60))
	return inner
}

// tick is a number on a side.
type tick struct {
	at    float64
	label string
}

// ticks are four to ten round numbers.
func ticks(low, high float64) []tick {
	power := math.Pow(10, math.Floor(math.Log10(high-low)))
	step := power
	for _, part := range []float64{0.5, 0.25, 0.2, 0.1} {
		if (high-low)/step < 4 {
			step = power * part
		}
	}
	decimals := 0
	for x := step; math.Abs(x-math.Round(x)) > 1e-6 && decimals < 9; x *= 10 {
		decimals++
	}
	var out []tick
	for k := math.Ceil(low/step - 1e-9); k*step <= high+step*1e-9; k++ {
		v := k * step
		if v == 0 {
			v = 0 // never −0
		}
		text := strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)
		out = append(out, tick{at: v, label: text})
	}
	return out
}
