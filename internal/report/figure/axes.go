package figure

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// axes are the sides of a plot, with lines across it at their ticks. The
// library's own would bring twelve fonts and five file formats with them.
type axes struct {
	x, y   Axis
	xs, ys []tick
	noY    bool // y has no side
}

type tick struct {
	at    float64
	label string
}

const (
	tickLength vg.Length = 5
	labelRoom  vg.Length = 2 // between a side's label and its numbers
)

var (
	axisLine = draw.LineStyle{Color: ink, Width: 0.8}
	gridLine = draw.LineStyle{Color: grid, Width: 0.6}
	below    = aligned(tiny, text.XCenter, text.YTop)   // numbers of x
	beside   = aligned(tiny, text.XRight, text.YCenter) // and of y
	level    = aligned(small, text.XCenter, text.YBottom)
	upright  = func() text.Style { s := level; s.Rotation = math.Pi / 2; return s }()
)

func newAxes(x, y Axis, w vg.Length) axes {
	x.Label, y.Label = label(x.Label, small, w-60), label(y.Label, small, narrow-60)
	return axes{x: x, y: y, xs: ticks(x.Min, x.Max), ys: ticks(y.Min, y.Max)}
}

// share is how far along an axis a number stands.
func (a Axis) share(v float64) float64 { return (v - a.Min) / (a.Max - a.Min) }

// draw draws the sides and the lines across, and hands on the canvas between them with the place of each number.
func (a axes) draw(c draw.Canvas, paint func(c draw.Canvas, x, y func(float64) vg.Length)) {
	left, bottom := a.left(), a.bottom()
	a.drawX(a.padRight(draw.Crop(c, left, 0, 0, 0)))
	if !a.noY {
		a.drawY(a.padTop(draw.Crop(c, 0, 0, bottom, 0)))
	}
	c = a.padTop(a.padRight(draw.Crop(c, left, 0, bottom, 0)))
	x := func(v float64) vg.Length { return c.X(a.x.share(v)) }
	y := func(v float64) vg.Length { return c.Y(a.y.share(v)) }
	for _, t := range a.xs {
		if at := x(t.at); c.Min.X <= at && at <= c.Max.X {
			c.StrokeLine2(gridLine, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range a.ys {
		if at := y(t.at); c.Min.Y <= at && at <= c.Max.Y {
			c.StrokeLine2(gridLine, c.Min.X, at, c.Max.X, at)
		}
	}
	paint(c, x, y)
}

// bottom is the height of the lower side.
func (a axes) bottom() vg.Length {
	h := axisLine.Width/2 + tickLength + below.Height("0")
	if a.x.Label != "" {
		h += level.Height(a.x.Label) + labelRoom
	}
	return h
}

func (a axes) drawX(c draw.Canvas) {
	y := c.Min.Y
	if a.x.Label != "" {
		c.FillText(level, vg.Point{X: c.Center().X, Y: y + level.FontExtents().Descent}, a.x.Label)
		y += level.Height(a.x.Label) + labelRoom
	}
	y += below.Height("0")
	for _, t := range a.xs {
		if x := c.X(a.x.share(t.at)); c.ContainsX(x) {
			c.FillText(below, vg.Point{X: x, Y: y + below.FontExtents().Descent}, t.label)
		}
	}
	for _, t := range a.xs {
		if x := c.X(a.x.share(t.at)); c.ContainsX(x) {
			c.StrokeLine2(axisLine, x, y, x, y+tickLength)
		}
	}
	c.StrokeLine2(axisLine, c.Min.X, y+tickLength, c.Max.X, y+tickLength)
}

// left is the width of the left side.
func (a axes) left() vg.Length {
	if a.noY {
		return 0
	}
	w := axisLine.Width/2 + tickLength + a.widest() + level.Width(" ")
	if a.y.Label != "" {
		w += level.FontExtents().Descent + level.Height(a.y.Label) + labelRoom
	}
	return w
}

// widest is the width of the numbers of y.
func (a axes) widest() (w vg.Length) {
	for _, t := range a.ys {
		w = max(w, beside.Width(t.label))
	}
	return w
}

func (a axes) drawY(c draw.Canvas) {
	x := c.Min.X
	if a.y.Label != "" {
		x += level.Height(a.y.Label)
		c.FillText(upright, vg.Point{X: x - level.FontExtents().Descent, Y: c.Center().Y}, a.y.Label)
		x += level.FontExtents().Descent + labelRoom
	}
	x += a.widest()
	for _, t := range a.ys {
		if y := c.Y(a.y.share(t.at)); c.ContainsY(y) {
			c.FillText(beside, vg.Point{X: x, Y: y + beside.FontExtents().Descent}, t.label)
		}
	}
	x += beside.Width(" ")
	for _, t := range a.ys {
		if y := c.Y(a.y.share(t.at)); c.ContainsY(y) {
			c.StrokeLine2(axisLine, x, y, x+tickLength, y)
		}
	}
	c.StrokeLine2(axisLine, x+tickLength, c.Min.Y, x+tickLength, c.Max.Y)
}

// overhang is how far words reach beyond their place along a side.
type overhang struct{ at, by vg.Length }

// padRight leaves room for the words of the lower side.
func (a axes) padRight(c draw.Canvas) draw.Canvas {
	words := []overhang{{0.5, level.Rectangle(a.x.Label).Max.X}}
	for _, t := range a.xs {
		words = append(words, overhang{vg.Length(a.x.share(t.at)), below.Rectangle(t.label).Max.X})
	}
	c.Max.X = end(c.Min.X, c.Max.X, words)
	return c
}

// padTop leaves room for the words of the left side.
func (a axes) padTop(c draw.Canvas) draw.Canvas {
	words := []overhang{{0.5, upright.Rectangle(a.y.Label).Max.Y}}
	font := beside.FontExtents()
	for _, t := range a.ys {
		words = append(words,
			overhang{vg.Length(a.y.share(t.at)), beside.Rectangle(t.label).Max.Y + font.Height - font.Ascent})
	}
	c.Max.Y = end(c.Min.Y, c.Max.Y, words)
	return c
}

// end of a side, so drawn in that what stands out farthest ends where it did.
func end(from, to vg.Length, words []overhang) vg.Length {
	farthest, by := to, overhang{1, 0}
	for _, w := range words {
		if reach := w.at*(to-from) + from + w.by; reach > farthest && w.at <= 1 {
			farthest, by = reach, w
		}
	}
	return (to - by.by + by.at*from - from) / by.at
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
		out = append(out, tick{v, strings.Replace(strconv.FormatFloat(v, 'f', decimals, 64), "-", "−", 1)})
	}
	return out
}
