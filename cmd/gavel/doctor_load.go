package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/eval"
	"gavel/judging"
)

// speed is how fast the server works, and what that means for a run.
type speed struct {
	Prompt      float64 `json:"prompt_tokens_per_second"` // one request at a time
	Reply       float64 `json:"reply_tokens_per_second"`
	Clock       string  `json:"clock"` // whose: "server" or "wall"
	BytesPerTok float64 `json:"prompt_bytes_per_token"`
	Paces       []pace  `json:"paces"`
	Concurrency int     `json:"concurrency,omitempty"` // recommended; 0 where it was not measured
}

// pace is how fast the server works at one concurrency, all requests together,
// and how long JudgeBench would take at it.
type pace struct {
	Concurrency int      `json:"concurrency"`
	Prompt      float64  `json:"prompt_tokens_per_second"`
	Reply       float64  `json:"reply_tokens_per_second"`
	Direct      estimate `json:"direct"`
	Sop         estimate `json:"sop"`
}

// estimate is how long the judgments of a JudgeBench run would take.
type estimate struct {
	PerSecond float64 `json:"judgments_per_second"`
	Hours     float64 `json:"hours"`
}

// estimated: reading the prompts and writing the replies share the server.
func estimated(promptTokens, replyTokens int, prompt, reply float64) estimate {
	seconds := float64(promptTokens)/prompt + float64(replyTokens)/reply
	return estimate{1 / seconds, float64(judgeBench.judgments) * seconds / 3600}
}

func (d *doctor) paceOf(concurrency int, prompt, reply float64) pace {
	return pace{
		concurrency, prompt, reply,
		estimated(d.tokens(judgeBench.direct), judgeBench.directReply, prompt, reply),
		estimated(d.tokens(judgeBench.sop), judgeBench.sopReply, prompt, reply),
	}
}

func perSecond(tokens int, d time.Duration) float64 {
	return float64(tokens) / max(d.Seconds(), 1e-6)
}

// salt begins a prompt that no prompt cache has seen.
func salt() string { return "Note " + rand.Text()[:12] + "." }

// prose is about so many bytes of text such as judges read, salted.
func (d *doctor) prose(bytes int) string {
	var b strings.Builder
	b.WriteString(salt())
	items := sampleItems(d.env)
	for i := 0; b.Len() < bytes && len(items) > 0; i++ {
		it := items[i%len(items)]
		fmt.Fprintf(&b, "\n\n%s\n\n%s\n\n%s", it.Question, it.Candidates[0].Text, it.Candidates[1].Text)
	}
	return strings.ToValidUTF8(b.String()[:min(b.Len(), max(bytes, 24))], "")
}

// sampleItems are the built-in pairs.
func sampleItems(e *env) []datasets.Item {
	set, err := e.library().Open("sample")
	if err != nil {
		panic(err) // it is part of the program
	}
	defer set.Close()
	var items []datasets.Item
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			panic(err)
		}
		items = append(items, item)
	}
	return items
}

// measureSpeed measures reading and writing, one request at a time: by the
// server's own clock where it tells, else by the difference between a short
// request and a long one.
func (d *doctor) measureSpeed(ctx context.Context) []finding {
	bytes := judgeBench.sop
	if d.roughly > 0 { // a slow server is given less to read
		bytes = min(bytes, max(1000, int(d.roughly*8*cmp.Or(d.bytesPerTok, 4))))
	}
	base, err := d.ask(ctx, d.request(1, user(salt()+" Say a word.")))
	if err != nil {
		return untold(err)
	}
	long, err := d.ask(ctx, d.request(1, user(d.prose(bytes))))
	if err != nil {
		return untold(err)
	}
	if long.Finish == backends.TooLong {
		return []finding{bad(statusUnknown, "serve more context", "a prompt of JudgeBench's mean length (%d bytes) does not fit the context", bytes)}
	}
	reply, err := d.write(ctx)
	if err != nil {
		return untold(err)
	}
	s := &speed{Clock: "server", BytesPerTok: d.bytesPerTok}
	if t := long.Timing; t.Prompt > 0 && reply.Timing.Reply > 0 {
		s.Prompt = perSecond(t.PromptTokens, t.Prompt)
		s.Reply = perSecond(reply.Timing.ReplyTokens, reply.Timing.Reply)
	} else if long.PromptTokens > base.PromptTokens && reply.ReplyTokens > 1 {
		s.Clock = "wall"
		s.Prompt = perSecond(long.PromptTokens-base.PromptTokens, atLeast(long.Took-base.Took))
		s.Reply = perSecond(reply.ReplyTokens-1, atLeast(reply.Took-base.Took))
	}
	if s.Prompt == 0 || s.Reply == 0 {
		return []finding{bad(statusUnknown, "try a run of a few pairs with --limit", "the server counts no tokens")}
	}
	s.Paces = []pace{d.paceOf(1, s.Prompt, s.Reply)}
	d.speed = s
	by := "by the server's own clock"
	if s.Clock == "wall" {
		by = "by the wall clock"
	}
	f := good("reads %s and writes %s tokens a second, one request at a time, %s", figure(s.Prompt), figure(s.Reply), by)
	if s.Reply < 5 {
		f.Status, f.Do = statusWarn, "see whether the model runs on the GPU; for a slow one take --prompt direct, whose replies are a label, or --sample"
	}
	return []finding{f.with(map[string]any{"prompt_tokens_per_second": s.Prompt, "reply_tokens_per_second": s.Reply, "clock": s.Clock})}
}

// atLeast: a difference of two times is never so small that it can be trusted.
func atLeast(t time.Duration) time.Duration { return max(t, 100*time.Microsecond) }

// wordy are questions that take a long reply. What is written is in no cache, so
// they need no salt, and replies to one of them are equally long.
var wordy = []string{
	"Write all whole numbers from one to two hundred in words.",
	"Tell a long story of two judges who never agree.",
	"List a hundred common nouns, one in each line.",
}

// write has the model write something long after a short prompt, and keeps the
// question that it writes longest to.
func (d *doctor) write(ctx context.Context) (backends.Response, error) {
	const few, many = 24, 128
	var best backends.Response
	for _, text := range wordy {
		resp, err := d.ask(ctx, d.request(few, user(text)))
		if err != nil {
			return resp, err
		}
		if d.wordy == "" || resp.ReplyTokens > best.ReplyTokens {
			best, d.wordy = resp, text
		}
		if resp.Finish == backends.Length || resp.Took > 2*time.Second {
			break
		}
	}
	if best.Took > 2*time.Second {
		return best, nil
	}
	return d.ask(ctx, d.request(many, user(d.wordy)))
}

// fewTokens is a reply too short for its time to tell how fast it was written.
const fewTokens = 12

// wave is what came of requests sent together.
type wave struct {
	took    time.Duration
	ends    []time.Duration // of those answered, since the start
	replies []backends.Response
	errs    []error
}

func (w wave) promptTokens() (n int) {
	for _, r := range w.replies {
		n += r.PromptTokens
	}
	return n
}

func (w wave) replyTokens() (n int) {
	for _, r := range w.replies {
		n += r.ReplyTokens
	}
	return n
}

// burst sends requests, so many at once; replies[i] answers reqs[i] and is zero
// where that failed.
func (d *doctor) burst(ctx context.Context, reqs []backends.Request, atOnce int) wave {
	w := wave{replies: make([]backends.Response, len(reqs))}
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	start := d.env.now()
	for range min(atOnce, len(reqs)) {
		wg.Go(func() {
			for i := range next {
				resp, err := d.ask(ctx, reqs[i])
				mu.Lock()
				if err != nil {
					w.errs = append(w.errs, err)
				} else {
					w.replies[i] = resp
					w.ends = append(w.ends, d.env.now().Sub(start))
				}
				mu.Unlock()
			}
		})
	}
	for i := range reqs {
		next <- i
	}
	close(next)
	wg.Wait()
	w.took = d.env.now().Sub(start)
	return w
}

const (
	mostAtOnce = 32  // more is for servers that one does not ask a doctor about
	gain       = 1.1 // less is no gain worth more requests at once
)

// waveTime is what one wave is meant to take. A variable, so that tests need not
// wait for it.
var waveTime = 3 * time.Second

// throughput measures how much more is done when more is asked at once.
func (d *doctor) throughput(ctx context.Context) []finding {
	if d.speed == nil {
		return []finding{skipped("the speed of one request is not known")}
	}
	var paces []pace
	best, ended := 0, ""
	var failure finding
	last := d.speed.Paces[0]
	for c := 1; c <= mostAtOnce; c *= 2 {
		p, err := d.measurePace(ctx, c, last)
		if err == nil && len(paces) > 0 && !gains(p, paces[best]) {
			// Another look: a moment's business of the machine is no limit.
			if again, err := d.measurePace(ctx, c, last); err == nil && gains(again, p) {
				p = again
			}
		}
		if err != nil {
			ended = fmt.Sprintf("%d at once were not measured: %s", c, why(err))
			if !errors.Is(err, context.DeadlineExceeded) && c > 1 {
				failure = bad(statusWarn, fmt.Sprintf("run with --concurrency %d or less", max(1, c/2)), "at %d at once requests fail: %s", c, why(err))
			}
			break
		}
		last = p
		paces = append(paces, p)
		if len(paces) > 1 && !gains(p, paces[best]) {
			ended = fmt.Sprintf("%d at once are no gain", c)
			break
		}
		best = len(paces) - 1
	}
	if len(paces) == 0 {
		return []finding{bad(statusUnknown, "run with --concurrency 1 and watch its progress", "%s", ended)}
	}
	d.speed.Paces, d.speed.Concurrency = paces, paces[best].Concurrency
	times := max(paces[best].Sop.PerSecond/paces[0].Sop.PerSecond, paces[best].Direct.PerSecond/paces[0].Direct.PerSecond)
	said := fmt.Sprintf("best at --concurrency %d", d.speed.Concurrency)
	if best > 0 {
		said += fmt.Sprintf(": %.1f times one at a time", times)
	}
	if ended == "" {
		ended = fmt.Sprintf("more than %d were not tried", mostAtOnce)
	}
	if d.shortReplies {
		ended += fmt.Sprintf("; replies ended before %d tokens: how fast they are written is hardly measured", fewTokens)
	}
	out := []finding{good("%s; %s", said, ended).with(map[string]any{"concurrency": d.speed.Concurrency, "times_one": times})}
	if failure.Said != "" {
		out = append(out, failure)
	}
	return out
}

// gains tells whether a pace is worth more requests at once.
func gains(p, than pace) bool {
	return p.Sop.PerSecond >= gain*than.Sop.PerSecond || p.Direct.PerSecond >= gain*than.Direct.PerSecond
}

// measurePace sends one wave that is nearly all reading and one that is nearly
// all writing, each sized by the last pace to take a few seconds.
func (d *doctor) measurePace(ctx context.Context, c int, last pace) (pace, error) {
	perRequest := last.Prompt * waveTime.Seconds() / float64(c)
	bytes := max(200, min(judgeBench.sop, int(perRequest*cmp.Or(d.bytesPerTok, 4))))
	n := max(8, min(96, int(last.Reply*waveTime.Seconds()/float64(c))))
	r := d.wave(ctx, c, func() backends.Request { return d.request(1, user(d.prose(bytes))) })
	if len(r.errs) > 0 {
		return pace{}, r.errs[0]
	}
	w := d.wave(ctx, c, func() backends.Request { return d.request(n, user(d.wordy)) })
	if len(w.errs) > 0 {
		return pace{}, w.errs[0]
	}
	d.shortReplies = w.replyTokens() < fewTokens*len(w.replies) && n >= fewTokens
	prompt := perSecond(r.promptTokens(), r.took)
	// What the writers read takes its time too.
	wrote := w.took - time.Duration(float64(w.promptTokens())/prompt*float64(time.Second))
	return d.paceOf(c, prompt, perSecond(max(1, w.replyTokens()), max(wrote, w.took/10))), nil
}

// wave sends c requests at once, and where that is over too quickly to be
// measured, several times as many, c at a time.
func (d *doctor) wave(ctx context.Context, c int, make func() backends.Request) wave {
	times := 1
	for {
		reqs := []backends.Request{}
		for range c * times {
			reqs = append(reqs, make())
		}
		w := d.burst(ctx, reqs, c)
		if times > 1 || len(w.errs) > 0 || w.took > waveTime/4 {
			return w
		}
		times = min(8, int(waveTime/2/max(w.took, time.Millisecond))+2)
	}
}

// sameAgain asks prompts alone, alone once more, and all at once.
func (d *doctor) sameAgain(ctx context.Context) []finding {
	const most, tokens = 8, 32
	crowd := eval.Concurrency(0, d.server, d.model)
	if d.speed != nil {
		crowd = max(2, d.speed.Concurrency, min(crowd, atOnce))
	}
	kind, err := judging.KindNamed("pairwise")
	if err != nil {
		return untold(err)
	}
	template, err := kind.Template("direct")
	if err != nil {
		return untold(err)
	}
	protocol := kind.New(template, nil)
	var reqs []backends.Request
	for _, item := range sampleItems(d.env)[:most] {
		prompt := protocol.Prompt(item, protocol.Showings(item)[0])
		reqs = append(reqs, d.request(tokens, judging.FirstTurn(prompt, d.systemRole)...))
	}
	start := d.env.now()
	var first []backends.Response
	for _, req := range reqs {
		if len(first) >= 2 && d.env.now().Sub(start) > 10*time.Second {
			break // a slow server is asked fewer
		}
		resp, err := d.ask(ctx, req)
		if err != nil {
			return untold(err)
		}
		first = append(first, resp)
	}
	n := len(first)
	alone := d.burst(ctx, reqs[:n], 1)
	var many []backends.Request // every prompt as often as it takes to make a crowd
	for i := 0; i < n || i < crowd; i++ {
		many = append(many, reqs[i%n])
	}
	crowded := d.burst(ctx, many, crowd)
	if failed := append(alone.errs, crowded.errs...); len(failed) > 0 {
		return []finding{bad(statusWarn, "see whether a run with --concurrency 1 fares better", "%d of %d requests failed: %s", len(failed), n+len(many), why(failed[0]))}
	}
	again, load := changed(first, alone.replies), changed(first, crowded.replies)
	value := map[string]any{"prompts": n, "changed_alone": again, "changed_under_load": load, "at_once": crowd}
	said := fmt.Sprintf("of %d replies %d changed when asked again alone, %d under load (%d at once)", n, again, load, crowd)
	switch {
	case again > 0:
		return []finding{bad(statusWarn, "measure it with --repeat 3, which says how large a difference is noise; --strict-determinism leaves prompt caches aside and may help", "%s", said).with(value)}
	case load > 0:
		return []finding{bad(statusWarn, "measure it with --repeat 3, which says how large a difference is noise, or run with --strict-determinism: one request at a time", "%s", said).with(value)}
	}
	return []finding{good("%s", said).with(value)}
}

// changed counts the first replies that any later reply to the same prompt
// differs from; later ones go round.
func changed(first, later []backends.Response) int {
	differs := make([]bool, len(first))
	for i, r := range later {
		f := first[i%len(first)]
		if r.Text != f.Text || r.Thinking != f.Thinking || r.Finish != f.Finish {
			differs[i%len(first)] = true
		}
	}
	n := 0
	for _, d := range differs {
		if d {
			n++
		}
	}
	return n
}
