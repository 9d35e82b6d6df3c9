package figure

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/plot/vg"
	"gotest.tools/v3/golden"

	"gavel/internal/report/table"
)

func of(x float64) *float64 { return &x }

// dot is a number with an interval of ±d around it.
func dot(v, d float64, n int) Dot { return Dot{of(v), of(v - d), of(v + d), n} }

func bare(v float64, n int) Dot { return Dot{Value: of(v), N: n} }

var undefined = Dot{}

// hostile is a name as bad as a name can be.
const hostile = "</text></svg><script>alert(1)</script>\x1b[31m\x00\u202e\uFFFE\xff model"

// charts are one of every kind, each with something undefined in it.
func charts() map[string]Chart {
	return map[string]Chart{
		"dots": DotPlot{
			X: Percent("strict, percent"), Of: "run", Series: []string{"strict"}, Mark: of(25), Marked: "two coins (25)",
			Rows: []DotRow{
				{"qwen3:8b · pairwise", []Dot{dot(62.5, 10, 40)}},
				{"a model with a very long name indeed, such as people give theirs: instruct-v0.3-AWQ-Q4_K_M", []Dot{dot(97, 3, 350)}},
				{"silent", []Dot{undefined}},
				{hostile, []Dot{{Value: of(0), N: 2}}},
			},
		},
		"dodged": DotPlot{
			X: Percent("share, percent"), Of: "run", Series: []string{"consistency", "first-position", "third"},
			Rows: []DotRow{{"one", []Dot{dot(84.21, 6, 40), dot(54.67, 12, 80), bare(10, 1)}}, {"two", []Dot{dot(50, 20, 4), undefined, bare(20, 1)}}},
		},
		"negative": DotPlot{
			X: Axis{"partial correlation of G and J given A", -1, 1, 4}, Of: "judge", Series: []string{"CoT", "self-reference"}, Mark: of(0),
			Rows: []DotRow{{"llama3.1:8b", []Dot{dot(0.2145, 0.09, 300), dot(0.6312, 0.08, 300)}}, {"gemma2:9b", []Dot{dot(-0.1, 0.2, 30), undefined}}},
		},
		"scatter": Scatter{
			X: Percent("generation accuracy, percent"), Y: Percent("F1, percent"), Of: "judge",
			Numbered: true,
			Series: []Series{
				{Name: "llama", Look: 0, Points: []Point{{"llama3.1:8b", dot(41.5, 3, 1400), dot(66.25, 4, 4200)}, {"llama3.1:70b", bare(61.2, 1400), bare(78.75, 4200)}}},
				{Name: "qwen", Look: 1, Points: []Point{{"qwen2.5:7b", bare(52.25, 1400), bare(70.125, 4200)}, {"qwen2.5:0.5b", bare(12, 1400), undefined}}},
				{Name: hostile, Look: 2, Hollow: true, Points: []Point{{hostile, bare(45, 1400), bare(60, 4200)}}},
			},
		},
		"many":  many(),
		"crowd": crowd(),
		"one": Scatter{
			X: Percent("consistency, percent"), Y: Percent("first-position, percent"), Of: "run", Numbered: true,
			Series: []Series{{Points: []Point{{Name: "the only one there is", X: bare(100, 3), Y: dot(100, 20, 6)}}}},
		},
		"lines": Scatter{
			X: Unit("confidence"), Y: Unit("share right"), Of: "bin",
			Series: []Series{{Name: "qwen3:8b", Line: Solid, Points: []Point{{Name: "0.5 to 0.6", X: bare(0.55, 10), Y: bare(0.4, 10)}, {Name: "0.9 to 1.0", X: bare(0.97, 80), Y: bare(0.8125, 80)}}}},
			Guides: []Guide{{Name: "as right as sure", Look: -1, Line: Dashed, At: [][2]float64{{0, 0}, {1, 1}}}, {Line: Dashed, At: [][2]float64{{2, 2}, {3, 3}}}, {Look: -1, Line: Dashed, At: [][2]float64{{-1, 0.5}, {3, 0.5}}}},
		},
		"heatmap": Heatmap{
			X: Percent("accuracy, percent"), Of: "judge", Series: []string{"judge right, agent right", "judge right, agent wrong", "judge wrong, agent right", "judge wrong, agent wrong"},
			Rows: []DotRow{{"llama3.1:8b", []Dot{bare(97.62, 42), bare(33.333, 9), bare(81, 21), bare(0, 30)}}, {"qwen2.5:7b", []Dot{bare(100, 42), bare(66.67, 9), undefined, bare(50, 30)}}},
		},
	}
}

// many are fifteen runs with long names, some of them equal.
func many() DotPlot {
	d := DotPlot{X: Percent("strict, percent"), Of: "run", Series: []string{"strict"}, Mark: of(25), Marked: "two coins score 25"}
	for i := range 15 {
		name := fmt.Sprintf("llama3.1:%db-instruct-q4_K_M · prompt number %d of a suite with long names", 1<<(i%7), i)
		d.Rows = append(d.Rows, DotRow{name, []Dot{dot(float64(90-5*(i/3*3)), 8, 350)}})
	}
	return d
}

// crowd are fifteen points, most of which stand in the same places.
func crowd() Scatter {
	s := Scatter{
		X: Percent("consistency, percent"), Y: Percent("first-position, percent"), Of: "run", Numbered: true,
		Guides: []Guide{{Name: "no position bias", Look: -1, Line: Dashed, At: [][2]float64{{0, 50}, {100, 50}}}},
	}
	for k, name := range []string{"pairwise", "reversed"} {
		series := Series{Name: name, Look: k}
		for i := range 7 + k {
			series.Points = append(series.Points, Point{Name: fmt.Sprintf("qwen2.5:%db %s, prompt %d", i, name, i), X: bare(float64(75+10*(i/4)), 40), Y: dot(float64(50+6*k), 6, 80)})
		}
		s.Series = append(s.Series, series)
	}
	return s
}

func mustFigure(t *testing.T, panels ...Panel) Figure {
	t.Helper()
	f, ok := Spec{ID: "test", Title: "A figure", Caption: []string{"What it shows, from 40 items."}, Panels: panels}.Draw()
	if !ok {
		t.Fatal("no figure")
	}
	return f
}

func TestCharts(t *testing.T) {
	for name, c := range charts() {
		t.Run(name, func(t *testing.T) {
			f := mustFigure(t, Panel{"", c})
			svg := string(f.Pictures[0].SVG)
			golden.Assert(t, svg, "figures/"+name+".svg")
			golden.Assert(t, string(f.Pictures[0].Wide), "figures/"+name+"-wide.svg")
			golden.Assert(t, printed(t, f.Table)+strings.Join(f.Caption, "\n")+"\n", "figures/"+name+".txt")
		})
	}
}

func printed(t *testing.T, laid table.Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.Text(&b, laid); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestElement(t *testing.T) {
	html, err := mustFigure(t, Panel{"", charts()["dots"]}).HTML()
	if err != nil || !strings.HasPrefix(string(html), `<figure id="figure-test">`) || !strings.Contains(string(html), `<div class="table">`) {
		t.Errorf("figure: %v\n%s", err, html)
	}
}

// elements of an SVG; it must be well-formed, and plain: nothing that runs, loads
// or needs a style sheet's leave.
func elements(t *testing.T, svg string) (texts []string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(svg))
	in := ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			in = x.Name.Local
			if !strings.Contains(" svg g path text ", " "+in+" ") {
				t.Errorf("element %s", in)
			}
			for _, a := range x.Attr {
				if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("attribute %s of %s", a.Name.Local, in)
				}
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s = %q", a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if in == "text" && strings.TrimSpace(string(x)) != "" {
				texts = append(texts, string(x))
			}
		}
	}
}

// What is undefined is not drawn and said; every other number stands in the table.
func TestFiguresKeepTheirNumbers(t *testing.T) {
	numbers := map[string][]string{
		"dots":     {"62.50 [52.50, 72.50]", "97.00 [94.00, 100.00]", "0.00", "n/a"},
		"dodged":   {"84.21 [78.21, 90.21]", "54.67", "50.00 [30.00, 70.00]", "10.00", "n/a"},
		"negative": {"0.2145 [0.1245, 0.3045]", "0.6312", "-0.1000", "n/a"},
		"scatter":  {"41.50 [38.50, 44.50]", "66.25 [62.25, 70.25]", "78.75", "70.12", "12.00", "n/a"},
		"lines":    {"0.5500", "0.4000", "0.9700", "0.8125"},
		"heatmap":  {"97.62", "33.33", "81.00", "0.00", "100.00", "66.67", "n/a"},
	}
	for name, c := range charts() {
		t.Run(name, func(t *testing.T) {
			f := mustFigure(t, Panel{"", c})
			elements(t, string(f.Pictures[0].SVG))
			cells := "\n"
			for _, row := range f.Table.Rows {
				if len(row) != len(f.Table.Columns) {
					t.Errorf("a row of %d cells under %d columns", len(row), len(f.Table.Columns))
				}
				cells += strings.Join(row, "\n") + "\n"
			}
			for _, want := range numbers[name] {
				if !strings.Contains(cells, "\n"+want) {
					t.Errorf("the table has no %q:\n%s", want, cells)
				}
			}
			gaps := strings.Count(cells, "\nn/a")
			if said := strings.Contains(strings.Join(f.Caption, "\n"), "for want of a number"); said != (gaps > 0) {
				t.Errorf("%d undefined numbers, and the caption says %q", gaps, f.Caption)
			}
		})
	}
}

// Whatever the numbers, no picture has one that is none.
func TestOddNumbers(t *testing.T) {
	odd := []*float64{nil, of(math.NaN()), of(math.Inf(1)), of(math.Inf(-1)), of(0), of(100), of(-3), of(1e9), of(1e-9), of(50)}
	for i, a := range odd {
		for _, b := range odd {
			d := Dot{a, b, odd[(i+3)%len(odd)], 5}
			rows := []DotRow{{"x", []Dot{d, bare(1, 1)}}, {"y", []Dot{bare(1, 1), d}}}
			series := []string{"s", "t"}
			for _, c := range []Chart{
				DotPlot{X: Percent("p"), Series: series, Rows: rows}, DotPlot{Series: series, Rows: rows},
				Heatmap{X: Percent("p"), Series: series, Rows: rows}, Heatmap{Series: series, Rows: rows},
				Scatter{Series: []Series{{Name: "s", Line: Solid, Points: []Point{{X: d, Y: d}, {X: bare(1, 1), Y: bare(2, 1)}}}}, Guides: []Guide{{At: [][2]float64{{0, 0}, {1, 1}}}}},
			} {
				f := mustFigure(t, Panel{"", c})
				elements(t, string(f.Pictures[0].SVG))
			}
		}
	}
}

// A figure of nothing is none.
func TestNothingToDraw(t *testing.T) {
	rows := []DotRow{{"x", []Dot{undefined}}}
	for _, c := range []Chart{
		DotPlot{Series: []string{"s"}, Rows: rows}, Heatmap{Series: []string{"s"}, Rows: rows},
		Scatter{Series: []Series{{Points: []Point{{X: bare(1, 1)}}}}}, DotPlot{}, Heatmap{}, Scatter{},
	} {
		if f, ok := (Spec{ID: "none", Title: "t", Panels: []Panel{{"", c}}}).Draw(); ok {
			t.Errorf("%T: %v", c, f)
		}
	}
	f, ok := Spec{ID: "half", Title: "t", Panels: []Panel{{"empty", DotPlot{Of: "run", Series: []string{"s"}, Rows: rows}}, {"full", charts()["dots"]}}}.Draw()
	if !ok || len(f.Pictures) != 1 || !strings.Contains(f.Caption[0], "empty: x") || f.Table.Columns[0].Name != "panel" {
		t.Errorf("a panel that cannot be drawn: %+v", f)
	}
}

func TestSameBytes(t *testing.T) {
	want := map[string]string{}
	for name, c := range charts() {
		want[name] = fmt.Sprint(mustFigure(t, Panel{"", c}))
	}
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			for name, c := range charts() {
				f, _ := Spec{ID: "test", Title: "A figure", Caption: []string{"What it shows, from 40 items."}, Panels: []Panel{{"", c}}}.Draw()
				if fmt.Sprint(f) != want[name] {
					t.Errorf("%s: other bytes", name)
				}
			}
		})
	}
	g.Wait()
}

// Words of others stay words, on one line, and end with the picture.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"short", "qwen3:8b", "qwen3:8b"},
		{"lines", "a\nb\tc", "a\uFFFDb\uFFFDc"},
		{"escape sequence", "\x1b[31mred", "\uFFFD[31mred"},
		{"turned round", "a\u202eb\u2066c", "a\uFFFDb\uFFFDc"},
		{"no characters of XML", "a\uFFFE\uFFFF\x00\xffb", "a\uFFFD\uFFFD\uFFFD\uFFFDb"},
		{"Chinese", "通义千问", "通义千问"},
		{"long", strings.Repeat("m", 100), strings.Repeat("m", 8) + "…"},
	} {
		if got := label(c.in, small, 100); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := label("wide", small, 1); got != "…" {
		t.Errorf("no room: %q", got)
	}
}

// The colours that a page changes are told from all others by their value. Series keep theirs, each by a class.
func TestThemedColours(t *testing.T) {
	for _, c := range append([]string{hexOf(onHeat(0)), hexOf(onHeat(9))}, hexes(heat)...) {
		if themed[c] != "" {
			t.Errorf("%s is %s", c, themed[c])
		}
	}
	for i, c := range hexes(colours) {
		if themed[c] != fmt.Sprintf("c%d", i) {
			t.Errorf("series %d is %q", i, themed[c])
		}
	}
	if len(themed) != 4+len(colours) {
		t.Errorf("%d themed colours", len(themed))
	}
}

func hexes[C interface{ RGBA() (r, g, b, a uint32) }](colours []C) []string {
	var out []string
	for _, c := range colours {
		out = append(out, hexOf(c))
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 100, "0 25 50 75 100"},
		{0, 1, "0.00 0.25 0.50 0.75 1.00"},
		{-1, 1, "−1.0 −0.5 0.0 0.5 1.0"},
		{38, 63, "40 45 50 55 60"},
		{0, 48, "0 10 20 30 40"},
		{97.2, 97.9, "97.2 97.3 97.4 97.5 97.6 97.7 97.8 97.9"},
		{0, 3, "0.0 0.5 1.0 1.5 2.0 2.5 3.0"},
		{0, 1e9, "0 250000000 500000000 750000000 1000000000"},
	} {
		var got []string
		for _, tick := range ticks(c.low, c.high) {
			got = append(got, tick.label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, s, c.want)
		}
	}
}

// Numbers beside points stand clear of each other and of the points, and within the picture where there is room.
func TestNumbersBesidePoints(t *testing.T) {
	within := vg.Rectangle{Max: vg.Point{X: 300, Y: 300}}
	at := vg.Point{X: 295, Y: 150}
	taken := []vg.Rectangle{{Min: at.Sub(vg.Point{X: 4, Y: 4}), Max: at.Add(vg.Point{X: 4, Y: 4})}}
	for n := range 10 {
		box := freeBox(within, taken, at, 14)
		if box.Min.X < 0 || box.Max.X > 300 || box.Min.Y < 0 || box.Max.Y > 300 {
			t.Errorf("number %d is outside: %v", n, box)
		}
		for _, other := range taken {
			if overlap(box, other) {
				t.Errorf("number %d at %v stands over %v", n, box, other)
			}
		}
		taken = append(taken, box)
	}
	everywhere := []vg.Rectangle{within}
	if box := freeBox(within, everywhere, at, 14); box.Min.X != at.X+6 {
		t.Errorf("without room the number stands at %v", box)
	}
}

// Words have at least 12 units.
func TestWordsAreLargeEnough(t *testing.T) {
	for name, c := range charts() {
		for _, svg := range []string{string(mustFigure(t, Panel{"", c}).Pictures[0].SVG), string(mustFigure(t, Panel{"", c}).Pictures[0].Wide)} {
			for _, size := range regexp.MustCompile(`font-size="([\d.]+)px"`).FindAllStringSubmatch(svg, -1) {
				if px, _ := strconv.ParseFloat(size[1], 64); px < 12 {
					t.Errorf("%s: words of %g units", name, px)
				}
			}
		}
	}
}
