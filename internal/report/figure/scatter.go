package figure

import (
	"cmp"
	"fmt"
	"math"
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
	// SizeOf says what the area of a point stands for, and Largest what the
	// largest one is, so that panels of a figure agree. Empty: all are alike.
	SizeOf  string
	Largest float64
	// Numbered tells points apart: by their names where there is room, else by numbers that a key or the table explains.
	// Points of one name have the same.
	Numbered bool

	named bool // there is room
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
	Name   string
	X, Y   Dot
	Size   float64 // 0 where unknown
	Detail string  // a further column of the table, where any point has one
}

func (p Point) ok() bool { return p.X.Defined() && p.Y.Defined() }

// Guide is a line that is no data: equality, a fit, a level.
type Guide struct {
	Name string // in the legend; "" for none
	End  string // written beside its last point that can be seen
	Look int    // colour; -1 for muted
	Line Dash
	At   [][2]float64
}

func (s Scatter) about() string {
	return fmt.Sprintf("scatter plot of %s over %s, %d points; the numbers are in the table.",
		s.Y.Label, s.X.Label, len(s.inOrder()))
}

func (s Scatter) omitted() []string {
	var names []string
	for _, x := range s.Series {
		for _, p := range x.Points {
			if !p.ok() {
				names = append(names, Joined(p.Name, x.Name))
			}
		}
	}
	return names
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
	t := table.Table{Columns: slices.Concat(table.Left(s.Of, "series"), table.Right(s.X.Label, "n", s.Y.Label, "n"))}
	numbers := s.numbers()
	if s.Numbered {
		t.Columns = append(table.Right("no."), t.Columns...)
	}
	if s.SizeOf != "" {
		t.Columns = append(t.Columns, table.Right(s.SizeOf)...)
	}
	for _, x := range s.Series {
		for _, p := range x.Points {
			var row []string
			if s.Numbered {
				row = append(row, strconv.Itoa(numbers[p.Name]))
			}
			row = append(row, p.Name, x.Name, p.X.in(s.X), strconv.Itoa(p.X.N), p.Y.in(s.Y), strconv.Itoa(p.Y.N))
			if s.SizeOf != "" {
				row = append(row, cmp.Or(p.Detail, "unknown"))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// roomy is the width of a picture with room for names; of more points than a few only the table has them.
const (
	roomy     = whole
	fewPoints = 16
)

// around are x and y with room for all points; ok is false where there are none.
func (s Scatter) around() (x, y Axis, ok bool) {
	var xs, ys []float64
	for _, p := range s.inOrder() {
		xs, ys = append(xs, *p.X.Value), append(ys, *p.Y.Value)
		if low, high, ok := p.Y.interval(); ok {
			ys = append(ys, low, high)
		}
	}
	return s.X.around(xs), s.Y.around(ys), len(xs) > 0
}

func (s Scatter) ranges() []Axis { x, y, _ := s.around(); return []Axis{x, y} }

func (s Scatter) on(axes []Axis) Chart {
	s.X.Min = axes[0].Min
	s.X.Max = axes[0].Max
	s.Y.Min = axes[1].Min
	s.Y.Max = axes[1].Max
	return s
}

func (s Scatter) layout(w vg.Length) (vg.Length, func(draw.Canvas)) {
	x, y, ok := s.around()
	if !ok {
		return 0, nil
	}
	sides := newAxes(x, y, w)
	s.named = s.Numbered && w >= roomy && len(s.numbers()) <= fewPoints
	legend, right := newLegend(s.entries(), w), vg.Length(12)
	for _, g := range s.Guides {
		right = max(right, tiny.Width(g.End)+6)
	}
	return legend.height() + 320, func(c draw.Canvas) {
		sides.draw(draw.Crop(legend.draw(c), 0, -right, 0, -8), s.paint)
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
			marker(c, x.Look, at, 4, x.Hollow)
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
	if !s.Numbered || s.named || len(numbers) > fewPoints {
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

// radius of a point: its area stands for its size.
func (s Scatter) radius(p Point) vg.Length {
	const least, most = 3.5, 11
	if s.Largest <= 0 || p.Size <= 0 {
		return least
	}
	return vg.Length(max(least, most*math.Sqrt(min(p.Size/s.Largest, 1))))
}

// paint draws points, guides first.
func (s Scatter) paint(c draw.Canvas, x, y func(float64) vg.Length) {
	for _, g := range s.Guides {
		var at []vg.Point
		for _, q := range g.At {
			at = append(at, vg.Point{X: x(q[0]), Y: y(q[1])})
		}
		lines := c.ClipLinesXY(at)
		c.StrokeLines(g.style(), lines...)
		if seen := slices.Concat(lines...); g.End != "" && len(seen) > 0 {
			last := seen[len(seen)-1]
			c.FillText(aligned(tiny, text.XLeft, text.YCenter), vg.Point{X: last.X + 3, Y: last.Y}, g.End)
		}
	}
	for _, series := range s.Series {
		s.line(c, series, x, y)
	}
	tags := tags{within: c.Rectangle}
	numbers := s.numbers()
	for _, d := range s.inOrder() {
		at, r := vg.Point{X: x(*d.X.Value), Y: y(*d.Y.Value)}, s.radius(d.Point)
		tags.avoid(at, r, r)
		if low, high, ok := d.Y.interval(); ok {
			c.StrokeLine2(draw.LineStyle{Color: colourOf(d.look), Width: 1.2}, at.X, y(low), at.X, y(high))
			tags.taken = append(tags.taken,
				vg.Rectangle{Min: vg.Point{X: at.X - 1, Y: y(low)}, Max: vg.Point{X: at.X + 1, Y: y(high)}})
		}
		marker(c, d.look, at, r, d.hollow)
	}
	for _, d := range s.inOrder() {
		at := vg.Point{X: x(*d.X.Value), Y: y(*d.Y.Value)}
		switch {
		case s.named:
			tags.add(label(d.Name, tiny, 260), at, s.radius(d.Point))
		case s.Numbered:
			tags.add(strconv.Itoa(numbers[d.Name]), at, s.radius(d.Point))
		}
	}
	tags.draw(c)
}

// tags are the words beside points, each where it hides no point, no interval and no other.
type tags struct {
	within vg.Rectangle
	taken  []vg.Rectangle
	said   []tag
}

// tag is what is written beside a point, and where.
type tag struct {
	vg.Rectangle
	text string
	at   vg.Point // of the point
	far  bool     // a line leads there
}

// avoid keeps words off a point.
func (t *tags) avoid(at vg.Point, w, h vg.Length) {
	t.taken = append(t.taken,
		vg.Rectangle{Min: vg.Point{X: at.X - w, Y: at.Y - h}, Max: vg.Point{X: at.X + w, Y: at.Y + h}})
}

// add writes words beside a point; where there is no room beside it, farther off, with a line that leads there.
func (t *tags) add(words string, at vg.Point, r vg.Length) {
	if slices.ContainsFunc(t.said, func(o tag) bool {
		return o.text == words && math.Hypot(float64(o.at.X-at.X), float64(o.at.Y-at.Y)) < 16
	}) {
		return // one for both of two points of a name that stand together
	}
	const high = 16
	w := tiny.Width(words)
	box := func(dx, dy vg.Length) vg.Rectangle {
		from := vg.Point{X: at.X + dx, Y: at.Y + dy - high/2}
		return vg.Rectangle{Min: from, Max: from.Add(vg.Point{X: w, Y: high})}
	}
	right, left := r+4, -r-4-w
	place, far := box(right, 0), vg.Length(0)
search:
	for step := vg.Length(0); step <= 12; step++ {
		for _, dx := range []vg.Length{right, left} {
			for _, dy := range []vg.Length{step * high * 0.75, -step * high * 0.75} {
				if b := box(dx, dy); t.free(b) {
					place, far = b, step
					break search
				}
			}
		}
	}
	t.taken = append(t.taken, place)
	t.said = append(t.said, tag{Rectangle: place, text: words, at: at, far: far > 1})
}

// draw writes the words, on ground of their own, so that no line crosses them.
func (t *tags) draw(c draw.Canvas) {
	for _, x := range t.said {
		if to := (vg.Point{X: x.Min.X, Y: (x.Min.Y + x.Max.Y) / 2}); x.far {
			if x.Max.X < x.at.X {
				to.X = x.Max.X
			}
			c.StrokeLine2(draw.LineStyle{Color: muted, Width: 0.6}, x.at.X, x.at.Y, to.X, to.Y)
		}
	}
	for _, x := range t.said {
		c.SetColor(paper)
		c.Fill(x.Path())
		c.FillText(aligned(tiny, text.XLeft, text.YCenter), vg.Point{X: x.Min.X, Y: (x.Min.Y + x.Max.Y) / 2}, x.text)
	}
}

// free tells whether words may stand there.
func (t *tags) free(b vg.Rectangle) bool {
	in := t.within
	return b.Min.X >= in.Min.X && b.Max.X <= in.Max.X && b.Min.Y >= in.Min.Y && b.Max.Y <= in.Max.Y &&
		!slices.ContainsFunc(t.taken, func(o vg.Rectangle) bool {
			return b.Min.X < o.Max.X && o.Min.X < b.Max.X && b.Min.Y < o.Max.Y && o.Min.Y < b.Max.Y
		})
}

func (s Scatter) line(c draw.Canvas, series Series, x, y func(float64) vg.Length) {
	if series.Line == NoLine {
		return
	}
	var at []vg.Point
	for _, p := range series.Points {
		if p.ok() {
			at = append(at, vg.Point{X: x(*p.X.Value), Y: y(*p.Y.Value)})
		}
	}
	c.StrokeLines(series.Line.style(colourOf(series.Look), 1.6), at)
}

// seen is a point with the looks of its series.
type seen struct {
	Point
	look   int
	hollow bool
}

// inOrder are the points that can be drawn, large ones first, so that none hides another.
func (s Scatter) inOrder() []seen {
	var all []seen
	for _, x := range s.Series {
		for _, p := range x.Points {
			if p.ok() {
				all = append(all, seen{Point: p, look: x.Look, hollow: x.Hollow})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b seen) int { return cmp.Compare(s.radius(b.Point), s.radius(a.Point)) })
	return all
}
