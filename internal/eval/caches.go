package eval

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/cache"
)

// acquireCache opens the cache in a folder, or uses the one that runs share, and returns a function that releases it.
func (e *Maker) acquireCache(dir string) (*cache.Store, func() error, error) {
	open := func() (*cache.Store, error) { return e.OpenCache(dir) }
	if e.SharedCache != nil {
		return e.SharedCache.open(open)
	}
	store, err := open()
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// OpenSharedCache opens the cache for all runs that e makes until release is called, if any of the requests uses the
// cache.
func (e *Maker) OpenSharedCache(requests func(yield func(RunRequest) bool)) (release func() error, err error) {
	for r := range requests {
		onServer := func(agent string) bool { return strings.Contains(agent, "@") }
		if r.NoCache || r.Simulated() && !slices.ContainsFunc(r.Agents, onServer) {
			continue
		}
		if e.SharedCache == nil {
			e.SharedCache = new(SharedCache)
		}
		_, release, err = e.acquireCache(r.Cache)
		return release, err
	}
	return func() error { return nil }, nil
}

// SharedCache keeps a cache open while any run in this process uses it. Only one process at a time can open a cache, so
// it is closed in between.
type SharedCache struct {
	mu    sync.Mutex
	store *cache.Store // nil while the cache is closed
	users int          // number of runs that use the cache
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
	return s.store, sync.OnceValue(func() error { return s.release(1) }), nil
}

// release ends the use of the cache by so many runs, and closes the cache unless another run uses it. On a full disk it
// fails, and tries again later.
func (s *SharedCache) release(users int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users -= users
	if s.users > 0 || s.store == nil {
		return nil
	}
	err := s.store.Close()
	if errors.Is(err, cache.ErrDiskFull) {
		time.AfterFunc(retryClose, func() { s.release(0) })
	} else {
		s.store = nil
	}
	return err
}

// retryClose is the time between attempts to close a cache on a full disk.
const retryClose = 2 * time.Second
