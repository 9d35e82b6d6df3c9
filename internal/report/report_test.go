package report_test

import (
	"bytes"
	"io"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/internal/report/table"
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
			r.N, r.Note = 0, "undefined: "+m.Why(nil)
		}
		rows = append(rows, r)
	}
	return rows
}

// twoRuns are a judge with everything and one that gave no verdict.
func twoRuns() report.Scores {
	good := scoring.Report{
		Run: "runs/good", ID: "01", Protocol: "pairwise", Goal: "better", Prompt: "sop", Model: "qwen3:8b", Dataset: "judgebench-gpt4o",
		Items: 40, Expected: 41,
		Outcomes: map[string]int{"decided": 75, "tie": 1, "conflict": 2, "no-verdict": 1, "cut": 1, "prompt-too-long": 0, "refused": 0, "failed": 0},
		Policy:   "unique", Bootstrap: scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"},
		Warnings: []string{"incomplete: 1 of 41 pairs have not both judgments in the records and are left out"},
	}
	all := map[string]float64{"strict": 62.5, "counter": 67.5, "first-order": 70, "second-order": 65.4321, "half-tie": 70, "drop": 65.7895, "consistency": 84.2105, "first-position": 54.6667}
	good.Results = append(results(scoring.Overall, 40, all), results("Math", 15, all)...)
	good.Results = append(good.Results, results("Coding", 25, map[string]float64{"strict": 20, "counter": 20, "first-order": 20, "second-order": 20, "half-tie": 20})...)
	silent := scoring.Report{
		Run: "runs/silent", ID: "02", Protocol: "reversed", Goal: "worse", Prompt: "cot", Model: "sim:silent", Dataset: "sample", Simulated: true,
		Items: 2, Expected: 2, Outcomes: map[string]int{"no-verdict": 4}, Policy: "last",
		Bootstrap: scoring.Bootstrap{Rounds: 100, Level: 0.9, Seed: 7, Unit: "pair"},
		Results:   results(scoring.Overall, 2, map[string]float64{"strict": 0, "counter": 0, "first-order": 0, "second-order": 0, "half-tie": 50}),
		Warnings:  []string{"simulated judge", "few items: n = 2"},
	}
	return report.Scores{Runs: []scoring.Report{good, silent}}
}

func oneComparison() report.Comparison {
	a := scoring.Side{Run: "runs/a", Protocol: "pairwise", Prompt: "sop", Model: "judge", Dataset: "sample", Items: 40}
	b := a
	b.Run, b.Protocol, b.Simulated = "runs/b", "reversed", true
	cmp := &scoring.Comparison{
		A: a, B: b, Sides: [2]scoring.Side{a, b}, N: 40, OnlyA: 2, Warnings: []string{"2 pairs are only in A and 0 only in B: left out"},
		Differences: []scoring.Difference{
			{Metric: "strict", Group: scoring.Overall, A: of(50), B: of(75), Diff: of(25), Low: of(10), High: of(40), N: 40, Table: &scoring.Table2x2{Both: 19, OnlyA: 1, OnlyB: 11, Neither: 9}, P: of(0.006348), Holm: of(0.006348)},
			{Metric: "strict", Group: "Math", A: of(60), B: of(40), Diff: of(-20), Low: of(-50), High: of(10), N: 10, Table: &scoring.Table2x2{Both: 4, OnlyA: 2, OnlyB: 0, Neither: 4}, P: of(0.5), Holm: of(1), Noise: true},
			{Metric: "counter", Group: scoring.Overall, A: of(50), B: of(50), Diff: of(0), Low: of(0), High: of(0), N: 40, Table: &scoring.Table2x2{Both: 20, Neither: 20}, P: of(0.00001), Noise: true},
			{Metric: "drop", Group: scoring.Overall, A: of(50), N: 40, Noise: true, Note: "undefined: no pairs with two decided verdicts in one of the runs"},
		},
		Ensemble: &scoring.Ensemble{
			Coverage: scoring.Result{Metric: "coverage", Group: scoring.Overall, N: 40, Value: of(60), Low: of(45), High: of(75)},
			Strict:   scoring.Result{Metric: "strict", Group: scoring.Overall, N: 24, Value: of(79.1667), Low: of(62.5), High: of(95.8333)},
		},
	}
	return report.Comparison{&scoring.Comparisons{
		Comparisons: []*scoring.Comparison{cmp}, Family: "strict, overall: 1 comparison; strict, by group: 1", Policy: "unique",
		Bootstrap: scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"},
	}}
}

func print(t *testing.T, write table.Writer, tables []table.Table) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, laid := range tables {
		if err := write(&b, laid); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		name   string
		tables func() []table.Table
		csv    func(io.Writer) error
	}{
		{"scores", func() []table.Table { return twoRuns().Tables() }, func(w io.Writer) error { return twoRuns().CSV(w) }},
		{"comparison", func() []table.Table { return oneComparison().Tables() }, func(w io.Writer) error { return oneComparison().CSV(w) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var csv, again bytes.Buffer
			if err := c.csv(&csv); err != nil {
				t.Fatal(err)
			}
			text, markdown := print(t, table.Text, c.tables()), print(t, table.Markdown, c.tables())
			golden.AssertBytes(t, text, c.name+".txt")
			golden.AssertBytes(t, markdown, c.name+".md")
			golden.AssertBytes(t, csv.Bytes(), c.name+".csv")

			if err := c.csv(&again); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, print(t, table.Text, c.tables())) || !bytes.Equal(markdown, print(t, table.Markdown, c.tables())) || !bytes.Equal(csv.Bytes(), again.Bytes()) {
				t.Error("the same results gave other bytes")
			}
		})
	}
}

// One run needs no summary over it; none print nothing.
func TestTablesOfFewerRuns(t *testing.T) {
	two := twoRuns()
	if n := len(two.Tables()); n != 3 {
		t.Errorf("two runs have %d tables, want a summary and two", n)
	}
	if n := len(report.Scores{Runs: two.Runs[:1]}.Tables()); n != 1 {
		t.Errorf("one run has %d tables", n)
	}
	if n := len(report.Scores{}.Tables()); n != 0 {
		t.Errorf("no run has %d tables", n)
	}
	cmp := oneComparison()
	cmp.Comparisons.Comparisons[0].Differences = cmp.Comparisons.Comparisons[0].Differences[3:]
	if n := len(cmp.Tables()); n != 1 {
		t.Errorf("without a 2×2 table there are %d tables", n)
	}
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
