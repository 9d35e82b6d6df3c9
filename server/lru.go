package server

import (
	"container/list"
	"sync"
)

// lru keeps the values that were used last.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	most  int
	order *list.List // of slot, the last used first
	at    map[K]*list.Element
}

type slot[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](most int) *lru[K, V] {
	return &lru[K, V]{most: most, order: list.New(), at: map[K]*list.Element{}}
}

func (c *lru[K, V]) get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(key)
}

func (c *lru[K, V]) find(key K) (v V, ok bool) {
	e, ok := c.at[key]
	if ok {
		c.order.MoveToFront(e)
		v = e.Value.(slot[K, V]).value
	}
	return v, ok
}

func (c *lru[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(key, v)
}

func (c *lru[K, V]) store(key K, v V) {
	c.remove(c.at[key])
	c.at[key] = c.order.PushFront(slot[K, V]{key, v})
	for c.order.Len() > c.most {
		c.remove(c.order.Back())
	}
}

// getOr is get, or puts what fresh makes.
func (c *lru[K, V]) getOr(key K, fresh func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.find(key)
	if !ok {
		v = fresh()
		c.store(key, v)
	}
	return v
}

func (c *lru[K, V]) drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.at[key])
}

func (c *lru[K, V]) remove(e *list.Element) {
	if e != nil {
		delete(c.at, c.order.Remove(e).(slot[K, V]).key)
	}
}
