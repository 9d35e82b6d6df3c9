package eval

import (
	"context"
	"sync"

	"gavel/backends"
)

// replyWarningClient warns once if replies, cached ones included, have no finish reason or name another model.
type replyWarningClient struct {
	backends.Client
	model                backends.Model // the requested model
	warn                 func(format string, args ...any)
	noFinish, otherModel sync.Once // one for each of the two warnings
}

// Ask implements backends.Client.
func (s *replyWarningClient) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	resp, err := s.Client.Ask(ctx, req)
	if err == nil && resp.NoFinishReasons {
		s.noFinish.Do(func() { s.warn("warning: %s", backends.NoFinishReasons) })
	}
	if err == nil && s.model.DiffersFromReplyName(resp.Model) {
		s.otherModel.Do(func() {
			s.warn("warning: asked for the model %q, the server says that %q answers", s.model.Name, resp.Model)
		})
	}
	return resp, err
}
