// Package kept has what a server keeps in memory: the values that were used last, and what was made of files for as
// long as they are as they were.
package kept

import (
	"container/list"
	"sync"
)

// LRU keeps the values that were used last.
type LRU[K comparable, V any] struct {
	mu    sync.Mutex
	most  int
	order *list.List // of slot, the last used first
	at    map[K]*list.Element
}

type slot[K comparable, V any] struct {
	key   K
	value V
}

// NewLRU keeps so many at most.
func NewLRU[K comparable, V any](most int) *LRU[K, V] {
	return &LRU[K, V]{most: most, order: list.New(), at: map[K]*list.Element{}}
}

// Get is a value, where it is kept.
func (c *LRU[K, V]) Get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(key)
}

func (c *LRU[K, V]) find(key K) (v V, ok bool) {
	e, ok := c.at[key]
	if ok {
		c.order.MoveToFront(e)
		v = e.Value.(slot[K, V]).value
	}
	return v, ok
}

// Put keeps a value.
func (c *LRU[K, V]) Put(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store(key, v)
}

func (c *LRU[K, V]) store(key K, v V) {
	c.remove(c.at[key])
	c.at[key] = c.order.PushFront(slot[K, V]{key, v})
	for c.order.Len() > c.most {
		c.remove(c.order.Back())
	}
}

// GetOr is Get, or puts what fresh makes.
func (c *LRU[K, V]) GetOr(key K, fresh func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.find(key)
	if !ok {
		v = fresh()
		c.store(key, v)
	}
	return v
}

// Drop keeps a value no longer.
func (c *LRU[K, V]) Drop(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.at[key])
}

func (c *LRU[K, V]) remove(e *list.Element) {
	if e != nil {
		delete(c.at, c.order.Remove(e).(slot[K, V]).key)
	}
}

// Value is what was made of files in a state, or why it could not be.
type Value[S comparable, V any] struct {
	Of  S
	V   V
	Err error
}

// Made hands out what is kept of files in this state, or makes it: one at a time, as it takes memory and processors.
func Made[S comparable, V any](
	one *sync.Mutex, cache *LRU[string, Value[S, V]], name string, state S, make func() (V, error),
) (V, error) {
	if at, ok := cache.Get(name); ok && at.Of == state {
		return at.V, at.Err
	}
	one.Lock()
	defer one.Unlock()
	if at, ok := cache.Get(name); ok && at.Of == state {
		return at.V, at.Err
	}
	v, err := make()
	cache.Put(name, Value[S, V]{Of: state, V: v, Err: err})
	return v, err
}
