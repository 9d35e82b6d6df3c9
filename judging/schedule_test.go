package judging

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging/judgingtest"
)

// slow is a right judge that takes a second; the clock of these tests is not
// the real one.
type slow struct {
	inFlight, peak, calls atomic.Int64
}

func (s *slow) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	s.calls.Add(1)
	now := s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	for peak := s.peak.Load(); now > peak && !s.peak.CompareAndSwap(peak, now); peak = s.peak.Load() {
	}
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return backends.Response{}, ctx.Err()
	}
	return judgingtest.Reply(judgingtest.RightLabel(req))
}

func TestConcurrencyIsUsedAndNeverExceeded(t *testing.T) {
	for _, c := range []struct {
		concurrency, items int
		peak, seconds      int
	}{
		{1, 3, 1, 6}, {4, 8, 4, 4}, {16, 8, 16, 1}, {12, 8, 12, 2}, {3, 7, 3, 5}, {32, 3500, 32, 219}, {0, 2, 1, 4},
	} {
		set := judgingtest.Pairs(t, c.items)
		synctest.Test(t, func(t *testing.T) {
			client := &slow{}
			j, w := newJob(t, set, client)
			j.Concurrency = c.concurrency
			began := time.Now()
			assert.NilError(t, j.Run(t.Context()))
			took := time.Since(began) // of the test's clock: exact
			if client.peak.Load() != int64(c.peak) || took != time.Duration(c.seconds)*time.Second ||
				len(w.Records) != 2*c.items {
				t.Errorf("concurrency %d over %d items: %d at once, %v, %d records; want %d at once, %d s",
					c.concurrency, c.items, client.peak.Load(), took, len(w.Records), c.peak, c.seconds)
			}
		})
	}
}

// Concurrency follows CurrentConcurrency while the run goes on, up and down, and no judgment is lost by that.
func TestConcurrencyChangesWhileTheRunGoesOn(t *testing.T) {
	const items = 24
	set := judgingtest.Pairs(t, items)
	synctest.Test(t, func(t *testing.T) {
		client := &slow{}
		j, w := newJob(t, set, client)
		began := time.Now()
		j.CurrentConcurrency = func() int {
			switch took := time.Since(began).Seconds(); {
			case took < 2.5:
				return 2
			case took < 6.5:
				return 6
			}
			return 3
		}
		for start, want := range map[float64]int64{2.2: 2, 5.2: 6, 9.2: 3} {
			time.AfterFunc(time.Duration(start*float64(time.Second)), func() {
				if now := client.inFlight.Load(); now != want {
					t.Errorf("%d in flight after %v s, want %d", now, start, want)
				}
			})
		}
		assert.NilError(t, j.Run(t.Context()))
		if len(w.Records) != 2*items || int(client.calls.Load()) != 2*items {
			t.Errorf("%d records, %d calls; want %d", len(w.Records), client.calls.Load(), 2*items)
		}
	})
}

// The swapped judgment is asked when the first is written, and before the place is
// given to another item: the server's prefix cache then holds the question.
func TestPresentationsOfAnItemFollowEachOther(t *testing.T) {
	set := judgingtest.Pairs(t, 20)
	for _, concurrency := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			open := map[string]int{} // items with a judgment written and one to come
			wrote := map[string]int{}
			client := &slow{}
			j, _ := newJob(t, set, judgingtest.Script(func(ctx context.Context, req backends.Request) (backends.Response, error) {
				mu.Lock()
				if req.Oracle.Presentation != wrote[req.Oracle.Item] {
					t.Errorf("%s: presentation %d asked when %d are written", req.Oracle.Item, req.Oracle.Presentation, wrote[req.Oracle.Item])
				}
				open[req.Oracle.Item]++
				if len(open) > concurrency {
					t.Errorf("%d items are under way: %v", len(open), open)
				}
				mu.Unlock()
				return client.Ask(ctx, req)
			}))
			j.Concurrency = concurrency
			j.Write = func(r *Record) error {
				mu.Lock()
				defer mu.Unlock()
				if wrote[r.Item]++; wrote[r.Item] == 2 {
					delete(open, r.Item)
				}
				return nil
			}
			assert.NilError(t, j.Run(t.Context()))
			for item, n := range maps.All(wrote) {
				if n != 2 {
					t.Errorf("%s: %d games", item, n)
				}
			}
		})
	}
}

// Where a server computes a common beginning once, the judgments of an item are asked at the same time, however many
// are asked at once.
func TestJudgmentsOfAnItemTogether(t *testing.T) {
	set := judgingtest.Pairs(t, 50)
	for concurrency, want := range map[int]int{1: 0, 2: 50, 7: 42, 64: 50} { // of 7, one has no partner
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var second atomic.Int64
			starts := map[string]time.Time{}
			client := &slow{}
			j, w := newJob(t, set, judgingtest.Script(func(ctx context.Context, req backends.Request) (backends.Response, error) {
				mu.Lock()
				if start, ok := starts[req.Oracle.Item]; ok && time.Since(start) == 0 {
					second.Add(1)
				}
				starts[req.Oracle.Item] = time.Now()
				mu.Unlock()
				return client.Ask(ctx, req)
			}))
			j.Concurrency, j.ParallelWithinItem = concurrency, true
			assert.NilError(t, j.Run(t.Context()))
			if n := int(second.Load()); n < want || len(w.Records) != 100 {
				t.Errorf("%d at once: %d of 50 items were asked about together, want %d; %d records", concurrency, n, want, len(w.Records))
			}
		})
	}
}

func TestStopFinishesWhatIsInFlight(t *testing.T) {
	set := judgingtest.Pairs(t, 10)
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		client := &slow{}
		time.AfterFunc(1500*time.Millisecond, func() { close(stop) }) // the second judgments of four items are in flight
		j, w := newJob(t, set, client)
		j.Concurrency, j.Stop = 4, stop
		if err := j.Run(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("error %v", err)
		}
		if calls := int(client.calls.Load()); calls != 8 || len(w.Records) != calls {
			t.Errorf("%d calls, %d records; want the 8 that were in flight", calls, len(w.Records))
		}
		for _, r := range w.Records {
			if r.Outcome != Decided {
				t.Errorf("%s, presentation %d: %s", r.Item, r.Presentation, r.Outcome)
			}
		}
	})
}

// TestCallsThatFailOnceStoppedAreMissing: no record says that they failed.
func TestCallsThatFailOnceStoppedAreMissing(t *testing.T) {
	stop := make(chan struct{})
	calls := 0
	j, w := newJob(t, judgingtest.Pairs(t, 3), judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) {
		if calls++; calls == 3 {
			close(stop)
			return backends.Response{}, &backends.Error{Kind: backends.ErrorBusy, Status: 503, Message: "full"}
		}
		return judgingtest.Reply("[[A>B]]")
	}))
	j.Concurrency, j.Stop = 1, stop
	if err := j.Run(t.Context()); !errors.Is(err, ErrStopped) || calls != 3 || len(w.Records) != 2 {
		t.Errorf("%v after %d calls, %d records", err, calls, len(w.Records))
	}
}

func TestStoppedBeforeItStarts(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	client := &slow{}
	j, _ := newJob(t, judgingtest.Pairs(t, 3), client)
	j.Stop = stop
	if err := j.Run(t.Context()); !errors.Is(err, ErrStopped) || client.calls.Load() != 0 {
		t.Errorf("error %v after %d calls", err, client.calls.Load())
	}
}

func TestCancelGivesUpWhatIsInFlight(t *testing.T) {
	set := judgingtest.Pairs(t, 10)
	cause := errors.New("second Ctrl-C")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		client := &slow{}
		time.AfterFunc(1500*time.Millisecond, func() { cancel(cause) })
		j, w := newJob(t, set, client)
		j.Concurrency = 4
		if err := j.Run(ctx); !errors.Is(err, cause) {
			t.Errorf("error %v, want that of the context", err)
		}
		for _, r := range w.Records {
			if r.Outcome != Decided {
				t.Errorf("a call given up was written: %+v", r)
			}
		}
		if len(w.Records) != 4 || client.calls.Load() != 8 {
			t.Errorf("%d records, %d calls; want the four that were done and the four given up", len(w.Records), client.calls.Load())
		}
	})
}

// A context that ends while no call is in flight ends the run as well.
func TestCancelBetweenCalls(t *testing.T) {
	for name, cancelled := range map[string]func(w *judgingtest.RecordCollector[*Record], cancel func()) func(*Record) error{
		"before the start": func(w *judgingtest.RecordCollector[*Record], cancel func()) func(*Record) error {
			cancel()
			return w.Write
		},
		"while writing": func(w *judgingtest.RecordCollector[*Record], cancel func()) func(*Record) error {
			return func(r *Record) error { cancel(); return w.Write(r) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			j, w := newJob(t, judgingtest.Pairs(t, 5), right(nil))
			j.Write = cancelled(w, cancel)
			if err := j.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%d of 10 judgments, error %v", len(w.Records), err)
			}
		})
	}
}

func TestGivingUpLetsCallsInFlightFinish(t *testing.T) {
	set := judgingtest.Pairs(t, 40)
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		j, w := newJob(t, set, judgingtest.Script(func(ctx context.Context, req backends.Request) (backends.Response, error) {
			n := calls.Add(1)
			if n == 2 { // takes longer than the others take to fail
				time.Sleep(time.Hour)
				return judgingtest.Reply(judgingtest.RightLabel(req))
			}
			time.Sleep(time.Second)
			return backends.Response{}, fmt.Errorf("refused")
		}))
		j.Concurrency, j.MaxConsecutiveFailures = 2, 9
		var gaveUp *GaveUpError
		if err := j.Run(t.Context()); !errors.As(err, &gaveUp) {
			t.Fatalf("error %v", err)
		}
		decided := 0
		for _, r := range w.Records {
			if r.Outcome == Decided {
				decided++
			}
		}
		if decided != 1 || len(w.Records) != 10 || calls.Load() != 10 {
			t.Errorf("%d records of %d calls, %d decided; want 9 failures and the one in flight", len(w.Records), calls.Load(), decided)
		}
	})
}

// By default twice the concurrency: all of the first calls may fail at once.
func TestGiveUpGrowsWithConcurrency(t *testing.T) {
	set := judgingtest.Pairs(t, 100)
	synctest.Test(t, func(t *testing.T) {
		j, w := newJob(t, set, judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) {
			time.Sleep(time.Second)
			return backends.Response{}, errors.New("refused")
		}))
		j.Concurrency = 8
		var gaveUp *GaveUpError
		if err := j.Run(t.Context()); !errors.As(err, &gaveUp) || gaveUp.Calls < 16 || len(w.Records) < 16 ||
			len(w.Records) > 16+7 {
			t.Errorf("%d records, error %v; want 16 failures, and up to 7 that were in flight", len(w.Records), err)
		}
	})
}
