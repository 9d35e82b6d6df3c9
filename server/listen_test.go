package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
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

func holdConnections(t *testing.T, begin string) {
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token = "some token of a server" })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	defer func() { cancel(); <-served }()
	var idle []net.Conn
	defer func() {
		for _, c := range idle {
			c.Close()
		}
	}()
	for range maxConns + 10 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, c)
		fmt.Fprint(c, begin)
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 3 {
		resp, err := client.Get(fmt.Sprintf("http://%s/healthz", l.Addr()))
		if err != nil {
			t.Fatal(err)
		}
		if resp.Body.Close(); resp.StatusCode != http.StatusOK {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}
