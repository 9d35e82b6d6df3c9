package backends

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var _ Client = (*ConcurrencyTuner)(nil)

// ConcurrencyTuner is a Client over one server that looks for the number of parallel requests (the level) at which the
// server finishes the most tokens per second.
//
// A level is measured over a window, which ends when three quarters as many requests as the level have both started and
// ended in it. The level rises by a factor of two, or of four if the last step made the server proportionally faster.
// It falls back if two measurements of the level are less than a tenth faster than the previous one. The next level is
// tried again later.
//
// Refusals are handled like losses in TCP (NewReno, CUBIC). They cause at most one step down per window; refusals of
// requests that started before the step do not count; and the level climbs back by a quarter per window. A step needs a
// notable share of refusals while the server has fewer requests than the level: the number it accepted is the new
// level. If other requests take the place of those refused (random errors), or the server accepts none (an outage),
// a lower level would not help.
//
// A level that is too high costs little, since requests wait in the server; one that is too low leaves the server idle.
// An engine with batching and shared prefixes therefore gets as many requests as it can answer in time, once its first
// replies show that it works on most of what it has. It starts requests in the order of arrival, so a reply that
// overtakes n earlier requests shows that it works on more than n. If no reply overtakes more than two thirds of the
// level, the rest wait, or the engine preempts them for lack of memory and reads their prompts again: the level then
// falls to the number that run, and rises by an eighth while that is slower.
type ConcurrencyTuner struct {
	client Client
	opts   ConcurrencyOptions

	mu                  sync.Mutex
	level               int           // limit of requests in flight
	sent                int           // number of requests started; a request's number is the count before it
	inFlight            []int         // numbers of the requests in flight, in ascending order
	free                chan struct{} // closed when a request ends
	window              window        // counts of requests since the level was last set
	previousRate        float64       // tokens per second of the previous level during a comparison; else 0
	previousLevel       int           // the previous level
	slowOnce            bool          // one measurement of the level was no faster than the previous level
	climbing            bool          // the level may rise now; false: it stays until enough requests are answered
	answersToSkip       int           // answers to wait for before the next level is tried
	answersSince        int           // answers since wait was set
	levelBeforeStepDown int           // the highest level before a step down
	setToEngine         bool          // the level was set to the number of requests that the engine works on; happens once
	why                 string        // the reason that Why returns
}

// ConcurrencyOptions limits the levels.
type ConcurrencyOptions struct {
	Initial int // parallel requests at the start
	Max     int // highest number of parallel requests
	// Timeout limits a request; 0: no limit. The level stops rising where a request might take a quarter of Timeout.
	Timeout           time.Duration
	Remaining         func() int // returns the number of requests still to be answered, the level's limit; nil: unknown
	HasBatchingEngine bool       // the engine batches, and computes shared prefixes once: a queue costs it little
}

// window holds the counts of requests in a period with a constant level.
type window struct {
	start        time.Time
	firstRequest int           // number of the first request started in the window
	levelReached bool          // as many requests as the level were in flight
	answered     int           // answered requests that started in the window
	refused      int           // requests started in the window whose failure may pass
	hadTimeout   bool          // a refused request timed out
	tokens       float64       // tokens of prompts and replies of all requests answered in the window
	slowest      time.Duration // longest time of a request that started in the window

	minEngineConcurrency int // lower bound of the requests that the engine works on at once
	replies              int // replies in the window, also to requests started before it
	totalReplyTokens     int // tokens of all replies in the window
	shortestReplyTokens  int // tokens of the shortest reply
	longestReplyTokens   int // tokens of the longest reply
}

// replyLengthsVary reports whether the lengths of replies differ enough: the shortest is below share times the mean,
// and the mean below share times the longest. Replies of equal length do not overtake each other.
func (w window) replyLengthsVary(share float64) bool {
	mean := float64(w.totalReplyTokens) / float64(w.replies)
	return float64(w.shortestReplyTokens) < share*mean && mean < share*float64(w.longestReplyTokens)
}

const (
	// minSpeedup is the factor by which a level must beat the previous one to be worthwhile.
	minSpeedup = 1.1
	// minSpeedAtLowerLevel is the share of its speed that a server must keep at a lower level for that level to stay.
	minSpeedAtLowerLevel = 0.9
	// minScalingShare is the share of the factor between two levels by which the speed must grow with the level: then the
	// next step is by a factor of four.
	minScalingShare = 0.8
	// maxRefusalShare is the share of refusals in a window above which the level steps down.
	maxRefusalShare = 1. / 8
	// minGaugeReplies is the number of replies needed to see how many requests an engine works on.
	minGaugeReplies = 24
	// firstRequestDelay is the delay between the first requests, so that they arrive in order.
	firstRequestDelay = 2 * time.Millisecond
)

// NewConcurrencyTuner returns a Client that passes requests to next, at first opts.First at a time.
func NewConcurrencyTuner(next Client, opts ConcurrencyOptions) *ConcurrencyTuner {
	opts.Max = max(1, opts.Max)
	c := &ConcurrencyTuner{client: next, opts: opts, climbing: true, why: "trying more", free: make(chan struct{})}
	c.startWindow(opts.Initial)
	return c
}

// Parallelism returns the best known number of parallel requests.
func (c *ConcurrencyTuner) Parallelism() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// LimitReason returns the reason for not sending more requests at a time, in a few words.
func (c *ConcurrencyTuner) LimitReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// Ask implements Client. It waits while as many requests as the level are in flight, so refused requests return only
// after others have taken their places.
func (c *ConcurrencyTuner) Ask(ctx context.Context, req Request) (Response, error) {
	start, number, err := c.waitForPlace(ctx)
	if err != nil {
		return Response{}, err
	}
	resp, err := c.client.Ask(ctx, req)
	c.endRequest(start, number, resp, err)
	return resp, err
}

// waitForPlace waits for a place below the level, and returns the start and the number of the request.
func (c *ConcurrencyTuner) waitForPlace(ctx context.Context) (start time.Time, number int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.inFlight) >= c.level {
		free := c.free
		c.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			return start, 0, context.Cause(ctx)
		}
	}
	number = c.sent
	c.sent++
	c.inFlight = append(c.inFlight, number)
	c.window.levelReached = c.window.levelReached || len(c.inFlight) >= c.level
	if c.risesUncompared() && c.window.replies == 0 {
		earlier := number - c.window.firstRequest
		c.mu.Unlock()
		time.Sleep(time.Duration(earlier) * firstRequestDelay)
		c.mu.Lock()
	}
	return time.Now(), number, nil
}

// endRequest counts the result of a request, and ends the window if it has enough of them.
func (c *ConcurrencyTuner) endRequest(start time.Time, number int, resp Response, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	earlier, _ := slices.BinarySearch(c.inFlight, number)
	c.inFlight = slices.Delete(c.inFlight, earlier, earlier+1)
	close(c.free)
	c.free = make(chan struct{})
	w := &c.window
	current := number >= w.firstRequest
	var e *Error
	switch {
	case errors.As(err, &e) && e.IsRetryable():
		if current {
			w.refused++
			w.hadTimeout = w.hadTimeout || e.Kind == ErrorTimeout
		}
	case err != nil:
		return
	default:
		// Tokens from the server's prompt cache count: a level at which the cache loses prefixes must not look faster.
		w.tokens += float64(max(1, resp.PromptTokens+resp.ReplyTokens))
		w.minEngineConcurrency = max(w.minEngineConcurrency, earlier+1)
		w.replies++
		w.totalReplyTokens += resp.ReplyTokens
		w.longestReplyTokens = max(w.longestReplyTokens, resp.ReplyTokens)
		if w.replies == 1 || resp.ReplyTokens < w.shortestReplyTokens {
			w.shortestReplyTokens = resp.ReplyTokens
		}
		if current {
			w.answered++
			c.answersSince++
			w.slowest = max(w.slowest, time.Since(start))
		}
	}
	enough := max(c.level*3/4, min(c.level, 8)) // the last of them may have started late
	ended := w.answered + w.refused
	switch {
	case !c.opts.HasBatchingEngine || w.refused > 0:
	case c.comparing():
		enough = max(enough, minGaugeReplies)
	case c.risesUncompared() && !c.slowOnce:
		enough = min(4, c.level)
	default: // gauge decides how many are enough
		current = true
		ended = enough
	}
	if current && ended >= enough {
		c.decide(w.tokens/max(time.Since(w.start).Seconds(), 1e-6), err != nil)
	}
}

// comparing reports whether the current level is being compared with the previous one.
func (c *ConcurrencyTuner) comparing() bool { return c.climbing && c.previousRate > 0 }

// risesUncompared reports whether the level rises without a comparison: at the start, on an engine that batches.
func (c *ConcurrencyTuner) risesUncompared() bool {
	return c.opts.HasBatchingEngine && c.climbing && c.previousRate == 0
}

// decide chooses the level after a window in which the server finished rate tokens per second. last tells whether the
// window ended with a refusal: a window that ends with an answer may be the one in which an outage ended.
func (c *ConcurrencyTuner) decide(rate float64, last bool) {
	w := c.window
	refused := float64(w.refused) / float64(max(1, w.answered+w.refused))
	lower := c.level < c.previousLevel
	gain := minSpeedup
	if lower {
		gain = minSpeedAtLowerLevel
	}
	slow := c.comparing() && rate < gain*c.previousRate
	switch {
	case last && refused > maxRefusalShare && w.hadTimeout:
		c.stepDown("the server was late", c.level/2)
	case last && refused > maxRefusalShare && len(c.inFlight) > 0 && len(c.inFlight) < c.level*3/4:
		c.stepDown("the server was busy", len(c.inFlight))
	case w.answered == 0 && len(c.inFlight) == 0: // at any level
		c.startWindow(max(c.level, c.levelBeforeStepDown))
	case c.level < c.levelBeforeStepDown && (w.refused > 0 || c.answersSince >= c.answersToSkip):
		c.startWindow(min(c.levelBeforeStepDown, c.level+max(1, c.level/4), c.levelWithinTimeout()))
	case refused > 0.5 || !w.levelReached: // or replies come from the cache, or the run ends
		c.startWindow(c.level)
	case c.opts.HasBatchingEngine && !c.comparing() && c.levelFromOvertaking(rate):
	case lower && slow:
		c.startWindow(min(c.level+max(1, c.level/8), c.previousLevel))
	case lower && c.comparing():
		c.holdLevel(2 * c.answersToSkip)
		c.startWindow(c.level)
	case slow && !c.slowOnce:
		c.startWindow(c.level)
		c.slowOnce = true // replies come in bursts, and the window may have ended next to one
	case slow:
		c.why = fmt.Sprintf("%d were no faster", c.level)
		c.holdLevel(2 * c.answersToSkip)
		c.startWindow(c.previousLevel)
	case c.climbing || c.answersSince >= c.answersToSkip && c.level >= c.levelBeforeStepDown:
		c.rise(rate)
	default:
		c.startWindow(c.level)
	}
}

// levelFromOvertaking chooses the level for an engine with batching from the replies that overtook others. It returns
// false if these do not decide, so that the number of answers does.
func (c *ConcurrencyTuner) levelFromOvertaking(rate float64) bool {
	w := c.window
	waiting := w.minEngineConcurrency <= c.level*2/3
	first := c.climbing && !c.slowOnce
	enough := max(minGaugeReplies, c.level/2)
	if first {
		enough = 8
	}
	switch {
	case c.climbing && !waiting:
		c.rise(rate)
	case w.replies < enough: // the window goes on
	case first && w.replyLengthsVary(0.9):
		c.startWindow(c.level)
		c.slowOnce = true // more run at first, before any has a long reply
	case waiting && !c.setToEngine && w.replyLengthsVary(0.65):
		c.setToEngine = true
		c.previousRate = rate
		c.previousLevel = c.level
		c.climbing = true
		c.why = "the engine works on no more"
		c.startWindow(max(w.minEngineConcurrency, c.level/4))
	default:
		return false
	}
	return true
}

// levelWithinTimeout returns the level at which a reply might take a quarter of the timeout, at least the current one.
func (c *ConcurrencyTuner) levelWithinTimeout() int {
	if c.opts.Timeout == 0 || c.window.slowest == 0 {
		return c.opts.Max
	}
	return max(c.level, int(float64(c.level)*c.opts.Timeout.Seconds()/4/c.window.slowest.Seconds()))
}

// rise moves from a level at which the server finished rate tokens per second to the next, or settles if none is left.
func (c *ConcurrencyTuner) rise(rate float64) {
	next, bound := 2*c.level, c.levelWithinTimeout()
	switch {
	case c.risesUncompared():
		next, bound = c.opts.Max, max(c.level, bound/4) // the first replies are the shortest
	case c.comparing() && rate/c.previousRate > minScalingShare*float64(c.level)/float64(c.previousLevel):
		next = 4 * c.level
	}
	next = max(next, 32)
	if c.setToEngine {
		next = c.level + max(1, c.level/4)
	}
	next = min(next, c.opts.Max, bound)
	if c.opts.Remaining != nil {
		next = min(next, c.opts.Remaining())
	}
	if next > c.level {
		if !c.risesUncompared() {
			c.previousRate = rate
		}
		c.previousLevel = c.level
		c.climbing = true
		c.why = "trying more"
		c.startWindow(next)
		return
	}
	c.why = "too few are left to try more"
	switch c.level {
	case c.opts.Max:
		c.why = "the most allowed"
	case bound:
		c.why = "more might wait too long"
	}
	c.holdLevel(0)
	c.startWindow(c.level)
}

// holdLevel keeps the level for the given number of answers, 8 to 64 times the level.
func (c *ConcurrencyTuner) holdLevel(wait int) {
	c.climbing = false
	c.answersToSkip = min(max(8*c.level, wait), 64*c.level)
	c.answersSince = 0
}

// stepDown lowers the level. Later it climbs back to goal.
func (c *ConcurrencyTuner) stepDown(why string, level int) {
	c.why = why
	c.levelBeforeStepDown = max(c.levelBeforeStepDown, c.level)
	c.previousRate = 0
	c.holdLevel(2 * c.answersToSkip)
	c.startWindow(max(1, level))
}

// startWindow starts a window at the given level.
func (c *ConcurrencyTuner) startWindow(level int) {
	c.level = min(level, c.opts.Max)
	c.slowOnce = false
	c.window = window{start: time.Now(), firstRequest: c.sent, levelReached: len(c.inFlight) >= c.level}
}
