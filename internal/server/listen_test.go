package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestIdleConnections: whoever holds as many connections as there may be, and sends nothing or the beginning of a request,
// keeps out neither others nor himself.
func TestIdleConnections(t *testing.T) {
	for what, begin := range map[string]string{
		"nothing":          "",
		"half a form":      "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na",
		"half of no form":  "GET /assets/style.css HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na",
		"without a token":  "POST /start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\na",
		"half of a header": "GET / HTTP/1.1\r\nHo",
	} {
		t.Run(what, func(t *testing.T) { holdConnections(t, begin) })
	}
}

// listening returns the address at which a server answers until the test ends.
func listening(t *testing.T, s *Server) string {
	ctx, cancel := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	t.Cleanup(func() { cancel(); <-served })
	return l.Addr().String()
}

// TestStreamsOfOneAddress: whoever follows runs on all connections that one address may have keeps himself out, and
// nobody else.
func TestStreamsOfOneAddress(t *testing.T) {
	dir := t.TempDir()
	newGrowing(t, filepath.Join(dir, "a"))
	addr := listening(t, newSite(t, dir, func(o *Options) { o.Now = time.Now }).Server)
	follow := func(from string) (status string, err error) {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: time.Minute}
		c, err := d.Dial("tcp", addr)
		if err != nil {
			return "", err
		}
		t.Cleanup(func() { c.Close() })
		c.SetReadDeadline(time.Now().Add(time.Minute))
		fmt.Fprint(c, "GET /runs/a/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
		return bufio.NewReader(c).ReadString('\n')
	}
	for range maxConnsEach {
		if status, err := follow("127.0.0.1"); err != nil || status != "HTTP/1.1 200 OK\r\n" {
			t.Fatal(status, err)
		}
	}
	if status, err := follow("127.0.0.1"); err == nil {
		t.Errorf("one more than there may be is told %q", status)
	}
	status, err := follow("127.0.0.2")
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		t.Skip("this machine has no address 127.0.0.2")
	}
	if err != nil || status != "HTTP/1.1 200 OK\r\n" {
		t.Errorf("another address: %q %v", status, err)
	}
}

func holdConnections(t *testing.T, begin string) {
	addr := listening(t, newSite(t, t.TempDir(), func(o *Options) { o.Token = "some token of a server" }).Server)
	var idle []net.Conn
	defer func() {
		for _, c := range idle {
			c.Close()
		}
	}()
	for range maxConns + 10 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, c)
		fmt.Fprint(c, begin)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 3 {
		resp, err := client.Get(fmt.Sprintf("http://%s/healthz", addr))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}

// TestFewerConnectionsWhereFewFilesMayBeOpen: idle connections of one address took all files that "ulimit -n" allows.
func TestFewerConnectionsWhereFewFilesMayBeOpen(t *testing.T) {
	addr := listening(t, newSite(t, t.TempDir(), func(o *Options) { o.MaxConnections = 20 }).Server)
	var idle []net.Conn
	for range 30 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		idle = append(idle, c)
	}
	closed := 0
	late := time.Now().Add(200 * time.Millisecond)
	for _, c := range idle {
		c.SetReadDeadline(late)
		if _, err := c.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			closed++
		}
	}
	if closed != 10 {
		t.Errorf("%d of 30 connections were closed, want 10", closed)
	}
}

// TestBodiesThatNeverCome: clients that send headers and no body, or a byte at a time, on more connections than allowed,
// soon get a timeout; meanwhile browsers of the same and of other addresses get their pages.
func TestBodiesThatNeverCome(t *testing.T) {
	const head = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
	for what, c := range map[string]struct {
		begin   string
		trickle bool
	}{
		"a form":                 {begin: "POST /labels" + head + "application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"},
		"JSON":                   {begin: "POST /api/v1/plan" + head + "application/json\r\nContent-Length: 100\r\n\r\n"},
		"JSON in chunks":         {begin: "POST /api/v1/plan" + head + "application/json\r\nTransfer-Encoding: chunked\r\n\r\n"},
		"JSON to nothing":        {begin: "POST /api/v1/no" + head + "application/json\r\nContent-Length: 100\r\n\r\n"},
		"JSON, longer than read": {begin: "POST /api/v1/plan" + head + "application/json\r\nContent-Length: 900000\r\n\r\n", trickle: true},
		"of a page":              {begin: "GET /" + head + "text/plain\r\nContent-Length: 100\r\n\r\n", trickle: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			addr := listening(t, newSite(t, t.TempDir(), func(o *Options) { o.Now = time.Now }).Server)
			began := time.Now()
			var conns []net.Conn
			for range 2*maxConnsEach + 1 {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				conns = append(conns, c)
			}
			for _, conn := range conns {
				fmt.Fprint(conn, c.begin)
				if c.trickle {
					go func() {
						for _, err := fmt.Fprint(conn, "1"); err == nil; _, err = fmt.Fprint(conn, "1") {
							time.Sleep(time.Second)
						}
					}()
				}
			}
			time.Sleep(time.Second) // all that was sent is read
			for _, from := range []string{"127.0.0.1", "127.0.0.2"} {
				d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
				client := &http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
				for range 3 {
					resp, err := client.Get("http://" + addr + "/")
					if errors.Is(err, syscall.EADDRNOTAVAIL) {
						break // this machine has no such address
					}
					if err != nil {
						t.Fatalf("a page for %s: %v", from, err)
					}
					if resp.Body.Close(); resp.StatusCode != http.StatusOK {
						t.Errorf("status %d", resp.StatusCode)
					}
				}
			}
			timeouts := 0
			for _, conn := range conns { // those that were closed for others are told nothing
				conn.SetReadDeadline(began.Add(readTimeout + 5*time.Second))
				answer, err := io.ReadAll(conn)
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatalf("after %v a connection is still open", time.Since(began))
				}
				if strings.Contains(string(answer), "408 Request Timeout") {
					timeouts++
				}
			}
			if timeouts < maxConnsEach/2 {
				t.Errorf("%d are told that their body did not come", timeouts)
			}
		})
	}
}
