// Package figure draws the pictures that are shared, as PNG.
package figure

import (
	"bytes"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Share is a picture of 1200 by 630 pixels, as previews of links have: an answer, and the chart or the bar that it
// rests on.
type Share struct {
	About  string // above the answer: question and dataset
	Says   string
	Also   string
	Min    float64 // of the chart's axis
	Max    float64
	Rows   []ShareRow
	Pieces []SharePiece
	Foot   string
}

// ShareRow is a judge of a chart.
type ShareRow struct {
	Name, Value, Beside string
	Level               string
	Diamond             bool
	At, Low, High       *float64
}

// SharePiece is a part of a bar.
type SharePiece struct {
	N     int
	Look  string // as in pages: right, wrong, tie, first, last, none, helped
	Words string
}

// ShareRows is how many rows of a chart the picture has at most.
const ShareRows = 8

// Sizes of the picture, in pixels.
const (
	shareWidth  vg.Length = 1200
	shareHeight vg.Length = 630
	shareMargin vg.Length = 60
)

// levelColours and pieceColours are those of pages in their light colours.
var (
	levelColours = map[string]color.NRGBA{
		"strong": rgb(0x0B6B57), "usable": rgb(0x1F5FBF), "weak": rgb(0x855600), "unusable": rgb(0xA3283F),
		"unknown": rgb(0x566070),
	}
	pieceColours = map[string]color.NRGBA{
		"right": rgb(0x0B6B57), "wrong": rgb(0xA3283F), "tie": rgb(0xB9C0C9), "first": rgb(0xD9822B), "last": rgb(0x7C57B3),
		"none": rgb(0xDFE3E8), "helped": rgb(0x1F5FBF),
	}
)

// PNG draws the picture.
func (s Share) PNG() ([]byte, error) {
	canvas := vgimg.NewWith(vgimg.UseWH(shareWidth, shareHeight), vgimg.UseDPI(int(vg.Inch)),
		vgimg.UseBackgroundColor(paper))
	p := sharePainter{c: draw.New(canvas), top: shareMargin}
	p.lines(s.About, words(20, muted), 1, 26)
	p.top += 12
	p.lines(s.Says, words(38, ink), 3, 47)
	p.top += 8
	p.lines(s.Also, words(22, muted), 2, 30)
	p.top += 26
	if len(s.Pieces) > 0 {
		p.bar(s.Pieces)
	}
	p.chart(s)
	p.c.FillText(words(18, muted), vg.Point{X: shareMargin, Y: 30}, s.Foot)
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&b)
	return b.Bytes(), err
}

// sharePainter paints from the top down.
type sharePainter struct {
	c   draw.Canvas
	top vg.Length // so far from the upper edge
}

func (p *sharePainter) y(top vg.Length) vg.Length { return shareHeight - top }

// lines writes words in at most so many lines.
func (p *sharePainter) lines(s string, style text.Style, most int, height vg.Length) {
	rest := strings.Fields(s)
	for n := 0; n < most && len(rest) > 0; n++ {
		taken := 1
		for taken < len(rest) && style.Width(strings.Join(rest[:taken+1], " ")) <= shareWidth-2*shareMargin {
			taken++
		}
		line := strings.Join(rest[:taken], " ")
		rest = rest[taken:]
		if n == most-1 && len(rest) > 0 {
			line += " …"
		}
		p.top += height
		p.c.FillText(style, vg.Point{X: shareMargin, Y: p.y(p.top)}, label(line, style, shareWidth-2*shareMargin))
	}
}

func (p *sharePainter) box(c color.Color, x, width, top, height vg.Length) {
	p.c.SetColor(c)
	p.c.Fill(vg.Rectangle{
		Min: vg.Point{X: x, Y: p.y(top + height)},
		Max: vg.Point{X: x + width, Y: p.y(top)},
	}.Path())
}

// bar draws parts of a whole, with their words below it.
func (p *sharePainter) bar(pieces []SharePiece) {
	of := 0
	for _, piece := range pieces {
		of += piece.N
	}
	const height = 70
	x := shareMargin
	for _, piece := range pieces {
		width := (shareWidth - 2*shareMargin) * vg.Length(piece.N) / vg.Length(max(1, of))
		p.box(pieceColours[piece.Look], x, max(1, width-2), p.top, height)
		x += width
	}
	p.top += height + 22
	style := words(20, ink)
	x = shareMargin
	for _, piece := range pieces {
		line := piece.Words
		width := style.Width(line) + 50
		if x+width > shareWidth-shareMargin {
			x = shareMargin
			p.top += 34
		}
		p.box(pieceColours[piece.Look], x, 16, p.top, 16)
		p.c.FillText(style, vg.Point{X: x + 24, Y: p.y(p.top + 15)}, label(line, style, shareWidth-2*shareMargin))
		x += width
	}
	p.top += 40
}

// chart draws a row for each judge.
func (p *sharePainter) chart(s Share) {
	if len(s.Rows) == 0 {
		return
	}
	rows := s.Rows[:min(len(s.Rows), ShareRows)]
	p.top += 8
	const from, to = 420, 850
	height := min(44, (shareHeight-p.top-70)/vg.Length(len(rows)))
	at := func(v float64) vg.Length { return from + (to-from)*vg.Length((v-s.Min)/(s.Max-s.Min)) }
	for i := range 5 {
		v := s.Min + (s.Max-s.Min)*float64(i)/4
		line := at(v)
		p.c.FillText(aligned(words(15, muted), text.XCenter, text.YCenter), vg.Point{X: line, Y: p.y(p.top - 10)},
			strconv.FormatFloat(v, 'g', 3, 64))
		p.c.StrokeLine2(draw.LineStyle{Color: grid, Width: 1}, line, p.y(p.top), line, p.y(p.top+height*vg.Length(len(rows))))
	}
	name := words(21, ink)
	value := words(22, ink)
	beside := words(18, muted)
	for _, r := range rows {
		middle := p.top + height/2
		p.c.FillText(aligned(name, text.XLeft, text.YCenter), vg.Point{X: shareMargin, Y: p.y(middle)},
			label(r.Name, name, from-shareMargin-20))
		colour := levelColours[r.Level]
		if r.Low != nil && r.High != nil {
			soft := colour
			soft.A = 80
			p.box(soft, at(*r.Low), at(*r.High)-at(*r.Low), middle-5, 10)
		}
		if r.At != nil {
			p.mark(vg.Point{X: at(*r.At), Y: p.y(middle)}, colour, r.Diamond)
		}
		p.c.FillText(aligned(value, text.XLeft, text.YCenter), vg.Point{X: to + 30, Y: p.y(middle)}, r.Value)
		p.c.FillText(aligned(beside, text.XLeft, text.YCenter), vg.Point{X: to + 110, Y: p.y(middle)}, r.Beside)
		p.top += height
	}
}

// mark draws a dot, or the diamond of a reference.
func (p *sharePainter) mark(at vg.Point, colour color.Color, diamond bool) {
	var outline vg.Path
	if !diamond {
		outline.Move(vg.Point{X: at.X + 9, Y: at.Y})
		outline.Arc(at, 9, 0, 2*math.Pi)
		p.c.SetColor(colour)
		p.c.Fill(outline)
		return
	}
	const corner = 9.6
	outline.Move(vg.Point{X: at.X, Y: at.Y + corner})
	outline.Line(vg.Point{X: at.X - corner, Y: at.Y})
	outline.Line(vg.Point{X: at.X, Y: at.Y - corner})
	outline.Line(vg.Point{X: at.X + corner, Y: at.Y})
	outline.Close()
	p.c.SetColor(paper)
	p.c.Fill(outline)
	p.c.SetLineStyle(draw.LineStyle{Color: colour, Width: 3})
	p.c.Stroke(outline)
}
