package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlowListIsKept: a list that took long is shown again while a new one is made, but not after a run was deleted, and
// not once it is old.
func TestSlowListIsKept(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "a"), making{protocol: "pairwise", dataset: "sample", sim: "right"})
	var past atomic.Int64 // of the tests' clock
	s := newSite(t, dir, func(o *Options) { o.Now = func() time.Time { return begun.Add(time.Duration(past.Load())) } })
	n := 0
	shown := func(took, ago time.Duration) int {
		t.Helper()
		n++
		copyRun(t, filepath.Join(dir, "a"), filepath.Join(dir, string(rune('a'+n))), "sample")
		past.Add(int64(time.Minute)) // the folders are looked at again
		s.listing.mu.Lock()
		s.listing.took, s.listing.at = took, s.now().Add(-ago)
		s.listing.mu.Unlock()
		rows, err := s.rows(t.Context())
		must(t, err)
		return len(rows)
	}
	if got := shown(0, 0); got != 2 {
		t.Errorf("of 2 runs %d are shown", got)
	}
	if got := shown(time.Millisecond, 0); got != 3 {
		t.Errorf("of 3 runs %d are shown, though the list is quickly made", got)
	}
	if got := shown(time.Second, 0); got != 3 {
		t.Errorf("%d runs are shown: the list was made anew", got)
	}
	if got := shown(time.Second, keptList*time.Second+time.Second); got != 3 {
		t.Errorf("%d runs are shown: somebody waited for the new list", got)
	}
	for { // until the new one is there
		s.listing.mu.Lock()
		got, going := len(s.listing.rows), s.listing.going
		s.listing.mu.Unlock()
		if !going {
			if got != 5 {
				t.Errorf("the list that was made beside has %d runs of 5", got)
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	if got := shown(time.Second, 2*oldList); got != 6 {
		t.Errorf("of 6 runs %d are shown: the list is old", got)
	}
	s.runs.Forget()
	if got := shown(time.Second, 0); got != 7 {
		t.Errorf("of 7 runs %d are shown after something was deleted", got)
	}
}

// TestSearchEnds: where the folder of runs has more folders than are searched, what is listed says so.
func TestSearchEnds(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), making{protocol: "pairwise", dataset: "sample", sim: "right"})
	s := newSite(t, dir, nil)
	s.runs.Most = 20
	const said = "The search for runs ended after 20 folders"
	if w := s.get("/"); strings.Contains(w, said) || strings.Contains(s.get("/suites"), said) {
		t.Error("the search did not end")
	}
	for i := range 20 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("%05d", i)), 0o777))
	}
	s.runs.Forget()
	for _, page := range []string{"/", "/suites"} {
		if text := s.get(page); !strings.Contains(text, said) || !strings.Contains(text, "gavel merge") || strings.Contains(text, "here yet") {
			t.Errorf("%s does not say that the search ended", page)
		}
	}
	for _, list := range []string{"/api/v1/runs", "/api/v1/suites"} {
		var v struct {
			Ended string `json:"search_ended"`
		}
		if s.data(list, &v); !strings.HasPrefix(v.Ended, said) {
			t.Errorf("%s: %+v", list, v)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "00000")))
	s.runs.Forget()
	if text := s.get("/"); strings.Contains(text, said) || !strings.Contains(text, "1 of 1 runs") {
		t.Error("of 20 folders all are searched")
	}
}
