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

// Speed holds the measured speed of the server, and the resulting times of a run.
type Speed struct {
	PromptRate      float64 `json:"prompt_tokens_per_second"` // tokens read, one request at a time
	ReplyRate       float64 `json:"reply_tokens_per_second"`  // tokens written, one request at a time
	ClockSource     string  `json:"clock"`                    // source of the times: "server" or "wall"
	RequestOverhead float64 `json:"seconds_per_call"`         // overhead of a request in seconds: network, queue, gateway
	BytesPerTok     float64 `json:"prompt_bytes_per_token"`   // of judges' prompts; 0: not measured
	// one request at a time and, if measured, as many as a run starts with
	ByConcurrency []ServerSpeed `json:"paces"`
}

// ServerSpeed holds the speed of the server with a number of concurrent requests, and how long JudgeBench would take.
type ServerSpeed struct {
	Concurrency          int              `json:"concurrency"`              // number of concurrent requests
	PromptRate           float64          `json:"prompt_tokens_per_second"` // tokens read, of all requests together
	ReplyRate            float64          `json:"reply_tokens_per_second"`  // tokens written, of all requests together
	DirectPromptEstimate DurationEstimate `json:"direct"`                   // for JudgeBench with the prompt direct
	SopPromptEstimate    DurationEstimate `json:"sop"`                      // for JudgeBench with the prompt sop
}

// DurationEstimate holds the estimated speed and duration of a run on JudgeBench.
type DurationEstimate struct {
	PerSecond float64 `json:"judgments_per_second"`
	Hours     float64 `json:"hours"` // for all judgments of the run
}

// newEstimate returns the estimate for judgments of so many tokens at the speeds prompt and reply, in tokens per
// second. It assumes that the server reads or writes, not both at once. call is the overhead of a request in seconds.
func newEstimate(promptTokens, replyTokens int, prompt, reply, call float64) DurationEstimate {
	seconds := call + float64(promptTokens)/prompt + float64(replyTokens)/reply
	return DurationEstimate{1 / seconds, float64(judgeBenchJudgments) * seconds / 3600}
}

// newServerSpeed returns the ServerSpeed for these speeds, in tokens per second of all requests together. Concurrent
// requests share their overhead.
func (d *doctor) newServerSpeed(concurrency int, prompt, reply float64) ServerSpeed {
	call := d.callOverhead.Seconds() / float64(concurrency)
	return ServerSpeed{
		Concurrency:          concurrency,
		PromptRate:           prompt,
		ReplyRate:            reply,
		DirectPromptEstimate: newEstimate(d.estimateTokens(directPromptBytes), directReply, prompt, reply, call),
		SopPromptEstimate:    newEstimate(d.estimateTokens(sopPromptBytes), sopReplyTokens, prompt, reply, call),
	}
}

// perSecond returns a speed in tokens per second.
func perSecond(tokens int, d time.Duration) float64 {
	return float64(tokens) / max(d.Seconds(), 1e-6)
}

// salt returns a random beginning of a prompt, which no prompt cache has.
func salt() string { return "Note " + rand.Text()[:12] + "." }

// fillerText returns about so many bytes of text typical of judges' prompts, after a salt.
func (d *doctor) fillerText(bytes int) string {
	text := salt() + strings.Repeat(d.SampleText, bytes/max(1, len(d.SampleText))+1)
	return strings.ToValidUTF8(text[:min(len(text), max(bytes, 24))], "")
}

// lowerMedian returns the median of values, or the lower of the two in the middle. It sorts them.
func lowerMedian(tries []float64) float64 {
	slices.Sort(tries)
	return tries[(len(tries)-1)/2]
}

const (
	maxTries  = 3                // times that a speed is measured; fewer on a slow server
	triesTime = 10 * time.Second // time after which no further try begins
)

// repeatMeasure calls measure n times, one after the other: at least once, and not again after triesTime.
func repeatMeasure[T any](d *doctor, n int, measure func() (T, error)) (tries []T, err error) {
	for start := d.Now(); len(tries) < n && (len(tries) == 0 || d.Now().Sub(start) < triesTime); {
		value, err := measure()
		switch {
		case len(tries) > 0 && errors.Is(err, context.DeadlineExceeded):
			return tries, nil
		case err != nil:
			return nil, err
		}
		tries = append(tries, value)
	}
	return tries, nil
}

// repeat asks a question n times, or fewer if that takes longer than triesTime.
func (d *doctor) repeat(ctx context.Context, n int, request func() backends.Request) ([]backends.Response, error) {
	return repeatMeasure(d, n, func() (backends.Response, error) { return d.ask(ctx, request()) })
}

// measureSpeed measures reading and writing, one request at a time: by the server's clock if it reports times, or else
// by the difference between a short request and a long one.
func (d *doctor) measureSpeed(ctx context.Context) Finding {
	bytes := sopPromptBytes
	if d.roughSpeed > 0 { // a slow server gets less to read
		bytes = min(bytes, max(1000, int(d.roughSpeed*8*cmp.Or(d.promptBytesPerToken, 4))))
	}
	base, err := d.measureRequestOverhead(ctx)
	if err != nil {
		return noAnswer(err)
	}
	long, err := d.repeat(ctx, maxTries, func() backends.Request { return d.request(1, user(d.fillerText(bytes))) })
	if err != nil {
		return noAnswer(err)
	}
	if long[0].Finish == backends.FinishPromptTooLong {
		return problemFinding(Unknown, "serve more context",
			"a prompt of JudgeBench's mean length (%d bytes) does not fit the context", bytes)
	}
	replies, err := d.timeWriting(ctx, base)
	if err != nil {
		return noAnswer(err)
	}
	s := &Speed{ClockSource: "server", BytesPerTok: d.promptBytesPerToken}
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
	clock := "by the server's own clock"
	if len(read) == 0 || len(wrote) == 0 {
		s.ClockSource, clock = "wall", "by the wall clock"
		read = nil
		wrote = nil
		for _, r := range long {
			read = append(read, perSecond(r.PromptTokens-base.PromptTokens, d.atLeastNoise(r.Took-base.Took)))
		}
		for _, r := range replies {
			wrote = append(wrote, perSecond(r.ReplyTokens-1, d.atLeastNoise(r.Took-base.Took)))
		}
	}
	s.PromptRate = lowerMedian(read)
	s.ReplyRate = lowerMedian(wrote)
	if s.PromptRate <= 0 || s.ReplyRate <= 0 {
		return problemFinding(Unknown, "try a run of a few pairs with --limit", "the server reports no token counts")
	}
	tokens := time.Duration((float64(base.PromptTokens)/s.PromptRate + 1/s.ReplyRate) * float64(time.Second))
	d.callOverhead = max(0, base.Took-tokens)
	s.RequestOverhead = d.callOverhead.Seconds()
	s.ByConcurrency = []ServerSpeed{d.newServerSpeed(1, s.PromptRate, s.ReplyRate)}
	d.speed = s
	if replies[0].ReplyTokens < minTimedTokens {
		clock += "; replies ended early: their writing speed is a rough estimate"
	}
	f := okFinding("reads %s and writes %s tokens a second, one request at a time, %s",
		formatNumber(s.PromptRate), formatNumber(s.ReplyRate), clock)
	if s.ReplyRate < 5 {
		f.Status, f.Advice = Warn, "check that the model runs on the GPU; "+
			"if it is slow, use --prompt direct, whose replies are only a label, or --sample"
	}
	return f.withValue(map[string]any{
		"prompt_tokens_per_second": s.PromptRate,
		"reply_tokens_per_second":  s.ReplyRate,
		"clock":                    s.ClockSource,
	})
}

// measureRequestOverhead asks a minimal question a few times and returns the fastest response. Its time is the overhead
// of any request: other work makes a request slower, never faster. The difference to the second fastest is d.timeNoise,
// which estimates the error of this time.
func (d *doctor) measureRequestOverhead(ctx context.Context) (backends.Response, error) {
	short, err := d.repeat(ctx, 2*maxTries-1, func() backends.Request {
		return d.request(1, user(salt()+" Say a word."))
	})
	if err != nil {
		return backends.Response{}, err
	}
	slices.SortFunc(short, func(a, b backends.Response) int { return cmp.Compare(a.Took, b.Took) })
	d.timeNoise = short[min(1, len(short)-1)].Took - short[0].Took
	return short[0], nil
}

// atLeastNoise returns t, a difference of the times of two requests, but not less than that of two equal requests.
func (d *doctor) atLeastNoise(t time.Duration) time.Duration {
	return max(t, d.timeNoise, 100*time.Microsecond)
}

// longQuestion is a question with a long reply.
const longQuestion = "Write all whole numbers from one to two hundred in words."

// minTimedTokens is the number of tokens below which a reply is too short for a reliable speed.
const minTimedTokens = 12

// writeRequest returns a request for a reply of so many tokens that is in no cache of a gateway or the server.
func (d *doctor) writeRequest(n int) backends.Request {
	return d.request(n, user(longQuestion+" "+salt()))
}

// writeTime is the intended duration of the reply whose speed is measured.
const writeTime = 2 * time.Second

// timeWriting asks for replies long enough to be timed, after a short prompt, and returns those that did not end early.
// base is the response to a minimal question.
func (d *doctor) timeWriting(ctx context.Context, base backends.Response) ([]backends.Response, error) {
	const minTokens, maxTokens = 24, 512
	first, err := d.ask(ctx, d.writeRequest(minTokens))
	if err != nil {
		return nil, err
	}
	perToken := d.atLeastNoise(first.Took-base.Took) / time.Duration(max(1, first.ReplyTokens))
	n := min(maxTokens, max(minTokens, int(writeTime/max(perToken, time.Microsecond))))
	replies, err := d.repeat(ctx, maxTries, func() backends.Request { return d.writeRequest(n) })
	longest := 0
	for _, r := range replies {
		longest = max(longest, r.ReplyTokens)
	}
	if first.ReplyTokens > longest {
		replies, longest = append(replies, first), first.ReplyTokens
	}
	// Drop replies that ended early: one or two tokens arrive as soon as the prompt is read.
	return slices.DeleteFunc(replies, func(r backends.Response) bool { return 2*r.ReplyTokens < longest }), err
}
