package scoring_test

import (
	"fmt"
	"slices"
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
				"20 by content: the same choice in every order · correct on 100 % [84, 100] of 20", "3 options 60 judgments",
				"of 20 items; by chance 33 %", "how often a correct option stood there",
			},
			not: []string{"whose choice changes", "By number of options", "NaN", "an even share"},
		},
		{
			name: "the place alone",
			rep:  score(nil, placed(20, "01", 1, 1, 1), placed(20, "01", 1, 1)),
			has: []string{
				"it chooses the first position in all", "By number of options", "2 options 40 judgments", "40 same place in every order",
			},
			not: []string{"by content", "NaN"},
		},
		{
			name: "nobody knows the right option",
			rep:  score(nil, placed(20, "", 2, 3, 1), placed(20, "", 1, 1)),
			has: []string{
				"20 by content: the same choice in every order", "an even share", "consistency, percent",
			},
			not: []string{"· right on", "stood there", "by chance 33", "NaN"},
		},
		{
			name: "three items, and verdicts are missing",
			rep:  score(nil, placed(1, "01", 2, 3, 1), placed(1, "01", 0, 0, 0), placed(1, "01", 1, 0, 2)),
			has:  []string{"3 options 5 judgments", "2 whose choice is not the same in every order"},
			not:  []string{"NaN", "One order is enough", "Keep only"},
		},
		{
			name: "the worst is asked for",
			rep:  score(judging.Settings{"goal": "worst"}, placed(3, "01", 2, 3, 1)),
			has:  []string{"The judge was asked which option is worst", "an even share"},
			not:  []string{"NaN"},
		},
		{
			name: "no verdicts",
			rep:  score(nil, placed(20, "01", 0, 0, 0)),
			has:  []string{"No judgment of 60 has a verdict"},
			not:  []string{"NaN", "Which position it chooses", "by content"},
		},
	} {
		t.Run(c.name, c.run)
	}
}

// bothGoals are the results of a judge that was asked both, of which the second is asked for the worse.
func bothGoals(t *testing.T, better, worse []twoJudgments) (codes [2][]string) {
	runs := []*scoring.Run{pairsOf(t, "pairwise", "better", better), pairsOf(t, "reversed", "worse", worse)}
	all, err := scoring.Compare(runs, quick)
	if err != nil {
		t.Fatal(err)
	}
	reports := []scoring.Report{runs[0].Score(quick), runs[1].Score(quick)}
	for i := range codes {
		p := &report.RunPage{Run: report.Run{Report: reports[i]}}
		p.Opposite = &report.OppositeGoalRun{Report: &reports[1-i], Run: "twin", Comparison: all.Comparisons[0]}
		for _, b := range p.Blocks() {
			if b.ID == "goals" && b.Table.Rows[i].Look != "level-"+string(p.Level()) {
				t.Errorf("a judge of level %q is drawn as %q", p.Level(), b.Table.Rows[i].Look)
			}
			for _, n := range b.Notes {
				codes[i] = append(codes[i], n.Code+fmt.Sprint(n.Args...))
			}
		}
	}
	return codes
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
		{name: "it helps", better: half, worse: alikePairs(0, 60, "A", "A"), want: "goals.helps50.0 [35.2, 61.6]60 pairs"},
		{name: "it harms", better: alikePairs(0, 60, "A", "A"), worse: half, want: "goals.harms−50.0 [−61.6, −35.2]60 pairs"},
		{name: "alike", better: half, worse: half, want: "goals.no-difference0.0 [−4.5, 4.5]60 pairs"},
		{
			name: "three pairs", better: alikePairs(0, 3, "A", "A"), worse: alikePairs(0, 3, "B", "B"),
			want: "goals.no-difference−100.0 [−100.0, 10.1]3 pairs",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, codes := range bothGoals(t, c.better, c.worse) {
				if !slices.Contains(codes, c.want) {
					t.Errorf("no %q in %q", c.want, codes)
				}
				if said := slices.Contains(codes, "pairs.worse-asked"); said != (i == 1) {
					t.Errorf("page %d says %v that the worse was asked for", i, said)
				}
			}
		})
	}
}
