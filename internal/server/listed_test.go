package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSearchEnds: where the folder of runs has more folders than are searched, what is listed says so.
func TestSearchEnds(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "run")
	s := newSite(t, dir, nil)
	s.runs.MaxSearchedFolders = 20
	const warning = "The search for runs ended after 20 folders"
	if w := s.get("/"); strings.Contains(w, warning) || strings.Contains(s.get("/suites"), warning) {
		t.Error("the search did not end")
	}
	for i := range 20 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("%05d", i)), 0o777))
	}
	s.runs.ForgetListing()
	for _, page := range []string{"/", "/runs", "/suites"} {
		if text := s.get(page); !strings.Contains(text, warning) || !strings.Contains(text, "gavel carry merge") || strings.Contains(text, "here yet") {
			t.Errorf("%s does not say that the search ended", page)
		}
	}
	for _, list := range []string{"/api/v1/runs", "/api/v1/suites"} {
		var v struct {
			Ended string `json:"search_ended"`
		}
		if s.data(list, &v); !strings.HasPrefix(v.Ended, warning) {
			t.Errorf("%s: %+v", list, v)
		}
	}
	must(t, os.Remove(filepath.Join(dir, "00000")))
	s.runs.ForgetListing()
	if text := s.get("/runs"); strings.Contains(text, warning) || !strings.Contains(text, "1 of 1 runs") {
		t.Error("of 20 folders all are searched")
	}
}
