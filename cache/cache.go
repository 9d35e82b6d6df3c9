// Package cache remembers what judges answered: a backends.Client around a backends.Client, over a Badger database.
//
// The key is a SHA-256 over everything that can change a reply and nothing else (see [Key]). Only answers are kept; a
// failed call is none. A value that cannot be read is a miss, and asked again.
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

// Entry is a value of the database.
type Entry struct {
	Model    string            `json:"model"`
	Created  time.Time         `json:"created"`
	Response backends.Response `json:"response"`
	// Origin is the bundle that the reply was taken in from, as it was called then; empty for a reply to this gavel.
	Origin string `json:"origin,omitempty"`
	// Sample says that it is no reply, but what a model is known by.
	Sample bool `json:"sample,omitempty"`
}

// answer returns the reply as a caller gets it.
func (e Entry) answer() backends.Response {
	e.Response.Cached, e.Response.Origin = true, e.Origin
	return e.Response
}

var _ backends.Client = (*client)(nil)

type client struct {
	next   backends.Client
	store  *Store
	anew   bool // what is stored is not read
	flight singleflight.Group
	// unchecked has the replies, by key, of which nobody knows yet whether another model gave them. They are stored once
	// that is known; until then they answer equal requests, which wait for the same check.
	unchecked sync.Map
}

// Wrap returns a Client that asks next only for what it does not know, and only once for equal requests in flight.
func Wrap(next backends.Client, store *Store) backends.Client {
	return &client{next: next, store: store}
}

// Renew is Wrap, but what is stored is asked for anew, and replaced.
func Renew(next backends.Client, store *Store) backends.Client {
	return &client{next: next, store: store, anew: true}
}

// outcome is what callers of equal requests share.
type outcome struct {
	resp backends.Response
	left bool // whoever asked gave up before there was an answer
}

func (c *client) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	s, key := c.store, Key(req)
	for {
		// The call runs under the context of whoever came first. If that one gives up, the others ask for themselves.
		// The store is looked at inside, or a request that missed just before an equal one was stored would be asked
		// once more.
		mine := false
		v, err, _ := c.flight.Do(string(key[:]), func() (any, error) {
			mine = true
			if e, ok := s.Get(key); ok && usable(e, req) && !c.anew {
				return outcome{resp: e.answer()}, nil
			}
			if e, ok := c.unchecked.Load(key); ok && !c.anew {
				return outcome{resp: e.(Entry).answer()}, nil
			}
			resp, err := c.next.Ask(ctx, req)
			if err != nil {
				return outcome{resp, ctx.Err() != nil}, err
			}
			c.keep(key, Entry{Model: req.Model, Created: time.Now().UTC().Truncate(time.Second), Response: resp})
			return outcome{resp: resp}, nil
		})
		o := v.(outcome)
		if o.left && !mine && ctx.Err() == nil {
			continue
		}
		o.resp.Cached = o.resp.Cached || err == nil && !mine
		return o.resp, err
	}
}

// keep stores an answer, once it is known that the model gave it.
func (c *client) keep(key [sha256.Size]byte, e Entry) {
	if check := e.Response.Check; check != nil {
		c.unchecked.Store(key, e)
		check.Then(func(err error) {
			if err == nil {
				c.store.keep(key, e)
			}
			c.unchecked.Delete(key)
		})
		return
	}
	c.store.keep(key, e)
}

// keep is Put for a run, which goes on where nothing can be stored: its records hold the replies.
func (s *Store) keep(key [sha256.Size]byte, e Entry) {
	err := s.Put(key, e)
	switch {
	case s.ended() != nil: // said
	case errors.Is(err, ErrDiskFull):
		s.warnOnce("full", "cache %s: until there is free space, replies are not remembered: %v", s.dir, err)
	case err != nil:
		s.warnOnce("write", "cache %s: replies are not remembered: %v", s.dir, err)
	}
}

// usable tells whether a remembered answer still holds. "Too long" was said by
// a server of a certain context: one that serves more is asked again.
func usable(e Entry, req backends.Request) bool {
	return e.Response.Finish != backends.TooLong || e.Response.Context >= req.Context
}

// Peek tells whether a request would be answered from the cache.
func (s *Store) Peek(req backends.Request) bool {
	e, ok := s.Get(Key(req))
	return ok && usable(e, req)
}
