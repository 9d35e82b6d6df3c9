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
)

// serving is a Backend whose model, process and weights can be exchanged.
type serving struct {
	Backend
	now      atomic.Pointer[presence]
	looks    atomic.Int64
	busy     atomic.Int64 // so many samples are refused
	answered func()       // told of the next reply
}

type presence struct {
	identity, process, says string
	sample                  Sample
	down                    bool
	slow                    time.Duration // to say what it serves
	takes                   time.Duration // to answer
}

func (s *serving) Ask(context.Context, Request) (Response, error) {
	now := s.now.Load()
	if now.down {
		return Response{}, &Error{Kind: Transport, Message: "connection refused"}
	}
	if s.answered != nil {
		s.answered()
	}
	time.Sleep(now.takes)
	return Response{Text: "fine", Finish: Stop, Model: now.says}, nil
}

func (s *serving) Identify(context.Context, string) (Presence, error) {
	s.looks.Add(1)
	now := s.now.Load()
	time.Sleep(now.slow)
	switch {
	case now.down:
		return Presence{}, &Error{Kind: Transport, Message: "connection refused"}
	case now.identity == "":
		return Presence{}, &Error{Kind: NotFound, Message: "unknown model"}
	}
	return Presence{Identity: now.identity, Process: now.process}, nil
}

func (s *serving) Sample(context.Context, string) (Sample, error) {
	if s.busy.Add(-1) >= 0 {
		return nil, &Error{Kind: Busy, Message: "busy"}
	}
	return s.now.Load().sample, nil
}

func watching(t *testing.T, first presence) (*serving, *Watch) {
	t.Helper()
	s := new(serving)
	s.now.Store(&first)
	w := s.watch(t)
	if _, _, err := w.Begin(nil); err != nil {
		t.Fatal(err)
	}
	return s, w
}

func (s *serving) watch(t *testing.T) *Watch {
	m := Member{Backend: s, Client: s, Server: Server{Kind: "openai", URL: "http://a"}, Model: Model{Name: "tiny"}}
	return NewWatch(t.Context(), m, 2*time.Minute)
}

func (w *Watch) ask(t *testing.T) error {
	_, err := w.Ask(t.Context(), Request{})
	return err
}

const tinyIdentity = "openai tiny"

// TestWatchAsksAfterTheReply: a reply is handed on when the server was asked
// after it, and replies that wait together share the question.
func TestWatchAsksAfterTheReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, slow: time.Second})
		s.looks.Store(0)
		begun := time.Now()
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				if err := w.ask(t); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if n, took := s.looks.Load(), time.Since(begun); n != 2 || took != 2*time.Second {
			t.Errorf("%d questions in %s: the first was begun before the other replies", n, took)
		}
		time.Sleep(time.Hour)
		if n := s.looks.Load(); n != 2 {
			t.Errorf("with no reply to wait for it the server was asked %d times", n-2)
		}
	})
}

// TestWatchBoundsItsQuestions: however many replies there are, questions are a fortieth of a reply's time apart, 100 ms
// at most, and a reply is held back until the next one is answered.
func TestWatchBoundsItsQuestions(t *testing.T) {
	const slow = 10 * time.Millisecond
	for takes, apart := range map[time.Duration]time.Duration{
		20 * time.Second:       100 * time.Millisecond,
		time.Second:            25 * time.Millisecond,
		200 * time.Millisecond: slow,
	} {
		synctest.Test(t, func(t *testing.T) {
			s, w := watching(t, presence{identity: tinyIdentity, takes: takes, slow: slow})
			s.looks.Store(0)
			begun := time.Now()
			var all sync.WaitGroup
			for i := range 320 {
				all.Go(func() {
					time.Sleep(time.Duration(i) * takes / 320)
					for time.Since(begun) < 100*time.Second {
						sent := time.Now()
						if err := w.ask(t); err != nil {
							t.Error(err)
						}
						if late := time.Since(sent) - takes; late > apart+slow {
							t.Errorf("a reply of %s was held back for %s", takes, late)
						}
					}
				})
			}
			all.Wait()
			most := int64((time.Since(begun))/apart) + 2
			time.Sleep(time.Minute) // where nothing is asked, nobody asks
			if n := s.looks.Load(); n > most || n < most/2 {
				t.Errorf("asked %d times beside replies of %s, at most %d", n, takes, most)
			}
		})
	}
}

// TestWatchDoesNotVouchForTheFuture: what it served before a request was sent says nothing of the reply.
func TestWatchDoesNotVouchForTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, takes: 3 * time.Second})
		if err := w.ask(t); err != nil {
			t.Fatal(err)
		}
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
		held := make(chan error, 1)
		go func() { held <- w.ask(t) }()
		time.Sleep(time.Second)
		s.now.Store(&presence{identity: tinyIdentity})
		if err := w.ask(t); err != nil {
			t.Fatal(err)
		}
		s.now.Store(&presence{identity: "openai tiny size=2"})
		var changed *ModelChangedError
		if err := <-held; !errors.As(err, &changed) {
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

func TestWatchSeesAnotherModel(t *testing.T) {
	weights, others := Sample{" it": -0.5, " of": -1.5}, Sample{" it": -3, " so": -0.2}
	for name, c := range map[string]struct {
		was, is presence
		after   time.Duration
	}{
		"another identity":              {was: presence{identity: tinyIdentity}, is: presence{identity: "openai tiny size=2"}},
		"a name that is gone":           {was: presence{identity: tinyIdentity}, is: presence{}},
		"other weights, new process":    {was: presence{identity: tinyIdentity, process: "1", sample: weights}, is: presence{identity: tinyIdentity, process: "2", sample: others}},
		"other weights, process untold": {was: presence{identity: tinyIdentity, sample: weights}, is: presence{identity: tinyIdentity, sample: others}, after: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, w := watching(t, c.was)
				if err := w.ask(t); err != nil {
					t.Fatal(err)
				}
				s.now.Store(&c.is)
				time.Sleep(c.after)
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

// TestWatchSamplesAfterAFailure: a server that tells nothing of its process is
// sampled at once when a call has failed.
func TestWatchSamplesAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, sample: Sample{" it": -0.5}})
		s.now.Store(&presence{down: true})
		if err := w.ask(t); !IsKind(err, Transport) {
			t.Fatal(err)
		}
		s.now.Store(&presence{identity: tinyIdentity, sample: Sample{" so": -0.5}})
		if err := w.ask(t); !errors.As(err, new(*ModelChangedError)) {
			t.Errorf("%v", err)
		}
	})
}

func TestWatchOfAServerThatIsStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, process: "1", sample: Sample{" it": -0.5, " of": -1.5, " rare": -9}})
		s.answered = func() {
			s.answered = nil
			s.now.Store(&presence{down: true})
			time.AfterFunc(time.Minute, func() {
				s.now.Store(&presence{identity: tinyIdentity, process: "2", sample: Sample{" it": -0.53, " of": -1.42}})
			})
		}
		if err := w.ask(t); err != nil {
			t.Errorf("the same model: %v", err)
		}
		s.answered = func() { s.now.Store(&presence{down: true}) }
		begun := time.Now()
		if err := w.ask(t); err == nil || !strings.Contains(err.Error(), "not trusted") || time.Since(begun) > 3*time.Minute {
			t.Errorf("a server that stays away: %v, after %s", err, time.Since(begun))
		}
	})
}

// TestWatchOfRepliesThatNameAnother: a server may write another name than the one
// asked for, but not one and then another.
func TestWatchOfRepliesThatNameAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, w := watching(t, presence{identity: tinyIdentity, says: "tiny-2026"})
		if err := w.ask(t); err != nil {
			t.Error(err)
		}
		s.now.Store(&presence{identity: tinyIdentity, says: "large"})
		if err := w.ask(t); !errors.As(err, new(*ModelChangedError)) {
			t.Errorf("%v", err)
		}
	})
}

// TestWatchGoesOnWithTheModelOfAnEarlierPart: a run that is gone on with is held
// to the weights it was begun with.
func TestWatchGoesOnWithTheModelOfAnEarlierPart(t *testing.T) {
	s, _ := watching(t, presence{identity: tinyIdentity, process: "1", sample: Sample{" it": -0.5}})
	if _, _, err := s.watch(t).Begin(Sample{" so": -0.1}); !errors.As(err, new(*ModelChangedError)) {
		t.Errorf("other weights: %v", err)
	}
	if _, _, err := s.watch(t).Begin(Sample{" it": -0.6}); err != nil {
		t.Errorf("the same: %v", err)
	}
}

// A server that is busy when the run begins is watched like any other.
func TestWatchBusyAtFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(serving)
		s.now.Store(&presence{identity: tinyIdentity, process: "1", sample: Sample{" it": -0.1}})
		s.busy.Store(2)
		w := s.watch(t)
		if sample, untold, err := w.Begin(nil); err != nil || untold != nil || sample[" it"] != -0.1 {
			t.Errorf("Begin: %v, %v, %v", sample, untold, err)
		}
		s.now.Store(&presence{identity: tinyIdentity, process: "2", sample: Sample{" so": -0.1}})
		if _, err := w.Ask(t.Context(), Request{}); !errors.As(err, new(*ModelChangedError)) {
			t.Errorf("with other weights: %v", err)
		}
	})
}

// A server that stays busy gives no sample, which is told.
func TestWatchWithoutASample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(serving)
		s.now.Store(&presence{identity: tinyIdentity, process: "1"})
		s.busy.Store(1 << 20)
		if sample, untold, err := s.watch(t).Begin(nil); err != nil || sample != nil || !IsKind(untold, Busy) {
			t.Errorf("Begin: %v, %v, %v", sample, untold, err)
		}
	})
}
