package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/judging"
)

// hooks are how a server makes runs in its own folder and looks on, and a suite
// its cells. Those of a command are all zero: it makes one run, and tells the
// terminal.
type hooks struct {
	runs     string                               // folder in which runs are made that name none
	shared   *sharedCache                         // the cache that several runs have open at once
	begun    func(folder string)                  // a run's folder was opened for writing
	recorded func(*judging.Record)                // a judgment was made and written
	asking   func() (done func(err error))        // a request is sent to a judge
	planned  func(p *prepared, plan judging.Plan) // instead of printing it
	planner  *planner                             // of a suite: takes the plans of its cells
	keyOf    keyOf                                // instead of what the flags say
	contexts *suiteContexts                       // of a suite: one context for all that a model is asked
}

// keyOf names the variable with the API key of a server, "" for the usual one;
// one that is not known is sent none.
type keyOf func(url string) (variable string, known bool)

func (h hooks) folder() string {
	if h.runs == "" {
		return "runs"
	}
	return h.runs
}

func (h hooks) opened(folder string) {
	if h.begun != nil {
		h.begun(folder)
	}
}

func (h hooks) made(r *judging.Record) {
	if h.recorded != nil {
		h.recorded(r)
	}
}

// watched counts what is asked of the servers themselves, behind the cache.
func (h hooks) watched(c backends.Client) backends.Client {
	if h.asking == nil {
		return c
	}
	return watchedClient{c, h.asking}
}

type watchedClient struct {
	backends.Client
	asking func() func(error)
}

var _ backends.Client = watchedClient{}

func (c watchedClient) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	done := c.asking()
	resp, err := c.Client.Ask(ctx, req)
	done(err)
	return resp, err
}

// replies opens the cache, or, in a server, lends the one that its runs share.
func (e *env) replies(dir string) (*cache.Store, func() error, error) {
	if e.hooks.shared != nil {
		return e.hooks.shared.open(func() (*cache.Store, error) { return e.openCache(dir) })
	}
	store, err := e.openCache(dir)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}

// sharedCache is a cache that is open for as long as somebody in this process
// needs it: it can be open in one process at a time, and in between it is free
// for others.
type sharedCache struct {
	mu    sync.Mutex
	store *cache.Store
	users int
}

func (s *sharedCache) open(open func() (*cache.Store, error)) (*cache.Store, func() error, error) {
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

func (s *sharedCache) leave() error {
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

// close closes the cache, unless the disk is too full for that. The caller holds
// the lock.
func (s *sharedCache) close() error {
	err := s.store.Close()
	if !errors.Is(err, cache.ErrNoRoom) {
		s.store = nil
	}
	return err
}

// closeAgain is how long a cache that could not be closed is left alone.
const closeAgain = 2 * time.Second

// closeLater closes a cache that could not be closed for want of room, as soon
// as there is some and nobody has come to need it.
func (s *sharedCache) closeLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users > 0 || s.store == nil {
		return
	}
	if s.close(); s.store != nil {
		time.AfterFunc(closeAgain, s.closeLater)
	}
}
