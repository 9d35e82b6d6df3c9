package backends

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

var _ Client = (*Concurrency)(nil)

// Concurrency is a Client over one server that finds how many requests at once make it finish most tokens in a second.
//
// A level is measured over a window: until three quarters as many requests as it has, all begun in the window, have
// ended. Levels go up by a factor of two, or of four where the last step made the server faster in proportion, and back
// where a level, measured twice, is less than a tenth faster than the one before. The next level is tried again later.
//
// Refusals are handled as losses are in TCP (NewReno, CUBIC): they lead to one step down a window, those of requests
// begun before it do not count, and the level climbs back by a quarter a window. Only a notable share counts, and only
// while the server has fewer requests than the level: that many it took, and so it is asked. Where others take the
// place of those refused (random errors), or it takes none (an outage), a lower level would not help.
//
// Asking for too much costs little: requests wait in the server. Asking for too little leaves it idle. An engine that
// batches what fits, and computes common prefixes of what arrives together once, is therefore asked for as much as
// leaves no reply late, once its first replies show that it works on most of what it has. It begins requests in the
// order in which they come, so a reply that overtakes n earlier requests shows that it works on more than n. Where no
// reply overtakes more than two thirds of the level, the others wait, or the engine interrupts them for want of memory
// and reads their prompts again: the level comes down to what runs, and up by an eighth while that is slower.
type Concurrency struct {
	next Client
	opts ConcurrencyOptions

	mu       sync.Mutex
	level    int           // requests at once
	sent     int           // requests begun, which numbers them
	inFlight []int         // numbers of the requests in flight, in ascending order
	free     chan struct{} // closed when one has ended
	window   window
	best     float64 // tokens a second of the level before, while that is compared; 0 for none
	before   int     // the level before
	doubted  bool    // the level was measured once, and was no faster
	climbing bool    // else the level stays until enough requests are answered
	wait     int     // answers to wait for before the next level is tried
	waited   int
	goal     int  // the highest level from which it stepped down
	lowered  bool // to what runs, which is done once
	why      string
}

// ConcurrencyOptions bound the levels.
type ConcurrencyOptions struct {
	First   int           // requests at once to begin with
	Most    int           // requests at once
	Timeout time.Duration // of a request: no more are asked where one might then take a quarter of it; 0 for none
	Left    func() int    // requests that are still to be answered: no more than these are tried; nil where not known
	Batches bool          // the engine batches what fits, and computes common prefixes once: a queue costs it little
}

// window is a time in which the level stays as it is.
type window struct {
	begun    time.Time
	first    int  // number of the first request begun in it
	used     bool // as many requests were in flight as the level has
	answered int  // requests begun in it
	refused  int
	late     bool    // one of those refused was not answered in time
	tokens   float64 // of all that were answered in it
	slowest  time.Duration

	running     int // requests that the engine works on at once, at least
	replies     int // to requests begun earlier too
	replyTokens int // of these together
	shortest    int // tokens of a reply
	longest     int
}

// varied reports whether the shortest reply has less than a share of the tokens of the average one, and that has less
// than this share of those of the longest. Replies of one length do not overtake each other.
func (w window) varied(share float64) bool {
	mean := float64(w.replyTokens) / float64(w.replies)
	return float64(w.shortest) < share*mean && mean < share*float64(w.longest)
}

const (
	// faster is by how much a level must be faster than the one before to be worthwhile.
	faster = 1.1
	// asFast is the part of its speed that a server must keep at a lower level.
	asFast = 0.9
	// proportional is the part of a level's factor by which it must be faster to be far from the server's bound.
	proportional = 0.8
	// notable is the refused share of a window that leads to a step down.
	notable = 1. / 8
	// sample is the number of replies that show how many requests an engine works on.
	sample = 24
	// apart is the time between requests, so that the first ones arrive in their order.
	apart = 2 * time.Millisecond
)

// NewConcurrency wraps next.
func NewConcurrency(next Client, opts ConcurrencyOptions) *Concurrency {
	opts.Most = max(1, opts.Most)
	c := &Concurrency{next: next, opts: opts, climbing: true, why: "trying more", free: make(chan struct{})}
	c.enter(opts.First)
	return c
}

// AtOnce is how many requests the server is best asked at once, as far as is known.
func (c *Concurrency) AtOnce() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.level
}

// Why says in a few words why it is not more.
func (c *Concurrency) Why() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.why
}

// Ask implements Client. It holds a request back while as many are in flight as the level has: requests that were
// refused come again when others have taken their places.
func (c *Concurrency) Ask(ctx context.Context, req Request) (Response, error) {
	begun, number, err := c.begin(ctx)
	if err != nil {
		return Response{}, err
	}
	resp, err := c.next.Ask(ctx, req)
	c.end(begun, number, resp, err)
	return resp, err
}

func (c *Concurrency) begin(ctx context.Context) (begun time.Time, number int, err error) {
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
			return begun, 0, context.Cause(ctx)
		}
	}
	number = c.sent
	c.sent++
	c.inFlight = append(c.inFlight, number)
	c.window.used = c.window.used || len(c.inFlight) >= c.level
	if c.eager() && c.window.replies == 0 {
		earlier := number - c.window.first
		c.mu.Unlock()
		time.Sleep(time.Duration(earlier) * apart)
		c.mu.Lock()
	}
	return time.Now(), number, nil
}

func (c *Concurrency) end(begun time.Time, number int, resp Response, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	earlier, _ := slices.BinarySearch(c.inFlight, number)
	c.inFlight = slices.Delete(c.inFlight, earlier, earlier+1)
	close(c.free)
	c.free = make(chan struct{})
	w := &c.window
	current := number >= w.first
	var e *Error
	switch {
	case errors.As(err, &e) && e.MayPass():
		if current {
			w.refused++
			w.late = w.late || e.Kind == Timeout
		}
	case err != nil:
		return
	default:
		// Tokens out of the server's prompt cache count: a level at which it forgets beginnings must not look faster.
		w.tokens += float64(max(1, resp.PromptTokens+resp.ReplyTokens))
		w.running = max(w.running, earlier+1)
		w.replies++
		w.replyTokens += resp.ReplyTokens
		w.longest = max(w.longest, resp.ReplyTokens)
		if w.replies == 1 || resp.ReplyTokens < w.shortest {
			w.shortest = resp.ReplyTokens
		}
		if current {
			w.answered++
			c.waited++
			w.slowest = max(w.slowest, time.Since(begun))
		}
	}
	enough := max(c.level*3/4, min(c.level, 8)) // the last of them may have been begun late
	ended := w.answered + w.refused
	switch {
	case !c.opts.Batches || w.refused > 0:
	case c.comparing():
		enough = max(enough, sample)
	case c.eager() && !c.doubted:
		enough = min(4, c.level)
	default: // gauge says how many are enough
		current = true
		ended = enough
	}
	if current && ended >= enough {
		c.measured(w.tokens/max(time.Since(w.begun).Seconds(), 1e-6), err != nil)
	}
}

// comparing reports whether the level is compared with the one before.
func (c *Concurrency) comparing() bool { return c.climbing && c.best > 0 }

// eager reports whether the level goes up without a comparison.
func (c *Concurrency) eager() bool { return c.opts.Batches && c.climbing && c.best == 0 }

// measured decides which level follows a window in which the server finished rate tokens a second, and in which it
// refused the last request that ended: a window that ends with an answer may be that in which an outage ended.
func (c *Concurrency) measured(rate float64, last bool) {
	w := c.window
	refused := float64(w.refused) / float64(max(1, w.answered+w.refused))
	lower := c.level < c.before
	gain := faster
	if lower {
		gain = asFast
	}
	slow := c.comparing() && rate < gain*c.best
	switch {
	case last && refused > notable && w.late:
		c.stepDown("the server was late", c.level/2)
	case last && refused > notable && len(c.inFlight) > 0 && len(c.inFlight) < c.level*3/4:
		c.stepDown("the server was busy", len(c.inFlight))
	case w.answered == 0 && len(c.inFlight) == 0: // whatever the level
		c.enter(max(c.level, c.goal))
	case c.level < c.goal && (w.refused > 0 || c.waited >= c.wait):
		c.enter(min(c.goal, c.level+max(1, c.level/4), c.inTime()))
	case refused > 0.5 || !w.used: // or replies come out of the cache, or the run ends
		c.enter(c.level)
	case c.opts.Batches && !c.comparing() && c.gauge(rate):
	case lower && slow:
		c.enter(min(c.level+max(1, c.level/8), c.before))
	case lower && c.comparing():
		c.settle(2 * c.wait)
		c.enter(c.level)
	case slow && !c.doubted:
		c.enter(c.level)
		c.doubted = true // replies come in bursts, and it ended before or after one
	case slow:
		c.why = fmt.Sprintf("%d were no faster", c.level)
		c.settle(2 * c.wait)
		c.enter(c.before)
	case c.climbing || c.waited >= c.wait && c.level >= c.goal:
		c.rise(rate)
	default:
		c.enter(c.level)
	}
}

// gauge decides by the replies that overtook others which level an engine gets that batches what fits. It returns false
// where they leave that to the number of answers.
func (c *Concurrency) gauge(rate float64) bool {
	w := c.window
	waiting := w.running <= c.level*2/3
	first := c.climbing && !c.doubted
	enough := max(sample, c.level/2)
	if first {
		enough = 8
	}
	switch {
	case c.climbing && !waiting:
		c.rise(rate)
	case w.replies < enough: // the window goes on
	case first && w.varied(0.9):
		c.enter(c.level)
		c.doubted = true // more run at first, when none has a long reply yet
	case waiting && !c.lowered && w.varied(0.65):
		c.lowered = true
		c.best = rate
		c.before = c.level
		c.climbing = true
		c.why = "the engine works on no more"
		c.enter(max(w.running, c.level/4))
	default:
		return false
	}
	return true
}

// inTime returns the level at which a reply might take a quarter of the time limit, but not less than the level itself.
func (c *Concurrency) inTime() int {
	if c.opts.Timeout == 0 || c.window.slowest == 0 {
		return c.opts.Most
	}
	return max(c.level, int(float64(c.level)*c.opts.Timeout.Seconds()/4/c.window.slowest.Seconds()))
}

// rise tries the next level.
func (c *Concurrency) rise(rate float64) {
	next, bound := 2*c.level, c.inTime()
	switch {
	case c.eager():
		next, bound = c.opts.Most, max(c.level, bound/4) // the first replies are the shortest
	case c.comparing() && rate/c.best > proportional*float64(c.level)/float64(c.before):
		next = 4 * c.level
	}
	next = max(next, 32)
	if c.lowered {
		next = c.level + max(1, c.level/4)
	}
	next = min(next, c.opts.Most, bound)
	if c.opts.Left != nil && next > c.opts.Left() {
		next = c.opts.Left()
	}
	if next > c.level {
		if !c.eager() {
			c.best = rate
		}
		c.before = c.level
		c.climbing = true
		c.why = "trying more"
		c.enter(next)
		return
	}
	c.why = "too few are left to try more"
	switch c.level {
	case c.opts.Most:
		c.why = "the most allowed"
	case bound:
		c.why = "more might wait too long"
	}
	c.settle(0)
	c.enter(c.level)
}

// settle keeps the level for so many answers, 8 to 64 times the level.
func (c *Concurrency) settle(wait int) {
	c.climbing = false
	c.wait = min(max(8*c.level, wait), 64*c.level)
	c.waited = 0
}

// stepDown lowers the level for a while.
func (c *Concurrency) stepDown(why string, level int) {
	c.why = why
	c.goal = max(c.goal, c.level)
	c.best = 0
	c.settle(2 * c.wait)
	c.enter(max(1, level))
}

// enter begins a window.
func (c *Concurrency) enter(level int) {
	c.level = min(level, c.opts.Most)
	c.doubted = false
	c.window = window{begun: time.Now(), first: c.sent, used: len(c.inFlight) >= c.level}
}
