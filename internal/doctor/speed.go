package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"gavel/backends"
)

// Speed holds the measured speed of the server, and what it means for a run.
type Speed struct {
	Prompt      float64 `json:"prompt_tokens_per_second"` // one request at a time
	Reply       float64 `json:"reply_tokens_per_second"`
	Clock       string  `json:"clock"`            // whose: "server" or "wall"
	Call        float64 `json:"seconds_per_call"` // that a request takes beside reading and writing: way, queue, gateway
	BytesPerTok float64 `json:"prompt_bytes_per_token"`
	Paces       []Pace  `json:"paces"` // one at a time and, where that was measured, as many at once as a run sends
}

// Pace holds the speed of the server at one concurrency, all requests together, and how long JudgeBench would take.
type Pace struct {
	Concurrency int      `json:"concurrency"`
	Prompt      float64  `json:"prompt_tokens_per_second"`
	Reply       float64  `json:"reply_tokens_per_second"`
	Direct      Estimate `json:"direct"`
	Sop         Estimate `json:"sop"`
}

// Estimate holds how long the judgments of a JudgeBench run would take.
type Estimate struct {
	PerSecond float64 `json:"judgments_per_second"`
	Hours     float64 `json:"hours"`
}

// estimated returns the estimate at these speeds: reading the prompts and writing the replies share the server. call is
// the overhead of a request in seconds.
func estimated(promptTokens, replyTokens int, prompt, reply, call float64) Estimate {
	seconds := call + float64(promptTokens)/prompt + float64(replyTokens)/reply
	return Estimate{1 / seconds, float64(judgeBench.judgments) * seconds / 3600}
}

// paceOf returns the pace at these rates. Concurrent requests share their overhead.
func (d *doctor) paceOf(concurrency int, prompt, reply float64) Pace {
	call := d.call.Seconds() / float64(concurrency)
	return Pace{
		Concurrency: concurrency,
		Prompt:      prompt,
		Reply:       reply,
		Direct:      estimated(d.tokens(judgeBench.direct), judgeBench.directReply, prompt, reply, call),
		Sop:         estimated(d.tokens(judgeBench.sop), judgeBench.sopReply, prompt, reply, call),
	}
}

func perSecond(tokens int, d time.Duration) float64 {
	return float64(tokens) / max(d.Seconds(), 1e-6)
}

// salt begins a prompt that no prompt cache has seen.
func salt() string { return "Note " + rand.Text()[:12] + "." }

// prose returns about so many bytes of text such as judges read, salted.
func (d *doctor) prose(bytes int) string {
	text := salt() + strings.Repeat(d.Text, bytes/max(1, len(d.Text))+1)
	return strings.ToValidUTF8(text[:min(len(text), max(bytes, 24))], "")
}

// middle returns the median, of two the lower.
func middle(tries []float64) float64 {
	slices.Sort(tries)
	return tries[(len(tries)-1)/2]
}

const (
	mostTries = 3 // of a measurement; of a slow server fewer
	triesTime = 10 * time.Second
)

// again measures n times, one after the other: at least once, and no more once it has taken long.
func again[T any](d *doctor, n int, measure func() (T, error)) (tries []T, err error) {
	for start := d.Now(); len(tries) < n && (len(tries) == 0 || d.Now().Sub(start) < triesTime); {
		one, err := measure()
		switch {
		case len(tries) > 0 && errors.Is(err, context.DeadlineExceeded):
			return tries, nil
		case err != nil:
			return nil, err
		}
		tries = append(tries, one)
	}
	return tries, nil
}

// repeat asks a question n times, if that does not take long.
func (d *doctor) repeat(ctx context.Context, n int, request func() backends.Request) ([]backends.Response, error) {
	return again(d, n, func() (backends.Response, error) { return d.ask(ctx, request()) })
}

// measureSpeed measures reading and writing, one request at a time: by the server's own clock where it tells, else by
// the difference between a short request and a long one.
func (d *doctor) measureSpeed(ctx context.Context) Finding {
	bytes := judgeBench.sop
	if d.roughly > 0 { // a slow server is given less to read
		bytes = min(bytes, max(1000, int(d.roughly*8*cmp.Or(d.bytesPerTok, 4))))
	}
	base, err := d.shortest(ctx)
	if err != nil {
		return untold(err)
	}
	long, err := d.repeat(ctx, mostTries, func() backends.Request { return d.request(1, user(d.prose(bytes))) })
	if err != nil {
		return untold(err)
	}
	if long[0].Finish == backends.TooLong {
		return bad(Unknown, "serve more context",
			"a prompt of JudgeBench's mean length (%d bytes) does not fit the context", bytes)
	}
	replies, err := d.write(ctx, base)
	if err != nil {
		return untold(err)
	}
	s := &Speed{Clock: "server", BytesPerTok: d.bytesPerTok}
	var read, wrote []float64
	for _, r := range long {
		if t := r.Timing; t.Prompt > 0 {
			read = append(read, perSecond(t.PromptTokens, t.Prompt))
		}
	}
	for _, r := range replies {
		if t := r.Timing; t.Reply > 0 {
			wrote = append(wrote, perSecond(t.ReplyTokens, t.Reply))
		}
	}
	if len(read) == 0 || len(wrote) == 0 {
		s.Clock = "wall"
		read = nil
		wrote = nil
		for _, r := range long {
			read = append(read, perSecond(r.PromptTokens-base.PromptTokens, d.atLeast(r.Took-base.Took)))
		}
		for _, r := range replies {
			wrote = append(wrote, perSecond(r.ReplyTokens-1, d.atLeast(r.Took-base.Took)))
		}
	}
	s.Prompt = middle(read)
	s.Reply = middle(wrote)
	if s.Prompt <= 0 || s.Reply <= 0 {
		return bad(Unknown, "try a run of a few pairs with --limit", "the server reports no token counts")
	}
	tokens := time.Duration((float64(base.PromptTokens)/s.Prompt + 1/s.Reply) * float64(time.Second))
	d.call = max(0, base.Took-tokens)
	s.Call = d.call.Seconds()
	s.Paces = []Pace{d.paceOf(1, s.Prompt, s.Reply)}
	d.speed = s
	by := "by the server's own clock"
	if s.Clock == "wall" {
		by = "by the wall clock"
	}
	if replies[0].ReplyTokens < fewTokens {
		by += "; replies ended early: their writing speed is a rough estimate"
	}
	f := good("reads %s and writes %s tokens a second, one request at a time, %s", figure(s.Prompt), figure(s.Reply), by)
	if s.Reply < 5 {
		f.Status, f.Do = Warn, "check that the model runs on the GPU; "+
			"if it is slow, use --prompt direct, whose replies are only a label, or --sample"
	}
	return f.with(map[string]any{
		"prompt_tokens_per_second": s.Prompt,
		"reply_tokens_per_second":  s.Reply,
		"clock":                    s.Clock,
	})
}

// shortest asks for next to nothing a few times, and returns the quickest: what it took is what any request takes,
// since a busy machine makes one look slower and nothing makes it look quicker. How far the next was from it is
// d.noise: about as far as the quickest may itself be from what it takes.
func (d *doctor) shortest(ctx context.Context) (backends.Response, error) {
	short, err := d.repeat(ctx, 2*mostTries-1, func() backends.Request {
		return d.request(1, user(salt()+" Say a word."))
	})
	if err != nil {
		return backends.Response{}, err
	}
	slices.SortFunc(short, func(a, b backends.Response) int { return cmp.Compare(a.Took, b.Took) })
	d.noise = short[min(1, len(short)-1)].Took - short[0].Took
	return short[0], nil
}

// atLeast returns a difference of two times, no smaller than that of one request sent twice.
func (d *doctor) atLeast(t time.Duration) time.Duration { return max(t, d.noise, 100*time.Microsecond) }

// wordy is a question that takes a long reply.
const wordy = "Write all whole numbers from one to two hundred in words."

// fewTokens is a reply too short for its time to tell how fast it was written.
const fewTokens = 12

// writing returns a request for a reply of so many tokens that no cache has, a gateway's or the server's.
func (d *doctor) writing(n int) backends.Request { return d.request(n, user(wordy+" "+salt())) }

// writeTime is how long the reply should take whose speed is measured.
const writeTime = 2 * time.Second

// write has the model write something that takes long enough to be timed, after a short prompt.
func (d *doctor) write(ctx context.Context, base backends.Response) ([]backends.Response, error) {
	const few, many = 24, 512
	first, err := d.ask(ctx, d.writing(few))
	if err != nil {
		return nil, err
	}
	each := d.atLeast(first.Took-base.Took) / time.Duration(max(1, first.ReplyTokens))
	n := min(many, max(few, int(writeTime/max(each, time.Microsecond))))
	replies, err := d.repeat(ctx, mostTries, func() backends.Request { return d.writing(n) })
	most := 0
	for _, r := range replies {
		most = max(most, r.ReplyTokens)
	}
	if first.ReplyTokens > most {
		replies, most = append(replies, first), first.ReplyTokens
	}
	// What ended early says little: a token or two are there as soon as the prompt is read.
	return slices.DeleteFunc(replies, func(r backends.Response) bool { return 2*r.ReplyTokens < most }), err
}
