package judging

import (
	"cmp"
	"context"
	"strings"

	"gavel/backends"
)

// finishThinking asks once for the verdict alone, after resp, a reply to req, reached the token limit while thinking.
// The turn contains the thinking so far; it is without thinking, and constrained to the labels if the prompt has some.
// The reply goes into rec, and rec.Finished is set. If the turn does not fit the context, resp counts as truncated.
func (j *RunJob) finishThinking(
	ctx context.Context, rec *Record, prompt Prompt, req backends.Request, resp backends.Response,
) (v Verdict, err error) {
	params := j.Manifest.Spec.Parameters
	req = nextRequest(req, strings.TrimSpace(resp.Thinking), cmp.Or(prompt.LabelRequest, LabelTurnText))
	req.Think = backends.ThinkOff
	req.ThinkBudget = 0
	req.AllowedReplies = prompt.Labels
	if params.Logprobs {
		req.Labels = prompt.Labels
	}
	final, err := j.ask(ctx, rec, req)
	if err != nil {
		return v, err
	}
	if final.Finish != backends.FinishPromptTooLong {
		rec.Replies, rec.VerdictAfterThinkLimit = append(rec.Replies, reply(final, len(prompt.Labels) > 0)), true
	}
	v, err = rec.Read(j.Asker, params.publishedReading())
	if err == nil && rec.VerdictAfterThinkLimit {
		err = j.addProbabilities(ctx, rec, req, final, v)
	}
	return v, err
}
