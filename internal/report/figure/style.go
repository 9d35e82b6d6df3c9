package figure

import (
	"image/color"
	"math"
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// Colours that change with the page.
var (
	ink   = rgb(0x1B1B1B) // words, axes, outlines
	muted = rgb(0x555555) // guides and second words
	grid  = rgb(0xD4D4D4)
	paper = rgb(0xFFFFFF)
)

// colours of series tell apart for colour-blind readers too (Okabe and Ito, "Color universal design", 2008). Their
// yellow is left out: it cannot be seen on white. Every marker has an outline in ink and a shape of its own, so that no
// series is told by colour alone.
var colours = []color.NRGBA{rgb(0x0072B2), rgb(0xD55E00), rgb(0x009E73), rgb(0xCC79A7), rgb(0xE69F00), rgb(0x56B4E9)}

// shapes of markers: corners, and how far the first stands from the top.
var shapes = []struct {
	corners int
	turn    float64
}{{0, 0}, {4, math.Pi / 4}, {3, 0}, {4, 0}, {3, math.Pi}, {6, 0}, {5, 0}}

// heat are steps of cividis, which grows evenly lighter for every kind of colour
// vision and on a grey printer (Nuñez, Anderton and Renslow, PLOS ONE 13, 2018).
var heat = []color.NRGBA{
	rgb(0x00224E), rgb(0x123570), rgb(0x3B496C), rgb(0x575D6D), rgb(0x707173),
	rgb(0x8A8779), rgb(0xA69D75), rgb(0xC4B56C), rgb(0xE4CF5B), rgb(0xFEE838),
}

// onHeat is the colour of words on a step of heat. Neither of the two is themed.
func onHeat(step int) color.NRGBA {
	if step < len(heat)/2 {
		return rgb(0xFEFEFE)
	}
	return rgb(0x101010)
}

func colourOf(look int) color.NRGBA { return colours[look%len(colours)] }

// words is a style of text, left and on its base line.
func words(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: fonts}
}

// fonts has the font that words are measured with.
var fonts = func() text.Plain {
	sans, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return text.Plain{
		Fonts: font.NewCache(font.Collection{{Font: font.Font{Typeface: "Liberation", Variant: "Sans"}, Face: sans}}),
	}
}()

var (
	small = words(13, ink)
	tiny  = words(12.2, muted)
)

// aligned is a style that stands otherwise about its point.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign = x
	s.YAlign = y
	return s
}

// label makes words of others fit to stand in a picture: on one line, of characters that XML knows, not wider than w.
func label(s string, style text.Style, w vg.Length) string {
	s = strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, table.Clean(s))
	runes := []rune(s)
	if math.IsInf(float64(w), 1) || len(runes) <= widestLabel && style.Width(s) <= w {
		return s
	}
	for n := min(len(runes)-1, widestLabel); n > 0; n-- {
		if short := string(runes[:n]) + "…"; style.Width(short) <= w {
			return short
		}
	}
	return "…"
}

// widestLabel is more characters than fit anywhere. A group may have a megabyte
// for a name, and each try to shorten it measures all of it.
const widestLabel = 400

// shapeAt is the outline of a marker.
func shapeAt(look int, at vg.Point, r vg.Length) vg.Path {
	var p vg.Path
	s := shapes[look%len(shapes)]
	if s.corners == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
		p.Close()
		return p
	}
	r *= 1.2 // as large to the eye as the circle
	for k := range s.corners {
		sin, cos := math.Sincos(math.Pi/2 + s.turn + 2*math.Pi*float64(k)/float64(s.corners))
		corner := vg.Point{X: at.X + r*vg.Length(cos), Y: at.Y + r*vg.Length(sin)}
		if k == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	return p
}

// marker draws one; a hollow one has the page's colour inside.
func marker(c draw.Canvas, look int, at vg.Point, hollow bool) {
	p := shapeAt(look, at, pointRadius)
	fill, edge := color.Color(colourOf(look)), draw.LineStyle{Color: ink, Width: 0.8}
	if hollow {
		fill, edge = paper, draw.LineStyle{Color: colourOf(look), Width: 1.8}
	}
	c.SetColor(fill)
	c.Fill(p)
	c.SetLineStyle(edge)
	c.Stroke(p)
}

// Dash is how a line is drawn.
type Dash int

// Ways to draw a line.
const (
	NoLine Dash = iota
	Solid
	Dashed
)

func (d Dash) style(c color.Color, w vg.Length) draw.LineStyle {
	s := draw.LineStyle{Color: c, Width: w}
	if d == Dashed {
		s.Dashes = []vg.Length{6, 4}
	}
	return s
}

// entry of a legend: how it looks and what it is.
type entry struct {
	name string
	icon func(c draw.Canvas, at vg.Point)
}

const (
	lineHeight vg.Length = 18
	iconWidth  vg.Length = 22
)

// legend sets entries in as many lines as they need.
type legend struct {
	lines [][]entry
}

func newLegend(entries []entry, width vg.Length) legend {
	var l legend
	left := vg.Length(0)
	for _, e := range entries {
		e.name = label(e.name, small, width-iconWidth-14)
		w := iconWidth + small.Width(e.name) + 12
		if left < w {
			l.lines, left = append(l.lines, nil), width-5
		}
		last := len(l.lines) - 1
		l.lines[last] = append(l.lines[last], e)
		left -= w
	}
	return l
}

func (l legend) height() vg.Length {
	if len(l.lines) == 0 {
		return 0
	}
	return vg.Length(len(l.lines))*lineHeight + 6
}

// draw takes the legend's lines off the top of a canvas.
func (l legend) draw(c draw.Canvas) draw.Canvas {
	for i, line := range l.lines {
		x, y := c.Min.X+5, c.Max.Y-lineHeight*(vg.Length(i)+0.5)
		for _, e := range line {
			e.icon(c, vg.Point{X: x + iconWidth/2 - 3, Y: y})
			c.FillText(aligned(small, text.XLeft, text.YCenter), vg.Point{X: x + iconWidth, Y: y}, e.name)
			x += iconWidth + small.Width(e.name) + 12
		}
	}
	return draw.Crop(c, 0, 0, 0, -l.height())
}

func markerIcon(look int) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) { marker(c, look, at, false) }
}

func lineIcon(s draw.LineStyle) func(draw.Canvas, vg.Point) {
	return func(c draw.Canvas, at vg.Point) { c.StrokeLine2(s, at.X-9, at.Y, at.X+9, at.Y) }
}
