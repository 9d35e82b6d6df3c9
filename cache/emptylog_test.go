package cache

import (
	"gavel/backends"
	"os"
	"path/filepath"
	"testing"
)

// TestEmptyLog: a process that is killed while it begins a log leaves an empty one, with which the cache still opens.
func TestEmptyLog(t *testing.T) {
	dir := t.TempDir()
	key := [32]byte{1}
	s, err := Open(dir, Options{MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Put(key, Entry{Response: backends.Response{Text: "A", Finish: backends.Stop}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "000081.vlog"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(dir, Options{MinFree: 1}); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Get(key); !ok {
		t.Error("what was in the cache is gone")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
