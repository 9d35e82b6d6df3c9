package guard

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Connections bounds how many there are, of all and of one address. Who comes when there are too many takes the place
// of the one that has been idle for longest, or sending its request: such connections keep nobody out, and those of
// one address none of another.
type Connections struct {
	all, each int // at most

	mu   sync.Mutex
	open map[net.Conn]*connection
}

// NewConnections bounds them to so many at most, of all and of each address.
func NewConnections(all, each int) *Connections {
	return &Connections{all: all, each: each, open: map[net.Conn]*connection{}}
}

type connection struct {
	from string
	idle time.Time // since when, or since when it is sending; zero where a request is being answered
}

// Changed is the hook of an http.Server.
func (c *Connections) Changed(conn net.Conn, state http.ConnState) {
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

// Context is the hook of an http.Server by which Answering knows the connection.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if entry := c.open[conn]; entry != nil {
			entry.idle = time.Time{}
		}
	})
}

// Answering says that a request has come whole from who may ask: its connection keeps its place until it is answered.
func Answering(r *http.Request) {
	if answering, ok := r.Context().Value(connKey{}).(func()); ok {
		answering()
	}
}

// add lets a connection in, or closes it where no other can go.
func (c *Connections) add(conn net.Conn) {
	entry := &connection{from: hostOf(conn.RemoteAddr().String()), idle: time.Now()}
	if !c.makeRoom(entry.from, c.each) || !c.makeRoom("", c.all) {
		conn.Close()
		return
	}
	c.open[conn] = entry
}

// makeRoom closes the connection that has been idle for longest where an address, or all where that is "", have as many
// as they may. It reports whether there is room for another.
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

// hostOf is an address without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
