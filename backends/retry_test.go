package backends

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// script is a Client that returns errors or texts in order, and then repeats the last.
type script struct {
	replies  []any
	requests int
}

func (s *script) Ask(context.Context, Request) (Response, error) {
	s.requests++
	switch v := s.replies[min(s.requests, len(s.replies))-1].(type) {
	case error:
		return Response{}, v
	case string:
		return Response{Text: v, Finish: FinishStop}, nil
	}
	panic("a script is of errors and texts")
}

var (
	refused = &Error{Kind: ErrorTransport, Message: "connection refused"}
	slow    = &Error{Kind: ErrorTimeout, Message: "no answer in time"}
	broke   = &Error{Kind: ErrorServer, Status: 500, Message: "out of memory"}
	gateway = &Error{Kind: ErrorServer, Status: 502, Message: "bad gateway"}
)

func busy(after time.Duration) error {
	return &Error{Kind: ErrorBusy, Status: 429, Message: "slow down", RetryAfter: after}
}

// The clock of these tests is synctest's: they wait for nothing.
func TestRetry(t *testing.T) {
	const text = "[[A>B]]"
	for name, tc := range map[string]struct {
		opts     RetryOptions
		replies  []any
		requests int           // how often; 0: more than four times
		err      string        // "" where text comes at last
		waits    time.Duration // in all; 0 where it is left to chance
	}{
		"at once":                     {replies: []any{text}, requests: 1},
		"after two failures":          {replies: []any{refused, broke, text}, requests: 3},
		"as late as asked":            {replies: []any{busy(40 * time.Second), text}, requests: 2, waits: 40 * time.Second},
		"as late as asked, twice":     {replies: []any{busy(7 * time.Second), busy(30 * time.Second), text}, requests: 3, waits: 37 * time.Second},
		"later than there is time":    {replies: []any{busy(time.Hour), text}, requests: 1, err: "HTTP 429: slow down; the server asks to wait for 1h0m0s, longer than --retry-for"},
		"in 73 years":                 {replies: []any{busy(640828*time.Hour + 41263444006), text}, requests: 1, err: "HTTP 429: slow down; the server asks to wait for 26701 days, longer than --retry-for"},
		"in an uneven time":           {replies: []any{busy(time.Hour + 41263444006), text}, requests: 1, err: "HTTP 429: slow down; the server asks to wait for 1h0m41s, longer than --retry-for"},
		"given up":                    {replies: []any{gateway}, err: "HTTP 502: bad gateway"},
		"refused by HTTP 500":         {replies: []any{broke}, requests: 5, err: "HTTP 500: out of memory (tried 5 times)"},
		"500, but not every time":     {replies: []any{broke, broke, broke, broke, refused, broke, text}, requests: 7},
		"given up, asked for time":    {replies: []any{busy(50 * time.Second)}, requests: 3, err: "HTTP 429: slow down (tried 3 times)", waits: 100 * time.Second},
		"a limit of its own":          {opts: RetryOptions{TimeLimit: time.Minute}, replies: []any{busy(50 * time.Second)}, requests: 2, err: "HTTP 429: slow down (tried 2 times)", waits: 50 * time.Second},
		"too slow twice":              {replies: []any{slow}, requests: 2, err: "no answer in time (tried 2 times)"},
		"too slow once":               {replies: []any{slow, text}, requests: 2},
		"too slow twice, others too":  {replies: []any{slow, refused, slow, text}, requests: 3, err: "no answer in time (tried 3 times)"},
		"bad request":                 {replies: []any{&Error{Kind: ErrorBadRequest, Status: 400, Message: "no"}, text}, requests: 1, err: "HTTP 400: no"},
		"bad key":                     {replies: []any{&Error{Kind: ErrorAuth, Status: 401, Message: "no"}, text}, requests: 1, err: "HTTP 401: no"},
		"no such model":               {replies: []any{&Error{Kind: ErrorNotFound, Status: 404, Message: "no"}, text}, requests: 1, err: "HTTP 404: no"},
		"unexpected":                  {replies: []any{&Error{Kind: ErrorUnexpected, Message: "no"}, text}, requests: 1, err: "no"},
		"an error that is no *Error":  {replies: []any{errors.New("disk full"), text}, requests: 1, err: "disk full"},
		"will not pass after a while": {replies: []any{refused, &Error{Kind: ErrorAuth, Status: 403, Message: "no"}}, requests: 2, err: "HTTP 403: no (tried 2 times)"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, start := &script{replies: tc.replies}, time.Now()
				got, err := WithRetry(s, tc.opts).Ask(t.Context(), Request{})
				took := time.Since(start)
				switch {
				case tc.err == "" && (err != nil || got.Text != text):
					t.Errorf("got %+v, %v", got, err)
				case tc.requests == 0:
					if s.requests < 5 || !IsKind(err, ErrorServer) || took > 2*time.Minute {
						t.Errorf("asked %d times in %s: %v", s.requests, took, err)
					}
				case tc.err != "" && (err == nil || err.Error() != tc.err):
					t.Errorf("got %v, want %s", err, tc.err)
				}
				if tc.requests != 0 && s.requests != tc.requests {
					t.Errorf("asked %d times, want %d", s.requests, tc.requests)
				}
				if tc.waits != 0 && took != tc.waits {
					t.Errorf("waited %s, want %s", took, tc.waits)
				}
			})
		})
	}
}

func TestRetryBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var times []time.Duration
		start := time.Now()
		c := clientFunc(func(context.Context, Request) (Response, error) {
			times = append(times, time.Since(start))
			return Response{}, refused
		})
		WithRetry(c, RetryOptions{TimeLimit: time.Hour, FirstWait: time.Second}).Ask(t.Context(), Request{})
		if first, last := times[1], times[len(times)-1]-times[len(times)-2]; first < time.Second/2 ||
			first > 2*time.Second || last < 3*time.Second || last > 9*time.Second {
			t.Errorf("first wait %s, last %s", first, last)
		}
	})
}

// However short --retry-for is, a call is tried more than once.
func TestRetryForAShortTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, start := &script{replies: []any{refused}}, time.Now()
		WithRetry(c, RetryOptions{TimeLimit: 200 * time.Millisecond}).Ask(t.Context(), Request{})
		if took := time.Since(start); c.requests < 3 || took > 200*time.Millisecond {
			t.Errorf("asked %d times in %s", c.requests, took)
		}
	})
}

type clientFunc func(context.Context, Request) (Response, error)

func (f clientFunc) Ask(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

func TestRetryEndsWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("interrupted")
		time.AfterFunc(30*time.Second, func() { cancel(cause) })
		start := time.Now()
		_, err := WithRetry(&script{replies: []any{busy(time.Minute)}}, RetryOptions{}).Ask(ctx, Request{})
		if err != cause || time.Since(start) != 30*time.Second {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// TestNoNewTryOnceTheRunEnds: what waits for its next try gives up at once, with the failure of the last one; a call
// that is open is waited for, and its reply counts.
func TestNoNewTryOnceTheRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, end := context.WithCancel(t.Context())
		time.AfterFunc(30*time.Second, end)
		ctx, start := WithoutRetryAfter(t.Context(), ending), time.Now()
		s := &script{replies: []any{busy(time.Minute)}}
		_, err := WithRetry(s, RetryOptions{}).Ask(ctx, Request{})
		if !IsKind(err, ErrorBusy) || s.requests != 1 || time.Since(start) != 30*time.Second {
			t.Errorf("asked %d times, after %s: %v", s.requests, time.Since(start), err)
		}
		open := clientFunc(func(context.Context, Request) (Response, error) {
			time.Sleep(time.Minute)
			return Response{Text: "done"}, nil
		})
		if got, err := WithRetry(open, RetryOptions{}).Ask(ctx, Request{}); err != nil || got.Text != "done" {
			t.Errorf("an open call: %+v, %v", got, err)
		}
	})
}

func TestTimeout(t *testing.T) {
	deaf := clientFunc(func(ctx context.Context, _ Request) (Response, error) {
		<-ctx.Done()
		return Response{}, context.Cause(ctx)
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := WithTimeout(deaf, 90*time.Second).Ask(t.Context(), Request{})
		if e := failed(t, err); e.Kind != ErrorTimeout || e.Error() != "no answer within 1m30s (--timeout)" || time.Since(start) != 90*time.Second {
			t.Errorf("after %s: %+v", time.Since(start), e)
		}
	})
	synctest.Test(t, func(t *testing.T) { // each try has the whole time
		start := time.Now()
		_, err := WithRetry(WithTimeout(deaf, time.Minute), RetryOptions{TimeLimit: time.Hour}).Ask(t.Context(), Request{})
		if took := time.Since(start); !IsKind(err, ErrorTimeout) || took < 2*time.Minute || took > 3*time.Minute {
			t.Errorf("after %s: %v", took, err)
		}
	})
	synctest.Test(t, func(t *testing.T) { // the caller's own end is no time-out
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := WithTimeout(deaf, time.Minute).Ask(ctx, Request{}); IsKind(err, ErrorTimeout) ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	got, err := WithTimeout(&script{replies: []any{broke}}, time.Minute).Ask(t.Context(), Request{})
	if err != error(broke) {
		t.Errorf("another error became %+v, %v", got, err)
	}
	if c := Client(&script{}); WithTimeout(c, 0) != c {
		t.Error("no limit is a limit")
	}
}

// The whole chain, on the wire: llama.cpp while it loads its model.
func TestRetryOnTheWire(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		loading := respond(503, w.fail(503, "Loading model"))
		soon := func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Retry-After", "0")
			respond(429, w.fail(429, "slow down"))(rw, r)
		}
		s := w.start(t, loading, soon, w.completeAnswer("[[A>B]]"))
		c := WithRetry(WithTimeout(s.client(w, ""), time.Minute), RetryOptions{FirstWait: time.Millisecond})
		got, err := c.Ask(context.Background(), question)
		if err != nil || got.Text != "[[A>B]]" || len(s.requestsTo(w.chat)) != 3 {
			t.Errorf("got %+v, %v after %d questions", got, err, len(s.requestsTo(w.chat)))
		}
	})
}
