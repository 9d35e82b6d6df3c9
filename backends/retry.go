package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retry asks again what may pass: refused and reset connections, 408, 429 (as late as the server asks), 5xx and
// time-outs, with exponential backoff and jitter. What will not pass (400, 401, 403, 404) is asked once, and a request
// that gets the same HTTP 500 or the same unusable answer every time is asked maxSame times.
type Retry struct {
	For   time.Duration // how long one call is tried, waiting included; default 2 minutes
	First time.Duration // first wait; default 500 ms, or an eighth of For where that is less
	// Only, where it is not nil, tells which of the failures that may pass are tried again.
	Only func(*Error) bool
	// Waiting is told of every failure that is tried again. May be nil.
	Waiting func(err error)
}

var _ Client = (*Retrier)(nil)

// Retrier is a Client that asks again; see [WithRetry].
type Retrier struct {
	next    Client
	opts    Retry
	waiting atomic.Int64
}

// WithRetry wraps next.
func WithRetry(next Client, opts Retry) *Retrier { return &Retrier{next: next, opts: opts} }

// Waiting returns how many requests wait to be tried again. A server is free of them meanwhile.
func (r *Retrier) Waiting() int { return int(r.waiting.Load()) }

// Ask implements Client.
func (r *Retrier) Ask(ctx context.Context, req Request) (Response, error) {
	var failed int64 // 1 from a failure on
	defer func() { r.waiting.Add(-failed) }()
	return Try(ctx, r.opts, func() (Response, error) {
		r.waiting.Add(-failed)
		failed = 0
		resp, err := r.next.Ask(ctx, req)
		if err != nil {
			failed = 1
			r.waiting.Add(1)
		}
		return resp, err
	})
}

// longestWait is the longest wait between two tries, unless the server asks for a longer one.
const longestWait = 6 * time.Second

// maxTimeouts is how often a call that got no answer within its time limit is
// tried: a judge that was too slow twice will be too slow again.
const maxTimeouts = 2

// maxSame is how often a request is tried that gets the same HTTP 500 or unusable answer every time: it is the request,
// not the moment, that the server cannot cope with. A gateway's 502 and 504 pass.
const maxSame = 5

type lastTryKey struct{}

// WithLastTry returns a context in which nothing is tried again once ending is done. Open requests may finish.
func WithLastTry(ctx, ending context.Context) context.Context {
	return context.WithValue(ctx, lastTryKey{}, ending)
}

// Try asks as often as opts allow, for whatever a server can be asked.
func Try[T any](ctx context.Context, opts Retry, ask func() (T, error)) (T, error) {
	limit := cmp.Or(opts.For, 2*time.Minute)
	wait := backoff.NewExponentialBackOff()
	// however short the limit, it is tried again
	wait.InitialInterval = cmp.Or(opts.First, min(500*time.Millisecond, limit/8))
	wait.MaxInterval = longestWait
	waits, cancel := context.WithCancel(ctx)
	defer cancel()
	if ending, ok := ctx.Value(lastTryKey{}).(context.Context); ok {
		defer context.AfterFunc(ending, cancel)()
	}
	started := time.Now()
	timeouts := 0
	same := 0
	last := ""
	for tries := 1; ; tries++ {
		answer, err := ask()
		if err == nil {
			return answer, nil
		}
		if err.Error() != last {
			same = 0
		}
		same++
		last = err.Error()
		next := wait.NextBackOff()
		var e *Error
		again := errors.As(err, &e) && e.MayPass() && (opts.Only == nil || opts.Only(e))
		switch {
		case !again:
		case e.Kind == ServerSide && e.Status <= 500 && same == maxSame:
			again = false
		case e.Kind == Timeout:
			timeouts++
			again = timeouts < maxTimeouts
		case e.RetryAfter > limit:
			err = fmt.Errorf("%w; the server asks to wait for %s, longer than --retry-for", err, days(e.RetryAfter))
			again = false
		case e.RetryAfter > 0:
			wait.Reset()
			next = e.RetryAfter
		}
		if again && time.Since(started)+next <= limit && waits.Err() == nil {
			if opts.Waiting != nil {
				opts.Waiting(err)
			}
			select {
			case <-time.After(next):
				continue
			case <-waits.Done():
			}
		}
		switch {
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		case tries > 1:
			err = fmt.Errorf("%w (tried %d times)", err, tries)
		}
		return answer, err
	}
}

// days is a duration to the second; a long one in days.
func days(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.Round(time.Second).String()
}

var _ Client = (*limiter)(nil)

type limiter struct {
	next  Client
	limit time.Duration
}

// WithTimeout gives each try of a call the time limit d; 0 means none.
func WithTimeout(next Client, d time.Duration) Client {
	if d <= 0 {
		return next
	}
	return &limiter{next, d}
}

func (l *limiter) Ask(ctx context.Context, req Request) (Response, error) {
	inner, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	resp, err := l.next.Ask(inner, req)
	if err != nil && inner.Err() != nil && ctx.Err() == nil {
		return resp, &Error{Kind: Timeout, Message: fmt.Sprintf("no answer within %s (--timeout)", l.limit), Err: err}
	}
	return resp, err
}
