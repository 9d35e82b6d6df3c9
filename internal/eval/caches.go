package eval

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/cache"
)

// replies opens the cache, or lends the one that several runs share, and returns what lets go of it.
func (e *Maker) replies(dir string) (*cache.Store, func() error, error) {
	open := func() (*cache.Store, error) { return e.OpenCache(dir) }
	if e.Shared != nil {
		return e.Shared.open(open)
	}
	store, err := open()
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// Hold opens the cache for all runs that are made with e from now on, until the
// function that it returns is called, if any of the requests uses it.
func (e *Maker) Hold(requests func(yield func(Request) bool)) (release func() error, err error) {
	for r := range requests {
		onServer := func(agent string) bool { return strings.Contains(agent, "@") }
		if r.NoCache || r.Simulated() && !slices.ContainsFunc(r.Agents, onServer) {
			continue
		}
		if e.Shared == nil {
			e.Shared = new(SharedCache)
		}
		_, release, err = e.replies(r.Cache)
		return release, err
	}
	return func() error { return nil }, nil
}

// SharedCache is a cache that is open for as long as somebody in this process needs it: it can be open in one process
// at a time, and in between it is free for others.
type SharedCache struct {
	mu    sync.Mutex
	store *cache.Store
	users int
}

func (s *SharedCache) open(open func() (*cache.Store, error)) (*cache.Store, func() error, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		store, err := open()
		if err != nil {
			return nil, nil, err
		}
		s.store = store
	}
	s.users++
	return s.store, sync.OnceValue(s.leave), nil
}

func (s *SharedCache) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users > 0 {
		return nil
	}
	err := s.close()
	if s.store != nil {
		time.AfterFunc(closeAgain, s.closeLater)
	}
	return err
}

// close closes the cache, unless the disk is too full for that. The caller holds the lock.
func (s *SharedCache) close() error {
	err := s.store.Close()
	if !errors.Is(err, cache.ErrDiskFull) {
		s.store = nil
	}
	return err
}

// closeAgain is how long a cache that could not be closed is left alone.
const closeAgain = 2 * time.Second

// closeLater closes a cache that could not be closed for want of free space, as soon
// as there is some and nobody has come to need it.
func (s *SharedCache) closeLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || s.store == nil {
		return
	}
	if s.close(); s.store != nil {
		time.AfterFunc(closeAgain, s.closeLater)
	}
}
