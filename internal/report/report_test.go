package report_test

import (
	"bytes"
	"io"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

func of(x float64) *float64 { return &x }

// results makes a row for every metric; those not given are undefined.
func results(group string, n int, values map[string]float64) []scoring.Result {
	var rows []scoring.Result
	for _, m := range pairwise.Metrics {
		r := scoring.Result{Metric: m.Name, Group: group, N: n, Missing: m.Missing}
		if v, ok := values[m.Name]; ok {
			r.Value, r.Low, r.High = of(v), of(v-10), of(v+10)
		} else {
			r.N, r.Note = 0, "undefined: "+m.None
		}
		rows = append(rows, r)
	}
	return rows
}

// twoRuns are a judge with everything and one that gave no verdict.
func twoRuns() report.Scores {
	good := scoring.Report{
		Run: "runs/good", ID: "01", Protocol: "pairwise", Goal: "better", Question: scoring.Question{Prompt: "sop", Model: "qwen3:8b", Dataset: "judgebench-gpt4o"}, Items: 40, Expected: 41,
		Outcomes: map[string]int{"decided": 75, "tie": 1, "conflict": 2, "no-verdict": 1, "cut": 1, "prompt-too-long": 0, "refused": 0, "failed": 0},
		Method:   scoring.Method{Policy: "unique", Bootstrap: scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"}}, Warnings: []string{"incomplete: 1 of 41 pairs have not both judgments in the records and are left out"},
	}
	all := map[string]float64{"strict": 62.5, "counter": 67.5, "first-order": 70, "second-order": 65.4321, "half-tie": 70, "drop": 65.7895, "consistency": 84.2105, "first-position": 54.6667}
	good.Results = append(results(scoring.Overall, 40, all), results("Math", 15, all)...)
	good.Results = append(good.Results, results("Coding", 25, map[string]float64{"strict": 20, "counter": 20, "first-order": 20, "second-order": 20, "half-tie": 20})...)
	silent := scoring.Report{
		Run: "runs/silent", ID: "02", Protocol: "reversed", Goal: "worse", Question: scoring.Question{Prompt: "cot", Model: "sim:silent", Dataset: "sample", Simulated: true}, Items: 2, Expected: 2, Outcomes: map[string]int{"no-verdict": 4}, Method: scoring.Method{Policy: "last", Bootstrap: scoring.Bootstrap{Rounds: 100, Level: 0.9, Seed: 7, Unit: "pair"}},
		Results:  results(scoring.Overall, 2, map[string]float64{"strict": 0, "counter": 0, "first-order": 0, "second-order": 0, "half-tie": 50}),
		Warnings: []string{"simulated judge", "few items: n = 2"},
	}
	return report.Scores{Runs: []scoring.Report{good, silent}}
}

func oneComparison() report.Comparison {
	a := scoring.Side{Run: "runs/a", Protocol: "pairwise", Question: scoring.Question{Prompt: "sop", Model: "judge", Dataset: "sample"}, Items: 40}
	b := a
	b.Run, b.Protocol, b.Simulated = "runs/b", "reversed", true
	a.Ledger = &scoring.Ledger{
		Calls: 80, PromptTokens: 4000, ReplyTokens: 800, Seconds: 12, Remembered: 3, DecidedItems: 40,
		Each: &scoring.Each{Calls: 2, ReadTokens: 100, ReplyTokens: 20, Seconds: .3},
	}
	cmp := &scoring.Comparison{
		A: a, B: b, Sides: [2]scoring.Side{a, b}, N: 40, OnlyA: 2, Warnings: []string{"2 pairs are only in A and 0 only in B: left out"},
		Differences: []scoring.Difference{
			{Metric: "strict", Group: scoring.Overall, A: of(50), B: of(75), Diff: of(25), Low: of(10), High: of(40), N: 40, Table: &scoring.Table2x2{Both: 19, OnlyA: 1, OnlyB: 11, Neither: 9}, P: of(0.006348), Holm: of(0.006348)},
			{Metric: "strict", Group: "Math", A: of(60), B: of(40), Diff: of(-20), Low: of(-50), High: of(10), N: 10, Table: &scoring.Table2x2{Both: 4, OnlyA: 2, OnlyB: 0, Neither: 4}, P: of(0.5), Holm: of(1), Noise: true},
			{Metric: "counter", Group: scoring.Overall, A: of(50), B: of(50), Diff: of(0), Low: of(0), High: of(0), N: 40, Table: &scoring.Table2x2{Both: 20, Neither: 20}, P: of(0.00001), Noise: true},
			{Metric: "drop", Group: scoring.Overall, A: of(50), N: 40, Noise: true, Note: "undefined: no pairs with two decided verdicts in one of the runs"},
		},
		Matched: scoring.Matched{Ensemble: &scoring.Ensemble{
			Coverage: scoring.Result{Metric: "coverage", Group: scoring.Overall, N: 40, Value: of(60), Low: of(45), High: of(75)},
			Strict:   scoring.Result{Metric: "strict", Group: scoring.Overall, N: 24, Value: of(79.1667), Low: of(62.5), High: of(95.8333)},
		}},
	}
	return report.Comparison{Comparisons: &scoring.Comparisons{
		Comparisons: []*scoring.Comparison{cmp}, Family: "strict, overall: 1 comparison; strict, by group: 1", Policy: "unique",
		Bootstrap: scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"},
	}}
}

func TestFormats(t *testing.T) {
	for name, result := range map[string]any{"scores": twoRuns(), "comparison": oneComparison()} {
		t.Run(name, func(t *testing.T) { goldens(t, result, name) })
	}
}

// goldens compares a result in every format with stored files, twice: the same results are the same bytes.
func goldens(t *testing.T, result any, name string) {
	for format, ending := range map[string]string{report.FullText: ".txt", report.Markdown: ".md", report.CSV: ".csv"} {
		text := printed(t, result, format)
		golden.AssertBytes(t, text, name+ending)
		if !bytes.Equal(text, printed(t, result, format)) {
			t.Errorf("%s: the same results gave other bytes", ending)
		}
	}
}

// printed is a result in a format.
func printed(t *testing.T, result any, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Print(&b, result, format, 0); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrorsAreReported(t *testing.T) {
	for _, format := range []string{report.JSON, report.CSV, report.Markdown, report.Text, report.FullText} {
		if err := report.Print(full{}, twoRuns(), format, 0); err == nil {
			t.Errorf("%s: no error", format)
		}
	}
}
