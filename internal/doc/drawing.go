package doc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gavel/scoring"
)

// drawing holds an SVG picture of a fixed size.
type drawing struct {
	Width, Height float64   // in units of its coordinates
	Words         string    // description for people who cannot see it
	Title, About  string    // heading above it, and small words after that
	Shapes        []element // drawn in this order, later ones on top
}

// element holds a shape of a drawing.
type element struct {
	Kind, Class          string  // line, rect, text, dot or diamond; CSS class
	X, Y, X2, Y2, Radius float64 // X2 and Y2: the end of a line, the width and height of a rect
	Text                 string  // of a text; of a dot or diamond, the title that appears under the mouse
}

// line adds a line from (x, y) to (x2, y2) with a CSS class.
func (d *drawing) line(class string, x, y, x2, y2 float64) {
	d.Shapes = append(d.Shapes, element{Kind: "line", Class: class, X: x, Y: y, X2: x2, Y2: y2})
}

// rect adds a rectangle with its upper left corner at (x, y).
func (d *drawing) rect(class string, x, y, width, height float64) {
	d.Shapes = append(d.Shapes, element{Kind: "rect", Class: class, X: x, Y: y, X2: width, Y2: height})
}

// text adds words at (x, y). The CSS class m centres them there, and e ends them there.
func (d *drawing) text(class string, x, y float64, words string) {
	d.Shapes = append(d.Shapes, element{Kind: "text", Class: class, X: x, Y: y, Text: words})
}

// mark adds the mark of a row at (x, y): a diamond for published results, else a dot.
func (d *drawing) mark(r Row, x, y, radius float64, title string) {
	kind := "dot"
	if r.Mark == MarkDiamond {
		kind = "diamond"
	}
	d.Shapes = append(d.Shapes, element{Kind: kind, Class: r.Look, X: x, Y: y, Radius: radius, Text: title})
}

// Sizes in drawings, in units of their coordinates.
const (
	plotWidth   = 520.0 // of a strip or scatter plot
	stripEdge   = 10.0  // from the edges of a strip to its axis
	stripMiddle = 56.0  // from the top of a strip to its dots
	letterWidth = 7.4   // of an average letter
)

// stripLabelLines lists where a strip has room for names above and below its dots: distances from the top, the line
// nearest to the dots first.
var stripLabelLines = []float64{30, 86, 14, 102}

// Strip draws the rows of the block as marks on one axis. The Total row is the judge of the page: its mark is larger.
func (b blockView) Strip() drawing {
	axis := b.Table.Columns[0].Axis
	d := drawing{Width: plotWidth, Height: 134, Words: b.Title}
	position := axis.scaleTo(stripEdge, plotWidth-stripEdge)
	for i, v := range axis.Ticks {
		d.line("g", position(v), 18, position(v), 106)
		d.text([]string{"s", "m", "m", "m", "e"}[i], position(v), 126, fmt.Sprintf("%g", v))
	}
	var names []string
	var self *Row
	var others []Row
	for _, r := range b.Table.Rows {
		names = append(names, r.Name)
		if r.Total {
			self = &r
			continue
		}
		others = append(others, r)
		v := *r.Cells[0].Value
		d.mark(r, position(v), stripMiddle, 5, fmt.Sprintf("%s: %.4g", r.Name, v))
	}
	var boxes []box
	if self != nil {
		boxes = d.label("m b", "this judge", position(*self.Cells[0].Value), stripLabelLines[1:2], boxes)
	}
	const longest = 18
	begin := len(sharedBeginning(names))
	for _, r := range others {
		boxes = d.label("m n", ShortName(r.Name[begin:], longest), position(*r.Cells[0].Value), stripLabelLines, boxes)
	}
	if self != nil {
		x := self.Cells[0]
		if x.HasInterval() {
			d.line("me "+self.Look, position(*x.Low), stripMiddle, position(*x.High), stripMiddle)
		}
		d.mark(*self, position(*x.Value), stripMiddle, 8, self.Name)
	}
	return d
}

// label writes the name of a strip's dot at x on the first of these lines where it touches no name in boxes, and
// returns boxes with the name's own. It leaves a name out if no line has room.
func (d *drawing) label(class, name string, x float64, lines []float64, boxes []box) []box {
	half := float64(len([]rune(name))) * letterWidth / 2
	middle := max(half, min(plotWidth-half, x))
	for _, line := range lines {
		room := box{left: middle - half - 3, right: middle + half + 3, top: line, bottom: line + 1}
		if slices.ContainsFunc(boxes, room.meets) {
			continue
		}
		if line > stripMiddle {
			d.line("lead", x, stripMiddle+7, x, line-11)
		} else {
			d.line("lead", x, stripMiddle-7, x, line+3)
		}
		d.text(class, middle, line, name)
		return append(boxes, room)
	}
	return boxes
}

// sharedBeginning returns the longest beginning that all names share and that ends after a space or punctuation, such
// as "simulated: ".
func sharedBeginning(names []string) string {
	shared := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return shared[:1+strings.LastIndexAny(shared, " :,/")]
}

// ShortName cuts a name to at most limit letters.
func ShortName(name string, limit int) string {
	if runes := []rune(name); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return name
}

// Sizes of a panel of upright bars.
const (
	panelWidth      = 250.0
	panelTopEdge    = 26.0  // upper end of the highest bar
	panelBottomEdge = 128.0 // lower end of the bars
	panelHeight     = 150.0
)

// Panels draws the rows of the block as upright bars, each with a line at the number that it is compared with. A
// heading row begins a panel. All panels have the same scale, on which the largest number just fits.
func (b blockView) Panels() (all []drawing) {
	largest := 1.0
	for _, r := range b.Table.Rows {
		for _, c := range r.Cells {
			for _, v := range []*float64{c.Value, c.High, cmp.Or(c.Reference, &scoring.Result{}).Value} {
				if v != nil {
					largest = max(largest, *v)
				}
			}
		}
	}
	rows := b.Table.Rows
	for i := 0; i < len(rows); {
		end := i + 1
		for end < len(rows) && !rows[end].Heading {
			end++
		}
		all = append(all, drawBarPanel(rows[i], rows[i+1:end], largest))
		i = end
	}
	return all
}

// drawBarPanel draws the rows below a heading as upright bars; largest is the highest number on the scale.
func drawBarPanel(head Row, rows []Row, largest float64) drawing {
	d := drawing{
		Width: panelWidth, Height: panelHeight, Title: head.Name, About: head.Detail,
		Words: head.Name,
	}
	y := func(v float64) float64 { return panelBottomEdge - (panelBottomEdge-panelTopEdge)*v/largest }
	step := panelWidth / float64(max(1, len(rows)))
	width := min(34, step*0.6)
	for i, r := range rows {
		x := r.Cells[0]
		middle := step * (float64(i) + 0.5)
		d.text("m", middle, panelHeight-4, r.Name)
		if x.Value == nil {
			continue
		}
		d.Words += fmt.Sprintf("; %s: %.0f", r.Name, *x.Value)
		d.rect("bar", middle-width/2, y(*x.Value), width, panelBottomEdge-y(*x.Value))
		top := *x.Value
		if x.HasInterval() {
			d.line("whisker", middle, y(*x.Low), middle, y(*x.High))
			top = *x.High
		}
		if x.Reference != nil && x.Reference.Value != nil {
			d.line("held", middle-width/2-4, y(*x.Reference.Value), middle+width/2+4, y(*x.Reference.Value))
			top = max(top, *x.Reference.Value)
		}
		d.text("m b", middle, y(top)-7, ShortInUnit(x.Result, *x.Value, 0))
	}
	d.line("base", 0, panelBottomEdge, panelWidth, panelBottomEdge)
	return d
}

// Sizes of a scatter plot.
const (
	scatterHeight     = 318.0
	scatterLeftEdge   = 34.0  // left edge of the area with the points
	scatterRightEdge  = 512.0 // its right edge
	scatterTopEdge    = 8.0   // its upper edge
	scatterBottomEdge = 272.0 // its lower edge
	maxScatterRows    = 100   // most rows that are drawn
)

// box holds the rectangle that a name or mark takes up in a drawing.
type box struct{ left, right, top, bottom float64 }

// meets reports whether two boxes overlap.
func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// Scatter draws a point for each row of the block: its first number across, where the axis may have a line and a zone,
// and its second upwards.
func (b blockView) Scatter() drawing {
	across, up := b.Table.Columns[0], b.Table.Columns[1]
	rows := b.Table.Rows[:min(len(b.Table.Rows), maxScatterRows)]
	d := drawing{Width: plotWidth, Height: scatterHeight, Words: b.Title}
	x := across.Axis.scaleTo(scatterLeftEdge, scatterRightEdge)
	y := up.Axis.scaleTo(scatterBottomEdge, scatterTopEdge)
	if z := across.Axis.ZoneStart; z > 0 && z < across.Axis.Max {
		edge := x(z)
		d.rect("zone", edge, scatterTopEdge, scatterRightEdge-edge, scatterBottomEdge-scatterTopEdge)
		d.text("z e", scatterRightEdge-6, scatterTopEdge+16, across.Axis.Ends[1])
	}
	for _, v := range up.Axis.Ticks {
		d.line("g", scatterLeftEdge, y(v), scatterRightEdge, y(v))
		d.text("e", scatterLeftEdge-6, y(v)+4, fmt.Sprintf("%g", v))
	}
	for _, v := range across.Axis.Ticks {
		class := "m"
		if v == across.Axis.Max {
			class = "e"
		}
		d.text(class, x(v), scatterBottomEdge+18, fmt.Sprintf("%g", v))
	}
	d.text("m", (scatterLeftEdge+scatterRightEdge)/2, scatterHeight-6, across.Name)
	zero := x(across.Axis.StrongTick)
	d.line("g0", zero, scatterTopEdge, zero, scatterBottomEdge)
	d.text("", zero+5, scatterBottomEdge-6, across.Axis.Ends[0])
	var boxes []box
	for _, r := range rows {
		px, py := x(*r.Cells[0].Value), y(*r.Cells[1].Value)
		boxes = append(boxes, box{left: px - 6, right: px + 6, top: py - 6, bottom: py + 6})
		d.mark(r, px, py, 6, fmt.Sprintf("%s: %.0f and %.0f", r.Name, *r.Cells[1].Value, *r.Cells[0].Value))
	}
	for _, r := range rows {
		name := ShortName(r.Name, 22)
		width := float64(len([]rune(name))) * letterWidth
		room, ok := freeBox(x(*r.Cells[0].Value), y(*r.Cells[1].Value), width, boxes)
		if ok {
			boxes = append(boxes, room)
			d.text("n", room.left, room.bottom-4, name)
		}
	}
	return d
}

// freeBox finds room for a name of this width beside the point (x, y), where it overlaps none of boxes; ok is false if
// there is none.
func freeBox(x, y, width float64, boxes []box) (room box, ok bool) {
	const height, gap = 16, 9
	for _, try := range [][2]float64{
		{gap, -height / 2}, {-gap - width, -height / 2}, {-width / 2, -height - gap + 2}, {-width / 2, gap - 2},
		{gap, -height - 2}, {gap, 2}, {-gap - width, -height - 2}, {-gap - width, 2},
	} {
		b := box{left: x + try[0], right: x + try[0] + width, top: y + try[1], bottom: y + try[1] + height}
		inside := b.left >= scatterLeftEdge && b.right <= plotWidth && b.top >= 0 && b.bottom <= scatterBottomEdge
		if inside && !slices.ContainsFunc(boxes, b.meets) {
			return b, true
		}
	}
	return room, false
}
