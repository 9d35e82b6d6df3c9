package backends

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Retry asks again what may pass: refused and reset connections, 408, 429 (as
// late as the server asks), 5xx and time-outs, with exponential backoff and
// jitter. What will not pass (400, 401, 403, 404) is asked once.
type Retry struct {
	For     time.Duration // how long one call is tried, waiting included; default 2 minutes
	First   time.Duration // first wait; default 500 ms
	Longest time.Duration // longest wait; default 15 s
}

var _ Client = (*retrier)(nil)

type retrier struct {
	next Client
	opts Retry
}

// WithRetry wraps next.
func WithRetry(next Client, opts Retry) Client {
	if opts.For == 0 {
		opts.For = 2 * time.Minute
	}
	if opts.First == 0 {
		opts.First = 500 * time.Millisecond
	}
	if opts.Longest == 0 {
		opts.Longest = 15 * time.Second
	}
	return &retrier{next, opts}
}

// maxTimeouts is how often a call that got no answer within its time limit is
// tried: a judge that was too slow twice will be too slow again.
const maxTimeouts = 2

func (r *retrier) Ask(ctx context.Context, req Request) (Response, error) {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = r.opts.First, r.opts.Longest
	tries, timeouts := 0, 0
	var last error // backoff returns its own error when time runs out
	resp, err := backoff.Retry(ctx, func() (Response, error) {
		tries++
		resp, err := r.next.Ask(ctx, req)
		last = err
		var e *Error
		switch {
		case err == nil:
			return resp, nil
		case !errors.As(err, &e) || !e.MayPass():
			return resp, backoff.Permanent(err)
		case e.Kind == Timeout:
			if timeouts++; timeouts == maxTimeouts {
				return resp, backoff.Permanent(err)
			}
		case e.RetryAfter > 0:
			return resp, &backoff.RetryAfterError{Duration: e.RetryAfter}
		}
		return resp, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(r.opts.For), backoff.WithMaxTries(0))
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		return resp, context.Cause(ctx)
	}
	if last != nil {
		err = last
	}
	if tries > 1 {
		err = fmt.Errorf("%w (tried %d times)", err, tries)
	}
	return resp, err
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
