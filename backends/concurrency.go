package backends

import (
	"context"
	"fmt"
	"sync"
	"time"
)

var _ Client = (*Concurrency)(nil)

// Concurrency is a Client over one server that finds out how many requests it is best asked at once.
//
// It begins with few, and asks for more as long as that makes the server finish more tokens in a second. A level is
// measured until three quarters as many requests as it has, all begun at that level, are answered. It goes up to 32 at
// least, then by a factor of two, or of four where the last step made the server faster in proportion; and back where a
// level, measured twice, is less than a tenth faster than the one before. What was measured may have been chance, or
// what is asked may change: so it tries the next level again later, and after each try in vain it waits twice as long.
// A server that refuses for being busy, or does not answer in time, is asked half as much, and then an eighth more at
// each level.
//
// Asking for too much costs little: requests wait in the server. Asking for too little leaves it idle.
type Concurrency struct {
	next Client
	opts ConcurrencyOptions

	mu       sync.Mutex
	level    int // requests at once
	busy     int // requests in flight
	stage    stage
	stages   int     // counts stages, so that a request knows in which it was begun
	best     float64 // tokens a second of the level before, while that is compared; 0 for none
	below    int     // the level before
	doubted  bool    // the level was measured once, and was no faster
	climbing bool    // else the level stays until enough requests are answered
	wait     int     // answers to wait for before the next level is tried
	waited   int
	ceiling  int // so many were too many: it refused or was late; 0 for none
	why      string
}

// ConcurrencyOptions bound what is tried.
type ConcurrencyOptions struct {
	First   int           // requests at once to begin with
	Most    int           // requests at once
	Timeout time.Duration // of a request: no more are asked where one might then take a quarter of it; 0 for none
	Left    func() int    // requests that are still to be answered: no more than these are tried; nil where not known
	Now     func() time.Time
}

// stage is the time in which the level stays as it is.
type stage struct {
	begun    time.Time
	used     bool    // as many requests were in flight as the level has
	answered int     // requests begun in it
	tokens   float64 // of all that were answered in it
	slowest  time.Duration
}

const (
	// faster is by how much a level must be faster than the one before to be worthwhile.
	faster = 1.1
	// proportional is the part of a level's factor by which it must be faster to be far from the server's bound.
	proportional = 0.8
)

// NewConcurrency wraps next.
func NewConcurrency(next Client, opts ConcurrencyOptions) *Concurrency {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	opts.Most = max(1, opts.Most)
	c := &Concurrency{next: next, opts: opts, climbing: true, why: "trying more"}
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

// Ask implements Client. It does not hold a request back: who asks looks at AtOnce.
func (c *Concurrency) Ask(ctx context.Context, req Request) (Response, error) {
	begun, stage := c.begin()
	resp, err := c.next.Ask(ctx, req)
	c.end(begun, stage, resp, err)
	return resp, err
}

func (c *Concurrency) begin() (begun time.Time, stage int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy++
	c.stage.used = c.stage.used || c.busy >= c.level
	return c.opts.Now(), c.stages
}

func (c *Concurrency) end(begun time.Time, stage int, resp Response, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy--
	now := c.opts.Now()
	current := stage == c.stages
	switch {
	case IsKind(err, Busy, Timeout):
		if current && c.busy < c.level { // else more are there than are to be, since the level fell
			c.fall(err)
		}
		return
	case err != nil:
		return
	}
	// Tokens out of the server's prompt cache count: a level at which it forgets beginnings must not look faster.
	c.stage.tokens += float64(max(1, resp.PromptTokens+resp.ReplyTokens))
	if !current {
		return
	}
	c.stage.answered++
	c.stage.slowest = max(c.stage.slowest, now.Sub(begun))
	if c.stage.answered < max(c.level*3/4, min(c.level, 8)) { // the last of them may have been begun late
		return
	}
	c.measured(c.stage.tokens / max(now.Sub(c.stage.begun).Seconds(), 1e-6))
}

// measured decides what follows a level that was measured, in tokens a second.
func (c *Concurrency) measured(rate float64) {
	c.waited += c.stage.answered
	switch {
	case !c.stage.used: // by the end of a run, or where replies come out of the cache
		c.enter(c.level)
	case c.ceiling > 0 && c.level < c.ceiling-1:
		c.enter(min(c.level+max(1, c.level/8), c.ceiling-1))
	case c.ceiling > 0 && c.waited >= c.wait:
		c.ceiling += max(1, c.ceiling/8)
		c.waited = 0
		c.enter(c.level)
	case c.ceiling > 0:
		c.enter(c.level)
	case c.climbing && c.best > 0 && rate < faster*c.best && !c.doubted:
		c.enter(c.level)
		c.doubted = true // replies come in bursts, and it ended before or after one
	case c.climbing && c.best > 0 && rate < faster*c.best:
		c.why = fmt.Sprintf("%d were no faster", c.level)
		c.climbing = false
		c.wait = max(8*c.level, 2*c.wait)
		c.waited = 0
		c.enter(c.below)
	case c.climbing || c.waited >= c.wait:
		c.rise(rate)
	default:
		c.enter(c.level)
	}
}

// rise tries the next level.
func (c *Concurrency) rise(rate float64) {
	factor := 2
	if c.climbing && c.best > 0 && rate/c.best > proportional*float64(c.level)/float64(c.below) {
		factor = 4
	}
	next := min(max(factor*c.level, 32), c.opts.Most)
	longest := c.stage.slowest * time.Duration(next) / time.Duration(c.level)
	switch {
	case next == c.level:
		c.why = "the most allowed"
		c.climbing = false
	case c.opts.Left != nil && next > c.opts.Left():
		c.why = "too few are left to try more"
		c.enter(c.level)
		return
	case c.opts.Timeout > 0 && longest > c.opts.Timeout/4:
		c.why = "more might wait too long"
		c.climbing = false
	default:
		c.best = rate
		c.below = c.level
		c.climbing = true
		c.why = "trying more"
		c.enter(next)
		return
	}
	c.wait = 8 * c.level
	c.waited = 0
	c.enter(c.level)
}

// fall asks for half as much.
func (c *Concurrency) fall(err error) {
	c.why = "the server was busy"
	if IsKind(err, Timeout) {
		c.why = "the server was late"
	}
	c.climbing = false
	c.best = 0
	c.ceiling = c.busy + 1
	c.wait = max(16*c.level, 2*c.wait)
	c.waited = 0
	c.enter(max(1, c.level/2))
}

// enter begins a stage.
func (c *Concurrency) enter(level int) {
	c.level = min(level, c.opts.Most)
	c.doubted = false
	c.stages++
	c.stage = stage{begun: c.opts.Now(), used: c.busy >= c.level}
}
