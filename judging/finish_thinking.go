package judging

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gavel/backends"
)

// finishThinking asks, once, for the verdict alone after the thinking so far, in a turn without any more of
// it, which is held to the labels where there are some. The record says so. Where that does not fit the
// context, the reply stays cut.
func (j *Job) finishThinking(
	ctx context.Context, rec *Record, prompt Prompt, req backends.Request, resp backends.Response,
	failed func(error) (*Record, error),
) (*Record, error) {
	params := j.Manifest.Spec.Parameters
	req.PromptTokens = 0
	req.Think = backends.ThinkOff
	req.ThinkBudget = 0
	req.Messages = append(slices.Clip(req.Messages),
		backends.Message{Role: backends.Assistant, Content: strings.TrimSpace(resp.Thinking)},
		backends.Message{Role: backends.User, Content: cmp.Or(prompt.LabelTurn, LabelTurn)})
	req.Encoded = backends.EncodeMessages(req.Messages)
	req.Constrain = prompt.Labels
	if params.Logprobs {
		req.Labels = prompt.Labels
	}
	again, err := j.ask(ctx, rec, req)
	if err != nil {
		return failed(err)
	}
	how := Reading{Name: Paper, Policy: Unique, AcceptCut: params.AcceptCut}
	if again.Finish != backends.TooLong {
		rec.Replies, rec.Finished = append(rec.Replies, reply(again, len(prompt.Labels) > 0)), true
	}
	v, err := rec.Read(j.Asker, how)
	if err != nil {
		return nil, err
	}
	if rec.Finished {
		rec.Probabilities, rec.Asides, err = j.probabilities(ctx, rec, req, again, v)
		if err != nil {
			return failed(err)
		}
	}
	rec.Take(v)
	return rec, nil
}
