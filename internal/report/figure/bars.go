package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
)

// Bars has a group of bars for each category, a bar for each series.
type Bars struct {
	Y          Axis
	Of         string   // what a category is: "place"
	Categories []DotRow // short labels
	Series     []string
	Mark       *float64 // a line across all bars, such as what chance would make
	Marked     string   // what it is
}

func (b Bars) about() string {
	return fmt.Sprintf("bars of %s by %s, %d groups of %d; the numbers are in the table.",
		b.Y.Label, b.Of, len(b.Categories), len(b.Series))
}

func (b Bars) dots() DotPlot { return DotPlot{X: b.Y, Rows: b.Categories, Series: b.Series, Of: b.Of} }

func (b Bars) omitted() []string  { return b.dots().omitted() }
func (b Bars) table() table.Table { return b.dots().table() }

// around is y with room for all bars, which stand on zero; ok is false where there are none.
func (b Bars) around() (y Axis, ok bool) {
	values := values(b.Categories)
	if len(values) == 0 {
		return b.Y, false
	}
	if b.Mark != nil {
		values = append(values, *b.Mark)
	}
	y = b.Y.around(append(values, 0))
	if slices.Min(values) >= 0 {
		y.Min = 0
	}
	return y, true
}

func (b Bars) ranges() []Axis { y, _ := b.around(); return []Axis{y} }

func (b Bars) on(axes []Axis) Chart {
	b.Y.Min, b.Y.Max = axes[0].Min, axes[0].Max
	return b
}

func (b Bars) layout(w vg.Length) (vg.Length, func(draw.Canvas)) {
	y, ok := b.around()
	if !ok {
		return 0, nil
	}
	room := max(0, 3-float64(len(b.Categories))) / 2 // few bars need not be broad
	sides := newAxes(Axis{Label: b.Of, Min: -room, Max: float64(len(b.Categories)) + room}, y, w)
	sides.xs = make([]tick, len(b.Categories))
	for i, r := range b.Categories {
		sides.xs[i] = tick{float64(i) + 0.5, label(r.Label, tiny, (w-60)/vg.Length(max(3, len(b.Categories))))}
	}
	legend := newLegend(b.entries(), w)
	return legend.height() + 250, func(c draw.Canvas) {
		sides.draw(draw.Crop(legend.draw(c), 0, -6, 0, -8), b.paint)
	}
}

func (b Bars) entries() []entry {
	var entries []entry
	if len(b.Series) > 1 {
		for k, name := range b.Series {
			entries = append(entries, entry{name, func(c draw.Canvas, at vg.Point) {
				bar(c, k, vg.Rectangle{Min: vg.Point{X: at.X - 8, Y: at.Y - 5}, Max: vg.Point{X: at.X + 8, Y: at.Y + 5}})
			}})
		}
	}
	if b.Mark != nil && b.Marked != "" {
		entries = append(entries, entry{b.Marked, lineIcon(Dashed.style(ink, 1.2))})
	}
	return entries
}

func (b Bars) paint(c draw.Canvas, x, y func(float64) vg.Length) {
	w := 0.8 / float64(len(b.Series))
	var numbers []func() // after all lines, which they interrupt
	for i, r := range b.Categories {
		for k, d := range r.Dots {
			left := float64(i) + 0.1 + w*float64(k)
			middle := x(left + w/2)
			if !d.Defined() {
				numbers = append(numbers, func() { onGround(c, "n/a", vg.Point{X: middle, Y: y(0) + 2}) })
				continue
			}
			zero, top := y(0), y(*d.Value)
			bar(c, k, vg.Rectangle{
				Min: vg.Point{X: x(left), Y: min(zero, top)},
				Max: vg.Point{X: x(left + w*0.92), Y: max(zero, top)},
			})
			if low, high, ok := d.interval(); ok {
				c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.4}, middle, y(low), middle, y(high))
			}
			numbers = append(numbers, func() { b.number(c, d, vg.Point{X: middle, Y: y(*d.Value)}, x(w)-x(0)) })
		}
	}
	if b.Mark != nil {
		c.StrokeLine2(Dashed.style(ink, 1.2), c.Min.X, y(*b.Mark), c.Max.X, y(*b.Mark))
	}
	for _, write := range numbers {
		write()
	}
}

// onGround writes words above a point that no line crosses.
func onGround(c draw.Canvas, words string, at vg.Point) {
	w, h := tiny.Width(words), tiny.Height(words)
	ground := vg.Rectangle{Min: vg.Point{X: at.X - w/2, Y: at.Y}, Max: vg.Point{X: at.X + w/2, Y: at.Y + h}}
	c.SetColor(paper)
	c.Fill(ground.Path())
	c.FillText(aligned(tiny, text.XCenter, text.YBottom), at, words)
}

// number stands above a bar without an interval that is wide enough for it.
func (b Bars) number(c draw.Canvas, d Dot, at vg.Point, room vg.Length) {
	s := table.Fixed(d.Value, max(b.Y.Decimals-1, 0))
	if _, _, ok := d.interval(); !ok && tiny.Width(s) <= room {
		onGround(c, s, vg.Point{X: at.X, Y: at.Y + 2})
	}
}

// bar is told by its colour and its hatching: none, rising, falling, level.
func bar(c draw.Canvas, look int, r vg.Rectangle) {
	c.SetColor(colourOf(look))
	c.Fill(r.Path())
	for _, l := range hatching(look%4, r) {
		c.StrokeLine2(draw.LineStyle{Color: paper, Width: 1}, l[0].X, l[0].Y, l[1].X, l[1].Y)
	}
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: 0.8})
	c.Stroke(r.Path())
}

// hatching are the lines of a pattern, cut at the edges of a rectangle.
func hatching(pattern int, r vg.Rectangle) [][2]vg.Point {
	const gap = 5
	var lines [][2]vg.Point
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	switch pattern {
	case 1, 2:
		for s := vg.Length(gap); s < w+h; s += gap { // where x + y is s
			a, b := vg.Point{X: max(0, s-h), Y: min(s, h)}, vg.Point{X: min(s, w), Y: max(0, s-w)}
			if pattern == 1 { // rising
				a.X, b.X = w-a.X, w-b.X
			}
			lines = append(lines, [2]vg.Point{r.Min.Add(a), r.Min.Add(b)})
		}
	case 3:
		for y := vg.Length(gap); y < h; y += gap {
			lines = append(lines, [2]vg.Point{{X: r.Min.X, Y: r.Min.Y + y}, {X: r.Max.X, Y: r.Min.Y + y}})
		}
	}
	return lines
}
