package backends

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// queueServer answers a limited number of requests at once; others wait. It refuses requests when more than refuse are
// present, and a share of the others.
type queueServer struct {
	slots   chan struct{}
	refuse  int
	long    func() time.Duration
	refusal func() error // of a request at random, or nil; may be nil

	mu       sync.Mutex
	busy     int
	maxBusy  int
	refused  int
	answered []time.Time
}

func (q *queueServer) Ask(ctx context.Context, _ Request) (Response, error) {
	q.mu.Lock()
	q.busy++
	q.maxBusy = max(q.maxBusy, q.busy)
	var refusal error
	if q.refuse > 0 && q.busy > q.refuse {
		refusal = busy(0)
	} else if q.refusal != nil {
		refusal = q.refusal()
	}
	if refusal != nil {
		q.refused++
	}
	long := q.long()
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.busy--
		q.mu.Unlock()
	}()
	if refusal != nil {
		return Response{}, refusal
	}
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return Response{}, &Error{Kind: ErrorTimeout, Message: "late"}
	}
	defer func() { <-q.slots }()
	time.Sleep(long)
	q.mu.Lock()
	q.answered = append(q.answered, time.Now())
	q.mu.Unlock()
	return Response{PromptTokens: 100, ReplyTokens: int(long / time.Millisecond)}, nil
}

// rate returns the requests answered per second, between two times after start.
func (q *queueServer) rate(start time.Time, from, to time.Duration) float64 {
	n := 0
	for _, at := range q.answered {
		if elapsed := at.Sub(start); elapsed >= from && elapsed < to {
			n++
		}
	}
	return float64(n) / (to - from).Seconds()
}

// askAll asks for a number of replies, atOnce of them at once, each until it arrives. It returns how long that took.
func askAll(t *testing.T, c *Retrier, calls int, atOnce func() int) time.Duration {
	start := time.Now()
	var mu sync.Mutex
	workers, remaining := 0, calls
	var all sync.WaitGroup
	var hire func()
	work := func() {
		for {
			mu.Lock()
			if remaining == 0 || workers > max(1, atOnce()) {
				workers--
				mu.Unlock()
				return
			}
			remaining--
			mu.Unlock()
			if _, err := c.Ask(t.Context(), Request{}); err != nil {
				t.Error(err)
			}
			hire()
		}
	}
	hire = func() {
		mu.Lock()
		defer mu.Unlock()
		for ; workers < atOnce() && remaining > 0; workers++ {
			all.Go(work)
		}
	}
	hire()
	all.Wait()
	return time.Since(start)
}

// askFound asks as a run does whose server is asked as much as found says.
func askFound(t *testing.T, c Client, calls int, atOnce func() int) time.Duration {
	patient := WithRetry(c, RetryOptions{})
	return askAll(t, patient, calls, func() int { return atOnce() + min(patient.WaitingRequests(), 256) })
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
		name    string
		slots   int
		refuse  int
		long    func(*rand.Rand) time.Duration
		calls   int
		first   int
		maxBusy int // that may be there at once
		batch   bool
		last    int // requests at once at the end, if that matters
	}{
		{name: "one slot", slots: 1, long: fixed(200 * time.Millisecond), calls: 200, first: 8, maxBusy: 32},
		{name: "slow, one slot", slots: 1, long: fixed(time.Minute), calls: 60, first: 8, maxBusy: 8},
		{name: "4 slots, uneven", slots: 4, long: uneven, calls: 400, first: 8, maxBusy: 64},
		{name: "32 slots", slots: 32, long: fixed(200 * time.Millisecond), calls: 200, first: 8, maxBusy: 128},
		{name: "32 slots, few calls", slots: 32, long: fixed(200 * time.Millisecond), calls: 64, first: 32, maxBusy: 40},
		{name: "32 slots, uneven", slots: 32, long: uneven, calls: 1400, first: 8, maxBusy: 256},
		{name: "256 slots", slots: 256, long: fixed(200 * time.Millisecond), calls: 7000, first: 8, maxBusy: 256},
		{name: "256 slots, uneven", slots: 256, long: uneven, calls: 7000, first: 8, maxBusy: 256},
		{name: "refuses more than 20", slots: 20, refuse: 20, long: uneven, calls: 1400, first: 8, maxBusy: 64},
		{name: "batches 256", slots: 256, long: uneven, calls: 200, first: 32, maxBusy: 200, batch: true},
		{name: "batches 256, many calls", slots: 256, long: uneven, calls: 2000, first: 32, maxBusy: 256, batch: true},
		{name: "batches 16, uneven", slots: 16, long: uneven, calls: 400, first: 32, maxBusy: 32, batch: true, last: 20},
		{name: "batches 8, slow", slots: 8, long: fixed(time.Minute), calls: 100, first: 32, maxBusy: 32, batch: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			serve := func() *queueServer {
				r := rand.New(rand.NewPCG(1, 2))
				return &queueServer{
					slots: make(chan struct{}, c.slots), refuse: c.refuse,
					long: func() time.Duration { return c.long(r) },
				}
			}
			synctest.Test(t, func(t *testing.T) {
				best := askAll(t, WithRetry(serve(), RetryOptions{}), c.calls, func() int { return c.slots })
				server := serve()
				remaining := func() int {
					server.mu.Lock()
					defer server.mu.Unlock()
					return c.calls - len(server.answered)
				}
				adaptive := NewConcurrencyTuner(server, ConcurrencyOptions{
					Initial: c.first, Max: 256, Timeout: 10 * time.Minute, Remaining: remaining, HasBatchingEngine: c.batch,
				})
				took := askFound(t, adaptive, c.calls, adaptive.Parallelism)
				t.Logf("%v, %v with %d at once; at the end %d (%s), at most %d, %d refused",
					took, best, c.slots, adaptive.Parallelism(), adaptive.LimitReason(), server.maxBusy, server.refused)
				if took.Seconds() > best.Seconds()/0.9 {
					t.Errorf("it took %v; with %d at once %v", took, c.slots, best)
				}
				if server.refused > c.calls/5 {
					t.Errorf("%d were refused", server.refused)
				}
				if n := adaptive.Parallelism(); c.last > 0 && n > c.last {
					t.Errorf("%d at once at the end, want at most %d", n, c.last)
				}
				if server.maxBusy > c.maxBusy {
					t.Errorf("%d were there at once, want at most %d", server.maxBusy, c.maxBusy)
				}
			})
		})
	}
}

// TestConcurrencyWhereRefused: a server that refuses some requests is asked nearly as fast as with the best fixed
// number, and as fast as before within 10 s after an outage of 20 s.
func TestConcurrencyWhereRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		slots  int
		long   time.Duration
		share  float64 // refused at random
		outage error   // of all requests from 5 s to 25 s
		calls  int
	}{
		{name: "nothing", slots: 32, long: 100 * time.Millisecond, calls: 4000},
		{name: "0.2 %", slots: 32, long: 100 * time.Millisecond, share: 0.002, calls: 4000},
		{name: "2 %", slots: 32, long: 100 * time.Millisecond, share: 0.02, calls: 4000},
		{name: "10 %", slots: 32, long: 100 * time.Millisecond, share: 0.1, calls: 4000},
		{name: "2 %, slow", slots: 4, long: 5 * time.Second, share: 0.02, calls: 200},
		{name: "10 %, slow", slots: 4, long: 5 * time.Second, share: 0.1, calls: 200},
		{name: "an outage", slots: 32, long: 100 * time.Millisecond, outage: busy(0), calls: 8000},
		{name: "an outage and 2 %", slots: 32, long: 100 * time.Millisecond, share: 0.02, outage: busy(0), calls: 8000},
		{name: "not there for a while", slots: 32, long: 100 * time.Millisecond, outage: refused, calls: 8000},
		{name: "an outage, slow", slots: 4, long: 2 * time.Second, outage: busy(0), calls: 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				serve := func() *queueServer {
					start = time.Now()
					r := rand.New(rand.NewPCG(1, 2))
					refusal := func() error {
						elapsed := time.Since(start)
						if c.outage != nil && elapsed > 5*time.Second && elapsed < 25*time.Second {
							return c.outage
						}
						if r.Float64() < c.share {
							return busy(0)
						}
						return nil
					}
					return &queueServer{
						slots:   make(chan struct{}, c.slots),
						long:    func() time.Duration { return c.long },
						refusal: refusal,
					}
				}
				best := time.Hour
				for n := c.slots; n <= 8*c.slots; n *= 2 {
					best = min(best, askAll(t, WithRetry(serve(), RetryOptions{}), c.calls, func() int { return n }))
				}
				server := serve()
				adaptive := NewConcurrencyTuner(server, ConcurrencyOptions{Initial: 8, Max: 256, Timeout: 10 * time.Minute})
				took := askFound(t, adaptive, c.calls, adaptive.Parallelism)
				t.Logf("%v, %.2f of the best fixed number; at the end %d (%s), at most %d",
					took, took.Seconds()/best.Seconds(), adaptive.Parallelism(), adaptive.LimitReason(), server.maxBusy)
				if took.Seconds() > 1.3*best.Seconds() {
					t.Errorf("it took %v; with the best fixed number %v", took, best)
				}
				full := float64(c.slots) / c.long.Seconds()
				if after := server.rate(start, 35*time.Second, 41*time.Second); c.outage != nil && after < 0.9*full {
					t.Errorf("10 s after the outage %v replies a second, want %v", after, full)
				}
			})
		})
	}
}

// TestConcurrencyFalls: of a server that is late, half as much is asked, and of one that refuses as much as it took;
// once for all that were begun before.
func TestConcurrencyFalls(t *testing.T) {
	for kind, want := range map[ErrorKind]int{ErrorBusy: 4, ErrorTimeout: 8} {
		c := NewConcurrencyTuner(nil, ConcurrencyOptions{Initial: 16, Max: 64})
		var windows []int
		for range 16 {
			_, window, _ := c.waitForPlace(t.Context())
			windows = append(windows, window)
		}
		for _, window := range windows {
			c.endRequest(time.Now(), window, Response{}, &Error{Kind: kind})
		}
		if c.Parallelism() != want {
			t.Errorf("%v: %d at once after a burst of refusals at 16, want %d", kind, c.Parallelism(), want)
		}
	}
}
