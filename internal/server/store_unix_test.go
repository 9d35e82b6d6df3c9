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

// A pipe under the name of a run's file is opened by nobody: that would wait for
// somebody to write to it, and keep the whole list waiting.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{judging.ManifestFile, scoring.SuiteFile} {
		at := filepath.Join(dir, "with-"+file)
		write(t, filepath.Join(at, "note.txt"), "")
		if err := syscall.Mkfifo(filepath.Join(at, file), 0o600); err != nil {
			t.Skip("no pipes here: ", err)
		}
	}
	s := newSite(t, dir, nil)
	says(t, s.get("/"), "with-run.json")
	says(t, s.get("/suites"), "with-suite.json", "is not a regular file")
	if w := s.ask("GET", "/runs/with-run.json", ""); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "is not a regular file") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
