// Package memo keeps values that were computed from files until the files change.
package memo

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
)

// A Memo keeps values by name, each with the state of the files that it was computed from. It forgets the values that
// were used longest ago first.
type Memo struct {
	// Log reports panics; the caller that asked for the value gets ErrPanic.
	Log func(format string, args ...any)

	values  *lru.Cache[string, value]
	flight  singleflight.Group
	turns   chan struct{} // one place, for the value that is being computed
	now     func() time.Time
	workers sync.WaitGroup
}

// value holds what was computed from files in a state, or the error.
type value struct {
	state   any
	content any
	err     error
	until   time.Time // until then Latest computes no other
}

// Latest waits this long before it computes a value again: three seconds, and twenty times the last computation.
const (
	restAtLeast = 3 * time.Second
	restShare   = 20
)

// New returns a Memo that keeps up to limit values, and computes one at a time.
func New(limit int, now func() time.Time) *Memo {
	cache, err := lru.New[string, value](limit)
	if err != nil {
		panic(err) // limit is not positive
	}
	return &Memo{Log: func(string, ...any) {}, values: cache, turns: make(chan struct{}, 1), now: now}
}

// Wait waits for all computations in progress.
func (m *Memo) Wait() { m.workers.Wait() }

// Get returns the value of a name in a state. If it is missing, build computes it, once for all callers. A caller whose
// context ends before gets the error of the context, and the computation goes on for the next.
func Get[V any](ctx context.Context, m *Memo, name string, state any, build func() (V, error)) (content V, err error) {
	v, ok := m.current(name, state)
	if !ok {
		result := start(m, fmt.Sprintf("%s\x00%v", name, state), name, state, build)
		if ctx.Err() != nil { // even if the value is there by now
			return content, ctx.Err()
		}
		select {
		case v = <-result:
		case <-ctx.Done():
			return content, ctx.Err()
		}
	}
	content, _ = v.content.(V)
	return content, v.err
}

// current returns the value of a name in a state. Errors of the system, such as too many open files, do not count,
// since they may be over.
func (m *Memo) current(name string, state any) (value, bool) {
	v, ok := m.values.Get(name)
	return v, ok && v.state == state && !errors.As(v.err, new(syscall.Errno))
}

// Latest returns the last value of a name, in whatever state, and does not wait. If the state has changed since, build
// computes a new one for the next call; if that fails, the last value stays.
func Latest[V any](m *Memo, name string, state any, build func() (V, error)) (content V) {
	v, ok := m.values.Get(name)
	content, _ = v.content.(V)
	if !ok || v.state != state && m.now().After(v.until) {
		start(m, name, name, state, func() (V, error) {
			newer, err := build()
			if err != nil {
				return content, nil
			}
			return newer, nil
		})
	}
	return content
}

// Peek returns the value of a name in a state, if there is one.
func Peek[V any](m *Memo, name string, state any) (content V, ok bool) {
	v, ok := m.values.Get(name)
	if !ok || v.err != nil || v.state != state {
		return content, false
	}
	content, ok = v.content.(V)
	return content, ok
}

// Last returns the last value of a name, in whatever state; the zero value if there is none.
func Last[V any](m *Memo, name string) (content V) {
	v, _ := m.values.Peek(name)
	content, _ = v.content.(V)
	return content
}

// Put keeps a value of a name in a state.
func (m *Memo) Put(name string, state, content any) {
	m.values.Add(name, value{state: state, content: content})
}

// Drop forgets the value of a name.
func (m *Memo) Drop(name string) { m.values.Remove(name) }

// start computes a value in the background, unless a computation with the same key is in progress.
func start[V any](m *Memo, key, name string, state any, build func() (V, error)) <-chan value {
	result := make(chan value, 1)
	m.workers.Go(func() {
		v, _, _ := m.flight.Do(key, func() (any, error) {
			m.turns <- struct{}{}
			defer func() { <-m.turns }()
			if v, ok := m.current(name, state); ok { // computed since the call
				return v, nil
			}
			began := time.Now()
			content, err := guarded(m, name, build)
			v := value{state: state, content: content, err: err}
			v.until = m.now().Add(max(restAtLeast, restShare*time.Since(began)))
			m.values.Add(name, v)
			return v, nil
		})
		result <- v.(value)
	})
	return result
}

// ErrPanic reports a panic while a value was computed.
var ErrPanic = errors.New("gavel could not make this page; the server's log says why")

// guarded calls build and returns ErrPanic if it panics.
func guarded[V any](m *Memo, name string, build func() (V, error)) (content V, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.Log("%q: %v\n%s", name, p, debug.Stack())
			err = ErrPanic
		}
	}()
	return build()
}
