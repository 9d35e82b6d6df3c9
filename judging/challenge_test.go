package judging

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

// challenging asks whether the judge is sure, and asks anew.
type challenging struct {
	Asker
	challenge string
	again     bool
}

func (c challenging) Prompt(item datasets.Item, s Presentation) Prompt {
	p := c.Asker.Prompt(item, s)
	p.Challenge = c.challenge
	p.Again = c.again
	return p
}

// After a verdict the judge is challenged, and what it says then is the verdict; without one there is nothing to
// challenge.
func TestChallenge(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		constrain     bool
		calls         int
		want          Outcome
		label         string
	}{
		"it gives in":               {first: "[[A>B]]", second: "Sorry: [[B>A]]", calls: 2, want: Decided, label: "B>A"},
		"it stays":                  {first: "[[A>B]]", second: "Yes: [[A>B]]", calls: 2, want: Decided, label: "A>B"},
		"it does not know any more": {first: "[[A>B]]", second: "Hm.", calls: 2, want: NoVerdict},
		"held to the labels":        {first: "[[A>B]]", second: "[[B>A]]", constrain: true, calls: 3, want: Decided, label: "B>A"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []backends.Request
			reply := func(_ context.Context, req backends.Request) (backends.Response, error) {
				asked = append(asked, req)
				text := c.first
				if len(asked) == c.calls {
					text = c.second
				}
				return backends.Response{Text: text, Finish: backends.Stop}, nil
			}
			j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(reply))
			j.Asker = challenging{Asker: j.Asker, challenge: "Are you sure?"}
			j.Completed = completed(map[string][]bool{"p1": {false, true}})
			j.Manifest.Spec.Parameters.Constrain = c.constrain
			assert.NilError(t, j.Run(t.Context()))
			r := w.Records[0]
			assert.Equal(t, len(asked), c.calls)
			assert.Equal(t, r.Outcome, c.want)
			assert.Equal(t, r.Label, c.label)
			assert.Assert(t, r.Challenged)
			last := asked[len(asked)-1]
			assert.Equal(t, last.Messages[len(last.Messages)-1].Content, "Are you sure?")
			assert.Equal(t, last.Messages[len(last.Messages)-2].Content, c.first)
			assert.Equal(t, len(last.Constrain) > 0, c.constrain)

			raw, err := json.Marshal(r)
			assert.NilError(t, err)
			back := new(Record)
			assert.NilError(t, json.Unmarshal(raw, back))
			for _, how := range []Readers{Paper, Robust} {
				v, err := back.Read(j.Asker, Reading{Name: how, Policy: Unique})
				assert.NilError(t, err)
				assert.Equal(t, v.Outcome, c.want)
				if c.want == Decided {
					assert.Equal(t, back.CandidateID(v.Choice), r.Choice)
					turn, _, ok := back.Turn(v.Span)
					assert.Assert(t, ok && turn == c.calls-1, "read in turn %d", turn)
				}
			}
		})
	}
}

// A judge that gave no verdict is not challenged: the record says so, and what it says stays.
func TestNoVerdictIsNotChallenged(t *testing.T) {
	calls := 0
	reply := func(context.Context, backends.Request) (backends.Response, error) {
		calls++
		return backends.Response{Text: "hm", Finish: backends.Stop}, nil
	}
	j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(reply))
	j.Asker = challenging{Asker: j.Asker, challenge: "Are you sure?"}
	j.Completed = completed(map[string][]bool{"p1": {false, true}})
	assert.NilError(t, j.Run(t.Context()))
	r := w.Records[0]
	raw, err := json.Marshal(r)
	assert.NilError(t, err)
	assert.Equal(t, calls, j.Manifest.Spec.Parameters.Attempts)
	assert.Assert(t, !r.Challenged && r.Outcome == NoVerdict && !strings.Contains(string(raw), "challenged"))
}

// What is asked anew is no request that another presentation has asked.
func TestAskedAnew(t *testing.T) {
	var asked []backends.Request
	reply := func(_ context.Context, req backends.Request) (backends.Response, error) {
		asked = append(asked, req)
		return backends.Response{Text: "[[A>B]]", Finish: backends.Stop}, nil
	}
	j, _ := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(reply))
	j.Asker = challenging{Asker: j.Asker, again: true}
	j.Manifest.Spec.Parameters.NumRepetitions = 2
	assert.NilError(t, j.Run(t.Context()))
	var times []int
	for _, req := range asked {
		times = append(times, req.Repetition)
	}
	assert.DeepEqual(t, times, []int{2, 2, 3, 3})
}
