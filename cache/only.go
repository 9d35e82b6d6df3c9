package cache

import (
	"context"
	"crypto/sha256"

	"gavel/backends"
)

var _ backends.Client = (*only)(nil)

type only struct {
	store *Store
	used  func(key [sha256.Size]byte, e Entry)
}

// Only returns a Client that answers from the store alone. Where a reply came from
// is not said: that is for the run that was first made of it. used, which may be
// nil, is told of every entry that was of use; it is called from many goroutines.
func Only(store *Store, used func(key [sha256.Size]byte, e Entry)) backends.Client {
	return &only{store, used}
}

// Ask implements backends.Client. What is not in the store is an error of kind
// NotFound, which is not worth asking again.
func (c *only) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	if err := ctx.Err(); err != nil {
		return backends.Response{}, err
	}
	key := Key(req)
	e, ok := c.store.Get(key)
	if !ok || !usable(e, req) {
		return backends.Response{}, &backends.Error{Kind: backends.NotFound, Message: "the reply is not in the cache"}
	}
	if c.used != nil {
		c.used(key, e)
	}
	e.Response.Cached = true
	return e.Response, nil
}
