package eval

import (
	"context"
	"sync"

	"gavel/backends"
)

// endsUntold says once, of a judge whose server tells no finish reasons, what cannot
// be known of its replies: of those in the cache too.
type endsUntold struct {
	backends.Client
	say  func(text string)
	once sync.Once
}

func (u *endsUntold) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := u.Client.Ask(ctx, req)
	if err == nil && resp.EndUntold {
		u.once.Do(func() { u.say("warning: " + backends.EndUntold) })
	}
	return resp, err
}
