package server

import (
	"net/http"
	"strings"
	"testing"
)

// Addresses as people type them lead to the page they mean, and no further than this site.
func TestAddressesAsTheyAreTyped(t *testing.T) {
	s := newSite(t, judges(t), nil)
	for target, want := range map[string]string{
		"/runs": "/", "/runs/": "/", "/runs?q=good": "/?q=good", "/runs/good/": "/runs/good", "/runs/good/items/?show=wrong": "/runs/good/items?show=wrong",
		"/runs/suite/first": "/runs/suite%2Ffirst", "/runs/suite/first/": "/runs/suite%2Ffirst", "/runs/suite/first/items": "/runs/suite%2Ffirst/items",
		"/runs/suite%2Ffirst/": "/runs/suite%2Ffirst", "/runs/suite/first/items/sample-math-01": "/runs/suite%2Ffirst/items/sample-math-01",
		"/suites/": "/suites", "/compare/?a=good&b=other": "/compare?a=good&b=other",
		"/api/v1/runs/suite/first/status": "/api/v1/runs/suite%2Ffirst/status", "/api/v1/runs/": "/api/v1/runs",
	} {
		w := s.ask("GET", target, "")
		if to := w.Header().Get("Location"); w.Code != http.StatusFound || to != want {
			t.Errorf("%s: %d to %q, want %q", target, w.Code, to, want)
			continue
		}
		if to := s.ask("GET", want, ""); to.Code != 200 {
			t.Errorf("%s leads to %s: %d", target, want, to.Code)
		}
	}
	for _, target := range []string{"/runs/none", "/runs/suite/none", "/runs/good/none/x", "/none", "//evil.example/", "/%5cevil.example/", "/\\evil.example/", "/runs/..%2f..%2fetc/"} {
		for range 5 {
			w := s.ask("GET", target, "")
			to := w.Header().Get("Location")
			if w.Code == 404 {
				break
			}
			if w.Code/100 != 3 || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.HasPrefix(to, "/\\") || to == target {
				t.Fatalf("%s: %d to %q", target, w.Code, to)
			}
			target = to
		}
	}
	if w := s.ask("POST", "/runs/good/about/", "name=x", header("Content-Type", "application/x-www-form-urlencoded")); w.Code/100 == 3 {
		t.Errorf("what is sent is led elsewhere: %d", w.Code)
	}
}
