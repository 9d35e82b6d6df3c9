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

// wave holds the outcome of several requests sent at once.
type wave struct {
	requests    int
	took        time.Duration
	read, wrote int // tokens of all prompts, and of all replies
}

const (
	mostAtOnce = 32  // more is for servers that one does not ask a doctor about
	gain       = 1.1 // less is no gain worth more requests at once
	// inexact is how many times the number of requests a speed-up may look: more cannot come of a clock that is read a
	// little too early or too late.
	inexact = 1.25
)

// waveTime is the time that a wave is meant to take. A variable, so that tests need not wait for it.
var waveTime = 2 * time.Second

// throughput measures the speed of as many requests at once as a run begins with, and of one in the same way, a few
// times: the middle counts, since a machine that does other things too may be slower at any moment.
func (d *doctor) throughput(ctx context.Context) Finding {
	c, more := min(d.Concurrency, mostAtOnce), d.Judge.Server.Advice().Parallel
	switch {
	case d.speed == nil:
		return skipped("the speed of one request is unknown")
	case c < 2 && more == "":
		return skipped("a run sends this server one request at a time")
	case c < 2:
		return bad(Warn, more, "the server answers one request at a time")
	}
	var paces []Pace
	for _, n := range []int{1, c} {
		tries, err := again(d, mostTries, func() (Pace, error) { return d.measurePace(ctx, n) })
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return untold(err)
		case err != nil:
			return bad(Warn, "run with a smaller --concurrency", "%d requests at once fail: %s", n, why(err))
		}
		slices.SortFunc(tries, func(a, b Pace) int { return cmp.Compare(a.Sop.PerSecond, b.Sop.PerSecond) })
		paces = append(paces, tries[(len(tries)-1)/2])
	}
	one, p := paces[0], paces[1]
	times := max(p.Sop.PerSecond/one.Sop.PerSecond, p.Direct.PerSecond/one.Direct.PerSecond)
	if times > inexact*float64(c) {
		return bad(Unknown, "try again when the server and this machine do nothing else",
			"%d at once looked %.1f times as fast as one, which cannot be: other work changes the speed", c, times)
	}
	d.speed.Paces = paces
	said := fmt.Sprintf("%d requests at once, as a run begins with, are %s times as fast as one", c, figure(times))
	value := map[string]any{"concurrency": c, "times_one": times, "slots": d.Judge.Model.Slots}
	if more != "" && times < gain {
		return bad(Warn, more, "%s", said).with(value)
	}
	return good("%s", said).with(value)
}

// measurePace sends one wave that is nearly all reading and one that is nearly all writing, each sized by the speed of
// one request to take a few seconds.
func (d *doctor) measurePace(ctx context.Context, c int) (Pace, error) {
	each := waveTime.Seconds() / float64(c)
	bytes := max(200, min(judgeBench.sop, int(d.speed.Prompt*each*cmp.Or(d.bytesPerTok, 4))))
	n := max(8, min(512, int(d.speed.Reply*each)))
	r, err := d.wave(ctx, c, func() backends.Request { return d.request(1, user(d.prose(bytes))) })
	if err != nil {
		return Pace{}, err
	}
	w, err := d.wave(ctx, c, func() backends.Request { return d.writing(n) })
	if err != nil {
		return Pace{}, err
	}
	prompt := perSecond(r.read, d.worked(r, c))
	// What the writers read takes its time too.
	worked := d.worked(w, c)
	wrote := max(worked/2, worked-time.Duration(float64(w.read)/prompt*float64(time.Second)))
	return d.paceOf(c, prompt, perSecond(max(1, w.wrote), wrote)), nil
}

// worked returns the time that a wave of c at once took for its tokens, without the overhead of each round of requests.
func (d *doctor) worked(w wave, c int) time.Duration {
	rounds := (w.requests + c - 1) / c
	return max(w.took-time.Duration(rounds)*d.call, d.noise, w.took/4)
}

// wave sends c requests at once, and where that is over too quickly to be measured, several times as many, c at a time.
// It sends all of them even if one fails, and returns the first error.
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
				w.read += resp.PromptTokens
				w.wrote += resp.ReplyTokens
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
