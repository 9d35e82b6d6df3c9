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

// RetryOptions configures the repetition of requests whose failure may pass: refused and reset connections, 408, 429
// (after the wait that the server requests), 5xx and timeouts, with exponential backoff and jitter. Other failures
// (400, 401, 403, 404) are not repeated, and a request that always gets the same HTTP 500 or the same unusable answer
// is tried maxSameErrors times.
type RetryOptions struct {
	TimeLimit time.Duration // time limit of a call with all tries and waits; 0: 2 minutes
	FirstWait time.Duration // first wait; 0: 500 ms, or an eighth of TimeLimit if that is less
	// ShouldRetry, unless nil, selects the failures to repeat among those that may pass.
	ShouldRetry func(*Error) bool
	// OnRetry, unless nil, is called with every failure that will be repeated.
	OnRetry func(err error)
}

var _ Client = (*Retrier)(nil)

// Retrier is a Client that repeats failed requests; see [WithRetry].
type Retrier struct {
	next    Client
	opts    RetryOptions
	waiting atomic.Int64 // number of requests that wait for another try
}

// WithRetry returns a Client that passes requests to next, and repeats those that fail as opts say.
func WithRetry(next Client, opts RetryOptions) *Retrier { return &Retrier{next: next, opts: opts} }

// WaitingRequests returns the number of requests that wait for another try and do not occupy a server.
func (r *Retrier) WaitingRequests() int { return int(r.waiting.Load()) }

// Ask implements Client.
func (r *Retrier) Ask(ctx context.Context, req Request) (Response, error) {
	var failed int64 // 1 after a failure
	defer func() { r.waiting.Add(-failed) }()
	return CallWithRetry(ctx, r.opts, func() (Response, error) {
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

// longestWait limits the wait between two tries, unless the server requests a longer one.
const longestWait = 6 * time.Second

// maxTimeouts limits the tries of a call that times out: a judge that was too slow twice will be too slow again.
const maxTimeouts = 2

// maxSameErrors limits the tries of a request that always gets the same HTTP 500 or unusable answer: the server cannot
// handle this request. A gateway's 502 and 504 pass and are not counted.
const maxSameErrors = 5

// noRetryAfterKey is the key of WithoutRetryAfter's value in a context.
type noRetryAfterKey struct{}

// WithoutRetryAfter returns a context in which [CallWithRetry] starts no try once ending is done. Open requests may
// finish.
func WithoutRetryAfter(ctx, ending context.Context) context.Context {
	return context.WithValue(ctx, noRetryAfterKey{}, ending)
}

// CallWithRetry calls ask until it succeeds or opts allow no further try.
func CallWithRetry[T any](ctx context.Context, opts RetryOptions, ask func() (T, error)) (T, error) {
	limit := cmp.Or(opts.TimeLimit, 2*time.Minute)
	wait := backoff.NewExponentialBackOff()
	// an eighth, so that there is a second try even within a short limit
	wait.InitialInterval = cmp.Or(opts.FirstWait, min(500*time.Millisecond, limit/8))
	wait.MaxInterval = longestWait
	waits, cancel := context.WithCancel(ctx)
	defer cancel()
	if ending, ok := ctx.Value(noRetryAfterKey{}).(context.Context); ok {
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
		retry := errors.As(err, &e) && e.IsRetryable() && (opts.ShouldRetry == nil || opts.ShouldRetry(e))
		switch {
		case !retry:
		case e.Kind == ErrorServer && e.Status <= 500 && same == maxSameErrors:
			retry = false
		case e.Kind == ErrorTimeout:
			timeouts++
			retry = timeouts < maxTimeouts
		case e.RetryAfter > limit:
			err = fmt.Errorf("%w; the server asks to wait for %s, longer than --retry-for", err, days(e.RetryAfter))
			retry = false
		case e.RetryAfter > 0:
			wait.Reset()
			next = e.RetryAfter
		}
		if retry && time.Since(started)+next <= limit && waits.Err() == nil {
			if opts.OnRetry != nil {
				opts.OnRetry(err)
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

// days formats a duration, a long one in days, else to the second.
func days(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return d.Round(time.Second).String()
}

// WithTimeout gives each try of a call the time limit d; 0 means none.
func WithTimeout(next Client, d time.Duration) Client {
	if d <= 0 {
		return next
	}
	return ClientFunc(func(ctx context.Context, req Request) (Response, error) {
		inner, cancel := context.WithTimeout(ctx, d)
		defer cancel()
		resp, err := next.Ask(inner, req)
		if err != nil && inner.Err() != nil && ctx.Err() == nil {
			return resp, &Error{Kind: ErrorTimeout, Message: fmt.Sprintf("no answer within %s (--timeout)", d), Err: err}
		}
		return resp, err
	})
}
