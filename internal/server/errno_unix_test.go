//go:build unix

package server

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gavel/judging"
)

// What could not be read for a moment, as no more files could be opened, is read by the next look.
func TestNumbersAreLookedForAgain(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "a")
	must(t, os.Remove(filepath.Join(dir, "a", judging.ResultsFile)))
	s := newSite(t, dir, nil)
	var was syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	f, err := os.Open(dir) // the lowest number that is free
	must(t, err)
	free := f.Fd()
	f.Close()
	for more := range 6 {
		limit := was
		limit.Cur = uint64(free) + uint64(more)
		must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
		w := s.ask("GET", "/runs/a/results.csv", "")
		must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
		t.Log(more, w.Code)
	}
	if w := s.ask("GET", "/runs/a/results.csv", ""); w.Code != 200 {
		t.Errorf("with files to spare: %d %s", w.Code, textOf(parse(t, w.Body.String())))
	}
}
