package backends

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gotest.tools/v3/assert"
)

// fakeBackend is a Backend whose model, process and weights can be exchanged.
type fakeBackend struct {
	Backend
	now      atomic.Pointer[presence]
	looks    atomic.Int64
	lastLook atomic.Pointer[time.Time] // of the last look that was answered
	busy     atomic.Int64              // so many samples are refused
	answered func()                    // told of the next reply
}

type presence struct {
	identity, process, model string
	sample                   TokenSample
	down                     bool
	slow                     time.Duration // to say what it serves
	takes                    time.Duration // to answer
}

func (s *fakeBackend) Ask(context.Context, Request) (Response, error) {
	now := s.now.Load()
	if now.down {
		return Response{}, &Error{Kind: ErrorTransport, Message: "connection refused"}
	}
	if s.answered != nil {
		s.answered()
	}
	time.Sleep(now.takes)
	return Response{Text: "fine", Finish: FinishStop, Model: now.model}, nil
}

func (s *fakeBackend) Identify(ctx context.Context, _ string) (Model, error) {
	s.looks.Add(1)
	start := time.Now()
	defer s.lastLook.Store(&start)
	now := s.now.Load()
	select {
	case <-time.After(now.slow):
	case <-ctx.Done():
		return Model{}, &Error{Kind: ErrorTimeout, Message: "no answer in time"}
	}
	switch {
	case now.down:
		return Model{}, &Error{Kind: ErrorTransport, Message: "connection refused"}
	case now.identity == "":
		return Model{}, &Error{Kind: ErrorNotFound, Message: "unknown model"}
	}
	return Model{Name: strings.TrimPrefix(now.identity, "openai "), ServerStartMarker: now.process}, nil
}

func (s *fakeBackend) Sample(context.Context, string) (TokenSample, error) {
	if s.busy.Add(-1) >= 0 {
		return nil, &Error{Kind: ErrorBusy, Message: "busy"}
	}
	return s.now.Load().sample, nil
}

func watching(t *testing.T, first presence) (*fakeBackend, *ModelWatch) {
	t.Helper()
	s := new(fakeBackend)
	s.now.Store(&first)
	w := s.watch(t)
	if _, _, err := w.Begin(nil); err != nil {
		t.Fatal(err)
	}
	return s, w
}

func (s *fakeBackend) watch(t *testing.T) *ModelWatch {
	m := PoolMember{Backend: s, Client: s, Server: ServerInfo{WireFormat: "openai", URL: "http://a"}, Model: Model{Name: "tiny"}}
	return NewModelWatch(t.Context(), m, 2*time.Minute)
}

// ask asks and waits until it is known whether the reply counts.
func (w *ModelWatch) ask(t *testing.T) error { return w.counts(t, Request{}) }

func (w *ModelWatch) counts(t *testing.T, req Request) error {
	resp, err := w.Ask(t.Context(), req)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	resp.IdentityCheck.Then(func(err error) { ended <- err })
	return <-ended
}

const tinyIdentity = "openai tiny"

// TestWatchIsInNobodysWay: however long a server takes to say which model it serves, a reply is there at once and
// counts when a check that began after it has ended. Checks are seconds apart, one at a time.
func TestWatchIsInNobodysWay(t *testing.T) {
	for name, c := range map[string]struct {
		slow, takes time.Duration
		limit       int64 // checks in 100 s
	}{
		"at once":                  {takes: 200 * time.Millisecond, limit: 51},
		"slow list":                {slow: 4 * time.Second, takes: time.Second, limit: 13},
		"behind the generations":   {slow: 25 * time.Second, takes: 25 * time.Second, limit: 3},
		"slower than anyone waits": {slow: time.Hour, takes: 100 * time.Millisecond, limit: 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := watching(t, presence{identity: tinyIdentity, takes: c.takes, slow: c.slow})
				s.looks.Store(0)
				start := time.Now()
				var all sync.WaitGroup
				var replies, verified, early atomic.Int64
				for range 8 {
					all.Go(func() {
						for time.Since(start) < 100*time.Second {
							sent := time.Now()
							resp, err := w.Ask(t.Context(), Request{})
							if late := time.Since(sent) - c.takes; err != nil || late > 0 {
								t.Errorf("a reply came %s late, error %v", late, err)
							}
							replies.Add(1)
							came := time.Now()
							resp.IdentityCheck.Then(func(err error) {
								if err == nil {
									verified.Add(1)
								}
								if s.lastLook.Load().Before(came) {
									early.Add(1)
								}
							})
						}
					})
				}
				all.Wait()
				if n := s.looks.Load(); n > c.limit || n == 0 {
					t.Errorf("asked %d times in 100 s, at most %d", n, c.limit)
				}
				s.now.Store(&presence{identity: tinyIdentity})
				if err := w.FinalCheck(t.Context(), time.Minute); err != nil || verified.Load() != replies.Load() ||
					early.Load() > 0 {
					t.Errorf("%d of %d replies count, %d of them by a check that began before them; %v",
						verified.Load(), replies.Load(), early.Load(), err)
				}
				looks := s.looks.Load()
				time.Sleep(time.Hour)
				if n := s.looks.Load(); n != looks {
					t.Errorf("with no reply to wait for it the server was asked %d times", n-looks)
				}
			})
		})
	}
}

// TestWatchLast: a server that does not say which model it serves in the end leaves replies unverified, in the time
// that it is given.
func TestWatchLast(t *testing.T) {
	for name, c := range map[string]struct {
		state presence
		limit time.Duration
	}{
		"hangs": {state: presence{identity: tinyIdentity, slow: time.Hour}, limit: 5 * time.Second},
		"down":  {state: presence{down: true}, limit: 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, w := watching(t, presence{identity: tinyIdentity})
			resp, err := w.Ask(t.Context(), Request{})
			assert.NilError(t, err)
			s.now.Store(&c.state)
			start := time.Now()
			why := w.FinalCheck(t.Context(), 5*time.Second)
			if took := time.Since(start); why == nil || took > c.limit {
				t.Errorf("%s: %v, after %s", name, why, took)
			}
			ended := make(chan error, 1)
			resp.IdentityCheck.Then(func(err error) { ended <- err })
			if err := <-ended; !errors.Is(err, ErrModelNotNamed) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestWatchDoesNotVouchForTheFuture: what it served before a request was sent says nothing of the reply.
func TestWatchDoesNotVouchForTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, takes: 3 * time.Second})
		assert.NilError(t, w.ask(t))
		s.now.Store(&presence{identity: "openai tiny size=2"})
		var changed *ModelChangedError
		if err := w.ask(t); !errors.As(err, &changed) {
			t.Errorf("%v", err)
		}
	})
	// Nor does what it said in a look that was begun before.
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, slow: time.Second})
		go w.ask(t)
		time.Sleep(500 * time.Millisecond)
		s.now.Store(&presence{identity: "openai tiny size=2", takes: 2 * time.Second})
		var changed *ModelChangedError
		if err := w.ask(t); !errors.As(err, &changed) {
			t.Errorf("%v", err)
		}
	})
	// Nor does what it said while the reply was made: a proxy may have held the request.
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, takes: 3 * time.Second})
		reply := make(chan error, 1)
		go func() { reply <- w.ask(t) }()
		time.Sleep(time.Second)
		s.now.Store(&presence{identity: tinyIdentity})
		assert.NilError(t, w.ask(t))
		s.now.Store(&presence{identity: "openai tiny size=2"})
		var changed *ModelChangedError
		if err := <-reply; !errors.As(err, &changed) {
			t.Errorf("%v", err)
		}
	})
	// It is another by the time that replies are here.
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, takes: 10 * time.Second})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				var changed *ModelChangedError
				if err := w.ask(t); !errors.As(err, &changed) {
					t.Errorf("%v", err)
				}
			})
		}
		time.Sleep(100 * time.Millisecond)
		s.now.Store(&presence{identity: "openai tiny size=2"})
		all.Wait()
		time.Sleep(time.Minute)
		if n := s.looks.Load(); n > 4 {
			t.Errorf("asked %d times", n)
		}
	})
}

// alone fails where it is asked for a sample beside a reply.
type alone struct {
	*fakeBackend
	t    *testing.T
	busy sync.Mutex
}

func (s *alone) only() (done func()) {
	if !s.busy.TryLock() {
		s.t.Error("two requests at once")
		return func() {}
	}
	return s.busy.Unlock
}

func (s *alone) Ask(ctx context.Context, req Request) (Response, error) {
	defer s.only()()
	return s.fakeBackend.Ask(ctx, req)
}

func (s *alone) Sample(ctx context.Context, model string) (TokenSample, error) {
	defer s.only()()
	time.Sleep(100 * time.Millisecond)
	return s.fakeBackend.Sample(ctx, model)
}

// TestWatchAlone: where one request at a time is wanted, no sample is taken beside it.
func TestWatchAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &alone{fakeBackend: new(fakeBackend), t: t}
		s.now.Store(&presence{identity: tinyIdentity, sample: TokenSample{" it": -0.1}, takes: 700 * time.Millisecond})
		w := NewModelWatch(t.Context(), PoolMember{Backend: s, Client: s, Server: ServerInfo{WireFormat: "openai"}, Model: Model{Name: "tiny"}}, time.Minute)
		w.SampleLock = make(chan struct{}, 1)
		if _, _, err := w.Begin(nil); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if _, err := w.Ask(t.Context(), Request{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.FinalCheck(t.Context(), time.Minute); err != nil {
			t.Error(err)
		}
	})
}

func TestWatchSeesAnotherModel(t *testing.T) {
	weights, others := TokenSample{" it": -0.5, " of": -1.5}, TokenSample{" it": -3, " so": -0.2}
	for name, c := range map[string]struct {
		was, after presence
		away       bool // before it is another
	}{
		"another identity":              {was: presence{identity: tinyIdentity}, after: presence{identity: "openai tiny size=2"}},
		"a name that is gone":           {was: presence{identity: tinyIdentity}, after: presence{}},
		"other weights, new process":    {was: presence{identity: tinyIdentity, process: "1", sample: weights}, after: presence{identity: tinyIdentity, process: "2", sample: others}},
		"other weights, process untold": {was: presence{identity: tinyIdentity, sample: weights}, after: presence{identity: tinyIdentity, sample: others}},
		"away in between":               {was: presence{identity: tinyIdentity, sample: weights}, after: presence{identity: tinyIdentity, sample: others}, away: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := watching(t, c.was)
				assert.NilError(t, w.ask(t))
				if c.away {
					s.now.Store(&presence{down: true})
					if err := w.ask(t); !IsKind(err, ErrorTransport) {
						t.Fatal(err)
					}
				}
				s.now.Store(&c.after)
				var changed *ModelChangedError
				if err := w.ask(t); !errors.As(err, &changed) {
					t.Errorf("%v", err)
				}
				s.now.Store(&c.was) // whatever it serves later: nobody knows when it did
				if err := w.ask(t); !errors.As(err, &changed) {
					t.Errorf("asked again: %v", err)
				}
			})
		})
	}
}

func TestWatchOfAServerThatIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, process: "1", sample: TokenSample{" it": -0.5, " of": -1.5, " rare": -9}})
		s.answered = func() {
			s.answered = nil
			s.now.Store(&presence{down: true})
			time.AfterFunc(time.Minute, func() {
				s.now.Store(&presence{identity: tinyIdentity, process: "2", sample: TokenSample{" it": -0.53, " of": -1.42}})
			})
		}
		if err := w.ask(t); err != nil {
			t.Errorf("the same model: %v", err)
		}
	})
}

// TestWatchOfRepliesThatNameAnother: a server may write another name than the one
// asked for, but not one and then another.
func TestWatchOfRepliesThatNameAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, model: "tiny-2026"})
		if err := w.ask(t); err != nil {
			t.Error(err)
		}
		s.now.Store(&presence{identity: tinyIdentity, model: "large"})
		if err := w.ask(t); !errors.As(err, new(*ModelChangedError)) {
			t.Errorf("%v", err)
		}
	})
}

// TestWatchGoesOnWithTheModelOfAnEarlierPart: a run that is gone on with is held
// to the weights it was begun with.
func TestWatchGoesOnWithTheModelOfAnEarlierPart(t *testing.T) {
	s, _ := watching(t, presence{identity: tinyIdentity, process: "1", sample: TokenSample{" it": -0.5}})
	if _, _, err := s.watch(t).Begin(TokenSample{" so": -0.1}); !errors.As(err, new(*ModelChangedError)) {
		t.Errorf("other weights: %v", err)
	}
	if _, _, err := s.watch(t).Begin(TokenSample{" it": -0.6}); err != nil {
		t.Errorf("the same: %v", err)
	}
}

// A server that is busy when the run begins is watched like any other; one that stays busy gives no sample, which is
// told.
func TestWatchBusyAtFirst(t *testing.T) {
	for refused, told := range map[int64]bool{2: true, 1 << 20: false} {
		synctest.Test(t, func(t *testing.T) {
			s := new(fakeBackend)
			s.now.Store(&presence{identity: tinyIdentity, process: "1", sample: TokenSample{" it": -0.1}})
			s.busy.Store(refused)
			sample, untold, err := s.watch(t).Begin(nil)
			if err != nil || (sample[" it"] == -0.1) != told || IsKind(untold, ErrorBusy) == told {
				t.Errorf("%d times: %v, %v, %v", refused, sample, untold, err)
			}
		})
	}
}
