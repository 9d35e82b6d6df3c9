// Package memo remembers what was made of files, for as long as the files are as they were.
package memo

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Memo remembers values by name, each with the state of the files that it was made of. The values that were used
// longest ago are forgotten first.
type Memo struct {
	// Log is told of a panic; who asked for the value gets ErrPanic.
	Log func(format string, args ...any)

	mu      sync.Mutex
	most    int
	slots   map[string]*slot
	uses    int           // so many, to tell the slot that was used longest ago
	turns   chan struct{} // a place for each value that is made at once
	now     func() time.Time
	workers sync.WaitGroup
}

// slot has the values of a name.
type slot struct {
	last *value // nil: none was made yet
	next *value // nil: none is being made
	used int    // when, by the count of the memo's uses
}

// value is what was made of files in a state, or why it could not be made.
type value struct {
	state   any
	content any
	err     error
	ready   chan struct{} // closed when it is made
	until   time.Time     // before which Latest makes no other
}

// How often Latest makes a value anew: every three seconds, and one part in twenty of the time at most.
const (
	restAtLeast = 3 * time.Second
	restShare   = 20
)

// New remembers so many values at most, and makes one at a time.
func New(most int, now func() time.Time) *Memo {
	return &Memo{
		Log:   func(string, ...any) {},
		most:  most,
		slots: map[string]*slot{},
		turns: make(chan struct{}, 1),
		now:   now,
	}
}

// Wait waits for what is being made.
func (m *Memo) Wait() { m.workers.Wait() }

// Get is the value of a name in a state. Where it is not known, build makes it, once for all who ask; whoever's context
// ends sooner goes, and the value is made for the next.
func Get[V any](ctx context.Context, m *Memo, name string, state any, build func() (V, error)) (content V, err error) {
	m.mu.Lock()
	s := m.slot(name)
	v := s.last
	if v == nil || v.state != state || errors.As(v.err, new(syscall.Errno)) { // that may be over: too many files are open
		v = start(m, name, s, state, build)
	}
	m.mu.Unlock()
	select {
	case <-v.ready:
	case <-ctx.Done():
		select {
		case <-v.ready:
		default:
			return content, ctx.Err()
		}
	}
	content, _ = v.content.(V)
	return content, v.err
}

// Latest is the value of a name that was made last, of whatever state, and does not wait. Where the state is another
// by now, build makes it for who asks next; where that fails, what was made before stays.
func Latest[V any](m *Memo, name string, state any, build func() (V, error)) (content V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slot(name)
	if s.last != nil {
		content, _ = s.last.content.(V)
	}
	if s.next == nil && (s.last == nil || s.last.state != state && m.now().After(s.last.until)) {
		start(m, name, s, state, func() (V, error) {
			newer, err := build()
			if err != nil {
				return content, nil
			}
			return newer, nil
		})
	}
	return content
}

// Peek is the value of a name in a state, where it is known.
func Peek[V any](m *Memo, name string, state any) (content V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[name]
	if s == nil || s.last == nil || s.last.err != nil || s.last.state != state {
		return content, false
	}
	content, known = m.slot(name).last.content.(V)
	return content, known
}

// Last is the value of a name that was made last, of whatever state; the zero value where there is none.
func Last[V any](m *Memo, name string) (content V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.slots[name]; s != nil && s.last != nil {
		content, _ = s.last.content.(V)
	}
	return content
}

// Put remembers a value of a name in a state.
func (m *Memo) Put(name string, state, content any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := &value{state: state, content: content, ready: make(chan struct{})}
	close(v.ready)
	m.slot(name).last = v
}

// Drop forgets the values of a name.
func (m *Memo) Drop(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.slots, name)
}

// slot is that of a name, which may be new. The caller holds the lock.
func (m *Memo) slot(name string) *slot {
	s := m.slots[name]
	if s == nil {
		s = &slot{}
		m.slots[name] = s
	}
	m.uses++
	s.used = m.uses
	if len(m.slots) > m.most {
		delete(m.slots, slices.MinFunc(slices.Collect(maps.Keys(m.slots)), func(a, b string) int {
			return cmp.Compare(m.slots[a].used, m.slots[b].used)
		}))
	}
	return s
}

// start begins to make a value, unless that was begun. The caller holds the lock.
func start[V any](m *Memo, name string, s *slot, state any, build func() (V, error)) *value {
	if s.next != nil && s.next.state == state {
		return s.next
	}
	v := &value{state: state, ready: make(chan struct{})}
	s.next = v
	m.workers.Go(func() {
		m.turns <- struct{}{}
		defer func() { <-m.turns }()
		began := time.Now()
		content, err := guarded(m, name, build)
		v.content, v.err = content, err
		v.until = m.now().Add(max(restAtLeast, restShare*time.Since(began)))
		m.mu.Lock()
		defer m.mu.Unlock()
		s.last = v
		if s.next == v {
			s.next = nil
		}
		close(v.ready)
	})
	return v
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
