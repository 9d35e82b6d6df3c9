package eval

import (
	"context"

	"gavel/backends"
)

// watchedClient tells of what is asked of the servers themselves, behind the
// cache.
type watchedClient struct {
	backends.Client
	asking func() func(error)
}

var _ backends.Client = watchedClient{}

func (c watchedClient) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	done := c.asking()
	resp, err := c.Client.Ask(ctx, req)
	done(err)
	return resp, err
}
