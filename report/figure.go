package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Figure is one or more panels with the numbers they were drawn from. Panels and
// table are made of the same data and cannot disagree.
type Figure struct {
	ID      string // of its element, unique on the page
	Title   string
	Caption []string // what it shows, and from how many items
	Panels  []Panel
	Table   Table // every number drawn, and those left out
	Folded  bool  // shown at a click
}

// Panel is a picture of a figure.
type Panel struct {
	Title string
	SVG   template.HTML
}

// chart is what a panel can be drawn from. A new kind is a file of this package.
type chart interface {
	// height of the picture, and what draws it.
	layout() (height vg.Length, paint func(draw.Canvas))
	// about says in words what kind of picture it is, for those who cannot see it.
	about() string
	// table has every number of the picture; where one is undefined, so it says.
	table() Table
	// omitted names what could not be drawn, for want of a number.
	omitted() []string
}

// plate is a chart with its title.
type plate struct {
	title string
	chart chart
}

// figureOf draws plates and joins their tables, which must have the same columns.
// Plates in which nothing could be drawn are left out, and so is a figure
// without plates: then ok is false.
func figureOf(id, title string, caption []string, plates ...plate) (f Figure, ok bool, err error) {
	f = Figure{ID: id, Title: title, Caption: caption}
	var omitted []string
	for _, p := range plates {
		height, paint := p.chart.layout()
		if paint == nil {
			omitted = append(omitted, prefixed(p.title, p.chart.omitted())...)
			continue
		}
		alt := strings.TrimPrefix(p.title+": ", ": ") + p.chart.about()
		svg, err := drawSVG(height, label(title+". "+alt, small, vg.Length(math.Inf(1))), paint)
		if err != nil {
			return f, false, err
		}
		f.Panels = append(f.Panels, Panel{p.title, svg})
		t := p.chart.table()
		if len(plates) > 1 {
			t.Columns = append([]Column{{"panel", false}}, t.Columns...)
			for i, row := range t.Rows {
				t.Rows[i] = append([]string{p.title}, row...)
			}
		}
		f.Table.Columns = t.Columns
		f.Table.Rows = append(f.Table.Rows, t.Rows...)
		omitted = append(omitted, prefixed(p.title, p.chart.omitted())...)
	}
	f.Table.Title = "Numbers of: " + title
	if len(omitted) > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Not drawn, for want of a number: %s.", strings.Join(omitted, "; ")))
	}
	return f, len(f.Panels) > 0, nil
}

func prefixed(title string, names []string) []string {
	if title == "" {
		return names
	}
	with := make([]string, len(names))
	for i, n := range names {
		with[i] = title + ": " + n
	}
	return with
}

// Axis is what is measured along a side of a picture.
type Axis struct {
	Label    string
	Min, Max float64 // shown at least; both 0: as the data has it
	Decimals int     // of its numbers in the table
}

// percentAxis is the axis of a share.
func percentAxis(label string) Axis { return Axis{label, 0, 100, 2} }

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

func (a Axis) number(v *float64) string {
	if !defined(v) {
		return "n/a"
	}
	return strconv.FormatFloat(*v, 'f', a.Decimals, 64)
}

// Dot is a number with its interval and what it was counted from.
type Dot struct {
	Value, Low, High *float64 // nil where undefined
	N                int
}

func (d Dot) ok() bool { return defined(d.Value) }

// interval of a dot, where there is one.
func (d Dot) interval() (low, high float64, ok bool) {
	if !d.ok() || !defined(d.Low) || !defined(d.High) {
		return 0, 0, false
	}
	return *d.Low, *d.High, true
}

// in writes the dot in an axis' decimals.
func (d Dot) in(a Axis) string {
	if _, _, ok := d.interval(); !ok {
		return a.number(d.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", a.number(d.Value), a.number(d.Low), a.number(d.High))
}

// defined tells a number that can be drawn.
func defined(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }
