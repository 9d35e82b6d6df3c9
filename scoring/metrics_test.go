package scoring_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/internal/codec"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// eight pairs, A shown first in the first judgment and B in the second.
//
//	                first judgment   second judgment   points   right in
//	p1 Math    A    A            A             +1 +1    both
//	p2 Math    B    B            B             +1 +1    both
//	p3 Math    A    A            B             +1 −1    the first
//	p4 Coding  B    A            A             −1 −1    none
//	p5 Coding  A    A            tie           +1  0    the first
//	p6 Coding  B    no verdict   B              0 +1    the second
//	p7 Coding  A    cut          failed         0  0    none
//	p8 Coding  A    B            conflict      −1  0    none
func eightPairs() []twoJudgments {
	return []twoJudgments{
		unit("p1", "Math", "A", "A", "A"),
		unit("p2", "Math", "B", "B", "B"),
		unit("p3", "Math", "A", "A", "B"),
		unit("p4", "Coding", "B", "A", "A"),
		unit("p5", "Coding", "A", "A", "tie"),
		unit("p6", "Coding", "B", "no-verdict", "B"),
		unit("p7", "Coding", "A", "cut", "failed"),
		unit("p8", "Coding", "A", "B", "conflict"),
	}
}

func TestGroups(t *testing.T) {
	for _, c := range []struct {
		name   string
		groups []string
		want   []string
	}{
		{"one", []string{"Math", "Math"}, []string{"overall"}},
		{"JudgeBench's, as in its paper", []string{"Coding", "Math", "Reasoning", "Knowledge", "Math"}, []string{"overall", "Knowledge", "Reasoning", "Math", "Coding"}},
		{"others by name, after those", []string{"zebra", "Math", "apple"}, []string{"overall", "Math", "apple", "zebra"}},
		{"none", nil, []string{"overall"}},
	} {
		var units []twoJudgments
		for i, g := range c.groups {
			units = append(units, unit(string(rune('a'+i)), g, "A", "A", "A"))
		}
		var inResults []string
		for _, r := range runOf(units...).Score(quick).Results {
			if r.Metric == "strict" {
				inResults = append(inResults, r.Group)
			}
		}
		if !slices.Equal(inResults, c.want) {
			t.Errorf("%s: results are of %q, want %q", c.name, inResults, c.want)
		}
	}
}

// publishedMetrics are those of pairs that have a second computation, in the order of tables.
var publishedMetrics = []string{
	"strict", "counter", "first-order", "second-order", "half-tie", "drop", "consistency", "first-position",
}

// A row of results for every metric, in the order of the protocol's; among them those that are published.
func TestResultsNameTheMetrics(t *testing.T) {
	var names []string
	table := scoring.MetricsOf("pairwise")
	for i, r := range runOf(eightPairs()...).Score(quick).Results[:10] {
		if r.Metric != table[i].Metric {
			t.Errorf("row %d is of %s, want %s", i, r.Metric, table[i].Metric)
		}
		if slices.Contains(publishedMetrics, r.Metric) {
			names = append(names, r.Metric)
		}
	}
	if !slices.Equal(names, publishedMetrics) {
		t.Errorf("%q, want %q", names, publishedMetrics)
	}
}

// The tables of metrics can be read. They have every number of a sheet once, under a label of its own (one for all
// modes), and say as the sheet does whether items are right or wrong by it. Whoever adds a metric is asked for them
// here.
func TestTableOfMetrics(t *testing.T) {
	common, err := os.ReadFile("metrics.yaml")
	if _, wrong := scoring.ReadTerms(string(common)); err != nil || wrong != nil {
		t.Error(err, wrong)
	}
	for _, p := range protocols.All {
		if _, err := scoring.ReadTerms(p.MetricsYAML); err != nil {
			t.Errorf("metrics.yaml of %s: %v", p.Name, err)
		}
		scorer := p.Scorer(new(judging.Manifest))
		list := scorer.Sheet(scoring.MissingWrong, 0).Metrics
		var perItem []string
		headline := false
		labels := map[string]string{}
		for _, m := range list {
			term, known := scoring.MetricOf(p.Name, m.Name)
			if other := labels[term.Label]; !known || term.Plain == "" || term.Label == "" || other != "" && other != m.Name {
				t.Errorf("%s: %s is not defined, or has the label %q of %q", p.Name, m.Name, term.Label, other)
			}
			labels[term.Label] = m.Name
			if m.ValueFromUnits == nil && m.Kind == scoring.KindShare && m.Mode == "" && m.Value == nil && m.ValueFromShare == nil {
				headline = headline || m.Headline
				perItem = append(perItem, m.Name)
			}
		}
		if !headline {
			perItem = nil
		}
		_, itemwise := scorer.(scoring.ItemwiseScorer)
		if got := scoring.ItemwiseMetrics(p.Name); !slices.Equal(got, perItem) || itemwise != (perItem != nil) {
			t.Errorf("%s: a run can end early by %v (%t), want %v", p.Name, got, itemwise, perItem)
		}
	}
	for _, tc := range []struct{ protocol, key, label, short string }{
		{protocol: "pairwise", key: "strict", label: "correct in both orders", short: "both orders"},
		{protocol: "reversed", key: "coverage", label: "coverage", short: "coverage"},
		{protocol: "multi-option", key: "place-3", label: "chooses position 3", short: "position 3"},
		{protocol: "multi-option", key: "llm-random", label: "LLM score, of a random judge", short: "random"},
		{protocol: "self-reference", key: "j-minus-correct-f1", label: "own answer wrong, the agent's: correct f1",
			short: "J− correct f1"},
		{protocol: "answer", key: "ece", label: "expected calibration error", short: "ECE"},
		{protocol: "none", key: "marks", label: "marks", short: "marks"},
	} {
		if got, _ := scoring.MetricOf(tc.protocol, tc.key); got.Label != tc.label || got.Short != tc.short {
			t.Errorf("%s of %s is %q, %q", tc.key, tc.protocol, got.Label, got.Short)
		}
	}
}

func TestIntervals(t *testing.T) {
	var units []twoJudgments
	for i := range 100 {
		judgment := "A"
		if i%4 == 0 {
			judgment = "B"
		}
		units = append(units, unit(string(rune('a'+i)), "Math", "A", judgment, judgment))
	}
	rep := runOf(units...).Score(stats.DefaultBootstrap)
	strict := find(t, rep, "strict", scoring.Overall) // 75 of 100: 75 ± 1.96 · 4.33
	if *strict.Value != 75 || math.Abs(*strict.Low-66.5) > 1.01 || math.Abs(*strict.High-83.5) > 1.01 || strict.Note != "" {
		t.Errorf("strict %s, want about [66.5, 83.5]", show(strict))
	}
	// Consistency is 100 of 100: of what is as unlikely, nothing lies at the other end until p is 0.9644.
	alike := find(t, rep, "consistency", scoring.Overall)
	if *alike.Low != 96.4394 || *alike.High != 100 || alike.IntervalMethod != scoring.IntervalByBlaker {
		t.Errorf("consistency %s, want [96.4394, 100]", show(alike))
	}
	// Two judgments of a pair are one unit: 20 judgments all for the first are 10 of 10
	// pairs: with p = 11/12, q = 1/12, d = 10/12 it is ½ + ½(d − 1.96·√((1 − d²)/12)).
	var firsts []twoJudgments
	for i := range 10 {
		firsts = append(firsts, unit(string(rune('a'+i)), "Math", "A", "A", "B"))
	}
	judgments := find(t, runOf(firsts...).Score(stats.DefaultBootstrap), "first-position", scoring.Overall)
	if *judgments.Value != 100 || *judgments.Low != 76.029 || *judgments.High != 100 || judgments.N != 20 {
		t.Errorf("first-position %s, want [76.029, 100]", show(judgments))
	}
	if rep.Bootstrap != (scoring.BootstrapInfo{Rounds: 10000, Level: 0.95, Seed: 1, Unit: "pair"}) {
		t.Errorf("bootstrap %+v", rep.Bootstrap)
	}
	for _, r := range rep.Results {
		if r.Low != nil && (*r.Low > *r.Value || *r.High < *r.Value || *r.Low < 0 || *r.High > 100) {
			t.Errorf("%s is not within its interval", show(r))
		}
	}
	again, err := json.Marshal(runOf(units...).Score(stats.DefaultBootstrap))
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := json.Marshal(rep); !bytes.Equal(first, again) {
		t.Error("the same pairs gave other bytes")
	}
}

func TestReportJSON(t *testing.T) {
	units := append(eightPairs(), unit("p9", "prompts", "A", "prompt-too-long", "refused"))
	run := runOf(units...)
	run.Manifest.ID, run.Manifest.Simulated, run.Manifest.Spec.Dataset.Items, run.Manifest.Dataset.Skipped = "0123", true, 10, 1
	rep := run.Score(stats.DefaultBootstrap)
	rep.Run = "runs/one"
	var b bytes.Buffer
	if err := codec.WriteIndented(&b, report.Scores{Runs: []scoring.Report{rep}}); err != nil {
		t.Fatal(err)
	}
	golden.AssertBytes(t, b.Bytes(), "report.json")
}

// All eight outcomes are in every report, those that did not occur too.
func TestEveryOutcomeIsCounted(t *testing.T) {
	rep := runOf(unit("p1", "Math", "A", "A", "tie")).Score(quick)
	if len(rep.Outcomes) != 8 || rep.Outcomes["decided"] != 1 || rep.Outcomes["tie"] != 1 {
		t.Errorf("%v", rep.Outcomes)
	}
	for _, o := range judging.Outcomes {
		if _, ok := rep.Outcomes[string(o)]; !ok {
			t.Errorf("no count of %s", o)
		}
	}
}
