package guard

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections limits the open connections of a server, in all and for each client address. A new connection above a
// limit replaces the connection that has been idle, or sending its request, for longest. So idle connections keep no
// client out, and the connections of one address keep no other address out.
type Connections struct {
	maxTotal, maxPerAddress int // limits, in all and for each address

	mu   sync.Mutex
	open map[net.Conn]*connection
}

// NewConnections returns a Connections that admits up to all connections, and up to each from one client address.
func NewConnections(all, each int) *Connections {
	return &Connections{maxTotal: all, maxPerAddress: each, open: map[net.Conn]*connection{}}
}

// connection describes an open connection.
type connection struct {
	from      string    // the client's address, without the port
	idleSince time.Time // since when it is idle or sends a request; zero while a request is answered
}

// ConnState notes when a connection opens, becomes idle and closes. If a limit is reached and all open connections are
// busy, it closes a new one. The http.Server calls it as its ConnState hook.
func (c *Connections) ConnState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		entry := &connection{from: hostOf(conn.RemoteAddr().String()), idleSince: time.Now()}
		if !c.makeRoom(entry.from, c.maxPerAddress) || !c.makeRoom("", c.maxTotal) { // all open ones are busy
			conn.Close()
			return
		}
		c.open[conn] = entry
	case http.StateActive, http.StateIdle:
		if entry := c.open[conn]; entry != nil {
			entry.idleSince = time.Now()
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// connKey is the key in a request's context of the function that MarkBusy calls.
type connKey struct{}

// ConnContext adds to the context of a connection's requests a function that marks the connection as busy, for
// MarkBusy. The http.Server calls it as its ConnContext hook.
func (c *Connections) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if entry := c.open[conn]; entry != nil {
			entry.idleSince = time.Time{}
		}
	})
}

// MarkBusy marks the connection of a request as busy until the request is answered, so that no new connection replaces
// it. Call it for complete requests of clients with access.
func MarkBusy(r *http.Request) {
	if answering, ok := r.Context().Value(connKey{}).(func()); ok {
		answering()
	}
}

// makeRoom reports whether there are fewer than limit connections from an address, or in all if from is "". At the
// limit it closes the connection that has been idle for longest, if there is one.
func (c *Connections) makeRoom(from string, limit int) bool {
	var oldest net.Conn
	for conn, entry := range c.open {
		if from != "" && entry.from != from {
			continue
		}
		limit--
		if !entry.idleSince.IsZero() && (oldest == nil || entry.idleSince.Before(c.open[oldest].idleSince)) {
			oldest = conn
		}
	}
	if limit <= 0 && oldest != nil {
		limit++
		delete(c.open, oldest)
		oldest.Close()
	}
	return limit > 0
}

// hostOf returns the host of an address HOST:PORT.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
