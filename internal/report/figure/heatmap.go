package figure

import (
	"fmt"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
)

// Heatmap has a row for each of several things and a cell for each column, with
// its number written in it. Its rows are named above their cells.
type Heatmap struct {
	Scale   Axis // of the numbers; its ends are those of the colours
	Of      string
	Columns []string // one or two lines each, parted by "\n"
	Rows    []DotRow
}

func (h Heatmap) about() string {
	return fmt.Sprintf("heat map of %s, %d rows by %d columns, with each number in its cell; "+
		"the numbers are also in the table.", h.Scale.Label, len(h.Rows), len(h.Columns))
}

func (h Heatmap) omitted() []string {
	return missing(h.Rows, func(k int) string { return oneLine(h.Columns[k]) })
}

func (h Heatmap) table() table.Table {
	t := table.Table{Columns: table.Left(h.Of)}
	for _, c := range h.Columns {
		t.Columns = append(t.Columns, table.Right(oneLine(c), "n")...)
	}
	t.Rows = h.Scale.rows(h.Rows)
	return t
}

const (
	cellHeight vg.Length = 24
	headHeight vg.Length = 36
	keyHeight  vg.Length = 46
)

func (h Heatmap) layout(vg.Length) (vg.Length, func(draw.Canvas)) {
	if len(values(h.Rows)) == 0 {
		return 0, nil
	}
	height := headHeight + vg.Length(len(h.Rows))*(nameHeight+cellHeight+rowGap) + keyHeight
	return height, func(c draw.Canvas) {
		c = draw.Crop(c, 2, -2, 0, 0)
		h.head(c)
		top := c.Max.Y - headHeight
		for _, r := range h.Rows {
			c.FillText(aligned(small, text.XLeft, text.YCenter), vg.Point{X: c.Min.X, Y: top - nameHeight/2},
				label(r.Label, small, c.Max.X-c.Min.X))
			for k, d := range r.Dots {
				h.cell(c, h.box(c, k, top-nameHeight), d)
			}
			top -= nameHeight + cellHeight + rowGap
		}
		h.key(c)
	}
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// box is the cell of a column whose top is given.
func (h Heatmap) box(c draw.Canvas, k int, top vg.Length) vg.Rectangle {
	w := (c.Max.X - c.Min.X) / vg.Length(len(h.Columns))
	left := c.Min.X + w*vg.Length(k)
	return vg.Rectangle{Min: vg.Point{X: left, Y: top - cellHeight}, Max: vg.Point{X: left + w, Y: top}}
}

func (h Heatmap) head(c draw.Canvas) {
	for k, name := range h.Columns {
		box := h.box(c, k, c.Max.Y)
		c.FillText(aligned(tiny, text.XCenter, text.YTop), vg.Point{X: box.Min.X + (box.Max.X-box.Min.X)/2, Y: c.Max.Y}, name)
	}
}

// step of the colours that a number has.
func (h Heatmap) step(v float64) int {
	n := len(heat)
	return max(0, min(n-1, int(float64(n)*(v-h.Scale.Min)/(h.Scale.Max-h.Scale.Min))))
}

// cell draws a number on its colour; one that is undefined is an empty box.
func (h Heatmap) cell(c draw.Canvas, box vg.Rectangle, d Dot) {
	middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	if !d.Defined() {
		c.SetLineStyle(draw.LineStyle{Color: muted, Width: 0.8})
		c.Stroke(box.Path())
		c.FillText(aligned(tiny, text.XCenter, text.YCenter), middle, "n/a")
		return
	}
	step := h.step(*d.Value)
	c.SetColor(heat[step])
	c.Fill(box.Path())
	c.SetLineStyle(draw.LineStyle{Color: paper, Width: 1})
	c.Stroke(box.Path())
	c.FillText(aligned(words(12.5, onHeat(step)), text.XCenter, text.YCenter), middle,
		table.Fixed(d.Value, max(h.Scale.Decimals-1, 0)))
}

// key shows what colour is what number.
func (h Heatmap) key(c draw.Canvas) {
	const high = 9
	w := (c.Max.X - c.Min.X) * 0.6 / vg.Length(len(heat))
	left := c.Min.X + (c.Max.X-c.Min.X)*0.2
	top := c.Min.Y + keyHeight - 8
	for k, colour := range heat {
		c.SetColor(colour)
		box := vg.Rectangle{
			Min: vg.Point{X: left + w*vg.Length(k), Y: top - high},
			Max: vg.Point{X: left + w*vg.Length(k+1), Y: top},
		}
		c.Fill(box.Path())
	}
	y := top - high/2
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
	c.FillText(aligned(tiny, text.XRight, text.YCenter), vg.Point{X: left - 5, Y: y}, number(h.Scale.Min))
	c.FillText(aligned(tiny, text.XLeft, text.YCenter), vg.Point{X: left + w*vg.Length(len(heat)) + 5, Y: y},
		number(h.Scale.Max))
	c.FillText(aligned(tiny, text.XCenter, text.YTop),
		vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: top - high - 3}, label(h.Scale.Label, tiny, c.Max.X-c.Min.X))
}
