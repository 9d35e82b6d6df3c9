package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Axis of a plot in a row of a chart.
type Axis struct {
	Min, Max float64
	Ticks    []float64 // where lines stand, and their numbers above them
	Zero     float64   // the line that is drawn stronger
	Signed   bool      // it is of differences: its numbers have signs
	Ends     [2]string // what its ends mean, above the numbers; "" for nothing
}

// PercentAxis is of shares, with chance or half in its middle.
var PercentAxis = Axis{Min: 0, Max: 100, Ticks: []float64{0, 25, 50, 75, 100}, Zero: 50}

// valueAxis is the axis of values of a unit.
func valueAxis(unit string) Axis {
	a := doc.AxisOf(unit)
	return Axis{Min: a.Min, Max: a.Max, Ticks: a.Ticks, Zero: a.Zero}
}

// DifferenceAxis is of differences, with 0 in its middle: the shortest of a few that holds all of them with their
// intervals.
func DifferenceAxis(differences ...scoring.Result) Axis {
	most := 0.0
	unit := ""
	for _, d := range differences {
		for _, v := range []*float64{d.Value, d.Low, d.High} {
			if v != nil {
				most = max(most, math.Abs(*v))
			}
		}
		unit = cmp.Or(unit, d.Unit)
	}
	limits := []float64{10, 20, 40, 60, 80, 100}
	if unit != "" {
		limits = []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1, 2}
	}
	limit := limits[len(limits)-1]
	if i := slices.IndexFunc(limits, func(l float64) bool { return most <= l }); i >= 0 {
		limit = limits[i]
	}
	return Axis{
		Min:    -limit,
		Max:    limit,
		Ticks:  []float64{-limit, -limit / 2, 0, limit / 2, limit},
		Signed: true,
	}
}

// place of a value, in percent of the width. What lies beyond the axis stands at its end.
func (a Axis) place(v float64) float64 {
	return 100 * (max(a.Min, min(a.Max, v)) - a.Min) / (a.Max - a.Min)
}

// at is the place as an attribute.
func (a Axis) at(v float64) string { return coordinate(a.place(v)) + "%" }

// coordinate writes a number for an attribute of SVG.
func coordinate(x float64) string { return strconv.FormatFloat(math.Round(100*x)/100, 'f', -1, 64) }

// Heads are the numbers of the ticks.
func (a Axis) heads() template.HTML {
	var b strings.Builder
	if a.Ends[0] != "" {
		fmt.Fprintf(&b, `<svg class="axis ends" width="100%%" height="16" role="img" aria-label="%[1]s, %[2]s">`+
			`<text x="0" y="12">%[1]s</text><text x="100%%" y="12" text-anchor="end">%[2]s</text></svg>`,
			template.HTMLEscapeString(a.Ends[0]), template.HTMLEscapeString(a.Ends[1]))
	}
	b.WriteString(`<svg class="axis" width="100%" height="16" aria-hidden="true">`)
	for i, tick := range a.Ticks {
		anchor := "middle"
		switch {
		case i == 0 && tick == a.Min:
			anchor = "start"
		case i == len(a.Ticks)-1 && tick == a.Max:
			anchor = "end"
		}
		number := strconv.FormatFloat(tick, 'g', 3, 64)
		if a.Signed && tick > 0 {
			number = "+" + number
		}
		fmt.Fprintf(&b, `<text x="%s" y="12" text-anchor="%s">%s</text>`, a.at(tick), anchor,
			strings.Replace(number, "-", "−", 1))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// lines of the ticks.
func (a Axis) lines(b *strings.Builder) {
	for _, tick := range a.Ticks {
		class := "g"
		switch {
		case tick == a.Zero && a.Signed:
			class = "g zero"
		case tick == a.Zero:
			class = "g strong"
		}
		fmt.Fprintf(b, `<line class="%s" x1="%[2]s" x2="%[2]s" y1="0" y2="100%%"/>`, class, a.at(tick))
	}
}

// Sign is a result as a plot draws it, with its interval where it has one.
type Sign struct {
	scoring.Result
	Look string // dot, ring, diamond or a full one
}

// Plot draws a result on an axis: the axis' lines, the interval, and a dot. Of no value there are only the lines.
// A difference is drawn likewise, on a [DifferenceAxis].
func Plot(a Axis, x scoring.Result) template.HTML { return Signs(a, Sign{Result: x, Look: "dot"}) }

// Signs draws results on an axis, the first below the others.
func Signs(a Axis, all ...Sign) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="plot" aria-hidden="true">`)
	a.lines(&b)
	for _, x := range all {
		if x.Low != nil && x.High != nil {
			low := a.place(*x.Low)
			fmt.Fprintf(&b, `<rect class="ci" x="%s%%" width="%s%%" y="18" height="8" rx="4"/>`,
				coordinate(low), coordinate(a.place(*x.High)-low))
		}
		if x.Value == nil {
			continue
		}
		at := a.at(*x.Value)
		switch x.Look {
		case "diamond":
			fmt.Fprintf(&b, `<rect class="ref" x="%s" y="16.5" width="11" height="11"/>`, at) // the style sheet turns it
		case "full":
			fmt.Fprintf(&b, `<rect class="pt turned" x="%s" y="15.5" width="13" height="13"/>`, at)
		case "ring":
			fmt.Fprintf(&b, `<circle class="open" cx="%s" cy="22" r="5.5"/>`, at)
		default:
			fmt.Fprintf(&b, `<circle class="pt" cx="%s" cy="22" r="6"/>`, at)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Dumbbell draws two values on an axis, the first as a dot, the second as a ring, and a line between them.
func Dumbbell(a Axis, first, second *float64) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="plot" aria-hidden="true">`)
	a.lines(&b)
	if first != nil && second != nil {
		fmt.Fprintf(&b, `<line class="between" x1="%s" x2="%s" y1="22" y2="22"/>`, a.at(*first), a.at(*second))
	}
	if second != nil {
		fmt.Fprintf(&b, `<circle class="side-b" cx="%s" cy="22" r="5.5"/>`, a.at(*second))
	}
	if first != nil {
		fmt.Fprintf(&b, `<circle class="side-a" cx="%s" cy="22" r="6"/>`, a.at(*first))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Signs of the two sides of a dumbbell, for the words beside it.
const (
	SignA template.HTML = `<svg class="sign" width="13" height="13" aria-hidden="true">` +
		`<circle class="side-a" cx="6.5" cy="6.5" r="6"/></svg>`
	SignB template.HTML = `<svg class="sign" width="13" height="13" aria-hidden="true">` +
		`<circle class="side-b" cx="6.5" cy="6.5" r="5"/></svg>`
)

// SignDiamond is that of a judge that is held against another.
const SignDiamond template.HTML = `<svg class="sign" width="14" height="14" aria-hidden="true">` +
	`<rect class="ref" x="3" y="3" width="8" height="8" transform="rotate(45 7 7)"/></svg>`

// Signs of upright bars.
const (
	SignBar template.HTML = `<svg class="sign" width="11" height="13" aria-hidden="true">` +
		`<rect class="bar" width="11" height="13"/></svg>`
	SignHeld template.HTML = `<svg class="sign" width="20" height="13" aria-hidden="true">` +
		`<line class="held" x2="20" y1="7" y2="7"/></svg>`
)

// Key says below a plot what its signs mean.
func Key(words ...template.HTML) template.HTML { return part("run-key", words) }

// DifferenceLook is the class of a row with a difference: blue beyond noise, grey where it may be noise.
func DifferenceLook(noise bool) string {
	if noise {
		return "level-unknown"
	}
	return "level-usable"
}

// Piece of a bar: so many of what the bar is of.
type Piece struct {
	N     int
	Of    int    // of so many; 0: of all that the bar is of
	Look  string // its class: right, wrong, tie, first, last or none
	Words string // "correct in both orders"
	Link  string // to its items; "" for nowhere
	Note  string // what its list says of it; "": its share
}

// Share of the piece in percent, as words say it.
func (p Piece) share(of int) string {
	return fmt.Sprintf("%.0f %%", 100*float64(p.N)/float64(max(1, of)))
}

// Size of a bar. A tall one is as wide as a page and has numbers and links, and its parts are listed below it; one in
// a row has them, too; a thin one stands beside words.
type Size int

// The sizes.
const (
	Thin Size = iota
	InRow
	Tall
)

// Narrowest shares, in percent, in which a number of a bar stands on a page, in a row, and on a phone.
const (
	narrowestPiece      = 3.2
	narrowestRowPiece   = 13
	narrowestPhonePiece = 9
)

// Stack draws pieces one after the other, as long as so many. What no piece has is left empty.
func Stack(size Size, of int, pieces []Piece) template.HTML {
	var b strings.Builder
	tall := size != Thin
	narrowest := narrowestPiece
	if size == InRow {
		narrowest = narrowestRowPiece
	}
	switch size {
	case InRow:
		b.WriteString(`<svg class="parts tall" role="group" aria-label="A bar">`)
	case Tall:
		b.WriteString(`<svg class="parts tall" role="group" aria-label="A bar. Its parts are listed below it.">`)
	default:
		b.WriteString(`<svg class="parts" aria-hidden="true">`)
	}
	begin := 0.0
	for _, p := range pieces {
		width := 100 * float64(p.N) / float64(max(1, of))
		linked := tall && p.Link != ""
		words := template.HTMLEscapeString(fmt.Sprintf("%s: %d of %d", p.Words, p.N, cmp.Or(p.Of, of)))
		if linked {
			fmt.Fprintf(&b, `<a href="%s" aria-label="%s">`, template.HTMLEscapeString(p.Link), words)
		}
		fmt.Fprintf(&b, `<rect class="part-%s" x="%s%%" width="%s%%" height="100%%"><title>%s</title></rect>`,
			p.Look, coordinate(begin), coordinate(width), words)
		if tall && width > narrowest {
			class := "n"
			if width < narrowestPhonePiece {
				class = "n small"
			}
			fmt.Fprintf(&b, `<text class="%s" x="%s%%" y="50%%" dx="10" dy=".36em">%d</text>`, class, coordinate(begin), p.N)
		}
		if linked {
			b.WriteString(`</a>`)
		}
		begin += width
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// Chart is rows with drawings in their cells.
type Chart struct {
	Label   string // of its table, for who cannot see it
	Class   string // wide: the names of its rows are long; keep: it stays a table on a phone; versus: of two judges
	Columns []ChartColumn
	Rows    []ChartRow
}

// Width is how many columns it has.
func (c Chart) Width() int { return 1 + len(c.Columns) }

// HTML of the chart.
func (c Chart) HTML() template.HTML { return part("run-chart", c) }

// ChartColumn is a column beside the first, which has the names of the rows.
type ChartColumn struct {
	Class string // pl of plots, val of values, mini of bars, kp of words
	Head  string
	Sign  template.HTML // in place of the head, which is read aloud
	Axis  *Axis         // of plots
}

// Heads are what stands above it, for those who hear the page too.
func (c ChartColumn) Heads() template.HTML {
	head := template.HTML(template.HTMLEscapeString(c.Head))
	if c.Sign != "" {
		return c.Sign + `<span class="unseen">` + head + `</span>`
	}
	if c.Head == "" {
		head = `<span class="unseen">as a number</span>`
	}
	if c.Head == "" && (c.Axis != nil || c.Class == "bar") {
		head = `<span class="unseen">drawn</span>`
	}
	if c.Axis == nil {
		return head
	}
	return head + c.Axis.heads()
}

// ChartRow is a row of a chart.
type ChartRow struct {
	Name, Count string
	Link        string // of the name
	Look        string // of its dots: a level, or a class
	All         bool   // of everything, above its parts
	Cells       []template.HTML
}

// ValueCell is a value with its interval beneath it: "58", "53–63".
func ValueCell(x scoring.Result) template.HTML {
	if x.Value == nil {
		return `<b>–</b>`
	}
	return template.HTML(fmt.Sprintf("<b>%s</b><small>%s</small>", short(x, *x.Value), shortEnds(x)))
}

// ShareCell is a share with what it is of, and its interval.
func ShareCell(x scoring.Result) template.HTML {
	if x.Value == nil {
		return `<b>–</b>`
	}
	return template.HTML(fmt.Sprintf("<b>%s %%</b> of %d <small>%s</small>", short(x, *x.Value), x.N, shortEnds(x)))
}

// BareCell is a value alone, where its interval is drawn beside it or stands with the whole.
func BareCell(x scoring.Result) template.HTML {
	if x.Value == nil {
		return `<b>–</b>`
	}
	return template.HTML("<b>" + short(x, *x.Value) + "</b>")
}

// folded is what a reader opens to see.
func folded(id, words string, what template.HTML) template.HTML {
	head := fmt.Sprintf(`<details class="folded" id="%s"><summary>%s</summary>`, id, template.HTMLEscapeString(words))
	return template.HTML(head) + what + `</details>`
}

// Paragraph of a section.
func Paragraph(words string) template.HTML {
	return template.HTML(`<p class="sub">` + template.HTMLEscapeString(table.Clean(words)) + `</p>`)
}

// short writes a value as charts do: percent and points whole, others with two places.
func short(x scoring.Result, v float64) string {
	places := 0
	if x.Unit == scoring.UnitScore || x.Unit == scoring.UnitCorrelation {
		places = 2
	}
	text := fmt.Sprintf("%.*f", places, scoring.Unsigned(v, places))
	if x.Mode == scoring.ModeDifference && v > 0 && scoring.Unsigned(v, places) != 0 {
		text = "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// shortEnds are the ends of an interval: "53–63", or "−2 to +4" where one may be negative.
func shortEnds(x scoring.Result) string {
	if x.Low == nil || x.High == nil {
		return ""
	}
	between := "–"
	if *x.Low < 0 || x.Mode == scoring.ModeDifference || x.Unit == scoring.UnitCorrelation {
		between = " to "
	}
	return short(x, *x.Low) + between + short(x, *x.High)
}
