package scoring_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
	"gavel/scoring"
)

// A second computation of every score, from the definitions and nothing of
// gavel's: decisions are strings in the places shown, as JudgeBench stores them.

// judgmentPair is a pair's label, its source, and the decisions of its two judgments; ""
// where a judgment came to none.
type judgmentPair struct {
	source, label string
	decision      [2]string
}

// turned is a decision of the swapped judgment, back in the order of the labels.
func turned(d string) string {
	switch d {
	case "A>B":
		return "B>A"
	case "B>A":
		return "A>B"
	}
	return d
}

// plainScores are value in percent and n by metric.
func plainScores(pairs []judgmentPair) (value map[string]float64, n map[string]int) {
	count := map[string]float64{}
	n = map[string]int{}
	said := ""
	for _, p := range pairs {
		said += p.decision[0] + p.decision[1]
		one, two := p.decision[0], turned(p.decision[1])
		sum := 0
		for _, d := range []string{one, two} {
			if d == p.label {
				sum++
			} else if d == turned(p.label) {
				sum--
			}
		}
		for _, m := range []string{"strict", "counter", "first-order", "second-order", "half-tie"} {
			n[m]++
		}
		if one == p.label && two == p.label {
			count["strict"]++
		}
		if sum > 0 {
			count["counter"]++
			count["half-tie"]++
		}
		if sum == 0 {
			count["half-tie"] += 0.5
		}
		if one == p.label {
			count["first-order"]++
		}
		if two == p.label {
			count["second-order"]++
		}
		isDecided := func(d string) bool { return d == "A>B" || d == "B>A" }
		if isDecided(one) && isDecided(two) {
			n["drop"]++
			n["consistency"]++
			if one == p.label && two == p.label {
				count["drop"]++
			}
			if one == two {
				count["consistency"]++
			}
		}
		for _, d := range p.decision { // as said: A is what was shown first
			if isDecided(d) {
				n["first-position"]++
			}
			if d == "A>B" {
				count["first-position"]++
			}
		}
	}
	if said == "" { // no verdict is half right
		delete(n, "half-tie")
	}
	value = map[string]float64{}
	for m := range n {
		value[m] = 100 * count[m] / float64(n[m])
	}
	return value, n
}

func category(source string) string {
	switch {
	case strings.HasPrefix(source, "mmlu-pro"):
		return "Knowledge"
	case strings.HasPrefix(source, "livebench-reasoning"):
		return "Reasoning"
	case strings.HasPrefix(source, "livebench-math"):
		return "Math"
	case strings.HasPrefix(source, "livecodebench"):
		return "Coding"
	}
	return source
}

// sameScores holds a report against the second computation, overall and by
// category.
func sameScores(t *testing.T, rep scoring.Report, pairs []judgmentPair) {
	t.Helper()
	groups := map[string][]judgmentPair{scoring.Overall: pairs}
	for _, p := range pairs {
		groups[category(p.source)] = append(groups[category(p.source)], p)
	}
	if len(groups) == 2 {
		groups = map[string][]judgmentPair{scoring.Overall: pairs}
	}
	for group, in := range groups {
		value, n := plainScores(in)
		if rep.Goal == judging.GoalWorse { // A>B says that the answer, the worse, is the second
			value["first-position"] = 100 - value["first-position"]
		}
		for _, metric := range publishedMetrics {
			r := find(t, rep, metric, group)
			switch {
			case n[metric] == 0 && r.Value == nil:
			case n[metric] != r.N || r.Value == nil || math.Abs(*r.Value-value[metric]) > 0.00005001:
				t.Errorf("%s of %s: %s, computed otherwise %v of %d", metric, group, show(r), value[metric], n[metric])
			}
		}
	}
}

const outputs = "../../shared/data/judgebench/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name="

// JudgeBench's published judges: what the files' decisions come to is what
// gavel makes of the replies.
func TestPublishedJudges(t *testing.T) {
	for _, c := range []struct {
		name, path      string
		strict, counter float64
		strictByGroup   map[string]float64
	}{
		{"o1-mini", outputs + "arena_hard,judge_model=o1-mini-2024-09-12.jsonl", 58.00, 65.71, nil},
		{"Skywork-Reward-Llama-3.1-8B", outputs + "reward_model,judge_model=Skywork_Skywork-Reward-Llama-3.1-8B.jsonl", math.NaN(), math.NaN(), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			pairs := outputFile(t, c.path)
			dir := filepath.Join(t.TempDir(), "run")
			if _, err := pairwise.ImportJudgeBench(imports.Input{Files: []string{c.path}, Out: dir, Gavel: "test"}); err != nil {
				t.Fatal(err)
			}
			run := load(t, dir, judging.ReadingOptions{})
			rep := run.Score(quick)
			if run.Items != 350 || run.RereadDifferences != 0 {
				t.Errorf("%d pairs, %d read otherwise than stored", run.Items, run.RereadDifferences)
			}
			sameScores(t, rep, pairs)
			for metric, want := range map[string]float64{"strict": c.strict, "counter": c.counter} {
				if r := find(t, rep, metric, scoring.Overall); !math.IsNaN(want) && fmt.Sprintf("%.2f", *r.Value) != fmt.Sprintf("%.2f", want) {
					t.Errorf("%s is %v, want %.2f", metric, *r.Value, want)
				}
			}
		})
	}
}

// outputFile reads labels and decisions of a JudgeBench output file.
func outputFile(t *testing.T, path string) []judgmentPair {
	t.Helper()
	f, err := os.Open(judgingtest.SkipWithoutFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var pairs []judgmentPair
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 {
			return pairs
		}
		var row struct {
			Source, Label string
			Judgments     []*struct{ Decision *string }
		}
		if jerr := json.Unmarshal(line, &row); jerr != nil {
			t.Fatal(jerr, err)
		}
		p := judgmentPair{source: row.Source, label: row.Label}
		for i, g := range row.Judgments {
			if g != nil && g.Decision != nil {
				p.decision[i] = *g.Decision
			}
		}
		pairs = append(pairs, p)
	}
}

// decisions reads a run's records the same plain way: by the one label that a
// simulated judge gives.
func decisions(t *testing.T, dir string, labels map[string]string) []judgmentPair {
	t.Helper()
	byItem := map[string]*judgmentPair{}
	err := judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
		if byItem[r.Item] == nil {
			byItem[r.Item] = &judgmentPair{source: r.Source, label: labels[r.Item]}
		}
		for _, label := range []string{"A>B", "B>A", "A=B"} {
			if strings.Contains(r.Text(), "[["+label+"]]") {
				byItem[r.Item].decision[r.Presentation] = label
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var pairs []judgmentPair
	for _, p := range byItem {
		pairs = append(pairs, *p)
	}
	return pairs
}
