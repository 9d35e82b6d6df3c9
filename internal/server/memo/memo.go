// Package memo remembers what was made of files, for as long as the files are as they were.
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

// Memo remembers values by name, each with the state of the files that it was made of. The values that were used
// longest ago are forgotten first.
type Memo struct {
	// Log is told of a panic; who asked for the value gets ErrPanic.
	Log func(format string, args ...any)

	values  *lru.Cache[string, value]
	flight  singleflight.Group
	turns   chan struct{} // a place for each value that is made at once
	now     func() time.Time
	workers sync.WaitGroup
}

// value was made of files in a state, or could not be made.
type value struct {
	state   any
	content any
	err     error
	until   time.Time // before which Latest makes no other
}

// How often Latest makes a value anew: every three seconds, and one part in twenty of the time at most.
const (
	restAtLeast = 3 * time.Second
	restShare   = 20
)

// New remembers so many values at most, and makes one at a time.
func New(limit int, now func() time.Time) *Memo {
	cache, err := lru.New[string, value](limit)
	if err != nil {
		panic(err) // most is none
	}
	return &Memo{Log: func(string, ...any) {}, values: cache, turns: make(chan struct{}, 1), now: now}
}

// Wait waits for what is being made.
func (m *Memo) Wait() { m.workers.Wait() }

// Get returns the value of a name in a state. Where it is not known, build makes it, once for all who ask; whoever's
// context ends sooner goes, and the value is made for the next.
func Get[V any](ctx context.Context, m *Memo, name string, state any, build func() (V, error)) (content V, err error) {
	v, ok := m.current(name, state)
	if !ok {
		result := start(m, fmt.Sprintf("%s\x00%v", name, state), name, state, build)
		if ctx.Err() != nil { // also where the value is there by now
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

// current returns the value of a name in a state, but for an error that may be over: too many files were open.
func (m *Memo) current(name string, state any) (value, bool) {
	v, ok := m.values.Get(name)
	return v, ok && v.state == state && !errors.As(v.err, new(syscall.Errno))
}

// Latest returns the value of a name that was made last, of whatever state, and does not wait. Where the state is
// another by now, build makes it for who asks next; where that fails, what was made before stays.
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

// Peek returns the value of a name in a state, where it is known.
func Peek[V any](m *Memo, name string, state any) (content V, ok bool) {
	v, ok := m.values.Get(name)
	if !ok || v.err != nil || v.state != state {
		return content, false
	}
	content, ok = v.content.(V)
	return content, ok
}

// Last returns the value of a name that was made last, of whatever state; the zero value where there is none.
func Last[V any](m *Memo, name string) (content V) {
	v, _ := m.values.Peek(name)
	content, _ = v.content.(V)
	return content
}

// Put remembers a value of a name in a state.
func (m *Memo) Put(name string, state, content any) {
	m.values.Add(name, value{state: state, content: content})
}

// Drop forgets the value of a name.
func (m *Memo) Drop(name string) { m.values.Remove(name) }

// start makes a value, unless it is being made by the same key.
func start[V any](m *Memo, key, name string, state any, build func() (V, error)) <-chan value {
	result := make(chan value, 1)
	m.workers.Go(func() {
		v, _, _ := m.flight.Do(key, func() (any, error) {
			m.turns <- struct{}{}
			defer func() { <-m.turns }()
			if v, ok := m.current(name, state); ok { // since it was looked for
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

// ErrPanic is of a value that gavel itself failed to make.
var ErrPanic = errors.New("gavel could not make this page; the server's log says why")

// guarded is build, whose panic ends the value alone.
func guarded[V any](m *Memo, name string, build func() (V, error)) (content V, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.Log("%q: %v\n%s", name, p, debug.Stack())
			err = ErrPanic
		}
	}()
	return build()
}
