package judging

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/internal/trials"
	"gavel/judging/judgingtest"
)

// challenging asks whether the judge is sure, and asks anew.
type challenging struct {
	Asker
	challenge string
	repeat    bool
}

func (c challenging) Prompt(item datasets.Item, s Presentation) Prompt {
	p := c.Asker.Prompt(item, s)
	p.Challenge = c.challenge
	p.EqualsOtherPrompt = c.repeat
	return p
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := codec.Marshal(v)
	assert.NilError(t, err)
	return string(raw)
}

// members returns the members of a value's JSON.
func members(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	assert.NilError(t, json.Unmarshal([]byte(inJSON(t, v)), &m))
	return m
}

// TestConversations: a prompt, parameters that are not as usual, and what the judge says, in turn; then what it was
// asked each time, without what was said before, and the record without what all records of the pair have. What no
// reply is given to fails. Read again, the record says the same.
func TestConversations(t *testing.T) {
	trials.RunCases(t, "conversations.txt", func(t *testing.T, fields []string) (results []string) {
		requests := 0
		first := ""
		j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(
			func(_ context.Context, req backends.Request) (backends.Response, error) {
				last := req.Messages[len(req.Messages)-1].Content
				turn := members(t, req)
				trials.RemoveEqualMembers(members(t, backends.Request{
					Identity:  "test judge",
					Model:     "judge",
					TopP:      1,
					Seed:      1,
					MaxTokens: DefaultParameters.MaxTokens,
				}), turn)
				delete(turn, "messages")
				requests++
				first = cmp.Or(first, hashMessages(req.Messages))
				if len(req.Messages) > 2 {
					message := req.Messages[len(req.Messages)-2]
					assert.Equal(t, message.Role, backends.RoleAssistant)
					results = append(results, fmt.Sprintf("after %q asked %q, with %s", message.Content, last, inJSON(t, turn)))
				} else {
					results = append(results, fmt.Sprintf("asked, with %s", inJSON(t, turn)))
				}
				resp := backends.Response{Finish: backends.FinishStop}
				if requests >= len(fields) {
					return resp, errors.New("no more replies")
				}
				assert.NilError(t, json.Unmarshal([]byte(fields[requests]), &resp))
				return resp, nil
			}))
		prompt, parameters, _ := strings.Cut(fields[0], " ")
		prompt, challenge, _ := strings.Cut(prompt, "+")
		j.Asker = challenging{Asker: protocolNamed(t, "pairwise", prompt), challenge: challenge}
		assert.NilError(t, json.Unmarshal([]byte(parameters), &j.Manifest.Spec.Parameters))
		j.Completed = completed(map[string][]bool{"p1": {false, true}}) // the swapped presentation stands
		assert.NilError(t, j.Run(t.Context()))
		assert.Equal(t, len(w.Records), 1)
		r := w.Records[0]
		assert.NilError(t, r.check())
		assert.Equal(t, r.PromptID, first)
		v, err := r.Read(j.Asker, j.Manifest.Spec.Parameters.publishedReading())
		if r.Outcome != Failed && (err != nil || v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice) {
			t.Errorf("read again: %+v, %v", v, err)
		}
		record := members(t, r)
		trials.RemoveEqualMembers(members(t, &Record{
			Schema:        1,
			Run:           r.Run,
			Gavel:         "test",
			Protocol:      "pairwise",
			Prompt:        "sop",
			PromptID:      r.PromptID,
			Model:         "judge",
			Identity:      "test judge",
			Item:          "p1",
			Source:        "sums",
			Group:         "sums",
			Presentations: 2,
			Order:         []string{"A", "B"},
			Gold:          "A",
			At:            noon,
		}), record)
		return append(results, inJSON(t, record))
	})
}

// TestAskedAnew: what is asked anew is no request that another presentation has asked.
func TestAskedAnew(t *testing.T) {
	var times []int
	j, _ := newJob(t, judgingtest.Pairs(t, 1), right(func(req backends.Request) { times = append(times, req.Repetition) }))
	j.Asker = challenging{Asker: j.Asker, repeat: true}
	j.Manifest.Spec.Parameters.NumRepetitions = 2
	assert.NilError(t, j.Run(t.Context()))
	assert.DeepEqual(t, times, []int{2, 2, 3, 3})
}
