package eval

import (
	"context"
	"sync"

	"gavel/backends"
)

// skeptic is a client that says once what speaks against the replies of a judge, of those in the cache too: that its
// server tells no finish reasons, and that they name another model than was asked for.
type skeptic struct {
	backends.Client
	model           backends.Model
	say             func(format string, args ...any)
	untold, another sync.Once
}

// Ask implements backends.Client.
func (s *skeptic) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := s.Client.Ask(ctx, req)
	if err == nil && resp.EndUntold {
		s.untold.Do(func() { s.say("warning: %s", backends.EndUntold) })
	}
	if err == nil && s.model.Another(resp.Model) {
		s.another.Do(func() {
			s.say("warning: asked for the model %q, the server says that %q answers", s.model.Name, resp.Model)
		})
	}
	return resp, err
}
