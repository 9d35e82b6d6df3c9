package judging

import (
	"cmp"
	"context"
	"strings"

	"gavel/backends"
)

// finishThinking asks, once, for the verdict alone after the thinking so far, in a turn without any more of
// it, which is held to the labels where there are some. The record says so. Where that does not fit the
// context, the reply stays cut.
func (j *Job) finishThinking(
	ctx context.Context, rec *Record, prompt Prompt, req backends.Request, resp backends.Response,
) (v Verdict, err error) {
	params := j.Manifest.Spec.Parameters
	req = followed(req, strings.TrimSpace(resp.Thinking), cmp.Or(prompt.LabelTurn, LabelTurn))
	req.Think = backends.ThinkOff
	req.ThinkBudget = 0
	req.Constrain = prompt.Labels
	if params.Logprobs {
		req.Labels = prompt.Labels
	}
	again, err := j.ask(ctx, rec, req)
	if err != nil {
		return v, err
	}
	if again.Finish != backends.TooLong {
		rec.Replies, rec.Finished = append(rec.Replies, reply(again, len(prompt.Labels) > 0)), true
	}
	v, err = rec.Read(j.Asker, params.asPublished())
	if err == nil && rec.Finished {
		rec.Probabilities, rec.Asides, err = j.probabilities(ctx, rec, req, again, v)
	}
	return v, err
}
