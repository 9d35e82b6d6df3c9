package guard

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// someConn is a connection from an address.
type someConn struct {
	net.Conn
	from   string
	closed bool
}

func (c *someConn) RemoteAddr() net.Addr { return addr(c.from) }
func (c *someConn) Close() error         { c.closed = true; return nil }

type addr string

func (a addr) Network() string { return "tcp" }
func (a addr) String() string  { return string(a) }

// TestConnectionsOfOneAddress: the idle ones of an address go first, those of others and those at work stay; where all
// are at work, who comes is turned away, and nobody else is.
func TestConnectionsOfOneAddress(t *testing.T) {
	c := NewConnections(6, 3)
	come := func(from string, state http.ConnState) *someConn {
		conn := &someConn{from: from + ":1"}
		c.ConnState(conn, http.StateNew)
		if !conn.closed {
			c.ConnState(conn, state)
		}
		if state == http.StateActive {
			MarkBusy(httptest.NewRequestWithContext(c.ConnContext(t.Context(), conn), "GET", "/", nil))
		}
		return conn
	}
	busy, older, newer := come("a", http.StateActive), come("a", http.StateIdle), come("a", http.StateIdle)
	other := come("b", http.StateIdle)
	if next := come("a", http.StateActive); next.closed || !older.closed || newer.closed || busy.closed || other.closed {
		t.Error("the fourth of an address does not take the place of its oldest idle one")
	}
	if next := come("a", http.StateActive); next.closed || !newer.closed {
		t.Error("nor the fifth")
	}
	if next := come("a", http.StateActive); !next.closed || busy.closed || other.closed {
		t.Error("the sixth is let in, with three at work")
	}
	come("c", http.StateActive)
	come("c", http.StateActive)
	if last := come("d", http.StateActive); last.closed || !other.closed || len(c.open) != 6 {
		t.Errorf("of all, the oldest idle one does not go: %d are open", len(c.open))
	}
	if last := come("e", http.StateActive); !last.closed {
		t.Error("one more than there may be at work")
	}
	c.ConnState(busy, http.StateClosed)
	if last := come("e", http.StateActive); last.closed {
		t.Error("nobody is let in after one has gone")
	}
}
