package server

import (
	"cmp"
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"gavel/internal/server/guard"
	"gavel/internal/server/markup"
)

// Handler is the server without a listener, for tests.
func (s *Server) Handler() http.Handler { return s.mux }

// Serve answers on a listener until the context ends; then it lets go of those
// who listen to streams, and waits a little for pages that are being made.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	most := min(maxConns, cmp.Or(s.opts.Connections, maxConns))
	conns := guard.NewConnections(most, min(maxConnsEach, most))
	h := &http.Server{
		Handler:           s.mux,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		ConnState:      conns.Changed,
		ConnContext:    conns.Context,
		ErrorLog:       log.New(logLines(s.opts.Log), "", 0),
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

// logLines hands on what net/http has to say.
type logLines func(format string, args ...any)

func (l logLines) Write(b []byte) (int, error) {
	l("%s", markup.Visible(strings.TrimSpace(string(b))))
	return len(b), nil
}
