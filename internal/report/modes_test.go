package report_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/protocols/answer"
	"gavel/protocols/selfreference"
	"gavel/scoring"
)

// twoModes is a run of self-reference with a few of its numbers, beside one of
// answers and one of pairs.
func twoModes() report.Scores {
	self := scoring.Report{
		Run: "runs/self", Protocol: "self-reference", Question: scoring.Question{Prompt: "paper", Model: "gemma3:4b", Dataset: "mmlu-pro"}, Items: 300, Expected: 300,
		Outcomes: map[string]int{"decided": 598, "no-verdict": 2}, Method: scoring.Method{Policy: "unique", Missing: scoring.MissingWrong, Bootstrap: scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "question"}}, Warnings: []string{"the judge is one of the agents"},
		Results: []scoring.Result{
			{Metric: scoring.GenerationAccuracy, Group: scoring.Overall, Value: of(57.5), Low: of(40), High: of(72.5), N: 100, Missing: "wrong"},
			{Metric: selfreference.AgentAccuracy, Group: scoring.Overall, Value: of(56.6667), Low: of(47.5), High: of(63.3333), N: 300, Missing: "wrong"},
			{Metric: selfreference.F1, Group: scoring.Overall, Mode: "cot", Value: of(44.8276), Low: of(34.5), High: of(57.4), N: 300, Missing: "not judged Correct"},
			{Metric: selfreference.F1, Group: scoring.Overall, Mode: "self", Value: of(74.4186), Low: of(65.5), High: of(85), N: 300, Missing: "not judged Correct"},
			{Metric: selfreference.F1, Group: scoring.Overall, Mode: "difference", Value: of(29.591), Low: of(-16.5), High: of(41.3), N: 300, Missing: "not judged Correct"},
			{Metric: selfreference.PartialGJ, Group: scoring.Overall, Mode: "cot", Unit: scoring.UnitCorrelation, Value: of(-0.087978), Low: of(-0.1), High: of(0.252), N: 300, Missing: "wrong"},
			{Metric: selfreference.PartialGJ, Group: scoring.Overall, Mode: "self", Unit: scoring.UnitCorrelation, N: 300, Missing: "wrong", Note: "undefined: J has no variance: the judgments are all right"},
		},
	}
	answers := scoring.Report{
		Run: "runs/answers", Protocol: "answer", Question: scoring.Question{Prompt: "paper", Model: "gemma3:4b", Dataset: "gsm8k"}, Items: 4, Expected: 4,
		Outcomes: map[string]int{"decided": 4}, Method: scoring.Method{Policy: "unique", Bootstrap: self.Bootstrap}, Results: []scoring.Result{
			{Metric: scoring.GenerationAccuracy, Group: scoring.Overall, Value: of(75), Low: of(25), High: of(100), N: 4, Missing: "wrong"},
			{Metric: answer.NoAnswer, Group: scoring.Overall, Value: of(0), Low: of(0), High: of(60.2365), N: 4, Missing: "what is counted"},
			{Metric: answer.RuleCount + "last-number", Group: scoring.Overall, Unit: scoring.UnitCount, Value: of(4), N: 4, Missing: "answer left out"},
		},
	}
	return report.Scores{Runs: append(twoRuns().Runs[:1], self, answers)}
}

func modesCompared() report.Comparison {
	c := oneComparison()
	cmp := c.Comparisons.Comparisons[0]
	cmp.A.Protocol, cmp.B.Protocol = "self-reference", "self-reference"
	cmp.Unit, cmp.Ensemble, c.Bootstrap.Unit = "judgment", nil, "question"
	cmp.Differences = []scoring.Difference{
		{Metric: scoring.GenerationAccuracy, Group: scoring.Overall, A: of(50), B: of(75), Diff: of(25), Low: of(10), High: of(40), N: 40, Table: &scoring.Table2x2{Both: 19, OnlyA: 1, OnlyB: 11, Neither: 9}, P: of(0.006348), Holm: of(0.006348)},
		{Metric: selfreference.PartialGJ, Group: scoring.Overall, Mode: "self", Unit: scoring.UnitCorrelation, A: of(0.123456), B: of(0.1), Diff: of(-0.023456), Low: of(-0.1), High: of(0.05), N: 120, Noise: true},
		{Metric: selfreference.F1, Group: "law", Mode: "cot", A: of(10), B: of(10), Diff: of(0), N: 12, Noise: true, Note: "interval: none"},
	}
	return c
}

func TestFormatsOfModes(t *testing.T) {
	for name, result := range map[string]any{"modes": twoModes(), "modes-compared": modesCompared()} {
		b := printed(t, result, report.CSV)
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll() // refuses rows of unequal length
		if err != nil || !strings.HasSuffix(strings.Join(rows[0], ","), ",note,mode,unit") {
			t.Errorf("%s: %v, columns %q", name, err, rows[0])
		}
		goldens(t, result, name)
	}
}
