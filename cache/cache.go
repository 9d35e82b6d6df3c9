// Package cache stores judges' replies: a backends.Client around a backends.Client, over a Badger database.
//
// The key is a SHA-256 over everything that can change a reply, and nothing else (see [Key]). Failed calls are not
// stored. A value that cannot be read is a miss, and the request is sent again.
package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gavel/backends"
)

// Entry holds a stored reply, or a sample of a model.
type Entry struct {
	Model    string            `json:"model"`   // the model's name, as requested
	Created  time.Time         `json:"created"` // when the reply arrived
	Response backends.Response `json:"response"`
	// Bundle is the bundle that the reply was imported from, by its name at that time; empty for a reply to this gavel.
	Bundle string `json:"origin,omitempty"`
	// IsSample marks a model's sample, which is no reply.
	IsSample bool `json:"sample,omitempty"`
}

// answer returns the stored reply with the fields that mark it as cached.
func (e Entry) answer() backends.Response {
	e.Response.Cached, e.Response.Bundle = true, e.Bundle
	return e.Response
}

var _ backends.Client = (*client)(nil)

// client is a Client that answers from a store and sends other requests to next.
type client struct {
	next          backends.Client
	store         *Store
	replaceStored bool               // send stored requests, too
	flight        singleflight.Group // joins equal requests in flight, by key
	// uncheckedReplies holds replies, by key, until a check confirms that the server's model did not change; then they are
	// stored. In the meantime they answer equal requests, which wait for the same check.
	uncheckedReplies sync.Map
}

// CachingClient returns a Client that answers from store where it can, and sends other requests to next, equal ones in
// flight only once. It stores the replies. With replaceStored it sends all requests, and replaces stored replies.
func CachingClient(next backends.Client, store *Store, replaceStored bool) backends.Client {
	return &client{next: next, store: store, replaceStored: replaceStored}
}

// sharedResult holds the result that callers of equal requests share.
type sharedResult struct {
	resp      backends.Response
	abandoned bool // the caller that sent the request cancelled before there was a reply
}

func (c *client) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	s, key := c.store, Key(req)
	for {
		// The call runs under the first caller's context. If that one cancels, the others start a call of their own.
		// Get is inside: otherwise a request that missed just before an equal one was stored would be sent once
		// more.
		first := false
		v, err, _ := c.flight.Do(string(key[:]), func() (any, error) {
			first = true
			if e, ok := s.Get(key); ok && stillValid(e, req) && !c.replaceStored {
				return sharedResult{resp: e.answer()}, nil
			}
			if e, ok := c.uncheckedReplies.Load(key); ok && !c.replaceStored {
				return sharedResult{resp: e.(Entry).answer()}, nil
			}
			resp, err := c.next.Ask(ctx, req)
			if err != nil {
				return sharedResult{resp, ctx.Err() != nil}, err
			}
			c.keep(key, Entry{Model: req.Model, Created: time.Now().UTC().Truncate(time.Second), Response: resp})
			return sharedResult{resp: resp}, nil
		})
		o := v.(sharedResult)
		if o.abandoned && !first && ctx.Err() == nil {
			continue
		}
		o.resp.Cached = o.resp.Cached || err == nil && !first
		return o.resp, err
	}
}

// keep stores a reply: at once or, if it waits for a check of the server's model, after a check without an error.
func (c *client) keep(key [sha256.Size]byte, e Entry) {
	if check := e.Response.IdentityCheck; check != nil {
		c.uncheckedReplies.Store(key, e)
		check.Then(func(err error) {
			if err == nil {
				c.store.putOrWarn(key, e)
			}
			c.uncheckedReplies.Delete(key)
		})
		return
	}
	c.store.putOrWarn(key, e)
}

// putOrWarn works like Put, but only warns of errors: a run goes on if nothing can be stored, since its records hold
// the replies.
func (s *Store) putOrWarn(key [sha256.Size]byte, e Entry) {
	err := s.Put(key, e)
	switch {
	case s.endReason() != nil: // finish has warned
	case errors.Is(err, ErrDiskFull):
		s.warnOnce("full", "cache %s: until there is free space, replies are not stored: %v", s.dir, err)
	case err != nil:
		s.warnOnce("write", "cache %s: replies are not stored: %v", s.dir, err)
	}
}

// stillValid reports whether a stored reply still holds. A server with a larger context than the one that answered "too
// long" gets the request again.
func stillValid(e Entry, req backends.Request) bool {
	return e.Response.Finish != backends.FinishPromptTooLong || e.Response.Context >= req.ReportedContextTokens
}

// CanAnswer reports whether the cache can answer a request.
func (s *Store) CanAnswer(req backends.Request) bool {
	e, ok := s.Get(Key(req))
	return ok && stillValid(e, req)
}
