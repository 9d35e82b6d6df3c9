package guard

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections limits the connections of a server, in all and for each address. A new connection above a limit takes the
// place of the one that has been idle, or sending its request, for longest. So idle connections keep no client out, and
// the connections of one address none of another.
type Connections struct {
	all, each int // limits, in all and for each address

	mu   sync.Mutex
	open map[net.Conn]*connection
}

// NewConnections returns limits for all connections and for those of each address.
func NewConnections(all, each int) *Connections {
	return &Connections{all: all, each: each, open: map[net.Conn]*connection{}}
}

type connection struct {
	from string
	idle time.Time // start of idling or sending; zero while a request is answered
}

// ConnState is the ConnState hook of an http.Server.
func (c *Connections) ConnState(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.add(conn)
	case http.StateActive, http.StateIdle:
		if entry := c.open[conn]; entry != nil {
			entry.idle = time.Now()
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.open, conn)
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// ConnContext is the ConnContext hook of an http.Server, through which a request finds its connection.
func (c *Connections) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if entry := c.open[conn]; entry != nil {
			entry.idle = time.Time{}
		}
	})
}

// KeepPlace reserves the place of a request's connection until the answer. Call it for complete requests of clients
// with access.
func KeepPlace(r *http.Request) {
	if answering, ok := r.Context().Value(connKey{}).(func()); ok {
		answering()
	}
}

// add admits a connection, or closes it if no other can be closed for it.
func (c *Connections) add(conn net.Conn) {
	entry := &connection{from: hostOf(conn.RemoteAddr().String()), idle: time.Now()}
	if !c.makeRoom(entry.from, c.each) || !c.makeRoom("", c.all) {
		conn.Close()
		return
	}
	c.open[conn] = entry
}

// makeRoom reports whether there is room for another connection from an address, or from any if it is "". At the limit
// it closes the connection that has been idle for longest.
func (c *Connections) makeRoom(from string, limit int) bool {
	var oldest net.Conn
	for conn, entry := range c.open {
		if from != "" && entry.from != from {
			continue
		}
		limit--
		if !entry.idle.IsZero() && (oldest == nil || entry.idle.Before(c.open[oldest].idle)) {
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

// hostOf returns an address without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
