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

// A Memo caches values by name, each with the state of the files that it was computed from. When it is full, it drops
// the least recently used value.
type Memo struct {
	// Log prints the panic of a computation, with its stack; the caller of Get receives ErrPanic.
	Log func(format string, args ...any)

	values       *lru.Cache[string, value]
	flight       singleflight.Group // merges concurrent computations with the same key
	turns        chan struct{}      // semaphore of one place: values are computed one at a time
	now          func() time.Time   // the clock; tests replace it
	computations sync.WaitGroup     // computations in progress, for Wait
}

// value holds a cached result, content or err, and the state of the files that it was computed from.
type value struct {
	state        any
	content      any
	err          error
	refreshAfter time.Time // Latest does not compute the value again before this time
}

// The pause after a computation before Latest computes the same value again.
const (
	minPause    = 3 * time.Second // the shortest pause
	pauseFactor = 20              // the pause as a multiple of the time that the last computation took
)

// New returns a Memo that keeps up to limit values and computes one at a time. now is its clock.
func New(limit int, now func() time.Time) *Memo {
	cache, err := lru.New[string, value](limit)
	if err != nil {
		panic(err) // limit is not positive
	}
	return &Memo{Log: func(string, ...any) {}, values: cache, turns: make(chan struct{}, 1), now: now}
}

// Wait returns when no computation is in progress.
func (m *Memo) Wait() { m.computations.Wait() }

// Get returns the cached value of a name if it was computed in this state, a comparable description of the files that
// build reads. Otherwise build computes it, once for all concurrent callers. If ctx ends first, Get returns the error
// of ctx, and the computation goes on for the next caller.
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

// current returns the cached value of a name; ok is false if there is none, or if it was computed in another state. A
// cached error of the system, such as too many open files, does not count either, since its cause may be over.
func (m *Memo) current(name string, state any) (value, bool) {
	v, ok := m.values.Get(name)
	return v, ok && v.state == state && !errors.As(v.err, new(syscall.Errno))
}

// GetAndRefresh returns the cached value of a name, whatever the state that it was computed in, and does not wait;
// without a cached value it returns the zero value. If the state differs, and the pause after the last computation is
// over, build computes a new value in the background for later calls; if build fails, the cached value stays.
func GetAndRefresh[V any](m *Memo, name string, state any, build func() (V, error)) (content V) {
	v, ok := m.values.Get(name)
	content, _ = v.content.(V)
	if !ok || v.state != state && m.now().After(v.refreshAfter) {
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

// Peek returns the cached value of a name if it was computed in this state without an error. It computes nothing.
func Peek[V any](m *Memo, name string, state any) (content V, ok bool) {
	v, ok := m.values.Get(name)
	if !ok || v.err != nil || v.state != state {
		return content, false
	}
	content, ok = v.content.(V)
	return content, ok
}

// GetStale returns the cached value of a name, whatever state it was computed in; the zero value if there is none.
func GetStale[V any](m *Memo, name string) (content V) {
	v, _ := m.values.Peek(name)
	content, _ = v.content.(V)
	return content
}

// Put caches a value under a name, as computed in this state.
func (m *Memo) Put(name string, state, content any) {
	m.values.Add(name, value{state: state, content: content})
}

// Drop removes the cached value of a name.
func (m *Memo) Drop(name string) { m.values.Remove(name) }

// start computes a value in the background, caches it and sends it to the returned channel. A call joins a computation
// in progress with the same key.
func start[V any](m *Memo, key, name string, state any, build func() (V, error)) <-chan value {
	result := make(chan value, 1)
	m.computations.Go(func() {
		v, _, _ := m.flight.Do(key, func() (any, error) {
			m.turns <- struct{}{}
			defer func() { <-m.turns }()
			if v, ok := m.current(name, state); ok { // computed since the call
				return v, nil
			}
			began := time.Now()
			content, err := callRecovering(m, name, build)
			v := value{state: state, content: content, err: err}
			v.refreshAfter = m.now().Add(max(minPause, pauseFactor*time.Since(began)))
			m.values.Add(name, v)
			return v, nil
		})
		result <- v.(value)
	})
	return result
}

// ErrPanic stands for a panic in the function that computed a value.
var ErrPanic = errors.New("gavel could not make this page; the server's log says why")

// callRecovering calls build. If build panics, it logs the panic and returns ErrPanic.
func callRecovering[V any](m *Memo, name string, build func() (V, error)) (content V, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.Log("%q: %v\n%s", name, p, debug.Stack())
			err = ErrPanic
		}
	}()
	return build()
}
