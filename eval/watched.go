package eval

import (
	"context"
	"sync"

	"gavel/backends"
)

// asking is a client that is a function.
type asking func(context.Context, backends.Request) (backends.Response, error)

func (ask asking) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	return ask(ctx, req)
}

// watched tells of what is asked of the servers themselves, behind the cache.
func (e *Maker) watched(c backends.Client) backends.Client {
	return asking(func(ctx context.Context, req backends.Request) (backends.Response, error) {
		done := e.observer().Asked()
		resp, err := c.Ask(ctx, req)
		done(err)
		return resp, err
	})
}

// endsUntold says once, of a judge whose server tells no finish reasons, what cannot
// be known of its replies: of those in the cache too.
func (e *Maker) endsUntold(c backends.Client) backends.Client {
	var once sync.Once
	return asking(func(ctx context.Context, req backends.Request) (backends.Response, error) {
		resp, err := c.Ask(ctx, req)
		if err == nil && resp.EndUntold {
			once.Do(func() { e.say("warning: %s", backends.EndUntold) })
		}
		return resp, err
	})
}
