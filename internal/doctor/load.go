package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/backends"
)

// wave holds the outcome of several concurrent requests.
type wave struct {
	requests                  int           // number of requests
	took                      time.Duration // from the first request to the last reply
	promptTokens, replyTokens int           // tokens of all prompts, and of all replies
}

const (
	maxAtOnce  = 32  // largest number of concurrent requests to measure; larger servers do not need this check
	minSpeedup = 1.1 // speed-up below which concurrent requests are not worth it
	// tolerance bounds the apparent speed-up, as a multiple of the number of concurrent requests: clocks read slightly
	// early or late explain no more.
	tolerance = 1.25
)

// waveTime is the intended duration of a wave of requests. It is a variable so that tests need not wait.
var waveTime = 2 * time.Second

// checkThroughput compares the speed with as many concurrent requests as a run starts with to that of one at a time. It
// measures both a few times in the same way and takes the medians, since other work on the machine may slow down single
// measurements.
func (d *doctor) checkThroughput(ctx context.Context) Finding {
	c, advice := min(d.StartConcurrency, maxAtOnce), d.Server.Advice().RaiseParallel
	switch {
	case d.speed == nil:
		return skipped("the speed of one request is unknown")
	case c < 2 && advice == "":
		return skipped("a run sends this server one request at a time")
	case c < 2:
		return problemFinding(Warn, advice, "the server answers one request at a time")
	}
	var paces []ServerSpeed
	for _, n := range []int{1, c} {
		tries, err := repeatMeasure(d, maxTries, func() (ServerSpeed, error) { return d.measurePace(ctx, n) })
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return noAnswer(err)
		case err != nil:
			return problemFinding(Warn, "run with a smaller --concurrency", "%d concurrent requests fail: %s", n, errorText(err))
		}
		slices.SortFunc(tries, func(a, b ServerSpeed) int {
			return cmp.Compare(a.SopPromptEstimate.PerSecond, b.SopPromptEstimate.PerSecond)
		})
		paces = append(paces, tries[(len(tries)-1)/2])
	}
	single, p := paces[0], paces[1]
	times := max(
		p.SopPromptEstimate.PerSecond/single.SopPromptEstimate.PerSecond,
		p.DirectPromptEstimate.PerSecond/single.DirectPromptEstimate.PerSecond,
	)
	if times > tolerance*float64(c) {
		return problemFinding(Unknown, "try again when the server and this machine do nothing else",
			"%d concurrent requests seemed %.1f times as fast as one, which is impossible: other work changes the speed",
			c, times)
	}
	d.speed.ByConcurrency = paces
	text := fmt.Sprintf("%d concurrent requests, as a run starts with, are %s times as fast as one",
		c, formatNumber(times))
	value := map[string]any{"concurrency": c, "times_one": times, "slots": d.Model.Slots}
	if advice != "" && times < minSpeedup {
		return problemFinding(Warn, advice, "%s", text).withValue(value)
	}
	return okFinding("%s", text).withValue(value)
}

// measurePace returns the server's speed with c concurrent requests. It sends one wave of requests that is nearly all
// reading and one that is nearly all writing. Both are sized by the speed of one request to take a few seconds.
func (d *doctor) measurePace(ctx context.Context, c int) (ServerSpeed, error) {
	share := waveTime.Seconds() / float64(c)
	bytes := max(200, min(sopPromptBytes, int(d.speed.PromptRate*share*cmp.Or(d.promptBytesPerToken, 4))))
	n := max(8, min(512, int(d.speed.ReplyRate*share)))
	r, err := d.wave(ctx, c, func() backends.Request { return d.request(1, user(d.fillerText(bytes))) })
	if err != nil {
		return ServerSpeed{}, err
	}
	w, err := d.wave(ctx, c, func() backends.Request { return d.writeRequest(n) })
	if err != nil {
		return ServerSpeed{}, err
	}
	prompt := perSecond(r.promptTokens, d.workTime(r, c))
	// Reading the prompts of the second wave takes time, too.
	workTime := d.workTime(w, c)
	wrote := max(workTime/2, workTime-time.Duration(float64(w.promptTokens)/prompt*float64(time.Second)))
	return d.newServerSpeed(c, prompt, perSecond(max(1, w.replyTokens), wrote)), nil
}

// workTime returns the time that a wave of requests, c at a time, took for its tokens, without the overhead of each
// round of c requests.
func (d *doctor) workTime(w wave, c int) time.Duration {
	rounds := (w.requests + c - 1) / c
	return max(w.took-time.Duration(rounds)*d.callOverhead, d.timeNoise, w.took/4)
}

// wave sends c concurrent requests, and several times as many, c at a time, if the first c end too quickly to be
// measured. It sends all of them even if one fails, and returns the first error.
func (d *doctor) wave(ctx context.Context, c int, request func() backends.Request) (wave, error) {
	for times := 1; ; {
		w := wave{requests: c * times}
		var mu sync.Mutex
		var calls errgroup.Group
		calls.SetLimit(c)
		start := d.Now()
		for range w.requests {
			req := request()
			calls.Go(func() error {
				resp, err := d.ask(ctx, req)
				mu.Lock()
				defer mu.Unlock()
				w.promptTokens += resp.PromptTokens
				w.replyTokens += resp.ReplyTokens
				return err
			})
		}
		err := calls.Wait()
		w.took = d.Now().Sub(start)
		if times > 1 || err != nil || w.took > waveTime/4 {
			return w, err
		}
		times = min(8, int(waveTime/2/max(w.took, time.Millisecond))+2)
	}
}
