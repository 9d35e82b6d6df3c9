package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/eval"
	"gavel/judging"
)

// judgeBench is the size of JudgeBench's GPT-4o file under gavel's prompts, in
// bytes of system and user message together. It need not be on this machine.
var judgeBench = struct {
	pairs, judgments      int
	direct, sop, longest  int // mean of each prompt, and the longest of all with sop
	directReply, sopReply int // tokens of a reply: a label, and reasoning of the usual length
}{350, 700, 5872, 6975, 10740, 8, 600}

func (d *doctor) describeServer(context.Context) []finding {
	return []finding{good("%s", eval.Describe(d.server))}
}

func (d *doctor) describeModel(context.Context) []finding {
	m := d.model
	about := []string{m.Name}
	if m.Parameters != "" {
		about = append(about, m.Parameters+" parameters")
	}
	if m.Quantisation != "" {
		about = append(about, "quantisation "+m.Quantisation)
	}
	text := strings.Join(about, ", ")
	switch {
	case m.Digest != "":
		return []finding{good("%s, digest %s", text, m.Digest[:min(12, len(m.Digest))])}
	case strings.HasPrefix(m.Fingerprint, "params="):
		return []finding{good("%s; no digest: known by size, vocabulary, type and template", text)}
	}
	return []finding{bad(statusWarn, "after serving other weights under this name, run with --no-cache or give \"gavel cache prune --model "+m.Name+"\"",
		"%s; the server tells no digest: other weights of this name look the same", text)}
}

// small is the context that Ollama is given for a prompt that does not fit it:
// should it be cut, reading what is left costs little.
const small = 1024

// reply asks one plain question. Without an answer to it nothing can be tried.
func (d *doctor) reply(ctx context.Context) []finding {
	if d.server.Kind == "ollama" {
		d.numCtx = small
	}
	patient := backends.WithRetry(d.client, backends.Retry{For: min(d.opts.timeout, 30*time.Second)})
	resp, err := patient.Ask(ctx, d.request(16, user("Which of two numbers is greater, 3 or 5? Answer with that number alone.")))
	if err != nil {
		d.dumb = true
		do := "look at the server's log"
		switch {
		case backends.IsKind(err, backends.Timeout):
			do = "a large model may load for minutes: ask again, or raise --timeout"
		case backends.IsKind(err, backends.Auth):
			do = "name the environment variable that holds the key with --api-key-env"
		}
		return []finding{bad(statusFail, do, "a plain question is not answered: %s", why(err))}
	}
	d.thinksAnyway = resp.Thinking != ""
	took := ""
	if resp.Took > 2*time.Second {
		took = fmt.Sprintf(" in %s, loading included", resp.Took.Round(100*time.Millisecond))
	}
	if resp.Finish == backends.TooLong {
		return []finding{bad(statusWarn, "look at the model's template: it may put a long text of its own before every prompt", "a plain question does not fit the context: %s", resp.Detail)}
	}
	if resp.Text == "" && resp.Thinking == "" {
		return []finding{bad(statusWarn, "try the model by hand: a wrong chat template does that", "a plain question is answered%s with an empty reply", took)}
	}
	if resp.EndUntold {
		return []finding{bad(statusWarn, "ask a server that tells them, or look at the ends of replies yourself", "a plain question is answered%s, but %s", took, eval.EndUntold)}
	}
	if resp.PromptTokens == 0 {
		return []finding{bad(statusWarn, "keep prompts well below the served context: gavel cannot notice a cut where tokens are not counted",
			"a plain question is answered%s, but the server counts no tokens", took)}
	}
	return []finding{good("a plain question is answered%s", took)}
}

// longPrompt sends more than the server can take: it must refuse.
func (d *doctor) longPrompt(ctx context.Context) []finding {
	served := d.model.Context
	if d.server.Kind == "ollama" {
		served = small
		if d.model.Trained > 0 {
			served = min(served, d.model.Trained)
		}
	}
	if served > 0 {
		f, _ := d.overfill(ctx, d.client.Ask, served, served+served/2+64)
		if bare, ok := d.backend.(backends.Unguarded); ok && f.Status == statusOK {
			limited, cancel := context.WithTimeout(ctx, d.opts.timeout)
			defer cancel()
			if _, told := d.overfill(limited, bare.AskUnguarded, served, served+served/2+64); told > 0 {
				f.Said += fmt.Sprintf("; left to itself the server would have cut it to %d", told)
			}
		}
		return []finding{f}
	}
	for _, n := range []int{5000, 20000, 80000, 300000} {
		f, _ := d.overfill(ctx, d.client.Ask, 0, n)
		if f.Status != statusSkipped {
			return []finding{f}
		}
	}
	return []finding{good("the server takes prompts of 300000 tokens and more")}
}

// overfill sends a prompt of so many words to a server that serves so many
// tokens, 0 where that is unknown: the prompt may fit then, and the finding is
// statusSkipped. It also returns how many tokens the server read where it cut.
func (d *doctor) overfill(ctx context.Context, ask func(context.Context, backends.Request) (backends.Response, error), served, words int) (finding, int) {
	resp, err := ask(ctx, d.request(8, user(strings.Repeat("word ", words))))
	sent, room := fmt.Sprintf("a prompt of at least %d tokens", words), ""
	if served > 0 {
		room = fmt.Sprintf(" at a context of %d", served)
	}
	value := map[string]any{"tokens_at_least": words, "context": served, "read": resp.PromptTokens}
	switch {
	case refused(err):
		return bad(statusWarn, "such prompts end as failed instead of prompt-too-long; please report these words", "%s is refused%s, in words that gavel does not know: %s", sent, room, why(err)), 0
	case err != nil:
		return bad(statusUnknown, "ask again with a larger --timeout; a server that refuses answers at once", "%s%s: %s", sent, room, why(err)), 0
	case resp.Finish == backends.TooLong && resp.PromptTokens == 0:
		return good("%s is refused%s", sent, room).with(value), 0
	case resp.Finish == backends.TooLong:
		return bad(statusFail, d.neverCut(), "%s is cut in silence%s: the server read %d and answered", sent, room, resp.PromptTokens).with(value), resp.PromptTokens
	case resp.PromptTokens == 0:
		return bad(statusUnknown, "keep prompts well below the served context", "%s is answered%s, and the server does not tell how much it read", sent, room).with(value), 0
	case served > 0:
		return bad(statusWarn, "find out what it really serves; a cut prompt cannot be noticed", "%s is answered%s: the server claims to have read %d", sent, room, resp.PromptTokens).with(value), 0
	}
	return finding{Status: statusSkipped}, 0
}

// neverCut is how to have a server refuse.
func (d *doctor) neverCut() string {
	switch d.server.Name {
	case backends.LlamaCpp:
		return "upgrade llama.cpp, and start it without --context-shift"
	case backends.LMStudio:
		return "load the model with a context longer than every prompt, and set its context overflow to \"stop at limit\""
	}
	if d.server.Kind == "ollama" {
		return fmt.Sprintf("upgrade Ollama to %s or later (this is %s): older ones do not know how to refuse", backends.OllamaTruncate, d.server.Version)
	}
	return "serve more context than the longest prompt needs, or another server: what is cut is judged on half a text"
}

// context loads the model as a run would, measures how many bytes of a judge's
// prompt make a token, and compares what is served with what JudgeBench needs.
func (d *doctor) context(ctx context.Context) []finding {
	p := judging.DefaultParameters
	if d.server.Kind == "ollama" {
		d.numCtx = judging.SizeContext(judgeBench.longest, p.MaxTokens, p.Attempts, d.model.Trained)
		if _, err := d.ask(ctx, d.request(1, user("Hello."))); err != nil {
			return []finding{bad(statusFail, "free memory, take a smaller model, or run with a smaller --num-ctx", "the model does not load with num_ctx %d, which a JudgeBench run would ask for: %s", d.numCtx, why(err))}
		}
	}
	text := d.prose(2000)
	resp, err := d.ask(ctx, d.request(1, user(text)))
	if err == nil && resp.PromptTokens > 0 {
		d.bytesPerTok = float64(len(text)) / float64(resp.PromptTokens)
		d.roughly = perSecond(resp.PromptTokens, cmp.Or(resp.Timing.Prompt, resp.Took))
	}
	var out []finding
	if l, ok := d.backend.(backends.Loader); ok {
		out = d.memory(ctx, l)
	}
	return append([]finding{d.room()}, out...)
}

// tokens is how many tokens so many bytes of a prompt make.
func (d *doctor) tokens(bytes int) int {
	return int(float64(bytes)/cmp.Or(d.bytesPerTok, 4) + 0.5)
}

func (d *doctor) room() finding {
	served := cmp.Or(d.numCtx, d.model.Context)
	reply := judging.DefaultParameters.MaxTokens
	mean, longest := d.tokens(judgeBench.sop), d.tokens(judgeBench.longest*5/4) // some prompts have more tokens to the byte
	need := longest + reply
	value := map[string]any{"served": served, "trained": d.model.Trained, "judgebench_longest_prompt": longest, "judgebench_wants": need}
	said := fmt.Sprintf("%d tokens served", served)
	if d.model.Trained > 0 {
		said += fmt.Sprintf(", %d trained", d.model.Trained)
	}
	switch {
	case served == 0:
		return bad(statusUnknown, fmt.Sprintf("see to it that it serves %d tokens: JudgeBench's longest prompt and a reply of %d", need, reply), "the server does not tell what context it serves").with(value)
	case d.model.Trained > 0 && served > d.model.Trained:
		return bad(statusWarn, "serve no more than the model was trained for: beyond it models fall apart", "%s", said).with(value)
	case served < mean:
		return bad(statusFail, d.serveMore(need), "%s: JudgeBench's mean prompt has about %d", said, mean).with(value)
	case served <= longest:
		return bad(statusWarn, d.serveMore(need), "%s: JudgeBench's longest prompt has up to about %d and would be prompt-too-long", said, longest).with(value)
	case served < need:
		do := d.serveMore(need)
		if served-longest >= 1024 {
			do += fmt.Sprintf(", or run with --max-tokens %d", served-longest)
		}
		return bad(statusWarn, do, "%s: JudgeBench's longest prompt, up to about %d, leaves %d for a reply, less than --max-tokens %d", said, longest, served-longest, reply).with(value)
	}
	return good("%s; JudgeBench's longest prompt has up to about %d and leaves room for its reply", said, longest).with(value)
}

// serveMore is how to be given a context of n tokens.
func (d *doctor) serveMore(n int) string {
	if t := d.model.Trained; t > 0 && t < n {
		return fmt.Sprintf("this model was trained for %d tokens: take a model of longer context for such prompts", t)
	}
	n = (n + 1023) / 1024 * 1024
	switch d.server.Name {
	case backends.LlamaCpp:
		slots := max(1, d.model.Slots)
		return fmt.Sprintf("start llama.cpp with -np %d -c %d (%d for each request)", slots, slots*n, n)
	case backends.VLLM:
		return fmt.Sprintf("start vLLM with --max-model-len %d", n)
	}
	return fmt.Sprintf("serve a context of %d tokens", n)
}

// memory says whether the model is where it is fast.
func (d *doctor) memory(ctx context.Context, l backends.Loader) []finding {
	m, ok, err := l.Loaded(ctx, d.model.Name)
	if err != nil || !ok || m.Bytes == 0 {
		return nil
	}
	size := fmt.Sprintf("%.1f GB in memory with a context of %d", float64(m.Bytes)/1e9, m.Context)
	if m.Bytes < 1e8 {
		size = fmt.Sprintf("%.1f MB in memory with a context of %d", float64(m.Bytes)/1e6, m.Context)
	}
	var f finding
	switch share := float64(m.GPU) / float64(m.Bytes); {
	case m.Context > 0 && m.Context < d.numCtx:
		f = bad(statusWarn, "what does not fit is refused; run with --num-ctx "+fmt.Sprint(m.Context), "%s: less than the %d that a run asks for", size, d.numCtx)
	case share == 0:
		f = good("%s, none of it on a GPU", size)
	case share < 0.99:
		f = bad(statusWarn, "it runs several times faster when all of it fits: a smaller quantisation, a smaller --num-ctx, or a lower OLLAMA_NUM_PARALLEL", "%s, only %.0f %% of it on a GPU", size, 100*share)
	default:
		f = good("%s, all of it on a GPU", size)
	}
	f.Check = "memory"
	return []finding{f.with(m)}
}

// systemText finds out whether what a system message says reaches the model.
func (d *doctor) systemText(ctx context.Context) []finding {
	if d.systemRole == backends.User {
		return []finding{skipped("--system-role user: the system text stands in the user's turn")}
	}
	const do = "run with --system-role user, which puts the system text before the user's"
	question := user("Which response is better?")
	system := backends.Message{Role: backends.System, Content: "You are an impartial judge of two responses to one question. Say which of them is better, and never let their order or their length decide for you."}
	without, err := d.ask(ctx, d.request(1, question))
	if err != nil {
		return untold(err)
	}
	with, err := d.ask(ctx, d.request(1, system, question))
	more, least := with.PromptTokens-without.PromptTokens, backends.LeastTokens([]backends.Message{system})
	switch {
	case refused(err):
		d.systemRole = backends.User
		return []finding{bad(statusFail, do, "a system message is refused: %s", why(err))}
	case err != nil:
		return untold(err)
	case with.PromptTokens == 0:
		return []finding{bad(statusUnknown, "if verdicts ignore the instructions, "+do, "a system message is accepted, but the server counts no tokens: it may be left out")}
	case more < least/2:
		d.systemRole = backends.User
		return []finding{bad(statusFail, do, "a system message is accepted and left out: %d words of it add %d tokens to the prompt", least, more).with(more)}
	}
	return []finding{good("a system message is read: it adds %d tokens", more).with(more)}
}

// thinkingTokens is how long a thought may be that is waited for.
func (d *doctor) thinkingTokens() int {
	if d.speed == nil || d.speed.Reply == 0 {
		return 128
	}
	return min(1024, max(48, int(d.speed.Reply*8)))
}

// thinking tries --think on and --think off.
func (d *doctor) thinking(ctx context.Context) []finding {
	n := d.thinkingTokens()
	try := func(t backends.Think) (backends.Response, error) {
		req := d.request(n, user("A bat and a ball cost 11 together, and the bat costs 10 more than the ball. What does the ball cost? Answer with the number alone."))
		req.Think = t
		return d.ask(ctx, req)
	}
	says := d.model.Thinks
	on, errOn := try(backends.ThinkOn)
	off, errOff := try(backends.ThinkOff)
	for _, err := range []error{errOn, errOff} {
		if err != nil && !refused(err) {
			return untold(err)
		}
	}
	f := judgeThinking(says, n, on, off, errOn, errOff)
	switch {
	case errOff == nil && off.Thinking == "":
		if on.Thinking != "" || says == backends.Yes {
			d.think = backends.ThinkOff
		}
	case errOff == nil || d.thinksAnyway:
		d.thinksAlways = true
	}
	return []finding{f.with(map[string]any{
		"says": cmp.Or(says, "unknown"), "by_itself": d.thinksAnyway,
		"on": outcome(on, errOn), "off": outcome(off, errOff),
	})}
}

// outcome is a word for what came back.
func outcome(r backends.Response, err error) string {
	switch {
	case err != nil:
		return "refused"
	case r.Thinking != "":
		return "thinking apart"
	}
	return "no thinking"
}

func judgeThinking(says backends.Ability, n int, on, off backends.Response, errOn, errOff error) finding {
	switch {
	case errOn != nil && says == backends.Yes:
		return bad(statusWarn, "leave --think out, or upgrade the server", "the server says that the model thinks, and refuses --think on: %s", why(errOn))
	case errOn != nil && errOff != nil:
		return bad(statusWarn, "leave --think out", "--think is refused: %s", why(errOff))
	case errOn != nil:
		return good("the model does not think, and --think on is refused")
	case on.Thinking != "" && errOff != nil:
		return bad(statusWarn, "leave --think off out", "--think on thinks, apart from the reply; --think off is refused: %s", why(errOff))
	case on.Thinking != "" && off.Thinking != "":
		return bad(statusWarn, "count on thinking in every reply, and raise --max-tokens if many end as cut", "--think off changes nothing: the model thinks anyway, apart from the reply")
	case on.Thinking != "":
		return good("--think on thinks, apart from the reply; --think off does not")
	case says == backends.Yes && on.Finish == backends.Length:
		return bad(statusUnknown, "look at a reply of a run with --think on: where thinking stands in the text, start vLLM with --reasoning-parser, llama.cpp with --reasoning-format deepseek",
			"the template speaks of thinking, but with --think on none came back apart within %d tokens", n)
	case says == backends.Yes:
		return bad(statusWarn, "--think changes nothing here", "the template speaks of thinking, but with --think on none came back")
	case errOff != nil:
		return bad(statusWarn, "leave --think out", "--think off is refused: %s", why(errOff))
	}
	if says == backends.No {
		return good("the model does not think, says the server: \"gavel run\" refuses --think on")
	}
	return good("the model does not think: --think is accepted and changes nothing")
}

// labels are two that no sensible reply to the question gives by itself.
var labels = []string{"[[A>B]]", "[[B>A]]"}

func (d *doctor) capital(n int) backends.Request {
	if d.thinksAlways {
		n = max(n, d.thinkingTokens())
	}
	req := d.request(n, user("What is the capital of France? Answer with one word."))
	req.Think = d.think
	return req
}

// constrained holds the reply to labels that have nothing to do with the
// question.
func (d *doctor) constrained(ctx context.Context) []finding {
	req := d.capital(32)
	req.Constrain = labels
	resp, err := d.ask(ctx, req)
	text := strings.TrimSpace(resp.Text)
	switch {
	case refused(err):
		return []finding{bad(statusWarn, "run without --constrain", "refused: %s", why(err))}
	case err != nil:
		return untold(err)
	case slices.Contains(labels, text):
		d.constrains = true
		return []finding{good("held to two labels, the model replies with one of them")}
	case text == "" && resp.Thinking != "":
		return []finding{bad(statusUnknown, "try a run of a few pairs with --constrain", "the model was still thinking after %d tokens", req.MaxTokens)}
	}
	return []finding{bad(statusWarn, "run without --constrain: it would be passed over in silence", "ignored: held to two labels, the model replies %s", quoted(text))}
}

// quoted is the beginning of a reply, for a finding.
func quoted(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return fmt.Sprintf("%q…", string(r[:40]))
	}
	return fmt.Sprintf("%q", s)
}

// logprobs asks how probable a label was that the reply is sure to hold.
func (d *doctor) logprobs(ctx context.Context) []finding {
	req := d.capital(32)
	if d.constrains {
		req.Constrain, req.Labels = labels, labels
	} else {
		plain, err := d.ask(ctx, req)
		if err != nil {
			return untold(err)
		}
		words := strings.Fields(plain.Text)
		if len(words) == 0 {
			return []finding{bad(statusUnknown, "try a run of a few pairs with --logprobs", "an empty reply has no tokens to tell of")}
		}
		req.Labels = []string{words[0], "no " + words[0]}
	}
	resp, err := d.ask(ctx, req)
	do := "run without --logprobs"
	if d.server.Kind == "ollama" {
		do += fmt.Sprintf(", or upgrade Ollama to %s or later (this is %s)", backends.OllamaLogprobs, d.server.Version)
	}
	switch {
	case refused(err):
		return []finding{bad(statusWarn, do, "refused: %s", why(err))}
	case err != nil:
		return untold(err)
	case len(resp.Labels) == 0:
		return []finding{bad(statusWarn, do, "asked for, but none came")}
	case d.model.Logprobs == backends.No:
		return []finding{bad(statusWarn, do+": gavel takes "+d.server.Name+" for a server that tells none", "told, against expectation")}
	}
	return []finding{good("the probability of the label is told")}
}

// atOnce is how many requests are sent together to see how many are served so.
const atOnce = 4

// tellable is how long a reply must take for its end to tell when it began.
const tellable = 150 * time.Millisecond

// parallel finds out how many requests are served at once: those sent together
// and served together end together. A server that tells its slots is believed
// where its replies are too quick to see.
func (d *doctor) parallel(ctx context.Context) []finding {
	n := 32
	if d.speed != nil && d.speed.Reply > 0 {
		n = min(256, max(16, int(d.speed.Reply*1.5)))
	}
	together, first := 0, time.Duration(0)
	for range 2 { // the better of two: a busy machine makes it look worse, nothing makes it look better
		var reqs []backends.Request
		for range atOnce {
			reqs = append(reqs, d.request(n, user(cmp.Or(d.wordy, wordy[0]))))
		}
		b := d.burst(ctx, reqs, atOnce)
		if len(b.errs) > 0 {
			return []finding{bad(statusWarn, "run with --concurrency 1, and look at the server's log", "of %d requests at once %d failed: %s", atOnce, len(b.errs), why(b.errs[0]))}
		}
		slices.Sort(b.ends)
		if b.replyTokens() >= min(n, fewTokens)*atOnce {
			first = max(first, b.ends[0])
		}
		k := 0
		for _, end := range b.ends {
			if end <= b.ends[0]*3/2 {
				k++
			}
		}
		together = max(together, k)
	}
	slots := d.model.Slots
	value := map[string]any{"slots": slots}
	said := "replies end too soon to see how many requests are served together"
	if slots > 0 && together > slots { // then something else than the server kept them waiting
		first = 0
	}
	if first >= tellable {
		value["of_4_together"] = together
		said = fmt.Sprintf("of %d requests sent together, %d were served together", atOnce, together)
	}
	if slots > 0 {
		said = fmt.Sprintf("%d slots; %s", slots, said)
	}
	switch {
	case slots == 1:
		return []finding{bad(statusWarn, "start llama.cpp with -np 4 and four times the -c, if memory allows", "one slot: one request at a time").with(value)}
	case slots > 0:
		return []finding{good("%s", said).with(value)}
	case first < tellable:
		return []finding{bad(statusUnknown, "see below what more at once bring", "%s", said).with(value)}
	case together == 1 && d.server.Kind == "ollama":
		return []finding{bad(statusWarn, "start Ollama with OLLAMA_NUM_PARALLEL=4, if memory allows four times the context; for some models it serves only one", "%s: one at a time", said).with(value)}
	}
	return []finding{good("%s", said).with(value)}
}

// sharedContext finds out whether llama.cpp's slots have a context each, by
// sending two prompts at once that fit one by one, but not together.
func (d *doctor) sharedContext(ctx context.Context) []finding {
	const do = "start llama.cpp with -np N and -c N times the context: without -np, slots share one context, and requests that outgrow it together fail"
	c := d.model.Context
	switch {
	case d.server.Name != backends.LlamaCpp:
		return []finding{skipped("only llama.cpp's slots may share one context")}
	case d.model.Slots < 2 || c == 0:
		return []finding{skipped("one slot has nobody to share with")}
	case d.speed == nil || float64(c)*1.2 > d.speed.Prompt*20:
		return []finding{bad(statusUnknown, "look for kv_unified = 'true' in its log; where that stands, "+do, "filling %d tokens to see it would take too long", c)}
	}
	fill := strings.Repeat(" word", c*55/100)
	b := d.burst(ctx, []backends.Request{d.request(4, user(salt()+fill)), d.request(4, user(salt()+fill))}, 2)
	switch {
	case len(b.errs) == 0:
		return []finding{good("two prompts of %d tokens at once both fit: each slot has %d of its own", c*55/100, c)}
	case refused(b.errs[0]):
		return []finding{bad(statusWarn, do, "%d slots share %d tokens: two prompts of %d at once end with %s", d.model.Slots, c, c*55/100, why(b.errs[0]))}
	}
	return untold(b.errs[0])
}
