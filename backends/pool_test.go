package backends

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// end is an endpoint of a pool under test: ask provides its answers, serves its model.
type end struct {
	Backend
	mu       sync.Mutex
	requests int
	probes   []time.Time
	ask      func(ctx context.Context) (Response, error)
	serves   func() (Model, error)
}

func (e *end) Ask(ctx context.Context, _ Request) (Response, error) {
	e.mu.Lock()
	e.requests++
	ask := e.ask
	e.mu.Unlock()
	return ask(ctx)
}

func (e *end) Model(context.Context, string) (Model, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.probes = append(e.probes, time.Now())
	return e.serves()
}

func (e *end) set(ask func(context.Context) (Response, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ask = ask
}

func (e *end) serve(answer func() (Model, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serves = answer
}

var served = Model{Name: "tiny", Digest: "feed"}

func well(context.Context) (Response, error) {
	return Response{Text: "[[A>B]]", Finish: FinishStop}, nil
}
func same() (Model, error) { return served, nil }
func gone() (Model, error) { return Model{}, refused }
func after(d time.Duration) func(context.Context) (Response, error) {
	return func(ctx context.Context) (Response, error) {
		select {
		case <-time.After(d):
			return well(ctx)
		case <-ctx.Done():
			return Response{}, context.Cause(ctx)
		}
	}
}
func fails(err error) func(context.Context) (Response, error) {
	return func(context.Context) (Response, error) { return Response{}, err }
}

// news keeps what a pool says of its endpoints.
type news struct {
	mu    sync.Mutex
	lines []string
}

func (n *news) changed(url string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err == nil {
		err = errors.New("back")
	}
	n.lines = append(n.lines, url+": "+err.Error())
}

func (n *news) want(t *testing.T, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.lines, want) {
		t.Errorf("said %q, want %q", n.lines, want)
	}
}

// poolOf returns a pool of healthy endpoints a, b, …, after applying change to each.
func poolOf(t *testing.T, n int, change ...func(i int, m *PoolMember, e *end)) (*Pool, []*end, *news) {
	t.Helper()
	var ends []*end
	var members []PoolMember
	for i := range n {
		e := &end{ask: well, serves: same}
		m := PoolMember{Backend: e, Client: e, Server: ServerInfo{WireFormat: "ollama", URL: string(rune('a' + i))}, Model: served}
		for _, f := range change {
			f(i, &m, e)
		}
		ends = append(ends, e)
		members = append(members, m)
	}
	events := &news{}
	var p *Pool
	p = NewPool(t.Context(), members, func(url string, err error) {
		p.Parallelism() // as the progress line does, which waits for who is told
		events.changed(url, err)
	})
	t.Cleanup(p.Close)
	return p, ends, events
}

// requestCounts returns the number of requests to each endpoint.
func requestCounts(ends []*end) []int {
	var n []int
	for _, e := range ends {
		e.mu.Lock()
		n = append(n, e.requests)
		e.mu.Unlock()
	}
	return n
}

// answered asks once, and checks which endpoint answers.
func answered(t *testing.T, c Client, endpoint string) {
	t.Helper()
	if got, err := c.Ask(t.Context(), Request{}); err != nil || got.Endpoint != endpoint {
		t.Errorf("answered by %q (%v), want %q", got.Endpoint, err, endpoint)
	}
}

// inFlightAt returns the number of requests in flight at an endpoint.
func (p *Pool) inFlightAt(i int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.members[i].busy
}

// One request at a time goes round; many go where there is room.
func TestPoolLeastBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, _ := poolOf(t, 3)
		for i := range 9 {
			answered(t, p, string(rune('a'+i%3)))
		}
		if got := requestCounts(ends); !slices.Equal(got, []int{3, 3, 3}) {
			t.Errorf("asked %v", got)
		}
	})
	for name, tc := range map[string]struct {
		slots []int
		takes []time.Duration // an answer, at each
		want  []int           // of 120 requests, 6 at a time
	}{
		"alike":                   {[]int{0, 0}, []time.Duration{time.Second, time.Second}, []int{60, 60}},
		"one three times as fast": {[]int{0, 0}, []time.Duration{time.Second, 3 * time.Second}, []int{90, 30}},
		"one twice as wide":       {[]int{4, 2}, []time.Duration{time.Second, time.Second}, []int{80, 40}},
		"one does not say":        {[]int{4, 0}, []time.Duration{time.Second, time.Second}, []int{60, 60}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, ends, _ := poolOf(t, len(tc.takes), func(i int, m *PoolMember, e *end) {
					e.ask = after(tc.takes[i])
					m.Model.Slots = tc.slots[i]
				})
				var remaining atomic.Int64
				remaining.Store(120)
				var workers sync.WaitGroup
				for range 6 {
					workers.Go(func() {
						for remaining.Add(-1) >= 0 {
							if _, err := p.Ask(t.Context(), Request{}); err != nil {
								t.Error(err)
							}
						}
					})
				}
				workers.Wait()
				got := requestCounts(ends)
				for i := range got {
					if got[i] < tc.want[i]-6 || got[i] > tc.want[i]+6 {
						t.Errorf("asked %v, want about %v", got, tc.want)
					}
				}
			})
		})
	}
}

// What each kind of error makes of the endpoint it came from, and of the request.
func TestPoolFailures(t *testing.T) {
	denied := &Error{Kind: ErrorBadRequest, Status: 400, Message: "no"}
	for name, tc := range map[string]struct {
		err      error
		out      bool   // a is taken out
		goesUp   string // else the error that goes up
		everyone string // what goes up where every endpoint says so
		stay     bool   // and then all stay
	}{
		"refused":   {err: refused, out: true, everyone: "no endpoint is left: a: connection refused; b: connection refused"},
		"busy":      {err: busy(0), everyone: "a: HTTP 429: slow down", stay: true},
		"full":      {err: busy(time.Minute), out: true, everyone: "a: HTTP 429: slow down", stay: true},
		"too slow":  {err: slow, out: true, goesUp: "a: no answer in time", everyone: "a: no answer in time"},
		"broke":     {err: broke, out: true, everyone: "a: HTTP 500: out of memory", stay: true},
		"denied":    {err: denied, out: true, everyone: "a: HTTP 400: no", stay: true},
		"no key":    {err: &Error{Kind: ErrorAuth, Status: 401, Message: "key"}, out: true, everyone: "a: HTTP 401: key", stay: true},
		"not found": {err: &Error{Kind: ErrorNotFound, Status: 404, Message: "which"}, out: true, everyone: "a: HTTP 404: which", stay: true},
		"no *Error": {err: errors.New("disk full"), goesUp: "disk full", everyone: "disk full", stay: true},
	} {
		t.Run(name+", one", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, ends, events := poolOf(t, 2)
				ends[0].set(fails(tc.err))
				ends[0].serves = gone
				got, err := p.Ask(t.Context(), Request{})
				switch {
				case tc.goesUp == "" && (err != nil || got.Endpoint != "b"):
					t.Errorf("got %+v, %v", got, err)
				case tc.goesUp != "" && (err == nil || err.Error() != tc.goesUp || !errors.Is(err, tc.err)):
					t.Errorf("got %v, want %s", err, tc.goesUp)
				}
				if !tc.out {
					events.want(t)
					return
				}
				for range 3 {
					answered(t, p, "b")
				}
				events.want(t, "a: "+tc.err.Error())
			})
		})
		t.Run(name+", every one", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, ends, events := poolOf(t, 2)
				for _, e := range ends {
					e.set(fails(tc.err))
				}
				if _, err := p.Ask(t.Context(), Request{}); err == nil || err.Error() != tc.everyone {
					t.Errorf("got %v, want %s", err, tc.everyone)
				}
				if n := requestCounts(ends); n[0] != 1 || n[1] > 1 {
					t.Errorf("asked %v: each at most once", n)
				}
				if tc.stay {
					events.want(t)
				}
			})
		})
	}
}

// A request that no endpoint can answer fails alone: those beside it and after
// it are answered, however often it is tried.
func TestPoolPoisonedRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, events := poolOf(t, 3)
		poisoned := func(ctx context.Context, req Request) (Response, error) {
			if req.Seed == 13 {
				return Response{}, broke
			}
			return well(ctx)
		}
		for i, e := range ends {
			p.members[i].Client = clientFunc(func(ctx context.Context, req Request) (Response, error) {
				e.mu.Lock()
				e.requests++
				e.mu.Unlock()
				return poisoned(ctx, req)
			})
		}
		c := WithRetry(p, RetryOptions{})
		var all sync.WaitGroup
		for seed := range 30 {
			all.Go(func() {
				if _, err := c.Ask(t.Context(), Request{Seed: seed}); (err != nil) != (seed == 13) {
					t.Errorf("seed %d: %v", seed, err)
				}
			})
		}
		all.Wait()
		events.want(t)
	})
}

// An endpoint that is out is probed with growing waits and is back when it
// serves what it did; the next outage begins with the first wait again.
func TestPoolOutAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, events := poolOf(t, 2)
		start := time.Now()
		a := ends[0]
		a.set(fails(refused))
		a.serves = func() (Model, error) {
			if time.Since(start) < 100*time.Second {
				return Model{}, refused
			}
			return served, nil
		}
		answered(t, p, "b")
		answered(t, p, "b")
		a.set(well)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		var times []int
		for _, probe := range a.probes {
			times = append(times, int(probe.Sub(start).Seconds()))
		}
		if want := []int{1, 3, 7, 15, 31, 61, 91, 121}; !slices.Equal(times, want) {
			t.Errorf("probed after %v seconds, want %v", times, want)
		}
		events.want(t, "a: connection refused", "a: back")
		answered(t, p, "a")
		answered(t, p, "b")

		a.probes, start = nil, time.Now().Add(-time.Hour)
		a.set(fails(refused))
		answered(t, p, "b")
		from := time.Now()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(a.probes) != 1 || a.probes[0].Sub(from) != time.Second {
			t.Errorf("after an answer the waits begin anew: probed at %v", a.probes)
		}
	})
}

// A server that lists its models and answers nothing gets one request at a time,
// less and less often.
func TestPoolOnTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, _ := poolOf(t, 2)
		ends[0].set(fails(broke))
		for range 1200 { // ten minutes, two requests a second
			answered(t, p, "b")
			time.Sleep(500 * time.Millisecond)
		}
		if n := requestCounts(ends)[0]; n < 15 || n > 30 {
			t.Errorf("asked %d times in ten minutes", n)
		}
		ends[0].set(after(time.Minute))
		ends[1].set(after(time.Minute))
		time.Sleep(time.Minute) // it is back
		for range 6 {
			go p.Ask(t.Context(), Request{})
		}
		synctest.Wait()
		if a, b := p.inFlightAt(0), p.inFlightAt(1); a != 1 || b != 5 {
			t.Errorf("%d requests at the one on trial, %d at the other", a, b)
		}
		time.Sleep(2 * time.Minute)
		for range 6 {
			go p.Ask(t.Context(), Request{})
		}
		synctest.Wait()
		if a, b := p.inFlightAt(0), p.inFlightAt(1); a != 3 || b != 3 {
			t.Errorf("%d and %d requests after it has answered", a, b)
		}
		time.Sleep(2 * time.Minute)
	})
}

// An endpoint that hangs is out for the second try of what it did not answer.
func TestPoolSecondTryElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, events := poolOf(t, 2)
		p.members[0].Client = WithTimeout(clientFunc(func(ctx context.Context, _ Request) (Response, error) {
			<-ctx.Done()
			return Response{}, context.Cause(ctx)
		}), time.Minute)
		ends[0].serves = gone
		answered(t, WithRetry(p, RetryOptions{}), "b")
		events.want(t, "a: no answer within 1m0s (--timeout)")
	})
}

// A server that comes back with another model stays out; that is said once. It
// is back when it serves the model again.
func TestPoolAnotherModel(t *testing.T) {
	for name, tc := range map[string]struct {
		serves func() (Model, error)
		reason string
	}{
		"another":     {func() (Model, error) { return Model{Name: "tiny", Digest: "beef"}, nil }, "it serves another model now: ollama beef instead of ollama feed"},
		"not by name": {func() (Model, error) { return Model{}, unknownModel("tiny", "a", nil) }, `unknown model "tiny" at a: it offers none`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, ends, events := poolOf(t, 2)
				ends[0].set(fails(refused))
				answered(t, p, "b")
				ends[0].set(well)
				ends[0].serve(tc.serves)
				time.Sleep(time.Hour)
				for range 4 {
					answered(t, p, "b")
				}
				events.want(t, "a: connection refused", "a: "+tc.reason)

				// With no other endpoint left there is nothing to wait for.
				ends[1].set(fails(refused))
				ends[1].serves = tc.serves
				time.Sleep(time.Second)
				p.Ask(t.Context(), Request{})
				time.Sleep(time.Minute)
				start := time.Now()
				_, err := WithRetry(p, RetryOptions{}).Ask(t.Context(), Request{})
				if !IsKind(err, ErrorNotFound) || time.Since(start) != 0 || strings.Count(err.Error(), tc.reason[:10]) != 2 {
					t.Errorf("after %s: %v", time.Since(start), err)
				}

				ends[0].serve(same)
				time.Sleep(time.Minute)
				answered(t, p, "a")
			})
		})
	}
}

// With all endpoints down the retries wait; the first to be back gets the work.
func TestPoolAllDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, events := poolOf(t, 2)
		start := time.Now()
		for _, e := range ends {
			e.set(fails(refused))
			e.serves = gone
		}
		time.AfterFunc(40*time.Second, func() {
			ends[1].set(well)
			ends[1].serve(same)
		})
		answered(t, WithRetry(p, RetryOptions{}), "b")
		if took := time.Since(start); took < 40*time.Second || took > 90*time.Second {
			t.Errorf("answered after %s", took)
		}
		events.want(t, "a: connection refused", "b: connection refused", "b: back")
		if n := requestCounts(ends); !slices.Equal(n, []int{1, 2}) {
			t.Errorf("asked %v: what is out is not asked", n)
		}
		ends[1].set(fails(refused))
		start = time.Now()
		_, err := WithRetry(p, RetryOptions{TimeLimit: 10 * time.Second}).Ask(t.Context(), Request{})
		if !IsKind(err, ErrorTransport) || !strings.Contains(err.Error(), "no endpoint is left: a: connection refused; b: connection refused (tried ") || time.Since(start) > 10*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// A server that refuses everything is taken out after several requests; one that is full, and answers those that it
// took, is not.
func TestPoolSeveralRefusals(t *testing.T) {
	for working, want := range map[int][]string{0: {"a: HTTP 429: slow down"}, 2 * severalRefusals: nil} {
		synctest.Test(t, func(t *testing.T) {
			p, ends, events := poolOf(t, 2)
			ends[0].set(after(time.Minute))
			ends[1].set(after(time.Minute))
			for range 2 * working {
				go p.Ask(t.Context(), Request{})
			}
			synctest.Wait()
			ends[0].set(fails(busy(0)))
			ends[0].serves = gone
			ends[1].set(well)
			for range 2 * severalRefusals {
				answered(t, p, "b")
			}
			events.want(t, want...)
			ends[0].set(well)
			time.Sleep(2 * time.Minute)
		})
	}
}

// Three servers that refuse 2 % answer nearly as fast as if they refused none.
func TestPoolWhereRefused(t *testing.T) {
	const calls, slots = 6000, 32
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		var refusing sync.Mutex
		p, _, _ := poolOf(t, 3, func(_ int, m *PoolMember, _ *end) {
			adaptive := NewConcurrencyTuner(&queueServer{
				slots: make(chan struct{}, slots),
				long:  func() time.Duration { return 100 * time.Millisecond },
				refusal: func() error {
					refusing.Lock()
					defer refusing.Unlock()
					if r.Float64() < 0.02 {
						return busy(0)
					}
					return nil
				},
			}, ConcurrencyOptions{Initial: 8, Max: 256})
			m.Client, m.Parallelism = adaptive, adaptive.Parallelism
		})
		took := askFound(t, p, calls, p.Parallelism)
		if ideal := 100 * time.Millisecond * calls / (3 * slots); took > ideal*13/10 {
			t.Errorf("it took %v, and %v with nothing refused", took, ideal)
		}
	})
}

// A server that asks for time is left alone for that long.
func TestPoolRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, _ := poolOf(t, 2)
		ends[0].set(fails(busy(40 * time.Second)))
		answered(t, p, "b")
		ends[0].set(well)
		time.Sleep(39 * time.Second)
		answered(t, p, "b")
		time.Sleep(2 * time.Second)
		answered(t, p, "a")
	})
}

// What was sent before an outage and fails after it says nothing new.
func TestPoolOldNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, ends, events := poolOf(t, 2)
		ends[0].set(func(context.Context) (Response, error) {
			time.Sleep(time.Minute)
			return Response{}, refused
		})
		go p.Ask(t.Context(), Request{})
		synctest.Wait()
		answered(t, p, "b")
		ends[0].set(fails(refused))
		ends[1].set(after(time.Second))
		go p.Ask(t.Context(), Request{}) // b
		synctest.Wait()
		answered(t, p, "b") // by way of a, which is then out
		ends[0].set(well)
		time.Sleep(2 * time.Minute)
		events.want(t, "a: connection refused", "a: back")
	})
}

// Cancelling ends a call at once, blames nobody, and leaves nothing running:
// synctest fails where a goroutine stays.
func TestPoolCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("interrupted")
		a, b := &end{ask: after(time.Hour), serves: gone}, &end{ask: after(time.Hour), serves: gone}
		events := &news{}
		p := NewPool(ctx, []PoolMember{
			{Backend: a, Client: a, Server: ServerInfo{URL: "a"}, Model: served},
			{Backend: b, Client: b, Server: ServerInfo{URL: "b"}, Model: served},
		}, events.changed)
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		start := time.Now()
		if _, err := p.Ask(ctx, Request{}); err != cause || time.Since(start) != time.Minute {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
		events.want(t)
		a.set(fails(refused))
		b.set(fails(refused))
		if _, err := p.Ask(t.Context(), Request{}); !IsKind(err, ErrorTransport) {
			t.Error(err)
		}
		p.Close()
		p.Close()
	})
	synctest.Test(t, func(t *testing.T) { // an error that came of the cancelling
		p, ends, events := poolOf(t, 2)
		ctx, cancel := context.WithCancel(t.Context())
		ends[0].set(func(context.Context) (Response, error) { cancel(); return Response{}, refused })
		if _, err := p.Ask(ctx, Request{}); err != error(refused) || ends[1].requests != 0 {
			t.Errorf("%v, and the other was asked %d times", err, ends[1].requests)
		}
		events.want(t)
	})
	synctest.Test(t, func(t *testing.T) { // while a probe waits
		ctx, cancel := context.WithCancel(t.Context())
		e := &end{ask: fails(refused), serves: gone}
		p := NewPool(ctx, []PoolMember{{Backend: e, Client: e, Model: served}}, func(string, error) {})
		p.Ask(ctx, Request{})
		time.Sleep(time.Minute)
		cancel()
	})
	synctest.Test(t, func(t *testing.T) { // while a probe is made: Close waits for it, and it counts no more
		p, ends, events := poolOf(t, 2)
		ends[0].set(fails(refused))
		ends[0].serves = func() (Model, error) { time.Sleep(time.Second); return served, nil }
		answered(t, p, "b")
		time.Sleep(time.Second + time.Second/2)
		start := time.Now()
		p.Close()
		if time.Since(start) != time.Second/2 {
			t.Errorf("closed after %s", time.Since(start))
		}
		events.want(t, "a: connection refused")
	})
}

// The whole of it on the wire, under the race detector: servers that come and go
// under many workers; every request is answered, once.
func TestPoolOnTheWire(t *testing.T) {
	for _, w := range []wire{llamaWire, ollamaWire} {
		t.Run(w.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			var up [3]atomic.Bool
			var members []PoolMember
			var replies atomic.Int64
			var servers []*httptest.Server
			for i := range up {
				up[i].Store(true)
				s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if !up[i].Load() {
						panic(http.ErrAbortHandler) // cuts the connection
					}
					page, ok := w.pages[r.URL.Path]
					switch {
					case ok:
						respond(200, page)(rw, r)
					case r.URL.Path == w.chat:
						time.Sleep(2 * time.Millisecond)
						replies.Add(1)
						w.completeAnswer("[[A>B]]")(rw, r)
					}
				}))
				servers = append(servers, s)
				b := w.dial(s.URL, "", s.Client())
				server, err := b.Server(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				model, err := b.Model(t.Context(), "tiny")
				if err != nil {
					t.Fatal(err)
				}
				members = append(members, PoolMember{Backend: b, Client: WithTimeout(b, time.Minute), Server: server, Model: model})
			}
			events := &news{}
			p := NewPool(t.Context(), members, events.changed)
			p.firstProbeWait, p.maxProbeWait = 5*time.Millisecond, 20*time.Millisecond
			for _, m := range p.members {
				m.nextWait = p.firstProbeWait
			}
			c := WithRetry(p, RetryOptions{FirstWait: time.Millisecond})
			stop := make(chan struct{})
			var trouble, workers sync.WaitGroup
			trouble.Go(func() {
				for i := 0; ; i = (i + 1) % 3 {
					for _, is := range []bool{false, true} {
						up[i].Store(is)
						select {
						case <-time.After(15 * time.Millisecond):
						case <-stop:
							return
						}
					}
				}
			})
			// 400 requests, and as many more as it takes until each has answered one.
			counts := map[string]int{}
			sent := 0
			var mu sync.Mutex
			another := func() bool {
				mu.Lock()
				defer mu.Unlock()
				if sent >= 400 && len(counts) == 3 {
					return false
				}
				sent++
				return true
			}
			for range 8 {
				workers.Go(func() {
					for another() {
						got, err := c.Ask(t.Context(), question)
						if err != nil || got.Text != "[[A>B]]" {
							t.Errorf("got %+v, %v", got, err)
						}
						mu.Lock()
						counts[got.Endpoint]++
						mu.Unlock()
					}
				})
			}
			workers.Wait()
			close(stop)
			trouble.Wait()
			p.Close()
			if n := replies.Load(); n != int64(sent) {
				t.Errorf("%d replies to %d requests", n, sent)
			}
			if counts[members[0].Server.URL]+counts[members[1].Server.URL]+counts[members[2].Server.URL] != sent {
				t.Errorf("%d requests answered by %v", sent, counts)
			}
			for _, s := range servers {
				s.Close()
			}
			for range 6000 { // what is not gone after a minute stays
				if runtime.NumGoroutine() <= before {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if n := runtime.NumGoroutine(); n > before {
				t.Errorf("%d goroutines more than before", n-before)
			}
		})
	}
}
