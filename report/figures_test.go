package report

import (
	"math"
	"strings"
	"testing"

	"gavel/report/figure"
	"gavel/scoring"
)

func TestParameters(t *testing.T) {
	for size, want := range map[string]float64{
		"8.0B": 8e9, "276K": 276e3, "494.03M": 494.03e6, "8x7B": 56e9, "1.5T": 1.5e12, " 70 B ": 70e9,
		"": 0, "big": 0, "8": 0, "-8B": 0, "8B8": 0, "1e9B": 0,
	} {
		if got := parameters(size); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%q: %g, want %g", size, got, want)
		}
	}
}

func TestFamilies(t *testing.T) {
	for model, want := range map[string]string{
		"llama3.1:8b": "llama", "meta-llama/Llama-3.1-8B-Instruct": "llama", "qwen2.5:7b": "qwen", "Qwen/Qwen3-8B": "qwen", "gemma2:9b": "gemma", "mistral": "mistral",
		"sim:coin": "sim", "o1-mini": "o1-mini", "c4ai-x": "c4ai-x", "通义千问-7b": "通义千问",
	} {
		if got := familyOf(model); got != want {
			t.Errorf("%q: %q, want %q", model, got, want)
		}
	}
	var runs []Run
	for _, m := range []string{"qwen2.5:7b", "gemma2:9b", "qwen2.5:0.5b"} {
		runs = append(runs, Run{Report: scoring.Report{Model: m}, Name: m})
	}
	if looks := families(runs); len(looks) != 2 || looks["gemma"] != 0 || looks["qwen"] != 1 {
		t.Errorf("families %v", looks)
	}
}

// Lines by hand: CoT is 40 + 0.5·acc. Self-reference is 20 + acc, which crosses
// it at 40; the others do not cross between 20 and 60.
func TestCrossingIsSaid(t *testing.T) {
	x := []float64{20, 40, 60}
	line := func(a, b float64) []float64 {
		var y []float64
		for _, v := range x {
			y = append(y, a+b*v)
		}
		return y
	}
	for _, c := range []struct {
		name      string
		cot, self []float64
		want      string
		guides    int
	}{
		{"pays above", line(40, 0.5), line(20, 1), "F1 = 40.00 + 0.5000·acc by CoT, 20.00 + 1.0000·acc with self-reference, acc being the generation accuracy. They cross at a generation accuracy of 40.00: by these n = 3 judges self-reference pays above it.", 3},
		{"pays below", line(20, 1), line(40, 0.5), "They cross at a generation accuracy of 40.00: by these n = 3 judges self-reference pays below it.", 3},
		{"always above", line(40, 0.5), line(50, 0.5), "They do not cross among these judges: the line of self-reference is above the other throughout.", 2},
		{"always below", line(40, 0.5), line(-5, 1), "−5.00 + 1.0000·acc with self-reference, acc being the generation accuracy. They do not cross among these judges: the line of self-reference is below the other throughout.", 2},
		{"falling", line(40, -0.5), line(50, -0.5), "F1 = 40.00 − 0.5000·acc by CoT", 2},
	} {
		s, said := crossing(figure.Scatter{}, x, c.cot, c.self)
		if !strings.Contains(said, c.want) || !strings.Contains(said, "n = 3 judges") || len(s.Guides) != c.guides {
			t.Errorf("%s: %d guides, %s", c.name, len(s.Guides), said)
		}
	}
	for _, x := range [][]float64{{20, 60}, {40, 40, 40}, {20}, nil} {
		s, said := crossing(figure.Scatter{}, x, x, x)
		if !strings.Contains(said, "no line is fitted") || len(s.Guides) != 0 {
			t.Errorf("%v: %d guides, %s", x, len(s.Guides), said)
		}
	}
}

// A judge asked in one mode alone is no point of the figure of both.
func TestBothModesAreNeeded(t *testing.T) {
	one := judgeRun("qwen2.5:7b", "7.6B", "mmlu-pro", 50, 60, 70, 0.1, 0.2)
	for i := range one.Results {
		if one.Results[i].Mode == scoring.ModeSelf {
			one.Results[i].Mode = "other"
		}
	}
	s, said := modesChart(Named(append(judges()[:3], one)))
	if len(s.Series[0].Points) != 3 || !strings.Contains(said, "n = 3 judges") {
		t.Errorf("%d points; %s", len(s.Series[0].Points), said)
	}
	if _, said := modesChart(Named([]Run{one})); said != "" {
		t.Errorf("no judge of both: %q", said)
	}
}

// On every point of a line the harmonic mean is what is written at its end.
func TestIsolines(t *testing.T) {
	for i, line := range isolines() {
		g := 0.2 + 0.1*float64(i)
		for _, p := range line.At {
			if got := 2 * p[0] * p[1] / (p[0] + p[1]); math.Abs(got-g) > 1e-9 || p[0] > 1+1e-9 || p[1] > 1+1e-9 {
				t.Fatalf("line %s: (%g, %g) has %g", line.End, p[0], p[1], got)
			}
		}
		if last := line.At[len(line.At)-1]; math.Abs(line.At[0][1]-1) > 1e-9 || math.Abs(last[0]-1) > 1e-9 {
			t.Errorf("line %s goes from %v to %v", line.End, line.At[0], last)
		}
	}
}

func TestPlaces(t *testing.T) {
	panels := placePanels(Named([]Run{optionRun("m", "1", true, 0.5, 0.5, 0.5)}))
	if len(panels) != 3 {
		t.Fatalf("%d panels for 2 to 4 options", len(panels))
	}
	for i, p := range panels {
		b := p.Chart.(figure.Bars)
		if n := i + 3; len(b.Categories) != n || *b.Mark != 100/float64(n) || b.Categories[n-1].Label != []string{"3", "4", "5"}[i] {
			t.Errorf("%s: %d places, even is %g", p.Title, len(b.Categories), *b.Mark)
		}
	}
}

func TestPrompts(t *testing.T) {
	a := optionRun("m", "2", false, 0.1, 0.2, 0.3)
	again := optionRun("m", "2", false, 0.9, 0.9, 0.9)
	with, other := optionRun("m", "1", true, 0.4, 0.5, 0.6), optionRun("n", "1", false, 0.7, 0.7, 0.7)
	panels := promptPanels(Named([]Run{a, again, with, other}), scoring.GradeScore, "Grade score")
	if len(panels) != 2 || panels[0].Title != "m, oasst1, best" {
		t.Fatalf("panels: %+v", panels)
	}
	b := panels[0].Chart.(figure.Bars)
	if b.Categories[0].Label != "1" || b.Categories[0].Dots[0].Defined() || *b.Categories[0].Dots[1].Value != 0.4 || *b.Categories[1].Dots[0].Value != 0.1 {
		t.Errorf("prompts: %+v", b.Categories)
	}
	if b := panels[1].Chart.(figure.Bars); len(b.Series) != 1 || b.Series[0] != "without" || len(b.Categories[0].Dots) != 1 {
		t.Errorf("nobody tried with an unrelated option: %+v", b)
	}
}

func TestJudgesWithoutJudgment(t *testing.T) {
	s := gradeChart(Named(choosers()))
	if len(s.Series) != 4 || len(s.Series[0].Points) != 4 || s.Series[0].Name != "without an unrelated option" || len(s.Series[2].Points) != 1 || !s.Series[2].Hollow {
		t.Errorf("series: %+v", s.Series)
	}
}

func TestCounted(t *testing.T) {
	run := func(n int) Run { return Run{Report: scoring.Report{Items: n}} }
	for want, runs := range map[string][]Run{
		"1 run of 1 pair":             {run(1)},
		"2 runs of 40 pairs each":     {run(40), run(40)},
		"3 runs of 2 to 9 pairs each": {run(9), run(2), run(5)},
	} {
		if got := Counted(runs, Items, "pair"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestSimulationsAreSaid(t *testing.T) {
	model, sim := scoring.Report{}, scoring.Report{Simulated: true}
	for _, c := range []struct {
		runs []scoring.Report
		want string
	}{
		{[]scoring.Report{model}, ""}, {nil, ""},
		{[]scoring.Report{model, sim}, "SIMULATION: 1 of the 2 runs"},
		{[]scoring.Report{sim, sim}, "SIMULATION: no model was asked"},
	} {
		if got := simulatedNote(c.runs); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%d runs: %q", len(c.runs), got)
		}
	}
}

// Runs of all protocols stand on one page, each with its own figures.
func TestAllProtocolsTogether(t *testing.T) {
	var all []Run
	for _, name := range []string{"answers", "pairs", "options", "self-reference"} {
		all = append(all, kinds()[name]...)
	}
	p := writeHTML(t, all)
	for _, id := range []string{
		"accuracy", "accuracy-groups", "strict", "position", "groups", "reliability", "grade", "places", "table-1", "table-2", "table-3",
		"generation", "modes", "subsets", "partial", "generation-groups",
	} {
		if strings.Count(p, ` id="figure-`+id+`"`) != 1 || strings.Count(p, `href="#figure-`+id+`"`) != 1 {
			t.Errorf("figure %s does not stand there once, with its link", id)
		}
	}
}
