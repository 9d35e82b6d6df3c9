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
	// height of a picture of a width, and what draws it.
	layout(width vg.Length) (height vg.Length, paint func(draw.Canvas))
	// about says in words what kind of picture it is, for those who cannot see it.
	about() string
	// table has every number of the picture; where one is undefined, so it says.
	table() table.Table
	// omitted names what could not be drawn, for want of a number.
	omitted() []string
}

// Draw draws the panels and joins their tables. Panels in which nothing could be
// drawn are left out, and so is a figure without panels: then ok is false.
func (s Spec) Draw() (f Figure, ok bool, err error) {
	s.Panels = onOneScale(s.Panels)
	f = Figure{ID: "figure-" + s.ID, Title: s.Title, Caption: s.Caption, Folded: s.Folded}
	var omitted []string
	for _, p := range s.Panels {
		for _, name := range p.Chart.omitted() {
			omitted = append(omitted, strings.TrimPrefix(p.Title+": ", ": ")+name)
		}
		if _, paint := p.Chart.layout(narrow); paint == nil {
			continue
		}
		alt := strings.TrimPrefix(p.Title+": ", ": ") + p.Chart.about()
		picture := Picture{Title: p.Title, File: fileOf(s.ID, len(f.Pictures))}
		draw := func(w vg.Length) (template.HTML, error) {
			height, paint := p.Chart.layout(w)
			return drawSVG(w, height, label(s.Title+". "+alt, small, vg.Length(math.Inf(1))), paint)
		}
		picture.SVG, err = draw(narrow)
		if err != nil {
			return f, false, err
		}
		if w := widthOf(len(s.Panels)); w > 0 {
			picture.Wide, err = draw(w)
			if err != nil {
				return f, false, err
			}
		}
		picture.png = func() ([]byte, error) {
			w := max(narrow, widthOf(len(s.Panels)))
			height, paint := p.Chart.layout(w)
			return drawPNG(w, height, paint)
		}
		f.Pictures = append(f.Pictures, picture)
		t := p.Chart.table()
		if len(s.Panels) > 1 {
			t.Columns = append(table.Left("panel"), t.Columns...)
			for i, row := range t.Rows {
				t.Rows[i] = append([]string{p.Title}, row...)
			}
		}
		f.Table.Columns = t.Columns
		f.Table.Rows = append(f.Table.Rows, t.Rows...)
	}
	f.Table.Title = "Numbers of: " + s.Title
	if len(omitted) > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Not drawn, for want of a number: %s.", strings.Join(omitted, "; ")))
	}
	return f, len(f.Pictures) > 0, nil
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

// Axis is what is measured along a side of a picture.
type Axis struct {
	Label    string
	Min, Max float64 // shown at least; both 0: as the data has it
	Decimals int     // of its numbers in the table
}

// Percent is the axis of a share.
func Percent(label string) Axis { return Axis{Label: label, Max: 100, Decimals: 2} }

// Unit is the axis of a number from 0 to 1.
func Unit(label string) Axis { return Axis{Label: label, Max: 1, Decimals: 4} }

// around is the axis with room for values: nothing is drawn outside of it.
func (a Axis) around(values []float64) Axis {
	if len(values) == 0 {
		return a
	}
	low, high := slices.Min(values), slices.Max(values)
	if a.Min < a.Max {
		a.Min, a.Max = min(a.Min, low), max(a.Max, high)
		return a
	}
	room := 0.08 * (high - low)
	if room == 0 {
		room = max(0.05*math.Abs(high), 0.01)
	}
	a.Min, a.Max = low-room, high+room
	return a
}

// scaled is a chart whose axes can be those of others.
type scaled interface {
	Chart
	// ranges are its axes with room for its data.
	ranges() []Axis
	// on is the chart on other axes.
	on(axes []Axis) Chart
}

// onOneScale gives panels side by side the same axes, where they are charts of a kind that measure the same.
func onOneScale(panels []Panel) []Panel {
	var joint []Axis
	for _, p := range panels {
		c, is := p.Chart.(scaled)
		if !is {
			return panels
		}
		of := c.ranges()
		if joint == nil {
			joint = of
		}
		for i, a := range of {
			if i >= len(joint) || a.Label != joint[i].Label {
				return panels
			}
			if a.Min < a.Max {
				if joint[i].Min >= joint[i].Max {
					joint[i] = a
				}
				joint[i].Min, joint[i].Max = min(joint[i].Min, a.Min), max(joint[i].Max, a.Max)
			}
		}
	}
	out := slices.Clone(panels)
	for i := range out {
		out[i].Chart = out[i].Chart.(scaled).on(joint)
	}
	return out
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
