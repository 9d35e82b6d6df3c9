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
	e, ok := c.at[key]
	if !ok {
		return v, false
	}
	c.order.MoveToFront(e)
	return e.Value.(slot[K, V]).value, true
}

func (c *lru[K, V]) put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(key, v)
}

func (c *lru[K, V]) store(key K, v V) {
	if e, ok := c.at[key]; ok {
		e.Value = slot[K, V]{key, v}
		c.order.MoveToFront(e)
		return
	}
	c.at[key] = c.order.PushFront(slot[K, V]{key, v})
	for c.order.Len() > c.most {
		last := c.order.Back()
		delete(c.at, c.order.Remove(last).(slot[K, V]).key)
	}
}

// getOr is get, or puts what fresh makes.
func (c *lru[K, V]) getOr(key K, fresh func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		c.order.MoveToFront(e)
		return e.Value.(slot[K, V]).value
	}
	v := fresh()
	c.store(key, v)
	return v
}

func (c *lru[K, V]) drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.at[key]; ok {
		c.order.Remove(e)
		delete(c.at, key)
	}
}
