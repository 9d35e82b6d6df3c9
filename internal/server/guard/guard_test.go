package guard

import (
	"net/http"
	"testing"

	"gavel/internal/server/failure"
)

func TestWithoutATokenOnlyThisMachineIsLetIn(t *testing.T) {
	for name, o := range map[string]Options{
		"all addresses": {},
		"another name":  {Loopback: true, Hosts: []string{"gpu1.lab"}},
		"a short token": {Loopback: true, Token: "secret"},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: it serves", name)
		}
	}
}

// The owner of another name can point it here (DNS rebinding).
func TestHost(t *testing.T) {
	here, err := New(Options{Loopback: true})
	if err != nil {
		t.Fatal(err)
	}
	open, err := New(Options{Token: "correct-horse-battery", Hosts: []string{"gpu1.lab"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host        string
		here, there int
	}{
		{"127.0.0.1:7070", 200, 200},
		{"127.0.0.1", 200, 200},
		{"localhost:9999", 200, 200},
		{"LOCALHOST.:7070", 200, 200},
		{"[::1]:7070", 200, 200},
		{"192.168.1.7:7070", 421, 200},
		{"gpu1.lab:7070", 421, 200},
		{"evil.example:7070", 421, 421},
		{"127.0.0.1.evil.example", 421, 421},
		{"localhost.evil.example", 421, 421},
		{"", 421, 421},
	} {
		r := &http.Request{Host: c.host}
		if got := status(here.CheckHost(r)); got != c.here {
			t.Errorf("%q, this machine alone: %d, want %d", c.host, got, c.here)
		}
		if got := status(open.CheckHost(r)); got != c.there {
			t.Errorf("%q, all addresses: %d, want %d", c.host, got, c.there)
		}
	}
}

func status(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return failure.Status(err)
}

// The way back after signing in stays here.
func TestHere(t *testing.T) {
	for to, want := range map[string]string{
		"/runs/a?x=1": "/runs/a?x=1", "": "/", "//evil.example": "/", "http://evil.example": "/", "/\\evil.example": "/",
		"javascript:alert(1)": "/", "evil": "/", "/a\r\nSet-Cookie: x": "/", "///evil.example": "/",
	} {
		if got := LocalPathOrRoot(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}
