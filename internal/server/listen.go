package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"gavel/internal/server/guard"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
)

// rememberedValues limits the values in each of the caches memo and background, such as reports and comparisons.
const rememberedValues = 64

// New returns a server of the folder of runs o.Dir. [Server.Close] closes it.
func New(o Options) (*Server, error) {
	if o.Now == nil || o.Log == nil {
		return nil, errors.New("a server needs a clock and a log")
	}
	runs, err := store.Open(o.Dir, o.Now)
	if err != nil {
		return nil, fmt.Errorf("the folder of runs: %w", err)
	}
	newMemo := func(limit int) *memo.Memo {
		m := memo.New(limit, o.Now)
		m.Log = o.Log
		return m
	}
	s := &Server{
		Options:        o,
		runs:           runs,
		memo:           newMemo(rememberedValues),
		backgroundMemo: newMemo(rememberedValues),
		listings:       newMemo(1),
		runNumbersMemo: newMemo(store.MaxFolders),
		streamSlots:    make(chan struct{}, maxStreams),
		answerTimeout:  requestTime,
		mux:            http.NewServeMux(),
	}
	runs.LogTo(o.Log)
	s.guard, err = guard.New(o.Options)
	if err != nil {
		return nil, err
	}
	s.pages, err = loadPages(s.folder)
	if err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancel(context.Background())
	for _, r := range s.routes() {
		s.mux.HandleFunc(r.pattern, s.guarded(r))
	}
	return s, nil
}

// Close ends all streams, waits for background work, and closes the folder of runs.
func (s *Server) Close() error {
	s.end()
	s.runs.CancelClosing()
	s.memo.Wait()
	s.backgroundMemo.Wait()
	s.listings.Wait()
	return s.runs.Close()
}

// Serve answers requests that arrive at l until ctx ends. Then it ends all streams, and waits up to five seconds for
// other answers.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limit := min(maxConns, cmp.Or(s.MaxConnections, maxConns))
	conns := guard.NewConnections(limit, min(maxConnsEach, limit))
	h := &http.Server{
		Handler:        s.mux,
		ReadTimeout:    readTimeout,
		WriteTimeout:   writeTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeader,
		ConnState:      conns.ConnState,
		ConnContext:    conns.ConnContext,
		ErrorLog:       log.New(logLineWriter(s.Log), "", 0),
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	s.end()
	wait, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := h.Shutdown(wait); err != nil {
		h.Close()
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// logLineWriter is an io.Writer that passes the log of an http.Server to a function, line by line.
type logLineWriter func(format string, args ...any)

func (l logLineWriter) Write(b []byte) (int, error) {
	l("%s", markup.MakeVisible(strings.TrimSpace(string(b))))
	return len(b), nil
}
