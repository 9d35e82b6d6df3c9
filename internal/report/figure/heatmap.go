package figure

import (
	"fmt"
	"image/color"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
)

// Heatmap has a row for each of several things and a cell for each series, with its number written in it. The colours
// go from one end of X to the other. Its rows are named above their cells; a name of a series is broken at its commas.
type Heatmap DotPlot

func (h Heatmap) about() string {
	return fmt.Sprintf("heat map of %s, %d rows by %d columns, with each number in its cell; "+
		"the numbers are also in the table.", h.X.Label, len(h.Rows), len(h.Series))
}

func (h Heatmap) table() table.Table { return DotPlot(h).table() }

const (
	cellHeight vg.Length = 24
	headHeight vg.Length = 36
)

func (h Heatmap) layout(vg.Length) (vg.Length, func(draw.Canvas)) {
	if len(values(h.Rows)) == 0 {
		return 0, nil
	}
	const rowHeight = nameHeight + cellHeight + rowGap
	return headHeight + vg.Length(len(h.Rows))*rowHeight, func(c draw.Canvas) {
		c = draw.Crop(c, 2, -2, 0, 0)
		width := (c.Max.X - c.Min.X) / vg.Length(len(h.Series))
		for k, name := range h.Series {
			middle := c.Min.X + width*(vg.Length(k)+0.5)
			c.FillText(aligned(tiny, text.XCenter, text.YTop), vg.Point{X: middle, Y: c.Max.Y},
				strings.ReplaceAll(name, ", ", ",\n"))
		}
		top := c.Max.Y - headHeight
		for _, r := range h.Rows {
			c.FillText(aligned(small, text.XLeft, text.YCenter), vg.Point{X: c.Min.X, Y: top - nameHeight/2},
				label(r.Label, small, c.Max.X-c.Min.X))
			corner := vg.Point{X: c.Min.X, Y: top - nameHeight - cellHeight}
			for _, d := range r.Dots {
				h.cell(c, vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: width, Y: cellHeight})}, d)
				corner.X += width
			}
			top -= rowHeight
		}
	}
}

// step of the colours that a number has.
func (h Heatmap) step(v float64) int {
	n := len(heat)
	return max(0, min(n-1, int(float64(n)*h.X.share(v))))
}

// cell draws a number on its colour; one that is undefined is an empty box.
func (h Heatmap) cell(c draw.Canvas, box vg.Rectangle, d Dot) {
	fill, edge, word := color.Color(paper), muted, tiny
	if d.Defined() {
		step := h.step(*d.Value)
		fill = heat[step]
		edge = paper
		word = words(12.5, onHeat(step))
	}
	c.SetColor(fill)
	c.Fill(box.Path())
	c.SetLineStyle(draw.LineStyle{Color: edge, Width: 0.8})
	c.Stroke(box.Path())
	middle := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	c.FillText(aligned(word, text.XCenter, text.YCenter), middle, table.Fixed(d.Value, max(h.X.Decimals-1, 0)))
}
