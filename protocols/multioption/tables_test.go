package multioption

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/scoring"
)

// optionResults returns the results of a run from the given scores, as fractions.
func optionResults(group string, n int, values map[string]float64) []scoring.Result {
	var rows []scoring.Result
	for metric, v := range values {
		r := scoring.Result{Metric: metric, Group: group, N: n, MissingRule: "usable", Value: new(v), Low: new(v - 0.1), High: new(v + 0.1)}
		switch head, _, _ := strings.Cut(metric, "-"); head {
		case "grade", "llm", "choice":
			r.Unit = scoring.UnitScore
		}
		if strings.HasSuffix(metric, "-random") && !strings.HasSuffix(metric, "-over-random") || strings.HasSuffix(metric, "-first") {
			r.Low, r.High = nil, nil
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b scoring.Result) int { return strings.Compare(a.Metric, b.Metric) })
	return rows
}

func positionResults(group string, chi2, p *float64, note string, values ...float64) []scoring.Result {
	var rows []scoring.Result
	for i, v := range values {
		rows = append(rows, scoring.Result{Metric: fmt.Sprint(PositionMetricPrefix, i+1), Group: group, N: 30, Value: new(v)})
	}
	return append(rows,
		scoring.Result{Metric: positionsChiSquare, Group: group, Unit: scoring.UnitStatistic, Value: chi2, N: 30, Note: note},
		scoring.Result{Metric: positionsP, Group: group, Unit: scoring.UnitStatistic, Value: p, N: 30, Note: note})
}

func printed(t *testing.T, runs ...scoring.Report) []byte {
	var b bytes.Buffer
	if err := (report.Scores{Runs: runs}).Document().Text(&b, 0, true); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// optionsRun returns a run with items of two and three options besides an unrelated one, and judgments without a
// verdict.
func optionsRun() scoring.Report {
	scores := map[string]float64{
		"grade": 0.75, "llm": 0.8, "choice": 0.7, "grade-random": 0.55, "llm-random": 0.6, "choice-random": 0.65, "grade-first": 0, "llm-first": 0, "choice-first": 0.4,
		"grade-over-random": 0.4444, "llm-over-random": 0.5, "choice-over-random": 0.1429, "grade-usable": 0.75, "grade-strict": 0.71,
		"right-every-order": 24, "accuracy": 60, "accuracy-random": 40, "accuracy-mode": 62.5, "same-choice": 30, "unrelated": 2.5,
	}
	r := scoring.Report{
		Run: "runs/options", Protocol: "multi-option", Goal: "best", RunSetup: scoring.RunSetup{Prompt: "3", Settings: "orders all", Model: "qwen3:8b", Dataset: "oasst1"}, Items: 20, Expected: 21,
		Outcomes: map[string]int{"decided": 60, "no-verdict": 10}, ScoringMethod: scoring.ScoringMethod{Missing: scoring.MissingUsable, LabelPolicy: "unique", Bootstrap: scoring.BootstrapInfo{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "item"}}, Warnings: []string{"10 of 70 judgments have no verdict"},
	}
	r.Results = optionResults(scoring.Overall, 20, scores)
	for i := range r.Results {
		if r.Results[i].Metric == "grade-random" {
			r.Results[i].Note = "exact: all outcomes counted"
		}
	}
	r.Results = append(append(r.Results, optionResults("2 options", 12, scores)...), optionResults("3 options", 8, scores)...)
	r.Results = append(r.Results, positionResults("2 options", new(6.25), new(0.0439), "2 degrees of freedom", 50, 30, 20)...)
	r.Results = append(r.Results, positionResults("3 options", new(0.5), new(0.92), "3 degrees of freedom; fewer than 5 judgments a position: p is rough", 25, 20, 30, 25)...)
	return r
}

func TestMultiOptionTables(t *testing.T) {
	strict := optionsRun()
	strict.Missing, strict.Goal = scoring.MissingStrict, "worst"
	golden.AssertBytes(t, printed(t, strict, optionsRun()), "tables.txt")
}

// A run without any result, such as one that was never answered, still prints.
func TestMultiOptionTablesOfNothing(t *testing.T) {
	empty := scoring.Report{Protocol: "multi-option", Goal: "best", Outcomes: map[string]int{}}
	text := string(printed(t, empty))
	if !strings.Contains(text, "Every number") || strings.Contains(text, "By number of options") {
		t.Errorf("%s", text)
	}
}

func TestTogetherInAComparison(t *testing.T) {
	cmp := &scoring.Comparison{Unit: "item", N: 20, ComparisonExtras: scoring.ComparisonExtras{BestWorstChoices: []scoring.Result{
		{Metric: bestAndWorstDiffer, N: 20, Value: new(95.0), Low: new(80.0), High: new(100.0)},
		{Metric: bestAndWorstContradict, Note: "undefined: nothing in common"},
		{Metric: bestAndWorstByChance, N: 60, Value: new(33.3333)},
	}}}
	text := strings.Join(goalNotes(cmp), "\n")
	for _, want := range []string{
		"called best and the one most often called worst are two: 95.0 [80.0, 100.0] % (n=20)",
		"one option is called both best and worst: undefined: nothing in common",
		"would call one option both: 33.3 % (n=60)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
