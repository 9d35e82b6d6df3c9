package figure

import (
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
)

// Scatter has points by two numbers, lines through them and guides behind them.
type Scatter struct {
	X, Y   Axis
	Of     string // what a point is: "judge"
	Series []Series
	Guides []Guide
	// Numbered tells points apart by numbers that a key explains, or of many points the table. Points of one name have
	// the same number.
	Numbered bool
}

// Series of points that look alike.
type Series struct {
	Name   string
	Look   int // colour and shape
	Hollow bool
	Line   Dash // joins the points, in their order
	Points []Point
}

// Point of a series. Low and High are of Y.
type Point struct {
	Name string
	X, Y Dot
}

func (p Point) ok() bool { return p.X.Defined() && p.Y.Defined() }

// Guide is a line that is no data: equality, a fit, a level.
type Guide struct {
	Name string // in the legend; "" for none
	Look int    // colour; -1 for muted
	Line Dash
	At   [][2]float64
}

func (s Scatter) about() string {
	n := 0
	for range s.points {
		n++
	}
	return fmt.Sprintf("scatter plot of %s over %s, %d points; the numbers are in the table.", s.Y.Label, s.X.Label, n)
}

// points yields the points that can be drawn, each with its series.
func (s Scatter) points(yield func(Series, Point) bool) {
	for _, series := range s.Series {
		for _, p := range series.Points {
			if p.ok() && !yield(series, p) {
				return
			}
		}
	}
}

// numbers gives every name its number.
func (s Scatter) numbers() map[string]int {
	numbers := map[string]int{}
	for _, x := range s.Series {
		for _, p := range x.Points {
			if numbers[p.Name] == 0 {
				numbers[p.Name] = len(numbers) + 1
			}
		}
	}
	return numbers
}

func (s Scatter) table() table.Table {
	t := table.Table{Columns: table.Left(s.Of, "series").Right(s.X.Label, "n", s.Y.Label, "n")}
	numbers := s.numbers()
	if s.Numbered {
		t.Columns = append(table.Right("no."), t.Columns...)
	}
	for _, x := range s.Series {
		for _, p := range x.Points {
			row := []string{p.Name, x.Name, p.X.in(s.X), strconv.Itoa(p.X.N), p.Y.in(s.Y), strconv.Itoa(p.Y.N)}
			if s.Numbered {
				row = slices.Insert(row, 0, strconv.Itoa(numbers[p.Name]))
			}
			t.Row(row...)
		}
	}
	return t
}

// fewPoints have a key beside the picture; of more, only the table has the names.
const fewPoints = 16

func (s Scatter) layout(w vg.Length) (vg.Length, func(draw.Canvas)) {
	var xs, ys []float64
	for _, p := range s.points {
		xs = append(xs, *p.X.Value)
		ys = append(ys, *p.Y.Value)
		if low, high, ok := p.Y.interval(); ok {
			ys = append(ys, low, high)
		}
	}
	if len(xs) == 0 {
		return 0, nil
	}
	s.X = s.X.around(xs)
	s.Y = s.Y.around(ys)
	legend := newLegend(s.entries(), w)
	return legend.height() + 320, func(c draw.Canvas) {
		s.paint(drawSides(draw.Crop(legend.draw(c), 0, -14, 0, -8), s.X, &s.Y))
	}
}

func (s Scatter) entries() []entry {
	var entries []entry
	for _, x := range s.Series {
		if x.Name == "" || !slices.ContainsFunc(x.Points, Point.ok) {
			continue
		}
		entries = append(entries, entry{x.Name, func(c draw.Canvas, at vg.Point) {
			if x.Line != NoLine {
				lineIcon(x.Line.style(colourOf(x.Look), 1.6))(c, at)
			}
			marker(c, x.Look, at, x.Hollow)
		}})
	}
	for _, g := range s.Guides {
		if g.Name != "" {
			entries = append(entries, entry{g.Name, lineIcon(g.style())})
		}
	}
	return append(entries, s.key()...)
}

// key says which number is which name, where numbers stand for a few.
func (s Scatter) key() []entry {
	numbers := s.numbers()
	if !s.Numbered || len(numbers) > fewPoints {
		return nil
	}
	key := make([]entry, len(numbers))
	for name, n := range numbers {
		key[n-1] = entry{name, func(c draw.Canvas, at vg.Point) {
			c.FillText(aligned(tiny, text.XCenter, text.YCenter), at, strconv.Itoa(n))
		}}
	}
	return key
}

func (g Guide) style() draw.LineStyle {
	if g.Look < 0 {
		return g.Line.style(muted, 1)
	}
	return g.Line.style(colourOf(g.Look), 1.6)
}

// pointRadius is that of a marker.
const pointRadius vg.Length = 4

// paint draws points, guides first, and their numbers last.
func (s Scatter) paint(c draw.Canvas) {
	place := func(x, y float64) vg.Point { return vg.Point{X: c.X(s.X.share(x)), Y: c.Y(s.Y.share(y))} }
	for _, g := range s.Guides {
		var at []vg.Point
		for _, q := range g.At {
			at = append(at, place(q[0], q[1]))
		}
		c.StrokeLines(g.style(), c.ClipLinesXY(at)...)
	}
	for _, series := range s.Series {
		var at []vg.Point
		for _, p := range series.Points {
			if p.ok() {
				at = append(at, place(*p.X.Value, *p.Y.Value))
			}
		}
		if series.Line != NoLine {
			c.StrokeLines(series.Line.style(colourOf(series.Look), 1.6), at)
		}
	}
	var taken []vg.Rectangle
	for series, p := range s.points {
		at := place(*p.X.Value, *p.Y.Value)
		if low, high, ok := p.Y.interval(); ok {
			from, to := place(*p.X.Value, low), place(*p.X.Value, high)
			c.StrokeLine2(draw.LineStyle{Color: colourOf(series.Look), Width: 1.2}, from.X, from.Y, to.X, to.Y)
			taken = append(taken, vg.Rectangle{Min: from, Max: to.Add(vg.Point{X: 1})})
		}
		marker(c, series.Look, at, series.Hollow)
		corner := vg.Point{X: pointRadius, Y: pointRadius}
		taken = append(taken, vg.Rectangle{Min: at.Sub(corner), Max: at.Add(corner)})
	}
	if !s.Numbered {
		return
	}
	numbers := s.numbers()
	for _, p := range s.points {
		number := strconv.Itoa(numbers[p.Name])
		box := freeBox(c.Rectangle, taken, place(*p.X.Value, *p.Y.Value), tiny.Width(number))
		taken = append(taken, box)
		c.SetColor(paper) // so that no line crosses the number
		c.Fill(box.Path())
		c.FillText(aligned(tiny, text.XLeft, text.YCenter), vg.Point{X: box.Min.X, Y: (box.Min.Y + box.Max.Y) / 2}, number)
	}
}

// freeBox is room for a number of a width beside a point, where it hides none of the boxes that are taken. Where there
// is none near the point, the number stands to its right all the same.
func freeBox(within vg.Rectangle, taken []vg.Rectangle, at vg.Point, width vg.Length) vg.Rectangle {
	const height, gap = 13, pointRadius + 2
	box := func(dx, dy vg.Length) vg.Rectangle {
		from := vg.Point{X: at.X + dx, Y: at.Y + dy - height/2}
		return vg.Rectangle{Min: from, Max: from.Add(vg.Point{X: width, Y: height})}
	}
	for step := range 6 {
		for _, dx := range []vg.Length{gap, -gap - width, -width / 2} {
			for _, dy := range []vg.Length{height, -height} {
				b := box(dx, dy*vg.Length(step))
				if within.Min.X <= b.Min.X && b.Max.X <= within.Max.X && within.Min.Y <= b.Min.Y && b.Max.Y <= within.Max.Y &&
					!slices.ContainsFunc(taken, func(o vg.Rectangle) bool { return overlap(b, o) }) {
					return b
				}
			}
		}
	}
	return box(gap, 0)
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}
