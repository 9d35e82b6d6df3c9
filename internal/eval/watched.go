package eval

import (
	"context"
	"sync"

	"gavel/backends"
)

// clientFunc is a client that is a function.
type clientFunc func(context.Context, backends.Request) (backends.Response, error)

func (ask clientFunc) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	return ask(ctx, req)
}

// doubts says once what speaks against the replies of a judge, of those in the cache too: that its server tells no
// finish reasons, and that they name another model than was asked for.
func (e *Maker) doubts(c backends.Client, m backends.Model) backends.Client {
	var untold, another sync.Once
	return clientFunc(func(ctx context.Context, req backends.Request) (backends.Response, error) {
		resp, err := c.Ask(ctx, req)
		if err == nil && resp.EndUntold {
			untold.Do(func() { e.say("warning: %s", backends.EndUntold) })
		}
		if err == nil && m.Another(resp.Model) {
			another.Do(func() { e.say("warning: asked for the model %q, the server says that %q answers", m.Name, resp.Model) })
		}
		return resp, err
	})
}
