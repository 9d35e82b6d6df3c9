package scoring_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// placed are so many items whose judge names these places, of which the first option is the right one.
func placed(n int, gold string, places ...int) (all []optionItem) {
	for i := range n {
		all = append(all, optionItem{id: fmt.Sprint(gold, places, i), places: places, gold: gold})
	}
	return all
}

// What the page of a choice among several options says where there is little to say.
func TestPagesOfSeveralOptions(t *testing.T) {
	score := func(options judging.Settings, groups ...[]optionItem) scoring.Report {
		return optionRun(t, options, slices.Concat(groups...)...).Score(quick)
	}
	for _, c := range []pageCase{
		{
			name: "all right",
			rep:  score(nil, placed(20, "01", 2, 3, 1)),
			has: []string{
				"20 by content: the same choice in every order · right on 20 of 20", "3 options 60 judgments",
				"of 20 items; a random judge has 33 %", "how often a right option stood there",
			},
			not: []string{"whose choice changes", "By number of options", "NaN", "an even share"},
		},
		{
			name: "the place alone",
			rep:  score(nil, placed(20, "01", 1, 1, 1), placed(20, "01", 1, 1)),
			has: []string{
				"Always chooses the first position", "By number of options", "2 options 40 judgments", "40 same place in every order",
			},
			not: []string{"by content", "NaN"},
		},
		{
			name: "nobody knows the right option",
			rep:  score(nil, placed(20, "", 2, 3, 1), placed(20, "", 1, 1)),
			has: []string{
				"20 by content: the same choice in every order", "an even share", "items with the same choice in every order, percent",
			},
			not: []string{"right on", "stood there", "a random judge has 33", "NaN"},
		},
		{
			name: "three items, and verdicts are missing",
			rep:  score(nil, placed(1, "01", 2, 3, 1), placed(1, "01", 0, 0, 0), placed(1, "01", 1, 0, 2)),
			has:  []string{"3 options 5 judgments", "2 whose choice changes with the order, or lacks a verdict"},
			not:  []string{"NaN", "One order is enough", "Keep only"},
		},
		{
			name: "the worst is asked for",
			rep:  score(judging.Settings{"goal": "worst"}, placed(3, "01", 2, 3, 1)),
			has:  []string{"It was asked which option is the worst", "an even share"},
			not:  []string{"NaN"},
		},
		{
			name: "no verdicts",
			rep:  score(nil, placed(20, "01", 0, 0, 0)),
			has:  []string{"No judgment of 60 has a verdict"},
			not:  []string{"NaN", "Which place it chooses", "by content"},
		},
	} {
		t.Run(c.name, c.run)
	}
}

// bothGoals are the pages of a judge that was asked both, of which the second is asked for the worse.
func bothGoals(t *testing.T, better, worse []twoJudgments) (pages [2]string) {
	runs := []*scoring.Run{pairsOf(t, "pairwise", "better", better), pairsOf(t, "reversed", "worse", worse)}
	all, err := scoring.Compare(runs, quick)
	if err != nil {
		t.Fatal(err)
	}
	reports := []scoring.Report{runs[0].Score(quick), runs[1].Score(quick)}
	for i := range pages {
		p := &report.RunPage{Run: report.Run{Report: reports[i]}}
		p.Twin = &report.Twin{Report: &reports[1-i], Link: "/runs/twin", Comparison: all.Comparisons[0]}
		pages[i] = strings.Join(strings.Fields(tags.ReplaceAllString(string(p.Body()), " ")), " ")
	}
	return pages
}

// pairsOf is a run of pairs with a goal. What its judgments name is their choice, whatever was asked for.
func pairsOf(t *testing.T, protocol, goal string, pairs []twoJudgments) *scoring.Run {
	t.Helper()
	m := pairsManifest(len(pairs))
	m.Spec.Protocol = protocol
	m.Spec.Goal = goal
	var records []*judging.Record
	for _, u := range pairs {
		records = append(records, u.records()...)
	}
	return gather(t, m, records)
}

// alikePairs are so many pairs that come to the same.
func alikePairs(from, n int, judgments ...string) (all []twoJudgments) {
	for i := range n {
		all = append(all, unit(fmt.Sprint("p", from+i), "", "A", judgments...))
	}
	return all
}

// Both goals stand beside each other, with what the reversed one changes.
func TestPagesOfBothGoals(t *testing.T) {
	half := slices.Concat(alikePairs(0, 30, "A", "A"), alikePairs(30, 30, "B", "B"))
	for _, c := range []struct {
		name          string
		better, worse []twoJudgments
		want          string
	}{
		{name: "it helps", better: half, worse: alikePairs(0, 60, "A", "A"), want: "asked for the worse, it helps, on the 60 pairs"},
		{name: "it harms", better: alikePairs(0, 60, "A", "A"), worse: half, want: "asked for the worse, it harms, on the 60 pairs"},
		{name: "alike", better: half, worse: half, want: "asked for the worse, no difference beyond noise, on the 60 pairs"},
		{
			name: "three pairs", better: alikePairs(0, 3, "A", "A"), worse: alikePairs(0, 3, "B", "B"),
			want: "asked for the worse, no difference beyond noise, on the 3 pairs",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			pages := bothGoals(t, c.better, c.worse)
			for i, page := range pages {
				if !strings.Contains(page, c.want) || strings.Contains(page, "NaN") {
					t.Errorf("no %q in\n%s", c.want, page)
				}
				if said := strings.Contains(page, "It was asked which response is the worse."); said != (i == 1) {
					t.Errorf("page %d says %v that the worse was asked for", i, said)
				}
			}
			if !strings.Contains(pages[1], "the run that was asked which is better") {
				t.Error("no way to the other run")
			}
		})
	}
}
