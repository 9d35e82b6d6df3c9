package doc

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// previewImage lays a document out from top to bottom on 1200 by 630 pixels, the size of link previews.
type previewImage struct {
	drawing
	usedHeight float64 // pixels from the top that are already drawn on
}

const (
	pictureEdge         = 60.0                 // pixels left free at both sides
	pictureInner        = 1200 - 2*pictureEdge // pixels between them
	maxPictureTableRows = 8                    // most rows of a table
	charWidth           = 0.54                 // width of an average character in font sizes: text cannot be measured here
)

// Picture writes the document as an SVG picture of 1200 by 630 pixels: title, answer, its first stacked bar, and the
// rows of its first table with drawn numbers.
func (d Document) Picture(w io.Writer) error {
	p := previewImage{drawing: drawing{Width: 1200, Height: 630, Words: d.Answer}, usedHeight: 40}
	title := d.Title
	if d.Level != "" {
		title += " · " + string(d.Level)
	}
	p.wrapText("muted", 20, 2, title)
	p.wrapText("", 36, 3, d.Answer)
	p.wrapText("muted", 22, 2, d.Also)
	bars := slices.IndexFunc(d.Blocks, func(b Block) bool {
		return b.appearsOn(SurfacePage) && b.Chart == ChartStackedBar
	})
	if bars >= 0 {
		p.bar(d.Blocks[bars])
	}
	foot := "gavel"
	chart := slices.IndexFunc(d.Blocks, func(b Block) bool {
		return b.appearsOn(SurfacePage) && b.drawnColumnIndex() >= 0
	})
	if chart >= 0 {
		b := d.Blocks[chart]
		foot = strings.TrimSuffix(foot+" · "+b.Title+": "+b.About, ": ")
		if n := p.chart(b.Table.forSurface(SurfacePage), b.drawnColumnIndex(), d.Level); n < len(b.Table.Rows) {
			foot += fmt.Sprintf(" · the first %d of %d", n, len(b.Table.Rows))
		}
		if slices.ContainsFunc(b.Table.Rows, func(r Row) bool { return r.Simulated }) {
			foot += " · some are simulated"
		}
	}
	p.words("muted", 18, pictureEdge, 600, pictureInner, foot)
	return Templates().ExecuteTemplate(w, "picture", p.drawing)
}

// drawnColumnIndex returns the index of the first column whose numbers a page draws on an axis; -1 for none.
func (b Block) drawnColumnIndex() int {
	if b.Table == nil || b.Chart != ChartCellDrawings ||
		slices.ContainsFunc(b.Table.Rows, func(r Row) bool { return r.Heading }) {
		return -1
	}
	return slices.IndexFunc(b.Table.forSurface(SurfacePage).Columns, func(c Column) bool {
		return c.Kind == ColumnNumber && c.Axis != nil
	})
}

// words writes a text on one line, cut to the given width in pixels. size is the font size.
func (p *previewImage) words(class string, size, x, y, width float64, words string) {
	words = text.Snip(table.SanitizeLine(words), int(width/(charWidth*size)), "…")
	p.text(fmt.Sprintf("size-%g %s", size, class), x, y, words)
}

// wrapText writes a text on at most limit lines below what the picture has, in a font size.
func (p *previewImage) wrapText(class string, size float64, limit int, words string) {
	if words == "" {
		return
	}
	words = strings.Join(strings.Fields(table.SanitizeLine(words)), " ")
	all := strings.Split(text.WrapSoft(words, int(pictureInner/(charWidth*size))), "\n")
	if len(all) > limit {
		all[limit-1] += " …"
	}
	for _, line := range all[:min(limit, len(all))] {
		p.usedHeight += 1.25 * size
		p.words(class, size, pictureEdge, p.usedHeight, pictureInner, line)
	}
	p.usedHeight += 12
}

// bar draws the stacked bar of a block, with the names of its parts below it.
func (p *previewImage) bar(b Block) {
	const height, line, size = 60, 34, 20
	p.usedHeight += line / 2
	names := p.usedHeight + height + line
	x, name := pictureEdge, pictureEdge
	for _, part := range (blockView{Block: b}).BarParts() {
		width := pictureInner * float64(part.N) / float64(max(1, part.Of))
		p.rect("part-"+part.Look, x, p.usedHeight, width, height)
		x += width
		words := fmt.Sprintf("%d %s, %s", part.N, part.Name, part.Share)
		width = charWidth*size*float64(len(words)) + line
		if name+width > pictureEdge+pictureInner {
			name = pictureEdge
			names += line
		}
		p.rect("part-"+part.Look, name, names-size*0.75, size*0.75, size*0.75)
		p.words("", size, name+size+4, names, pictureInner, words)
		name += width
	}
	p.usedHeight = names + line
}

// chart draws the names and numbers of a table, with the numbers of a column on its axis. It returns the number of rows
// that fit. level colours rows without a level of their own.
func (p *previewImage) chart(t Table, column int, level scoring.UsabilityLevel) (count int) {
	const plotLeft, plotRight, bottom, lowest = 420.0, 900.0, 572.0, 25.0
	axis := t.Columns[column].Axis
	count = max(1, min(len(t.Rows), maxPictureTableRows, int((bottom-p.usedHeight)/lowest)-1))
	height := min(44, (bottom-p.usedHeight)/float64(count+1))
	position := axis.scaleTo(plotLeft, plotRight)
	p.usedHeight += height
	for _, v := range axis.Ticks {
		p.line("g", position(v), p.usedHeight, position(v), p.usedHeight+height*float64(count))
		p.text("size-15 muted m", position(v), p.usedHeight-6, minus(fmt.Sprintf("%g", v)))
	}
	for _, r := range t.Rows[:count] {
		r.Look = cmp.Or(r.Look, "level-"+string(level))
		middle := p.usedHeight + height/2
		p.words("", 20, pictureEdge, middle+7, plotLeft-pictureEdge-20, r.Name)
		if x := r.Cells[column]; x.Result.Value != nil {
			if x.HasInterval() {
				p.rect("interval "+r.Look, position(*x.Low), middle-5, position(*x.High)-position(*x.Low), 10)
			}
			p.mark(r, position(*x.Result.Value), middle, 9, r.Name)
			p.words("", 20, plotRight+30, middle+7, 200, table.RoundedInterval(x.Result))
		}
		p.usedHeight += height
	}
	return count
}
