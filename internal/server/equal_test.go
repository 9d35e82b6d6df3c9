package server

import (
	"bytes"
	"encoding/csv"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// TestOneNumberOneLabel: every metric of a run has the same value and the same label in the tables of score, in
// Markdown, CSV, the API, on the page of the run, in its report file, in a comparison, in the results of a suite and on
// the leaderboard.
func TestOneNumberOneLabel(t *testing.T) {
	for protocol, setup := range map[string]runSetup{
		"pairwise":     {sim: "accuracy=0.8,first=0.3,seed=1"},
		"reversed":     {protocol: "reversed", sim: "accuracy=0.8,first=0.3,seed=1"},
		"multi-option": {protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.8,first=0.3,seed=1"},
	} {
		t.Run(protocol, func(t *testing.T) {
			dir := t.TempDir()
			makeRun(t, dir+"/a", setup)
			setup.sim = "accuracy=0.6,seed=2"
			makeRun(t, dir+"/b", setup)
			s := newSite(t, dir, nil)
			var v runView
			s.data("/api/v1/runs/a", &v)
			loaded, err := s.load("a", "b")
			must(t, err)
			compared, err := scoring.Compare(loaded, scoring.DefaultOptions.Bootstrap)
			must(t, err)
			suite := &scoring.SuiteMatrix{Judges: []string{"a", "b"}, Conditions: []scoring.SuiteCondition{{Name: "c", Protocol: protocol}},
				Cells: []scoring.SuiteCell{{Judge: "a", Condition: "c", Run: "a"}, {Judge: "b", Condition: "c", Run: "b"}}}
			ranking, err := report.NewRanking(suite, "", s.loadEnded)
			must(t, err)
			scores := report.Scores{Runs: []scoring.Report{*v.Report}}
			texts := map[string]string{
				"score --full": printed(t, scores, report.FullText),
				"Markdown":     printed(t, scores, report.Markdown),
				"page":         textOf(byID(t, s.get("/runs/a"), "every")),
				"report":       textOf(byID(t, s.get("/runs/a/report.html"), "every")),
			}
			rows, err := csv.NewReader(strings.NewReader(printed(t, scores, report.CSV))).ReadAll()
			must(t, err)
			n := 0
			for _, x := range v.Report.Results {
				if x.Group != scoring.Overall || x.Value == nil {
					continue
				}
				n++
				metric, ok := scoring.MetricOf(protocol, x.Metric)
				if !ok {
					t.Errorf("%s has no label", x.Metric)
				}
				for surface, text := range texts {
					gap := `[^\n]{0,120}?`
					if surface == "page" || surface == "report" {
						gap = `.{0,20}?`
					}
					if !regexp.MustCompile("(?m)" + regexp.QuoteMeta(metric.Label) + gap + regexp.QuoteMeta(table.ResultValue(x))).MatchString(text) {
						t.Errorf("%s: no %q with %s in\n%s", surface, metric.Label, table.ResultValue(x), text)
					}
				}
				for _, row := range rows[1:] {
					if row[5] == x.Metric && row[6] == x.Group {
						if got, err := strconv.ParseFloat(row[7], 64); err != nil || math.Abs(got-*x.Value) > 1e-4 {
							t.Errorf("CSV: %s is %s, want %v", x.Metric, row[7], *x.Value)
						}
					}
				}
			}
			if n < 8 {
				t.Errorf("only %d metrics", n)
			}
			head := report.Headline(v.Report)
			label := doc.MetricName(protocol, head.Metric)
			for surface, text := range map[string]string{
				"compare":       printed(t, report.Comparison{Comparisons: compared}, report.FullText),
				"suite results": printed(t, *ranking, report.FullText),
				"leaderboard":   textOf(byID(t, s.get("/"), "judges")),
			} {
				value := table.ResultValue(*head)
				if surface == "leaderboard" {
					value = table.Rounded(head.Value, *head)
				}
				if !strings.Contains(strings.ToLower(text), label) || !strings.Contains(text, value) {
					t.Errorf("%s: no %q with %s in\n%s", surface, label, value, text)
				}
			}
		})
	}
}

// printed is a result in a format.
func printed(t *testing.T, result any, format string) string {
	t.Helper()
	var b bytes.Buffer
	must(t, report.Print(&b, result, format, 0))
	return b.String()
}
