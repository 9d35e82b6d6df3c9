//go:build unix

package server

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// The store never opens a pipe under the name of a run's file: it would wait for a writer, and the whole list with it.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{judging.ManifestFile, scoring.SuiteRunsFile} {
		folder := filepath.Join(dir, "with-"+file)
		write(t, filepath.Join(folder, "note.txt"), "")
		if err := syscall.Mkfifo(filepath.Join(folder, file), 0o600); err != nil {
			t.Skip("no pipes here: ", err)
		}
	}
	s := newSite(t, dir, nil)
	mustContain(t, s.get("/"), "with-run.json")
	mustContain(t, s.get("/suites"), "with-suite.json", "is not a regular file")
	if w := s.ask("GET", "/runs/with-run.json", ""); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "is not a regular file") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
