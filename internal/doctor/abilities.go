package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gavel/backends"
)

// checkSystemMessage checks that the text of a system message reaches the model: it must add to the prompt's tokens.
func (d *doctor) checkSystemMessage(ctx context.Context) Finding {
	if d.SystemTextRole == backends.RoleUser {
		return skipped("--system-role user: the system text is part of the user message")
	}
	const do = "run with --system-role user, which puts the system text before the user's text"
	question := user("Which response is better?")
	system := backends.Message{
		Role: backends.RoleSystem,
		Content: "You are an impartial judge of two responses to one question. " +
			"Say which of them is better, and never let their order or their length decide for you.",
	}
	without, err := d.ask(ctx, d.request(1, question))
	if err != nil {
		return noAnswer(err)
	}
	with, err := d.ask(ctx, d.request(1, system, question))
	more, minTokens := with.PromptTokens-without.PromptTokens, backends.LeastPromptTokens([]backends.Message{system})
	switch {
	case isRejected(err):
		return problemFinding(Fail, do, "a system message is refused: %s", errorText(err))
	case err != nil:
		return noAnswer(err)
	case with.PromptTokens == 0:
		return problemFinding(Unknown, "if verdicts ignore the instructions, "+do,
			"the server accepts a system message but reports no token counts: it may drop the message")
	case more < minTokens/2:
		return problemFinding(Fail, do, "the server accepts a system message and drops it: "+
			"its %d words add %d tokens to the prompt", minTokens, more).withValue(more)
	}
	return okFinding("the server reads a system message: it adds %d tokens", more).withValue(more)
}

// thinkingReplyTokens returns the token limit for a reply that may think first.
func (d *doctor) thinkingReplyTokens() int {
	if d.speed == nil || d.speed.ReplyRate == 0 {
		return 128
	}
	return min(1024, max(48, int(d.speed.ReplyRate*8)))
}

// checkThinking asks a question with --think on and with --think off, and compares the replies.
func (d *doctor) checkThinking(ctx context.Context) Finding {
	n := d.thinkingReplyTokens()
	try := func(t backends.Think) (backends.Response, error) {
		req := d.request(n, user("A bat and a ball cost 11 together, and the bat costs 10 more than the ball. "+
			"What does the ball cost? Answer with the number alone."))
		req.Think = t
		return d.ask(ctx, req)
	}
	reported := d.Model.Thinks
	on, errOn := try(backends.ThinkOn)
	off, errOff := try(backends.ThinkOff)
	for _, err := range []error{errOn, errOff} {
		if err != nil && !isRejected(err) {
			return noAnswer(err)
		}
	}
	switch {
	case errOff == nil && off.Thinking == "":
		if on.Thinking != "" || reported == backends.AbilityYes {
			d.leastThinkSetting = backends.ThinkOff
		}
	case errOff == nil || d.thinksByDefault:
		d.thinksAlways = true
	}
	return judgeThinking(reported, n, on, off, errOn, errOff).withValue(map[string]any{
		"says": cmp.Or(reported, "unknown"), "by_itself": d.thinksByDefault,
		"on": outcome(on, errOn), "off": outcome(off, errOff),
	})
}

// outcome returns in a word or two whether a reply came, and whether its thinking is separate from its text.
func outcome(r backends.Response, err error) string {
	switch {
	case err != nil:
		return "refused"
	case r.Thinking != "":
		return "thinking apart"
	}
	return "no thinking"
}

// judgeThinking returns the finding from the replies with --think on and off, each of at most n tokens.
func judgeThinking(reported backends.Ability, n int, on, off backends.Response, errOn, errOff error) Finding {
	switch {
	case errOn != nil && errOff == nil && reported != backends.AbilityYes:
		return okFinding("the model does not think; the server refuses --think on")
	case errOn != nil:
		return problemFinding(Warn, "leave out --think, or upgrade the server", "--think on is refused: %s", errorText(errOn))
	case errOff != nil:
		return problemFinding(Warn, "leave out --think off", "--think off is refused: %s", errorText(errOff))
	case on.Thinking != "" && off.Thinking != "":
		return problemFinding(Warn, "expect thinking in every reply, and raise --max-tokens if many are truncated",
			"--think off changes nothing: the model thinks anyway, separately from the reply")
	case on.Thinking != "":
		return okFinding("with --think on the thinking is separate from the reply; with --think off there is none")
	case reported == backends.AbilityYes:
		return problemFinding(Unknown, "check a reply of a run with --think on: if the thinking is in the text, "+
			"start vLLM with --reasoning-parser, llama.cpp with --reasoning-format deepseek",
			"the template supports thinking, but with --think on none came back separately within %d tokens", n)
	}
	return okFinding("the model does not think")
}

// implausibleLabels holds two labels that no sensible reply to the question of capital contains.
var implausibleLabels = []string{"[[A>B]]", "[[B>A]]"}

// shortRequest returns a request for a short reply, with the least thinking possible.
func (d *doctor) shortRequest() backends.Request {
	n := 32
	if d.thinksAlways {
		n = max(n, d.thinkingReplyTokens())
	}
	req := d.request(n, user("What is the capital of France? Answer with one word."))
	req.Think = d.leastThinkSetting
	return req
}

// checkConstrainedOutput checks whether the server constrains replies: it asks a question and allows as its reply only
// two labels that do not answer it.
func (d *doctor) checkConstrainedOutput(ctx context.Context) Finding {
	req := d.shortRequest()
	req.AllowedReplies = implausibleLabels
	resp, err := d.ask(ctx, req)
	text := strings.TrimSpace(resp.Text)
	switch {
	case isRejected(err):
		return problemFinding(Warn, "run without --constrain", "refused: %s", errorText(err))
	case err != nil:
		return noAnswer(err)
	case slices.Contains(implausibleLabels, text):
		d.constrains = true
		return okFinding("constrained to two labels, the model replies with one of them")
	case text == "" && resp.Thinking != "":
		return problemFinding(Unknown, "try a run of a few pairs with --constrain",
			"the model was still thinking after %d tokens", req.MaxTokens)
	}
	return problemFinding(Warn, "run without --constrain: the server would silently ignore it",
		"ignored: constrained to two labels, the model replies %s", quoted(text))
}

// quoted returns the beginning of a reply in quotation marks.
func quoted(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return fmt.Sprintf("%q…", string(r[:40]))
	}
	return fmt.Sprintf("%q", s)
}

// checkLogprobs checks whether the server returns the probability of a label that the reply is certain to contain.
func (d *doctor) checkLogprobs(ctx context.Context) Finding {
	req := d.shortRequest()
	if d.constrains {
		req.AllowedReplies, req.Labels = implausibleLabels, implausibleLabels
	} else {
		plain, err := d.ask(ctx, req)
		if err != nil {
			return noAnswer(err)
		}
		words := strings.Fields(plain.Text)
		if len(words) == 0 {
			return problemFinding(Unknown, "try a run of a few pairs with --logprobs", "the reply was empty")
		}
		req.Labels = []string{words[0], "no " + words[0]}
	}
	resp, err := d.ask(ctx, req)
	do := "run without --logprobs"
	if s := d.Server; s.FirstVersionWith(backends.ReportsLogprobs) != "" {
		do += fmt.Sprintf(", or upgrade %s to %s or later (this is %s)",
			s.Name, s.FirstVersionWith(backends.ReportsLogprobs), s.Version)
	}
	switch {
	case isRejected(err):
		return problemFinding(Warn, do, "refused: %s", errorText(err))
	case err != nil:
		return noAnswer(err)
	case len(resp.LabelProbabilities) == 0:
		return problemFinding(Warn, do, "requested, but none returned")
	case d.Model.Logprobs == backends.AbilityNo:
		return problemFinding(Warn, do+": gavel expects none from "+d.Server.Name, "returned, unexpectedly")
	}
	switch {
	case !d.constrains:
		return okFinding("the server returns the probability of the label")
	case len(resp.LabelProbabilities) < len(req.Labels):
		return okFinding("the server returns the probability of the label; that of each other label may take another request")
	}
	return okFinding("the server returns the probabilities of all labels in one request")
}
