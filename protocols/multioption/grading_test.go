package multioption

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// graded returns a record of three options, of which the first shown is the best, with a reply to a prompt.
func graded(prompt, item, reply string) *judging.Record {
	return &judging.Record{
		Item: item, Shape: "options", Prompt: prompt, Presentations: 1, Order: []string{"01", "02", "03"}, Gold: "01",
		Ranks: map[string]int{"01": 0, "02": 1, "03": 2}, Outcome: judging.Decided, Choice: "01",
		Replies: []judging.Reply{{Text: strings.ReplaceAll(reply, "⏎", "\n"), Finish: backends.FinishStop}},
	}
}

// gradesOf scores one record whose verdict is its first option.
func gradesOf(t *testing.T, m *judging.Manifest, r *judging.Record) *ballot {
	t.Helper()
	f := NewScorer(m).(*multiOptionScorer)
	added, err := f.Add(r, judging.Verdict{Outcome: judging.Decided, Choice: 0})
	assert.Assert(t, added && err == nil, "%v", err)
	assert.Equal(t, f.Finish(), 1)
	return f.ballots[0]
}

// What a reply gives as grades: all of them, or none.
func TestReadGrades(t *testing.T) {
	for reply, want := range map[string]bool{
		"Grading:⏎Option 1: 5⏎Option 2: 3⏎Option 3: 0⏎Selection: Option 1⏎Explanation: Option 1 has 3 reasons.":     true,
		"**Grading:**⏎- **Option 1:** 5/5⏎- **Option 2:** 3/5 - vague⏎- **Option 3:** 0/5⏎**Selection:** Option 1":  true,
		"Option 1: [5]⏎Option 2: [3]⏎Option 3: [0]⏎⏎Selection: Option 1":                                            true,
		"| Option 1 | 5 |⏎| Option 2 | 3 |⏎| Option 3 | 0 |⏎Selection: Option 1":                                    true,
		"### Option 1⏎**Grade:** 5⏎### Option 2⏎**Grade:** 3⏎### Option 3⏎**Grade: 0**⏎Selection: Option 1":         true,
		"Grades: Option 1: 5, Option 2: 3, Option 3: 0. Selection: Option 1":                                        true,
		"Option 1 (5/5), Option 2 (3/5), Option 3 (0/5)⏎Selection: Option 1":                                        true,
		"Option 1: 5 out of 5⏎Option 2: 3 points⏎Option 3: 0.0⏎Selection: Option 1":                                 true,
		"option 1 - Grade: 5⏎option 2 - Grade: 3⏎option 3 - Grade: 0⏎Selection: Option 1 (5/5)":                     true,
		`{"Option 1": 5, "Option 2": 3, "Option 3": 0}⏎Selection: Option 1`:                                         true,
		"<think>Option 1: 2⏎Option 2: 2⏎Option 3: 2</think>Option 1: 5⏎Option 2: 3⏎Option 3: 0⏎Selection: Option 1": true,

		"Option 1: 5⏎Option 2: 3⏎Selection: Option 1":                                           false, // one is missing
		"Option 1: 5⏎Option 2: 3⏎Option 3: 7⏎Selection: Option 1":                               false, // above 5
		"Option 1: 5⏎Option 2: 3⏎Option 3: 5.5⏎Selection: Option 1":                             false,
		"Option 1: 5⏎Option 2: 3⏎Option 3: -1⏎Selection: Option 1":                              false,
		"Option 1: 5/10⏎Option 2: 3/10⏎Option 3: 0/10⏎Selection: Option 1":                      false, // another scale
		"Option 1: 5⏎Option 2: 3⏎Option 3: 0⏎Option 1: 4⏎Selection: Option 1":                   false, // two grades
		"Option 1: 5⏎Option 2: 3⏎Option 3: 0-1⏎Selection: Option 1":                             false, // a range
		"Option 1: 5⏎Option 2: 3⏎Option 3: 0,5⏎Selection: Option 1":                             false, // a comma
		"Option 1: 5 of its claims hold⏎Option 2: 3 do⏎Option 3: 0 do⏎Selection: Option 1":      false, // sentences
		"Option 1:⏎1. Add the flour.⏎Option 2:⏎3. Stir.⏎Option 3:⏎0. Bake.⏎Selection: Option 1": false, // quoted lists
		"Grades: 5, 3, 0⏎Selection: Option 1":                                                   false, // of what?
		"<think>Option 1: 5⏎Option 2: 3⏎Option 3: 0</think>Selection: Option 1":                 false,
		"Selection: Option 1": false,
	} {
		row := gradesOf(t, &judging.Manifest{}, graded("4", "i", reply)).gradeRow
		assert.Equal(t, row[0] == 1, want, "%s: %v", reply, row)
		if want { // 5, 3, 0: the order of the labels, and the choice has the highest
			assert.DeepEqual(t, row, [6]float64{1, 1, 1, 1, 3, 3})
		}
	}
	// other prompts do not ask for grades, and the goal worst asks for the lowest
	const reply = "Option 1: 5⏎Option 2: 3⏎Option 3: 0⏎Selection: Option 1"
	assert.Equal(t, gradesOf(t, &judging.Manifest{}, graded("3", "i", reply)).gradeRow, [6]float64{})
	worst := &judging.Manifest{}
	worst.Spec.ProtocolOptions = judging.Settings{"goal": GoalWorst}
	assert.Equal(t, gradesOf(t, worst, graded("4", "i", reply)).gradeRow, [6]float64{})
}

// Computed by hand: the choice is option 1, the labels order 1 before 2 before 3.
func TestGradesByHand(t *testing.T) {
	for name, c := range map[string]struct {
		grades string
		label  func(r *judging.Record)
		want   [6]float64 // graded of usable, highest of graded, ordered of pairs
	}{
		"as the labels":            {grades: "4 2 1", want: [6]float64{1, 1, 1, 1, 3, 3}},
		"reversed":                 {grades: "0 2 5", want: [6]float64{1, 1, 0, 1, 0, 3}},
		"two share the highest":    {grades: "4 4 1", want: [6]float64{1, 1, 0.5, 1, 2.5, 3}},
		"all are equal":            {grades: "3 3 3", want: [6]float64{1, 1, 1.0 / 3, 1, 1.5, 3}},
		"one pair is out of order": {grades: "5 1.5 2", want: [6]float64{1, 1, 1, 1, 2, 3}},
		"only the right one is known: AUROC": {
			grades: "2 2 1", label: func(r *judging.Record) { r.Ranks = nil }, want: [6]float64{1, 1, 0.5, 1, 1.5, 2},
		},
		"not all are ranked: the right one counts": {
			grades: "5 1 2", label: func(r *judging.Record) { delete(r.Ranks, "03") }, want: [6]float64{1, 1, 1, 1, 2, 2},
		},
		"an unrelated option is the last": {
			grades: "5 1 2", label: func(r *judging.Record) { delete(r.Ranks, "03"); r.UnrelatedID = "03" },
			want: [6]float64{1, 1, 1, 1, 2, 3},
		},
		"no label": {
			grades: "5 1 2", label: func(r *judging.Record) { r.Ranks = nil; r.Gold = "" }, want: [6]float64{1, 1, 1, 1, 0, 0},
		},
	} {
		var reply strings.Builder
		for i, grade := range strings.Fields(c.grades) {
			fmt.Fprintf(&reply, "Option %d: %s\n", i+1, grade)
		}
		r := graded("4", "i", reply.String()+"Selection: Option 1")
		if c.label != nil {
			c.label(r)
		}
		assert.Equal(t, gradesOf(t, &judging.Manifest{}, r).gradeRow, c.want, name)
	}
}

// TestGradesOfARun: judgments without grades are left out of the other two metrics, and counted in the first.
func TestGradesOfARun(t *testing.T) {
	f := NewScorer(&judging.Manifest{}).(*multiOptionScorer)
	const full = "Option 1: 4⏎Option 2: 4⏎Option 3: 1⏎Selection: Option 1"
	for i, reply := range []string{full, full, full, "Selection: Option 1"} {
		_, err := f.Add(graded("4", fmt.Sprint(i), reply), judging.Verdict{Outcome: judging.Decided, Choice: 0})
		assert.NilError(t, err)
	}
	_, err := f.Add(graded("4", "none", full), judging.EmptyVerdict(judging.NoVerdict)) // no verdict: left out
	assert.NilError(t, err)
	f.Finish()
	s := f.Sheet(scoring.MissingUsable, 1)
	rep := scoring.Report{Items: 5, Expected: 5}
	f.ExtendReport(&rep, s, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
	for metric, want := range map[string][2]float64{
		"option-grades": {75, 4}, "option-grades-choice": {50, 3}, "option-grades-order": {83.3333, 9},
	} {
		x := rep.Overall(metric)
		assert.Assert(t, x.Value != nil && x.Low != nil, metric)
		assert.DeepEqual(t, [2]float64{*x.Value, float64(x.N)}, want)
		assert.Assert(t, *x.Low < *x.Value && *x.Value < *x.High, "%s: %v", metric, x)
	}
}
