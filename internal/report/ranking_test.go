package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/scoring"
)

func number64(v float64) *float64 { return &v }

// threeJudges are under two conditions: one judge has not begun the second, one
// is half through, and one has nothing to score.
func threeJudges() report.Ranking {
	placed := func(model string, v float64, letters string) scoring.Placed {
		return scoring.Placed{Run: "out/" + model, Model: model, Letters: letters, Result: scoring.Result{
			Metric: "strict", Group: scoring.Overall, Value: number64(v), Low: number64(v - 5), High: number64(v + 4.04), N: 40, Interval: scoring.ByBlaker}}
	}
	grade := placed("qwen", 0.61, "")
	grade.Metric, grade.Unit, grade.Low, grade.High = "grade", scoring.UnitScore, number64(0.5), number64(0.7)
	grade.Interval = scoring.ByBootstrap
	none := scoring.Placed{Run: "out/llama", Model: "llama", Result: scoring.Result{Metric: "grade", Unit: scoring.UnitScore, Note: "undefined: there is nothing"}}
	boot := scoring.Bootstrap{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"}
	items := boot
	items.Unit = "item"
	return report.Ranking{Suite: "a\x1b[31mb", Judges: []string{"qwen", "=llama", "phi"}, Conditions: []report.Condition{
		{Name: "pairwise_sample", Protocol: "pairwise", Dataset: "sample", Prompt: "sop", Options: "seed 3",
			Cells: []report.Cell{
				{Judge: "qwen", Run: "out/1", Status: "complete", Expected: 80, Answered: 80, Place: 0},
				{Judge: "=llama", Run: "out/2", Status: "complete", Expected: 80, Answered: 80, Place: 1},
				{Judge: "phi", Run: "out/3", Status: "running", Expected: 80, Answered: 12, Place: 2},
			},
			Rankings: []scoring.Ranking{{Metric: "strict", Test: "exact McNemar", Boot: boot, Alpha: 0.05,
				Runs: []scoring.Placed{placed("qwen", 70, "a"), placed("llama", 55.5, "ab"), placed("phi", 50, "b")}}}},
		{Name: "options", Protocol: "multi-option", Dataset: "sample-options", Prompt: "1",
			Cells: []report.Cell{
				{Judge: "qwen", Run: "out/4", Status: "complete", Expected: 90, Answered: 90, Place: 0},
				{Judge: "=llama", Run: "out/5", Status: "complete", Expected: 90, Answered: 90, Place: 1},
				{Judge: "phi", Run: "out/6", Status: "unreadable", Place: -1, Error: "out/6/run.json: damaged"},
			},
			Rankings: []scoring.Ranking{{Metric: "grade", Unit: scoring.UnitScore, Test: "paired permutation", Boot: items, Runs: []scoring.Placed{grade, none}}}},
		{Name: "later", Protocol: "answer", Cells: []report.Cell{{Judge: "qwen", Status: "not begun", Place: -1}, {Judge: "=llama", Status: "not begun", Place: -1}, {Judge: "phi", Status: "not begun", Place: -1}}},
	}}
}

func TestRanking(t *testing.T) {
	s := threeJudges()
	out := bytes.Join([][]byte{
		printed(t, s, report.Text), printed(t, s, report.FullText), printed(t, s, report.Markdown), printed(t, s, report.CSV),
	}, nil)
	golden.AssertBytes(t, out, "standings.txt")
	if bytes.Contains(out, []byte("\x1b")) {
		t.Error("an escape sequence got through")
	}
	rows, err := csv.NewReader(bytes.NewReader(printed(t, s, report.CSV))).ReadAll()
	if err != nil || len(rows) != 1+9 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if len(row) != len(rows[0]) {
			t.Errorf("%q has %d cells", row, len(row))
		}
	}
	text, err := json.Marshal(s)
	var back report.Ranking
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || !reflect.DeepEqual(back.Conditions[0].Cells, s.Conditions[0].Cells) || back.Conditions[0].Rankings[0].Runs[1].Letters != "ab" {
		t.Errorf("there and back: %v", err)
	}
}

// Where a judge was asked more than once, its noise floors and its self-agreement stand beneath its headlines.
func TestRankingAskedAgain(t *testing.T) {
	s := threeJudges()
	first := &s.Conditions[0].Rankings[0].Runs[0]
	first.NoiseFloor = number64(2.5)
	first.SelfAgreement = &scoring.Result{Metric: "self-agreement", Group: scoring.Overall, Value: number64(90), Low: number64(80), High: number64(95), N: 76}
	text := string(printed(t, s, report.FullText))
	for _, want := range []string{"2.5", "90.0 [80.0, 95.0]", "conditions, and a difference larger than the noise floor of either; p of strict", "noise floor: the largest", "self-agreement: prompts"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	out := string(printed(t, s, report.CSV))
	const beside = "pairwise_sample,pairwise,sample,sop,seed 3,qwen,out/1,complete,80,80,"
	if want := beside + "noise-floor:strict,,,2.5,,,,,percentage points\n" + beside + "self-agreement,,,90,80,95,76,,\n"; !strings.Contains(out, want) || strings.Count(out, "\n") != 12 {
		t.Errorf("lacks\n%s\n%s", want, out)
	}
}

// One judge is compared with nobody, and nothing is said of letters.
func TestRankingOfOne(t *testing.T) {
	s := threeJudges()
	s.Judges, s.Conditions = s.Judges[:1], s.Conditions[:1]
	s.Conditions[0].Cells, s.Conditions[0].Rankings[0].Runs = s.Conditions[0].Cells[:1], s.Conditions[0].Rankings[0].Runs[:1]
	if text := string(printed(t, s, report.FullText)); strings.Contains(text, "share a letter") {
		t.Errorf("%s", text)
	}
}
