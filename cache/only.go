package cache

import (
	"context"
	"crypto/sha256"
	"sync/atomic"

	"gavel/backends"
)

var _ backends.Client = (*Remembered)(nil)

// Remembered answers from stores alone.
type Remembered struct {
	stores []*Store
	used   func(key [sha256.Size]byte, e Entry)
	missed atomic.Int64
}

// Only returns a Client that answers from the first of the stores that can. Where a
// reply came from is not said: that is for the run that was first made of it. used,
// which may be nil, is told of every entry that was of use; it is called from many goroutines.
func Only(used func(key [sha256.Size]byte, e Entry), stores ...*Store) *Remembered {
	return &Remembered{stores: stores, used: used}
}

// Missed is how many requests no store could answer.
func (c *Remembered) Missed() int { return int(c.missed.Load()) }

// Ask implements backends.Client. What is in no store is an error of kind
// NotFound, which is not worth asking again.
func (c *Remembered) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	if err := ctx.Err(); err != nil {
		return backends.Response{}, err
	}
	key := Key(req)
	e, ok := Entry{}, false
	for _, store := range c.stores {
		e, ok = store.Get(key)
		if ok && usable(e, req) {
			break
		}
		ok = false
	}
	if !ok {
		c.missed.Add(1)
		return backends.Response{}, &backends.Error{Kind: backends.NotFound, Message: "the reply is not in the cache"}
	}
	if c.used != nil {
		c.used(key, e)
	}
	e.Response.Cached = true
	return e.Response, nil
}
