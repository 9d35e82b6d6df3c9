package server

import (
	"net/http"
	"net/url"
	"strings"

	"gavel/internal/server/failure"
	"gavel/internal/server/store"
)

// elsewhere is where a page stands that was asked for under an address of nearly the same words: with a slash at its end,
// or with the name of a run or a suite written as a path, as people type it. ok is false where there is none.
func (s *Server) elsewhere(r *http.Request, err error) (to string, ok bool) {
	if status := failure.Status(err); r.Method != http.MethodGet && r.Method != http.MethodHead || status != http.StatusNotFound && status != http.StatusUnprocessableEntity {
		return "", false
	}
	at := r.URL.EscapedPath()
	if to = strings.TrimRight(at, "/"); to == "/runs" || to == "/api/v1/runs" {
		if to == "/runs" {
			to = "/"
		}
	} else if named, is := s.named(to); is {
		to = named
	}
	if to == "" || to == at || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n") {
		return "", false
	}
	if r.URL.RawQuery != "" {
		to += "?" + r.URL.RawQuery
	}
	return to, true
}

// named is the path of a page of a run or suite whose name was written as a path; the longest name that there is counts.
func (s *Server) named(at string) (to string, ok bool) {
	for prefix, is := range map[string]func(name string) bool{
		"/runs/":          func(name string) bool { _, err := s.runs.Manifest(name); return err == nil },
		"/api/v1/runs/":   func(name string) bool { _, err := s.runs.Manifest(name); return err == nil },
		"/suites/":        func(name string) bool { _, err := s.runs.Suite(name); return err == nil },
		"/api/v1/suites/": func(name string) bool { _, err := s.runs.Suite(name); return err == nil },
	} {
		rest, under := strings.CutPrefix(at, prefix)
		if !under {
			continue
		}
		parts := strings.Split(rest, "/")
		for n := min(len(parts), store.MaxDepth); n > 1; n-- {
			name, err := url.PathUnescape(strings.Join(parts[:n], "/"))
			if err == nil && is(name) {
				return prefix + strings.Join(append([]string{escaped(name)}, parts[n:]...), "/"), true
			}
		}
	}
	return "", false
}
