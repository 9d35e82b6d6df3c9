package suite

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
	"gavel/scoring"
)

// TestStudyIsASuite: by default a study has the datasets and prompts of the paper, each with both goals; a judge is on
// its own server or on that of all.
func TestStudyIsASuite(t *testing.T) {
	s, err := Study{
		Models:   []string{"org/a", "b@http://gpu1:8000"},
		Settings: map[string][]string{"base-url": {"http://gpu0", "http://gpu2"}, "seed": {"7"}, "group": {"Math"}},
		Out:      "runs/x",
	}.OpenSuite()
	assert.NilError(t, err)
	assert.Equal(t, len(s.Cells), 2*2*2*3)
	assert.Equal(t, s.Name, "x")
	m := s.summary()
	assert.Equal(t, m.Study, scoring.StudyGRP)
	goals := m.GoalPairs()
	assert.Equal(t, len(goals), 6)
	assert.Equal(t, goals[0][0].Dataset+" "+goals[0][0].Prompt, "judgebench-gpt4o direct")
	assert.Equal(t, goals[5][1].Protocol+" "+goals[5][1].Dataset+" "+goals[5][1].Prompt, "reversed judgebench-claude sop")
	a, b := s.Cells[0].Request, s.Cells[12].Request
	assert.DeepEqual(t, a.BaseURLs, []string{"http://gpu0", "http://gpu2"})
	assert.DeepEqual(t, b.BaseURLs, []string{"http://gpu1:8000"})
	assert.Equal(t, a.Model+" "+b.Model, "org/a b")
	assert.Equal(t, a.Out, "runs/x/org-a_pairwise_judgebench-gpt4o_direct")
	stored, err := ParseFile("x", []byte(s.Text)) // the text is a suite's file
	assert.NilError(t, err)
	assert.Equal(t, stored.Out+" "+stored.studyName, "runs/x grp")

	for _, c := range []struct {
		study Study
		want  string
	}{
		{study: Study{Out: "x"}, want: "--model is missing: give the judges to study, each with --model"},
		{study: Study{Out: "x", Models: []string{"a", "a@http://b"}}, want: "--model a is given twice: give each judge once"},
		{study: Study{Out: "x", Models: []string{"a"}, Prompts: []string{"sop", "sop"}}, want: `prompt: "sop" is repeated in the list`},
		{study: Study{Out: "x", Models: []string{"a"}, Settings: map[string][]string{"seed": {"x"}}}, want: `--seed "x": expected a number`},
	} {
		_, err := c.study.OpenSuite()
		assert.ErrorContains(t, WithoutLineNumber(err), c.want)
		assert.Assert(t, errors.Is(WithoutLineNumber(err), eval.ErrUsage))
	}
	assert.NilError(t, WithoutLineNumber(nil))
}
