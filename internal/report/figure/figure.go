// Package figure draws charts as SVG, with a table of the numbers drawn.
package figure

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Spec says what a figure shows.
type Spec struct {
	ID, Title string
	Caption   []string // what it shows, and from how many items
	Panels    []Panel
	Folded    bool // shown at a click
}

// Panel is a chart with its title. The charts of a figure have tables with the same columns.
type Panel struct {
	Title string
	Chart Chart
}

// Figure is one or more pictures with the numbers they were drawn from. Pictures
// and table are made of the same data and cannot disagree.
type Figure struct {
	ID       string // of its element, unique on the page
	Title    string
	Caption  []string
	Pictures []Picture
	Table    table.Table // every number drawn, and those left out
	Folded   bool
}

// Picture is a panel as it was drawn.
type Picture struct {
	Title string
	SVG   template.HTML // as wide as a phone
	Wide  template.HTML // for wider pages; "" where it is not one of few
	File  string        // a name for it, of its figure's id
	Link  template.URL  // where it can be had alone

	PNGFile string
	PNG     template.URL // where it can be had as PNG; "" for nowhere
	png     func() ([]byte, error)
}

// Chart is what a panel can be drawn from. A new kind is a file of this package.
type Chart interface {
	// layout returns the height of a picture of a width, and what draws it; nil where there is nothing to draw.
	layout(width vg.Length) (height vg.Length, paint func(draw.Canvas))
	// about says in words what kind of picture it is, for those who cannot see it.
	about() string
	// table has every number of the picture; where one is undefined, so it says.
	table() table.Table
}

// Draw draws the panels and joins their tables. Panels in which nothing could be
// drawn are left out, and so is a figure without panels: then ok is false.
func (s Spec) Draw() (f Figure, ok bool) {
	f = Figure{ID: "figure-" + s.ID, Title: s.Title, Caption: s.Caption, Folded: s.Folded}
	f.Table.Title = "Numbers of: " + s.Title
	wide := widthOf(len(s.Panels))
	var omitted []string
	for _, p := range s.Panels {
		of := strings.TrimPrefix(p.Title+": ", ": ")
		t := p.Chart.table()
		for _, name := range missingNumbers(t) {
			omitted = append(omitted, of+name)
		}
		if _, paint := p.Chart.layout(narrow); paint == nil {
			continue
		}
		alt := label(s.Title+". "+of+p.Chart.about(), small, vg.Length(math.Inf(1)))
		picture := Picture{Title: p.Title, File: fileOf(s.ID, len(f.Pictures))}
		picture.SVG = drawSVG(p.Chart, narrow, alt)
		if wide > 0 {
			picture.Wide = drawSVG(p.Chart, wide, alt)
		}
		picture.png = func() ([]byte, error) { return drawPNG(p.Chart, max(narrow, wide)) }
		f.Pictures = append(f.Pictures, picture)
		if len(s.Panels) > 1 {
			t.Columns = append(table.Left("panel"), t.Columns...)
			for i, row := range t.Rows {
				t.Rows[i] = append([]string{p.Title}, row...)
			}
		}
		f.Table.Columns = t.Columns
		f.Table.Rows = append(f.Table.Rows, t.Rows...)
	}
	if len(omitted) > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Not drawn, for want of a number: %s.", strings.Join(omitted, "; ")))
	}
	return f, len(f.Pictures) > 0
}

// missingNumbers names the rows of a table that lack a number, and in brackets what they lack.
func missingNumbers(t table.Table) (names []string) {
	for _, row := range t.Rows {
		var words, lacking []string
		for i, cell := range row {
			switch {
			case !t.Columns[i].Right:
				words = append(words, cell)
			case cell == table.Undefined:
				lacking = append(lacking, t.Columns[i].Name)
			}
		}
		if lacking != nil {
			names = append(names, fmt.Sprintf("%s (%s)", Joined(words...), Joined(lacking...)))
		}
	}
	return names
}

// Alone is the picture to be shown elsewhere.
func (p Picture) Alone() template.HTML { return cmp.Or(p.Wide, p.SVG) }

// fileOf names a picture of a figure.
func fileOf(id string, n int) string {
	if n == 0 {
		return id + ".svg"
	}
	return fmt.Sprintf("%s-%d.svg", id, n+1)
}

// DataURL is the picture alone in its own address, for pages that stand alone.
func (p Picture) DataURL() template.URL {
	return template.URL("data:image/svg+xml," + strings.NewReplacer("%", "%25", "/", "%2F", "#", "%23",
		"\"", "%22", "<", "%3C", ">", "%3E", "\n", "").Replace(string(p.Alone())))
}

//go:embed figure.html
var page string

var element = template.Must(template.New("").Funcs(template.FuncMap{"clean": table.Clean}).Parse(page))

// HTML is the figure as an element of a page.
func (f Figure) HTML() (template.HTML, error) {
	var b strings.Builder
	err := element.Execute(&b, f)
	return template.HTML(b.String()), err
}

// Dot is a number with its interval and what it was counted from.
type Dot struct {
	Value, Low, High *float64 // nil where undefined
	N                int
}

// Defined tells whether there is a number.
func (d Dot) Defined() bool { return table.Defined(d.Value) }

// interval of a dot, where there is one.
func (d Dot) interval() (low, high float64, ok bool) {
	if !d.Defined() || !table.Defined(d.Low) || !table.Defined(d.High) {
		return 0, 0, false
	}
	return *d.Low, *d.High, true
}

// in writes the dot in an axis' decimals.
func (d Dot) in(a Axis) string { return table.Interval(d.Value, d.Low, d.High, a.Decimals, a.Decimals) }

// DotOf is a result as a dot.
func DotOf(x scoring.Result) Dot { return Dot{Value: x.Value, Low: x.Low, High: x.High, N: x.N} }

// Joined puts words together, those that are empty aside.
func Joined(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}
