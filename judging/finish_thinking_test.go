package judging

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging/judgingtest"
)

// A reply that thought to the limit is asked once more for its verdict alone, where that is asked for, and the record says so.
func TestFinishThinking(t *testing.T) {
	for name, c := range map[string]struct {
		finish   bool
		second   backends.Response
		calls    int
		want     Outcome
		finished bool
	}{
		"not asked for":          {false, backends.Response{}, 1, Cut, false},
		"forced":                 {true, backends.Response{Text: "[[B>A]]", Finish: backends.Stop}, 2, Decided, true},
		"forced, and no verdict": {true, backends.Response{Text: "hm", Finish: backends.Stop}, 2, NoVerdict, true},
		"forced, and cut again":  {true, backends.Response{Thinking: "more", Finish: backends.Length}, 2, Cut, true},
		"no room for it":         {true, backends.Response{Finish: backends.TooLong}, 2, Cut, false},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []backends.Request
			j, w := newJob(t, judgingtest.Pairs(t, 1), judgingtest.Script(func(_ context.Context, req backends.Request) (backends.Response, error) {
				if asked = append(asked, req); len(asked) == 1 {
					return backends.Response{Thinking: " the first is [[A>B]], or \n", Finish: backends.Length, ReplyTokens: 9, ThinkTokens: 9}, nil
				}
				return c.second, nil
			}))
			j.Completed = completed(map[string][]bool{"p1": {false, true}})
			j.Manifest.Spec.Parameters.FinishThinking, j.Manifest.Spec.Parameters.ThinkBudget = c.finish, 8
			assert.NilError(t, j.Run(t.Context()))
			r := w.Records[0]
			if len(asked) != c.calls || r.Outcome != c.want || r.Finished != c.finished || r.Replies[0].ThinkTokens != 9 || asked[0].ThinkBudget != 8 {
				t.Fatalf("%d calls, %+v", len(asked), r)
			}
			if c.calls == 2 {
				again := asked[1]
				said := again.Messages[len(again.Messages)-2:]
				if said[0] != (backends.Message{Role: backends.Assistant, Content: "the first is [[A>B]], or"}) || said[1].Content != LabelTurn || again.Think != backends.ThinkOff ||
					again.ThinkBudget != 0 || len(again.Constrain) == 0 || len(asked[0].Messages) != len(again.Messages)-2 {
					t.Errorf("asked %+v", again)
				}
			}
			// What stands in the record is read again as it was.
			raw, err := json.Marshal(r)
			assert.NilError(t, err)
			back := new(Record)
			assert.NilError(t, json.Unmarshal(raw, back))
			if v, err := back.Read(j.Asker, Reading{Name: Paper, Policy: Unique}); err != nil || v.Outcome != c.want || v.Outcome == Decided && back.CandidateID(v.Choice) != r.Choice {
				t.Errorf("read again: %+v, %v", v, err)
			}
			if strings.Contains(string(raw), "finished_thinking") != c.finished {
				t.Errorf("the record is %s", raw)
			}
		})
	}
}
