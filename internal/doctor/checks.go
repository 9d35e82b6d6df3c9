package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gavel/backends"
	"gavel/judging"
)

// Size of JudgeBench's GPT-4o file under gavel's prompts direct and sop. The file need not be on this machine.
const (
	judgeBenchPairs     = 350
	judgeBenchJudgments = 700   // in both orders
	directPromptBytes   = 5872  // mean of a prompt direct: system and user message together
	sopPromptBytes      = 6975  // mean of a prompt sop
	longestBytes        = 10740 // longest prompt sop
	directReply         = 8     // tokens of a reply to direct: a label
	sopReplyTokens      = 600   // tokens of a reply to sop: reasoning of the usual length
)

// describeServer returns the server's name, version and address as a finding.
func (d *doctor) describeServer(context.Context) Finding { return okFinding("%s", d.ServerText) }

// describeModel returns the model's description as a finding, and warns if it has no digest or fingerprint.
func (d *doctor) describeModel(context.Context) Finding {
	m := d.Model
	text := m.Name
	if m.Parameters != "" {
		text += ", " + m.Parameters + " parameters"
	}
	if m.Quantisation != "" {
		text += ", quantisation " + m.Quantisation
	}
	switch {
	case m.Digest != "":
		return okFinding("%s, digest %s", text, m.Digest[:min(12, len(m.Digest))])
	case strings.HasPrefix(m.Fingerprint, "params="):
		return okFinding("%s; no digest: gavel recognises it by size, vocabulary, type and template", text)
	}
	return problemFinding(Warn, "if you serve other weights under this name, "+
		"run with --no-cache or call \"gavel cache prune --model "+m.Name+"\"",
		"%s; the server reports no digest: other weights of this name look the same", text)
}

// overfillContext is the context, in tokens, that Ollama gets for a prompt that does not fit: if it truncates the
// prompt, the rest takes little time.
const overfillContext = 1024

// checkReply checks that a plain question gets an answer. If none comes, the other checks are left out.
func (d *doctor) checkReply(ctx context.Context) Finding {
	if d.Server.Can(backends.SetsContext) {
		d.numCtx = overfillContext
	}
	patient := backends.WithRetry(d.Client, backends.RetryOptions{TimeLimit: min(d.CallTimeout, 30*time.Second)})
	resp, err := patient.Ask(ctx,
		d.request(16, user("Which of two numbers is greater, 3 or 5? Answer with that number alone.")))
	if err != nil {
		d.silent = true
		do := "check the server's log"
		switch {
		case backends.IsKind(err, backends.ErrorTimeout):
			do = "a large model may take minutes to load: try again, or raise --timeout"
		case backends.IsKind(err, backends.ErrorAuth):
			e, _ := errors.AsType[*backends.Error](err)
			do = e.AccessAdvice
		}
		return problemFinding(Fail, do, "a simple question gets no answer: %s", errorText(err))
	}
	d.thinksByDefault = resp.Thinking != ""
	took := ""
	if resp.Took > 2*time.Second {
		took = fmt.Sprintf(" in %s, loading included", resp.Took.Round(100*time.Millisecond))
	}
	if resp.Finish == backends.FinishPromptTooLong {
		return problemFinding(Warn, "check the model's template: it may put a long text before every prompt",
			"a simple question does not fit the context: %s", resp.Detail)
	}
	if resp.Text == "" && resp.Thinking == "" {
		return problemFinding(Warn, "try the model by hand: the chat template may be wrong",
			"a simple question gets an empty reply%s", took)
	}
	if resp.NoFinishReasons {
		return problemFinding(Warn, "use a server that reports them, or check the ends of replies yourself",
			"a simple question gets an answer%s, but %s", took, backends.NoFinishReasons)
	}
	if resp.PromptTokens == 0 {
		return problemFinding(Warn, "keep prompts well below the served context: "+
			"without token counts, gavel cannot notice a truncated prompt",
			"a simple question gets an answer%s, but the server reports no token counts", took)
	}
	return okFinding("a simple question gets an answer%s", took)
}

// maxReadTime limits the estimated time for reading an over-long prompt: longer prompts are not sent.
const maxReadTime = time.Minute

// checkLongPrompt sends a prompt that does not fit the context, and checks that the server refuses it.
func (d *doctor) checkLongPrompt(ctx context.Context) Finding {
	ctx, cancel := contextWithTimeLimit(ctx, d.Limit/4) // leave time for the checks after it
	defer cancel()
	served := d.Model.Context
	if d.Server.Can(backends.SetsContext) {
		served = min(overfillContext, cmp.Or(d.Model.TrainedContext, overfillContext))
		defer func(n int) { d.numCtx = n }(d.numCtx)
		d.numCtx = overfillContext
	}
	if served > 0 {
		return d.overfill(ctx, served, served+served/2+64)
	}
	for _, n := range []int{5000, 20000, 80000, 300000} {
		if d.roughSpeed > 0 && float64(n) > d.roughSpeed*maxReadTime.Seconds() {
			return problemFinding(Unknown, "keep prompts well below the served context",
				"the server does not report its context, and a prompt of %d tokens would take too long to read", n)
		}
		if f := d.overfill(ctx, 0, n); f.Status != Skipped {
			return f
		}
	}
	return okFinding("the server accepts prompts of 300000 tokens and more")
}

// overfill sends a prompt of a number of words to a server with a context of served tokens, and checks that the server
// refuses it. With served 0 the context is unknown: if the prompt fits, the finding is Skipped.
func (d *doctor) overfill(ctx context.Context, served, words int) (f Finding) {
	resp, err := d.Client.Ask(ctx, d.request(8, user(strings.Repeat("word ", words))))
	sent := fmt.Sprintf("a prompt of at least %d tokens", words)
	room := ""
	if served > 0 {
		room = fmt.Sprintf(" at a context of %d", served)
	}
	switch {
	case isRejected(err):
		return problemFinding(Warn, "such prompts end as failed instead of prompt-too-long; please report this message",
			"%s is refused%s, with a message that gavel does not know: %s", sent, room, errorText(err))
	case err != nil:
		return problemFinding(Unknown, "try again with a larger --timeout; "+
			"a server that refuses long prompts answers at once", "%s%s: %s", sent, room, errorText(err))
	case resp.Finish == backends.FinishPromptTooLong && resp.PromptTokens == 0:
		f = okFinding("%s is refused%s", sent, room)
	case resp.Finish == backends.FinishPromptTooLong:
		f = problemFinding(Fail, d.refuseLongPromptsAdvice(), "%s is silently truncated%s: the server read %d and answered",
			sent, room, resp.PromptTokens)
	case resp.PromptTokens == 0:
		f = problemFinding(Unknown, "keep prompts well below the served context",
			"%s gets an answer%s, and the server does not report how much it read", sent, room)
	case served > 0:
		f = problemFinding(Warn, "find out what it really serves; gavel cannot notice a truncated prompt",
			"%s gets an answer%s: the server claims to have read %d", sent, room, resp.PromptTokens)
	default:
		return Finding{Status: Skipped}
	}
	return f.withValue(map[string]any{"tokens_at_least": words, "context": served, "read": resp.PromptTokens})
}

// refuseLongPromptsAdvice returns advice on how to make the server refuse long prompts.
func (d *doctor) refuseLongPromptsAdvice() string {
	s := d.Server
	switch refuse := s.Advice().RefuseLongPrompts; {
	case refuse != "":
		return refuse
	case s.Can(backends.TruncatesPrompts):
		return fmt.Sprintf("upgrade %s to %s or later (this is %s): older versions cannot refuse long prompts",
			s.Name, s.FirstVersionWith(backends.RefusesLongPrompts), s.Version)
	}
	return "serve more context than the longest prompt needs, or use another server: " +
		"with truncated prompts the judge sees only part of the text"
}

// checkContext loads the model as a run would, measures the bytes per token of a judge's prompt, and compares the
// served context with the needs of JudgeBench.
func (d *doctor) checkContext(ctx context.Context) Finding {
	p := judging.DefaultParameters
	if d.Server.Can(backends.SetsContext) {
		d.numCtx = judging.SizeContext(longestBytes, p.MaxTokens, p.VerdictAttempts, d.Model.TrainedContext)
		if _, err := d.ask(ctx, d.request(1, user("Hello."))); err != nil {
			return problemFinding(Fail, "free memory, use a smaller model, or run with a smaller --num-ctx",
				"the model does not load with num_ctx %d, which a JudgeBench run would ask for: %s",
				d.numCtx, errorText(err))
		}
	}
	text := d.fillerText(2000)
	resp, err := d.ask(ctx, d.request(1, user(text)))
	if err == nil && resp.PromptTokens > 0 {
		d.promptBytesPerToken = float64(len(text)) / float64(resp.PromptTokens)
		d.roughSpeed = perSecond(resp.PromptTokens, cmp.Or(resp.Timing.Prompt, resp.Took))
	}
	return d.compareContext()
}

// estimateTokens returns the estimated number of tokens in a prompt of so many bytes.
func (d *doctor) estimateTokens(bytes int) int {
	return int(float64(bytes)/cmp.Or(d.promptBytesPerToken, 4) + 0.5)
}

// compareContext compares the served context with the prompts and replies of a run on JudgeBench.
func (d *doctor) compareContext() (f Finding) {
	served := cmp.Or(d.numCtx, d.Model.Context)
	reply := judging.DefaultParameters.MaxTokens
	if d.isDecisionModel() {
		reply = 0
	}
	// some prompts have more tokens per byte
	mean, longest := d.estimateTokens(sopPromptBytes), d.estimateTokens(longestBytes*5/4)
	need := longest + reply
	value := map[string]any{
		"served":                    served,
		"trained":                   d.Model.TrainedContext,
		"judgebench_longest_prompt": longest,
		"judgebench_wants":          need,
	}
	text := fmt.Sprintf("%d tokens served", served)
	if d.Model.TrainedContext > 0 {
		text += fmt.Sprintf(", %d trained", d.Model.TrainedContext)
	}
	switch {
	case served == 0:
		f = problemFinding(Unknown, fmt.Sprintf("make sure that it serves %d tokens: "+
			"JudgeBench's longest prompt and a reply of %d", need, reply),
			"the server does not report its context size")
	case d.Model.TrainedContext > 0 && served > d.Model.TrainedContext:
		f = problemFinding(Warn, "serve no more context than the model was trained for: "+
			"beyond that, replies become useless", "%s", text)
	case served < mean:
		f = problemFinding(Fail, d.largerContextAdvice(need), "%s: JudgeBench's mean prompt has about %d", text, mean)
	case served <= longest:
		f = problemFinding(Warn, d.largerContextAdvice(need),
			"%s: JudgeBench's longest prompt has up to about %d and would be prompt-too-long",
			text, longest)
	case served < need:
		do := d.largerContextAdvice(need)
		if d.Server.Can(backends.ReservesReplyRoom) {
			do += ", or leave out --max-tokens: a run then fits it to the context"
		} else if served-longest >= 1024 {
			do += fmt.Sprintf(", or run with --max-tokens %d", served-longest)
		}
		f = problemFinding(Warn, do, "%s: JudgeBench's longest prompt, up to about %d, leaves %d for a reply, "+
			"less than --max-tokens %d", text, longest, served-longest, reply)
	default:
		f = okFinding("%s; JudgeBench's longest prompt has up to about %d and leaves room for its reply", text, longest)
	}
	return f.withValue(value)
}

// largerContextAdvice returns advice on how to serve a context of n tokens.
func (d *doctor) largerContextAdvice(n int) string {
	if t := d.Model.TrainedContext; t > 0 && t < n {
		return fmt.Sprintf("this model was trained for %d tokens: use a model with a longer context for such prompts", t)
	}
	n = (n + 1023) / 1024 * 1024
	if more := d.Server.Advice().ServeContext; more != nil {
		return more(n, max(1, d.Model.Slots))
	}
	return fmt.Sprintf("serve a context of %d tokens", n)
}
