package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/backends"
)

// atOnce is how many requests are a load at the least.
const atOnce = 4

// sharedContext finds out whether llama.cpp's slots have a context each, by
// sending two prompts at once that fit one by one, but not together.
func (d *doctor) sharedContext(ctx context.Context) Finding {
	const do = "start llama.cpp with -np N and -c N times the context: " +
		"without -np, slots share one context, and requests that outgrow it together fail"
	c := d.Judge.Model.Context
	switch {
	case !d.Judge.Server.Can(backends.ShareContext):
		return skipped("only llama.cpp's slots may share one context")
	case d.Judge.Model.Slots < 2 || c == 0:
		return skipped("one slot shares with nobody")
	case d.speed == nil || float64(c)*1.2 > d.speed.Prompt*20:
		return bad(Unknown, "look for kv_unified = 'true' in its log; if it says so, "+do,
			"testing it with %d tokens would take too long", c)
	}
	fill := strings.Repeat(" word", c*55/100)
	b := d.burst(ctx, []backends.Request{d.request(4, user(salt()+fill)), d.request(4, user(salt()+fill))}, 2)
	switch {
	case len(b.errs) == 0:
		return good("two concurrent prompts of %d tokens both fit: each slot has its own %d", c*55/100, c)
	case refused(b.errs[0]):
		return bad(Warn, do, "%d slots share %d tokens: two prompts of %d at once end with %s",
			d.Judge.Model.Slots, c, c*55/100, why(b.errs[0]))
	}
	return untold(b.errs[0])
}

// fewTokens is a reply too short for its time to tell how fast it was written.
const fewTokens = 12

// wave is what came of requests sent together.
type wave struct {
	took    time.Duration
	replies []backends.Response
	errs    []error
}

// tokens are those of all prompts and of all replies.
func (w wave) tokens() (prompts, replies int) {
	for _, r := range w.replies {
		prompts, replies = prompts+r.PromptTokens, replies+r.ReplyTokens
	}
	return prompts, replies
}

// burst sends requests, so many at once; replies[i] answers reqs[i] and is zero where that failed.
func (d *doctor) burst(ctx context.Context, reqs []backends.Request, atOnce int) wave {
	w := wave{replies: make([]backends.Response, len(reqs))}
	var mu sync.Mutex
	var asking errgroup.Group
	asking.SetLimit(atOnce)
	start := d.Now()
	for i, req := range reqs {
		asking.Go(func() error {
			resp, err := d.ask(ctx, req)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.errs = append(w.errs, err)
			} else {
				w.replies[i] = resp
			}
			return nil
		})
	}
	asking.Wait()
	w.took = d.Now().Sub(start)
	return w
}

const (
	mostAtOnce = 32  // more is for servers that one does not ask a doctor about
	gain       = 1.1 // less is no gain worth more requests at once
	// inexact is how many times the number of requests a speed-up may look: more cannot come of a clock that is read a
	// little too early or too late.
	inexact = 1.25
)

// waveTime is what one wave is meant to take. A variable, so that tests need not wait for it.
var waveTime = 2 * time.Second

// level is what tries at one concurrency came to.
type level struct {
	Pace         // the middle one
	tries []Pace // all, the slowest first
}

// measureLevel measures a concurrency a few times. The middle of them is believed: at any moment a machine that does
// other things too may be slower, or no longer as slow as when the time of a request was measured.
func (d *doctor) measureLevel(ctx context.Context, c int, last Pace) (l level, err error) {
	for start := d.Now(); len(l.tries) < mostTries && (len(l.tries) == 0 || d.Now().Sub(start) < triesTime); {
		p, err := d.measurePace(ctx, c, last)
		if err != nil && (len(l.tries) == 0 || ctx.Err() == nil) {
			return l, err
		}
		if err != nil {
			break
		}
		l.tries = append(l.tries, p)
	}
	slices.SortFunc(l.tries, func(a, b Pace) int { return cmp.Compare(a.Sop.PerSecond, b.Sop.PerSecond) })
	l.Pace = l.tries[(len(l.tries)-1)/2]
	return l, nil
}

// timesOne is how many times as much is done at this level as one at a time, with the prompt that gains more.
func (l level) timesOne(one level) (times float64, r Range) {
	for _, of := range []func(Pace) float64{
		func(p Pace) float64 { return p.Sop.PerSecond }, func(p Pace) float64 { return p.Direct.PerSecond },
	} {
		var here, there []float64
		for _, p := range l.tries {
			here = append(here, of(p))
		}
		for _, p := range one.tries {
			there = append(there, of(p))
		}
		_, hereRange := middle(here)
		_, thereRange := middle(there)
		if t := of(l.Pace) / of(one.Pace); t > times {
			times, r = t, Range{Low: hereRange.Low / thereRange.High, High: hereRange.High / thereRange.Low}
		}
	}
	most := float64(l.Concurrency)
	return times, Range{Low: min(r.Low, most), High: min(r.High, most)}
}

// throughput measures how much more is done when more is asked at once.
func (d *doctor) throughput(ctx context.Context) Finding {
	if d.speed == nil {
		return skipped("the speed of one request is unknown")
	}
	var levels []level
	best, ended := 0, ""
	last := d.speed.Paces[0]
	for c := 1; c <= mostAtOnce; c *= 2 {
		l, err := d.measureLevel(ctx, c, last)
		if err != nil {
			ended = fmt.Sprintf("%d at once could not be measured: %s", c, why(err))
			if !errors.Is(err, context.DeadlineExceeded) && c > 1 {
				d.also = append(d.also, bad(Warn, fmt.Sprintf("run with --concurrency %d or less", c/2),
					"at %d at once requests fail: %s", c, why(err)))
			}
			break
		}
		last = l.Pace
		levels = append(levels, l)
		if times, _ := l.timesOne(levels[0]); times > inexact*float64(c) {
			do := "try again when the server and this machine do nothing else; until then, leave out --concurrency"
			said := "%d at once looked %.1f times as fast as one, which cannot be: other work changes the speed"
			return bad(Unknown, do, said, c, times)
		}
		if len(levels) > 1 && !gains(l.Pace, levels[best].Pace) {
			ended = fmt.Sprintf("%d at once are no faster", c)
			break
		}
		best = len(levels) - 1
	}
	if len(levels) == 0 {
		return bad(Unknown, "run with --concurrency 1 and watch its progress", "%s", ended)
	}
	d.speed.Paces, d.speed.Concurrency = nil, levels[best].Concurrency
	for _, l := range levels {
		d.speed.Paces = append(d.speed.Paces, l.Pace)
	}
	times, r := levels[best].timesOne(levels[0])
	times = min(times, float64(d.speed.Concurrency))
	said := fmt.Sprintf("best at --concurrency %d", d.speed.Concurrency)
	if best > 0 {
		said += fmt.Sprintf(": %s times one at a time%s", figure(times), r)
	}
	if ended == "" {
		ended = fmt.Sprintf("more than %d not tried", mostAtOnce)
	}
	if d.shortReplies {
		ended += fmt.Sprintf("; replies ended before %d tokens: their writing speed is a rough estimate", fewTokens)
	}
	slots, more := d.Judge.Model.Slots, d.Judge.Server.Advice().Parallel
	value := map[string]any{
		"concurrency":     d.speed.Concurrency,
		"times_one":       times,
		"times_one_range": r,
		"slots":           slots,
	}
	if slots > 0 {
		ended += fmt.Sprintf("; the server has %d slots", slots)
	}
	if more != "" && slots < 2 && best == 0 {
		return bad(Warn, more, "%s; %s", said, ended).with(value)
	}
	return good("%s; %s", said, ended).with(value)
}

// gains tells whether a pace is worth more requests at once.
func gains(p, than Pace) bool {
	return p.Sop.PerSecond >= gain*than.Sop.PerSecond || p.Direct.PerSecond >= gain*than.Direct.PerSecond
}

// measurePace sends one wave that is nearly all reading and one that is nearly
// all writing, each sized by the last pace to take a few seconds.
func (d *doctor) measurePace(ctx context.Context, c int, last Pace) (Pace, error) {
	perRequest := last.Prompt * waveTime.Seconds() / float64(c)
	bytes := max(200, min(judgeBench.sop, int(perRequest*cmp.Or(d.bytesPerTok, 4))))
	n := max(8, min(512, int(last.Reply*waveTime.Seconds()/float64(c))))
	r := d.wave(ctx, c, func() backends.Request { return d.request(1, user(d.prose(bytes))) })
	if len(r.errs) > 0 {
		return Pace{}, r.errs[0]
	}
	w := d.wave(ctx, c, func() backends.Request { return d.writing(n) })
	if len(w.errs) > 0 {
		return Pace{}, w.errs[0]
	}
	read, _ := r.tokens()
	asked, written := w.tokens()
	d.shortReplies = written < fewTokens*len(w.replies) && n >= fewTokens
	prompt := perSecond(read, d.worked(r, c))
	// What the writers read takes its time too.
	worked := d.worked(w, c)
	wrote := max(worked/2, worked-time.Duration(float64(asked)/prompt*float64(time.Second)))
	return d.paceOf(c, prompt, perSecond(max(1, written), wrote)), nil
}

// worked is how long a wave of c at once took for its tokens: without what each round of requests takes beside them.
func (d *doctor) worked(w wave, c int) time.Duration {
	rounds := (len(w.replies) + c - 1) / c
	return max(w.took-time.Duration(rounds)*d.call, d.noise, w.took/4)
}

// wave sends c requests at once, and where that is over too quickly to be measured, several times as many, c at a time.
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

// crowd is how many requests make a load.
func (d *doctor) crowd() int {
	if d.speed != nil {
		return max(2, d.speed.Concurrency, min(d.Concurrency, atOnce))
	}
	return d.Concurrency
}
