package report

import (
	"cmp"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"

	pretty "github.com/jedib0t/go-pretty/v6/text"

	"gavel/internal/report/table"
)

// picture is an image of 1200 by 630 pixels, the size of link previews: an answer, and the chart or bar below it.
type picture struct {
	About  string // above the answer: question and dataset
	Says   string
	Also   string
	Min    float64 // of the chart's axis
	Max    float64
	Rows   []pictureRow
	Pieces []picturePiece
	Foot   string
}

// pictureRow is a row of the chart: a judge, or a category.
type pictureRow struct {
	Name, Value, Beside string
	Level               string
	Diamond             bool // a published judge
	At, Low, High       *float64
}

// picturePiece is a part of the bar.
type picturePiece struct {
	N     int
	Look  string // as in pages: right, wrong, tie, first, last, none, helped
	Words string
}

const (
	mostPictureRows = 8
	pictureMargin   = 60.0
	pictureRight    = 1200 - pictureMargin
)

// Colours of pages in their light scheme.
const (
	inkColour   = "#1b1b1b"
	mutedColour = "#555"
)

var pictureColours = map[string]string{
	"strong": "#0b6b57", "usable": "#1f5fbf", "weak": "#855600", "unusable": "#a3283f", "unknown": "#566070",
	"right": "#0b6b57", "wrong": "#a3283f", "tie": "#b9c0c9", "first": "#d9822b", "last": "#7c57b3", "none": "#dfe3e8",
	"helped": "#1f5fbf",
}

// shape is one element of a picture: a text, a diamond, a circle (Size is its radius) or a rectangle.
type shape struct {
	X, Y, Width, Height float64
	Size                float64
	Text, Anchor        string
	Diamond             bool
	Colour              string
	Opacity             float64
}

// painter places shapes from the top down.
type painter struct {
	shapes []shape
	top    float64
}

// SVG writes the picture.
func (s picture) SVG(w io.Writer) error {
	p := painter{top: pictureMargin}
	p.lines(s.About, mutedColour, 20, 1)
	p.top += 12
	p.lines(s.Says, inkColour, 38, 3)
	p.top += 8
	p.lines(s.Also, mutedColour, 22, 2)
	p.top += 26
	p.bar(s.Pieces)
	p.chart(s)
	p.text(pictureMargin, 600, s.Foot, mutedColour, 18, pictureRight-pictureMargin)
	return pages().ExecuteTemplate(w, "picture.svg", p.shapes)
}

// charWidth is the usual width of a character, as a share of its size. A picture has no way to measure text.
const charWidth = 0.5

func textWidth(s string, size float64) float64 {
	return charWidth * size * float64(pretty.StringWidthWithoutEscSequences(s))
}

// printable replaces what cannot stand in a line of an SVG text.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, table.Clean(s))
}

// text writes one line, if there is any, of at most width pixels.
func (p *painter) text(x, y float64, s, colour string, size, width float64) {
	if s == "" {
		return
	}
	p.shapes = append(p.shapes, shape{
		X: x, Y: y, Text: pretty.Snip(printable(s), int(width/(charWidth*size)), "…"), Size: size, Colour: colour,
	})
}

// lines writes words in at most so many lines.
func (p *painter) lines(s, colour string, size float64, most int) {
	const width = pictureRight - pictureMargin
	rest := strings.Fields(s)
	for n := 1; n <= most && len(rest) > 0; n++ {
		taken := 1
		for taken < len(rest) && (n == most || textWidth(strings.Join(rest[:taken+1], " "), size) <= width) {
			taken++
		}
		p.top += math.Round(1.25 * size)
		p.text(pictureMargin, p.top, strings.Join(rest[:taken], " "), colour, size, width)
		rest = rest[taken:]
	}
}

func (p *painter) box(x, y, width, height float64, colour string, opacity float64) {
	p.shapes = append(p.shapes, shape{X: x, Y: y, Width: width, Height: height, Colour: colour, Opacity: opacity})
}

// bar draws parts of a whole, with their words below it.
func (p *painter) bar(pieces []picturePiece) {
	if len(pieces) == 0 {
		return
	}
	all := 0
	for _, piece := range pieces {
		all += piece.N
	}
	const height = 70
	x := pictureMargin
	for _, piece := range pieces {
		width := math.Round((pictureRight - pictureMargin) * float64(piece.N) / float64(max(1, all)))
		p.box(x, p.top, max(1, width-2), height, pictureColours[piece.Look], 1)
		x += width
	}
	p.top += height + 22
	x = pictureMargin
	for _, piece := range pieces {
		width := textWidth(piece.Words, 20) + 50
		if x+width > pictureRight {
			x = pictureMargin
			p.top += 34
		}
		p.box(x, p.top, 16, 16, pictureColours[piece.Look], 1)
		p.text(x+24, p.top+15, piece.Words, inkColour, 20, pictureRight-x-24)
		x += width
	}
	p.top += 40
}

// chart draws the rows over an axis.
func (p *painter) chart(s picture) {
	if len(s.Rows) == 0 {
		return
	}
	rows := s.Rows[:min(len(s.Rows), mostPictureRows)]
	p.top += 8
	const left, right = 420.0, 850.0
	height := math.Floor(min(44, (560-p.top)/float64(len(rows))))
	at := func(v float64) float64 { return math.Round(left + (right-left)*(v-s.Min)/(s.Max-s.Min)) }
	for i := range 5 {
		v := s.Min + (s.Max-s.Min)*float64(i)/4
		p.box(at(v), p.top, 1, height*float64(len(rows)), "#d4d4d4", 1)
		p.shapes = append(p.shapes, shape{
			X: at(v), Y: p.top - 6, Text: strconv.FormatFloat(v, 'g', 3, 64), Anchor: "middle", Size: 15, Colour: mutedColour,
		})
	}
	for _, r := range rows {
		middle := p.top + height/2
		p.text(pictureMargin, middle+7, r.Name, inkColour, 21, left-pictureMargin-20)
		colour := cmp.Or(pictureColours[r.Level], inkColour)
		if r.Low != nil && r.High != nil {
			p.box(at(*r.Low), middle-5, at(*r.High)-at(*r.Low), 10, colour, 0.3)
		}
		if r.At != nil {
			p.shapes = append(p.shapes, shape{X: at(*r.At), Y: middle, Size: 9, Diamond: r.Diamond, Colour: colour})
		}
		p.text(right+30, middle+7, r.Value, inkColour, 22, 80)
		p.text(right+110, middle+7, r.Beside, mutedColour, 18, pictureRight-right-70)
		p.top += height
	}
}
