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

// DotPlot has a row for each of several things, and in it a dot with its interval for each series. In a narrow picture
// its rows are named above their dots, so that long names need no margin; in a wide one, beside them.
type DotPlot struct {
	X      Axis
	Rows   []DotRow
	Series []string // one at least
	Of     string   // what a row is: "run"
	Mark   *float64 // a line across all rows, such as what chance scores
	Marked string   // what it is

	left, right vg.Length // margins with names and numbers; 0 where they stand above
}

// DotRow is a row; Dots has one for each series.
type DotRow struct {
	Label string
	Dots  []Dot
}

const (
	nameHeight vg.Length = 20 // of the line above a row's dots
	dotHeight  vg.Length = 17 // between the dots of two series
	rowGap     vg.Length = 6
)

// head is the height of a row's line of words.
func (d DotPlot) head() vg.Length {
	if d.left > 0 {
		return 0
	}
	return nameHeight
}

func (d DotPlot) rowHeight() vg.Length {
	return d.head() + dotHeight*vg.Length(len(d.Series)) + rowGap
}

func (d DotPlot) about() string {
	return fmt.Sprintf("dot plot of %s, %d rows, with intervals; the numbers are in the table.", d.X.Label, len(d.drawn()))
}

// drawn are the rows with anything to draw.
func (d DotPlot) drawn() []DotRow {
	return slices.DeleteFunc(slices.Clone(d.Rows), func(r DotRow) bool {
		return !slices.ContainsFunc(r.Dots, Dot.Defined)
	})
}

// values are the numbers of rows, with the ends of their intervals.
func values(rows []DotRow) (all []float64) {
	for _, r := range rows {
		for _, dot := range r.Dots {
			if dot.Defined() {
				all = append(all, *dot.Value)
			}
			if low, high, ok := dot.interval(); ok {
				all = append(all, low, high)
			}
		}
	}
	return all
}

func (d DotPlot) seriesName(k int) string {
	if len(d.Series) == 1 {
		return ""
	}
	return d.Series[k]
}

func (d DotPlot) table() table.Table {
	t := table.Table{Columns: table.Left(d.Of)}
	for k := range d.Series {
		t.Columns = append(t.Columns, table.Right(Joined(d.X.Label, d.seriesName(k)), Joined("n", d.seriesName(k)))...)
	}
	for _, r := range d.Rows {
		row := []string{r.Label}
		for _, dot := range r.Dots {
			row = append(row, dot.in(d.X), strconv.Itoa(dot.N))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (d DotPlot) layout(w vg.Length) (vg.Length, func(draw.Canvas)) {
	d.Rows = d.drawn()
	values := values(d.Rows)
	if len(values) == 0 {
		return 0, nil
	}
	if d.Mark != nil {
		values = append(values, *d.Mark)
	}
	d.X = d.X.around(values)
	left, right := vg.Length(12), vg.Length(12)
	if w >= half {
		d.margins(w)
		left = d.left
		right = d.right
	}
	legend := newLegend(d.entries(), w)
	return legend.height() + d.rowHeight()*vg.Length(len(d.Rows)) + rowGap + sideHeight, func(c draw.Canvas) {
		d.paint(drawSides(draw.Crop(legend.draw(c), left, -right, 0, 0), d.X, nil))
	}
}

// margins makes room for names and numbers beside the rows.
func (d *DotPlot) margins(w vg.Length) {
	d.left, d.right = 60, 12
	for _, r := range d.Rows {
		d.left = max(d.left, min(small.Width(label(r.Label, small, 0.4*w))+14, 0.4*w))
		if len(d.Series) == 1 {
			d.right = max(d.right, tiny.Width(d.number(r))+14)
		}
	}
}

// number of a row of a single series.
func (d DotPlot) number(r DotRow) string { return r.Dots[0].in(Axis{Decimals: min(d.X.Decimals, 2)}) }

func (d DotPlot) entries() []entry {
	var entries []entry
	if len(d.Series) > 1 {
		for k, name := range d.Series {
			entries = append(entries, entry{name, markerIcon(k)})
		}
	}
	if d.Mark != nil && d.Marked != "" {
		entries = append(entries, entry{d.Marked, lineIcon(Dashed.style(muted, 1.2))})
	}
	return entries
}

func (d DotPlot) paint(c draw.Canvas) {
	x := func(v float64) vg.Length { return c.X(d.X.share(v)) }
	top := c.Max.Y
	for _, r := range d.Rows {
		d.name(c, r, top)
		if d.Mark != nil { // not across the names
			c.StrokeLine2(Dashed.style(muted, 1.2), x(*d.Mark), top-d.head(), x(*d.Mark), top-d.rowHeight()+rowGap/2)
		}
		y := top - d.head() - dotHeight/2
		for k, dot := range r.Dots {
			if low, high, ok := dot.interval(); ok {
				c.StrokeLine2(draw.LineStyle{Color: colourOf(k), Width: 1.6}, x(low), y, x(high), y)
			}
			if dot.Defined() {
				marker(c, k, vg.Point{X: x(*dot.Value), Y: y}, false)
			}
			y -= dotHeight
		}
		top -= d.rowHeight()
	}
}

// name writes what a row is and, of a single series, its number: beside its dots, or in a line above them that no other
// line crosses.
func (d DotPlot) name(c draw.Canvas, r DotRow, top vg.Length) {
	number := ""
	if len(d.Series) == 1 {
		number = d.number(r)
	}
	if d.left > 0 {
		at := top - dotHeight*vg.Length(len(d.Series))/2
		c.FillText(aligned(small, text.XRight, text.YCenter), vg.Point{X: c.Min.X - 10, Y: at},
			label(r.Label, small, d.left-12))
		c.FillText(aligned(tiny, text.XLeft, text.YCenter), vg.Point{X: c.Max.X + 10, Y: at}, number)
		return
	}
	at, room := top-nameHeight/2, c.Max.X-c.Min.X
	clear := vg.Rectangle{Min: vg.Point{X: c.Min.X - 1, Y: top - nameHeight}, Max: vg.Point{X: c.Max.X + 1, Y: top}}
	c.SetColor(paper)
	c.Fill(clear.Path())
	if number != "" {
		c.FillText(aligned(tiny, text.XRight, text.YCenter), vg.Point{X: c.Max.X, Y: at}, number)
		room -= tiny.Width(number) + 8
	}
	c.FillText(aligned(small, text.XLeft, text.YCenter), vg.Point{X: c.Min.X + 2, Y: at}, label(r.Label, small, room))
}
