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

// Three judges are under two conditions: one has not begun the second, one is half through, and one has nothing to score.
func TestRanking(t *testing.T) {
	s := stored[report.SuiteRanking]("standings")
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
	var back report.SuiteRanking
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || !reflect.DeepEqual(back.Conditions[0].Runs, s.Conditions[0].Runs) || back.Conditions[0].Rankings[0].Runs[1].Letters != "ab" {
		t.Errorf("there and back: %v", err)
	}
}

// Where a judge was asked more than once, its noise floors and its self-agreement stand beneath its headlines.
func TestRankingAskedAgain(t *testing.T) {
	s := stored[report.SuiteRanking]("standings")
	first := &s.Conditions[0].Rankings[0].Runs[0]
	first.NoiseFloor = of(2.5)
	first.SelfAgreement = &scoring.Result{Metric: "self-agreement", Group: scoring.Overall, Value: of(90), Low: of(80), High: of(95), N: 76}
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
	s := stored[report.SuiteRanking]("standings")
	s.Judges, s.Conditions = s.Judges[:1], s.Conditions[:1]
	s.Conditions[0].Runs, s.Conditions[0].Rankings[0].Runs = s.Conditions[0].Runs[:1], s.Conditions[0].Rankings[0].Runs[:1]
	if text := string(printed(t, s, report.FullText)); strings.Contains(text, "share a letter") {
		t.Errorf("%s", text)
	}
}
