package selfreference

import (
	"math"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/internal/report/figure"
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
	var runs []report.Run
	for _, m := range []string{"qwen2.5:7b", "gemma2:9b", "qwen2.5:0.5b"} {
		runs = append(runs, report.Run{Report: scoring.Report{Model: m}, Name: m})
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

// Where a judge was on one dataset twice, no average over datasets is printed.
func TestAveragesAreOverDatasets(t *testing.T) {
	run := func(dataset, prompt string, value float64, n int) scoring.Report {
		return scoring.Report{Protocol: "self-reference", Model: "judge", Prompt: prompt, Dataset: dataset, Results: []scoring.Result{
			{Metric: Overconfidence, Group: scoring.Overall, Mode: ModeCoT, Value: &value, N: n},
		}}
	}
	// Mistral Large 2 in the paper's Table 2: three agents on 100, 1,400 and 100 questions.
	three := []scoring.Report{run("gsm8k", "paper", 5.67, 300), run("mmlu-pro", "paper", 22.12, 4200), run("mt-bench-writing", "paper", 33, 300)}
	want := "judge, prompt paper: overconfidence over 3 datasets, weighted by n: cot 21.77 (n=4800)"
	if got := summary(append(three, run("gsm8k", "own", 1, 300))).Notes; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := summary(append(three, three[0])).Notes; len(got) != 0 {
		t.Errorf("gsm8k counts twice: %q", got)
	}
}
