package report_test

import (
	"slices"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/internal/report/figure"
	"gavel/protocols"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// spec is a figure of runs of one layout.
func spec(t *testing.T, runs []report.Run, id string) figure.Spec {
	t.Helper()
	for _, p := range protocols.All {
		if p.Name == runs[0].Protocol {
			all := p.Layout.Figures(report.Named(runs))
			if i := slices.IndexFunc(all, func(s figure.Spec) bool { return s.ID == id }); i >= 0 {
				return all[i]
			}
		}
	}
	t.Fatalf("no figure %s of %s", id, runs[0].Protocol)
	return figure.Spec{}
}

// A judge asked in one mode alone is one point, with no line to another; a mode that nobody was asked in is no series.
func TestAPointForEachMode(t *testing.T) {
	one := judgeRun("qwen2.5:7b", "7.6B", "mmlu-pro", 50, 60, 70, 0.1, 0.2)
	for i := range one.Results {
		if one.Results[i].Mode == selfreference.ModeSelf {
			one.Results[i].Mode = "other"
		}
	}
	s := spec(t, append(judges()[:3], one), "generation").Panels[0].Chart.(figure.Scatter)
	if len(s.Series) != 2 || len(s.Series[0].Points) != 4 || len(s.Series[1].Points) != 3 || len(s.Guides) != 3 {
		t.Errorf("series %+v, %d lines", s.Series, len(s.Guides))
	}
	s = spec(t, []report.Run{one}, "generation").Panels[0].Chart.(figure.Scatter)
	if len(s.Series) != 1 || s.Series[0].Name != "CoT" || len(s.Guides) != 0 {
		t.Errorf("a judge of one mode: %+v", s)
	}
}

func TestPlaces(t *testing.T) {
	panels := spec(t, []report.Run{optionRun("m", "1", true, 0.5, 0.5, 0.5)}, "places").Panels
	if len(panels) != 3 {
		t.Fatalf("%d panels for 2 to 4 options", len(panels))
	}
	for i, p := range panels {
		b := p.Chart.(figure.DotPlot)
		if n := i + 3; len(b.Rows) != n || *b.Mark != 100/float64(n) || b.Rows[n-1].Label != []string{"3", "4", "5"}[i] {
			t.Errorf("%s: %d places, even is %g", p.Title, len(b.Rows), *b.Mark)
		}
	}
}

func TestJudgesWithoutJudgment(t *testing.T) {
	s := spec(t, choosers(), "grade").Panels[0].Chart.(figure.Scatter)
	if len(s.Series) != 4 || len(s.Series[0].Points) != 4 || s.Series[0].Name != "without an unrelated option" || len(s.Series[2].Points) != 1 || !s.Series[2].Hollow {
		t.Errorf("series: %+v", s.Series)
	}
}

func TestCounted(t *testing.T) {
	run := func(n int) report.Run { return report.Run{Report: scoring.Report{Items: n}} }
	for want, runs := range map[string][]report.Run{
		"1 run of 1 pair":             {run(1)},
		"2 runs of 40 pairs each":     {run(40), run(40)},
		"3 runs of 2 to 9 pairs each": {run(9), run(2), run(5)},
	} {
		if got := report.Counted(runs, report.Items, "pair"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Runs of all protocols stand on one page, each with its own figures.
func TestAllProtocolsTogether(t *testing.T) {
	var all []report.Run
	for _, name := range []string{"answers", "pairs", "options", "self-reference"} {
		all = append(all, kinds()[name]...)
	}
	p := writeHTML(t, all)
	for _, id := range []string{
		"accuracy", "accuracy-groups", "strict", "position", "groups", "reliability", "grade", "places",
		"generation", "subsets", "partial",
	} {
		if strings.Count(p, ` id="figure-`+id+`"`) != 1 || strings.Count(p, `href="#figure-`+id+`"`) != 1 {
			t.Errorf("figure %s does not stand there once, with its link", id)
		}
	}
}

// Rows of runs stand in the order of their values, and runs of one model are told apart by the rest of their names.
func TestRowsOfRuns(t *testing.T) {
	run := func(model, prompt string, v *float64) report.Run {
		return report.Run{Report: scoring.Report{Protocol: "pairwise", Model: model, Prompt: prompt, Results: []scoring.Result{{Metric: "strict", Group: scoring.Overall, Value: v}}}}
	}
	labelsOf := func(runs ...report.Run) string {
		var names []string
		for _, row := range report.Overall(report.Named(runs), "strict") {
			names = append(names, row.Label)
		}
		return strings.Join(names, "; ")
	}
	if got := labelsOf(run("m", "a", new(20.0)), run("m", "b", nil), run("m", "c", new(60.0))); got != "prompt c; prompt a; prompt b" {
		t.Errorf("of one model: %s", got)
	}
	if got := labelsOf(run("m", "a", new(20.0)), run("n", "a", new(60.0))); got != "n; m" {
		t.Errorf("of two: %s", got)
	}
	if got := labelsOf(run("m", "a", new(20.0))); got != "m" {
		t.Errorf("of one run: %s", got)
	}
}
