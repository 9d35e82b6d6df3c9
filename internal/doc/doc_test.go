package doc_test

import (
	"strings"
	"testing"

	"gavel/internal/doc"
	"gavel/scoring"
)

// A row and a column stand on their surfaces only; an axis of differences is as long as what stands there needs, and
// draws no number of another unit.
func TestSurfaces(t *testing.T) {
	difference := func(v float64, unit string) doc.Value {
		return doc.NumberCell(scoring.Result{Mode: scoring.ModeDifference, Unit: unit, Value: &v})
	}
	d := doc.Document{Blocks: []doc.Block{{
		ID: "difference",
		Table: &doc.Table{
			Columns: []doc.Column{
				{Name: "p", Surfaces: doc.SurfaceFullText},
				{Name: "difference", Kind: doc.ColumnNumber, Axis: &doc.Axis{Signed: true, Ends: [2]string{"A better", "B better"}}},
			},
			Rows: []doc.Row{
				{Name: "all", Term: "strict", Cells: []doc.Value{doc.TextCell("0.01"), difference(7, "")}},
				{Name: "math", Surfaces: doc.SurfaceAllButShort, Cells: []doc.Value{doc.TextCell("0.02"), difference(55, "")}},
				{Name: "r", Cells: []doc.Value{doc.TextCell("0.03"), difference(-.5, scoring.UnitCorrelation)}},
			},
		},
	}}}
	print := func(full bool) string {
		var text strings.Builder
		if err := d.Text(&text, 0, full); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	term := scoring.Term{Metric: "strict", Plain: "what it means"}
	paper := doc.PageContext{Terms: []scoring.Term{term}}
	page, err := paper.RenderBlocks(d.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		has, lacks []string
	}{
		{name: "short", text: print(false), has: []string{"−10", "+7", "-0.50"}, lacks: []string{"math", "0.01", "−60"}},
		{name: "full", text: print(true), has: []string{"+7.0", "+55.0", "0.02", "-0.5000"}},
		{
			name:  "page",
			text:  string(page),
			has:   []string{"−60", "55</b>", "−0.50", "A better", `popovertarget="` + term.ID(), `id="` + term.ID()},
			lacks: []string{"0.01"},
		},
	} {
		for _, want := range c.has {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, c.text)
			}
		}
		for _, not := range c.lacks {
			if strings.Contains(c.text, not) {
				t.Errorf("%s: %q in\n%s", c.name, not, c.text)
			}
		}
	}
	if n := strings.Count(print(false), "●"); n != 1 {
		t.Errorf("%d numbers are drawn on the axis, want 1", n)
	}
	if n := strings.Count(string(page), `class="pt"`); n != 2 {
		t.Errorf("%d numbers are drawn on the page, want 2", n)
	}
}
