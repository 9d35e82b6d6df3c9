package backends

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queueing is a server that answers so many requests at once, and has the others wait. More than refuse it refuses.
type queueing struct {
	slots  chan struct{}
	refuse int
	long   func() time.Duration

	mu       sync.Mutex
	busy     int
	most     int
	refused  int
	answered int
}

func (q *queueing) Ask(ctx context.Context, _ Request) (Response, error) {
	q.mu.Lock()
	q.busy++
	q.most = max(q.most, q.busy)
	full := q.refuse > 0 && q.busy > q.refuse
	if full {
		q.refused++
	}
	long := q.long()
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.busy--
		q.mu.Unlock()
	}()
	if full {
		return Response{}, &Error{Kind: Busy, Message: "too many"}
	}
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return Response{}, &Error{Kind: Timeout, Message: "late"}
	}
	defer func() { <-q.slots }()
	time.Sleep(long)
	q.mu.Lock()
	q.answered++
	q.mu.Unlock()
	return Response{PromptTokens: 100, ReplyTokens: int(long / time.Millisecond)}, nil
}

// askAll asks for so many replies, as many at once as atOnce says, each until it comes. It returns how long that took.
func askAll(c Client, calls int, atOnce func() int) time.Duration {
	begun := time.Now()
	var mu sync.Mutex
	workers, left := 0, calls
	var all sync.WaitGroup
	var hire func()
	work := func() {
		for {
			mu.Lock()
			if left == 0 || workers > max(1, atOnce()) {
				workers--
				mu.Unlock()
				return
			}
			left--
			mu.Unlock()
			for {
				_, err := c.Ask(context.Background(), Request{})
				if err == nil {
					break
				}
				time.Sleep(500 * time.Millisecond)
			}
			hire()
		}
	}
	hire = func() {
		mu.Lock()
		defer mu.Unlock()
		for ; workers < atOnce() && left > 0; workers++ {
			all.Go(work)
		}
	}
	hire()
	all.Wait()
	return time.Since(begun)
}

// TestConcurrencyIsFound: without being told how many requests a server answers at once, a run takes at most a tenth
// longer than with the best number, where it has enough calls to find that.
func TestConcurrencyIsFound(t *testing.T) {
	fixed := func(long time.Duration) func(*rand.Rand) time.Duration {
		return func(*rand.Rand) time.Duration { return long }
	}
	uneven := func(r *rand.Rand) time.Duration {
		return time.Duration(100+r.ExpFloat64()*900) * time.Millisecond
	}
	for _, c := range []struct {
		name   string
		slots  int
		refuse int
		long   func(*rand.Rand) time.Duration
		calls  int
		first  int
		most   int // that may be there at once
	}{
		{name: "one slot", slots: 1, long: fixed(200 * time.Millisecond), calls: 200, first: 8, most: 32},
		{name: "slow, one slot", slots: 1, long: fixed(time.Minute), calls: 60, first: 8, most: 8},
		{name: "4 slots, uneven", slots: 4, long: uneven, calls: 400, first: 8, most: 64},
		{name: "32 slots", slots: 32, long: fixed(200 * time.Millisecond), calls: 200, first: 8, most: 128},
		{name: "32 slots, few calls", slots: 32, long: fixed(200 * time.Millisecond), calls: 64, first: 32, most: 32},
		{name: "32 slots, uneven", slots: 32, long: uneven, calls: 1400, first: 8, most: 256},
		{name: "256 slots", slots: 256, long: fixed(200 * time.Millisecond), calls: 7000, first: 8, most: 256},
		{name: "256 slots, uneven", slots: 256, long: uneven, calls: 7000, first: 8, most: 256},
		{name: "refuses more than 20", slots: 20, refuse: 20, long: uneven, calls: 1400, first: 8, most: 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			serve := func() *queueing {
				r := rand.New(rand.NewPCG(1, 2))
				return &queueing{
					slots: make(chan struct{}, c.slots), refuse: c.refuse,
					long: func() time.Duration { return c.long(r) },
				}
			}
			synctest.Test(t, func(t *testing.T) {
				best := askAll(serve(), c.calls, func() int { return c.slots })
				server := serve()
				left := func() int {
					server.mu.Lock()
					defer server.mu.Unlock()
					return c.calls - server.answered
				}
				found := NewConcurrency(server, ConcurrencyOptions{First: c.first, Most: 256, Timeout: 10 * time.Minute, Left: left})
				took := askAll(found, c.calls, found.AtOnce)
				t.Logf("%v, %v with %d at once; at the end %d (%s), at most %d, %d refused",
					took, best, c.slots, found.AtOnce(), found.Why(), server.most, server.refused)
				if took.Seconds() > best.Seconds()/0.9 {
					t.Errorf("it took %v; with %d at once %v", took, c.slots, best)
				}
				if server.most > c.most {
					t.Errorf("%d were there at once, want at most %d", server.most, c.most)
				}
			})
		})
	}
}

// TestConcurrencyFalls: of a server that refuses, or is late, half as much is asked, once for all that it refused.
func TestConcurrencyFalls(t *testing.T) {
	for _, kind := range []Kind{Busy, Timeout} {
		c := NewConcurrency(nil, ConcurrencyOptions{First: 16, Most: 64})
		var stages []int
		for range 16 {
			_, stage := c.begin()
			stages = append(stages, stage)
		}
		for _, stage := range stages {
			c.end(time.Now(), stage, Response{}, &Error{Kind: kind})
		}
		if c.AtOnce() != 8 {
			t.Errorf("%v: %d at once after a burst of refusals at 16, want 8", kind, c.AtOnce())
		}
	}
}
