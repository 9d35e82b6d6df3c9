package server

import (
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// TestSaysOfAnItem: the first line of an item in several runs says which judges are correct.
func TestSaysOfAnItem(t *testing.T) {
	right, wrong, open := []string{"right"}, []string{"wrong"}, []string{"missing"}
	sure, first := []string{"wrong", "confident"}, []string{"wrong", "inconsistent", "first"}
	for _, c := range []struct {
		flags            [][]string
		sentence, remark string
	}{
		{flags: [][]string{right, right}, sentence: "Correct: 2 of 2 judges."},
		{flags: [][]string{right, wrong}, sentence: "Correct: 1 of 2 judges: A."},
		{flags: [][]string{wrong, first}, sentence: "Correct: 0 of 2 judges.", remark: "Preferred what was shown first, in every order: B."},
		{flags: [][]string{open, open}, sentence: "No judge can be scored: there is no label, or not every judgment."},
		{flags: [][]string{right, open}, sentence: "Correct: 1 of 1 judges that can be scored."},
		{flags: [][]string{sure, sure, sure}, sentence: "Correct: 0 of 3 judges.", remark: "Each is wrong every time: the label may be wrong."},
		{flags: [][]string{right, right, right}, sentence: "Correct: 3 of 3 judges."},
		{flags: [][]string{right, wrong, wrong, wrong, wrong}, sentence: "Correct: 1 of 5 judges: A."},
		{flags: [][]string{right, right, right, right, first, first}, sentence: "Correct: 4 of 6 judges: A, B, C and D.", remark: "Preferred what was shown first, in every order: E and F."},
	} {
		var v compareItemView
		for i, flags := range c.flags {
			v.Sides = append(v.Sides, ItemView{JudgeName: string('A' + rune(i)), Flags: flags})
		}
		assert.Equal(t, v.Says(), c.sentence)
		assert.Equal(t, v.Also(), c.remark)
		for i := range v.Sides {
			v.Sides[i].Run.Simulated = true
		}
		if got := v.Also(); c.flags[0][0] == "wrong" && len(c.flags[0]) == 2 && got != "" {
			t.Errorf("what simulated judges get wrong says of the label: %s", got)
		}
	}
}

// TestSaysOfAPlan: the first line of a plan gives the cost of the run.
func TestSaysOfAPlan(t *testing.T) {
	stage := func(calls int, seconds *float64, time string) jobs.PlannedStage {
		return jobs.PlannedStage{Numbers: map[string]int{"calls": calls}, Seconds: seconds, Time: time}
	}
	for says, stages := range map[string][]jobs.PlannedStage{
		"Nothing is left to ask.":                        {stage(0, new(0.0), "none: no server is asked")},
		"This takes 1 call, about 2 s.":                  {stage(1, new(2.0), "about 2 s, by earlier runs")},
		"This takes 7 calls. How long is not known yet.": {stage(7, nil, "unknown")},
		"This takes 7 calls, and no server is asked.":    {stage(7, new(0.0), "none: no server is asked")},
		"This takes 9 calls in 2 runs.":                  {stage(7, nil, ""), stage(2, nil, "")},
	} {
		assert.Equal(t, startView{Plan: &jobs.Planned{Stages: stages}}.Says(), says)
	}
}

// TestTheFirstLeaderboardStaysWhileRunsAreScored: runs without numbers count for which is shown first, once they are
// looked at.
func TestTheFirstLeaderboardStaysWhileRunsAreScored(t *testing.T) {
	row := func(dataset string, items int) RunRow {
		m := &judging.Manifest{}
		m.Spec.Dataset.SHA256 = dataset
		return RunRow{RunHead: RunHead{Protocol: "pairwise", ItemsOf: dataset, Items: items}, manifest: m, itemSet: judging.ItemSet(dataset)}
	}
	done, waits, running := row("small", 10), row("large", 350), row("larger", 1000)
	done.report, done.Headline = &scoring.Report{Items: 10}, &scoring.Result{Value: new(50.0)}
	waits.stamps = store.Stamps{Records: store.Stamp{Size: 1}}
	running.Status = judging.Running
	rows := []RunRow{done, waits, running}
	all := conditions(rows)
	assert.Equal(t, len(all), 2)
	assert.Equal(t, all[0].dataset, "large")
	assert.Equal(t, all[1].dataset, "small")
}
