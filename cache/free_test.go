package cache

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// A database that was written to is not closed on a full disk, goes on being
// read, and is closed when there is free space.
func TestFullDiskIsNotWrittenTo(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	put(t, s, "before", entry("x"))
	s.free = func(string) (uint64, error) { return 1, nil }
	s.opts.MinFree = 2
	if err := s.Put(Key(request("late")), entry("x")); !errors.Is(err, ErrDiskFull) {
		t.Errorf("stored: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrDiskFull) || s.db.IsClosed() || !strings.Contains(err.Error(), dir) {
		t.Errorf("closed: %v", err)
	}
	if !s.Peek(request("before")) {
		t.Error("what was remembered is not found")
	}
	s.free = freeSpace
	put(t, s, "after", entry("x"))
	shut(t, s)
	s, _ = open(t, dir)
	if !s.Peek(request("before")) || !s.Peek(request("after")) || s.Peek(request("late")) {
		t.Error("it does not hold what was stored")
	}
	s.free = func(string) (uint64, error) { return 1, nil }
	shut(t, s) // nothing was written to it
}

// A disk that cannot say how much is left is written to.
func TestDiskThatDoesNotTell(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.free = func(string) (uint64, error) { return 0, errors.New("not here") }
	s.opts.MinFree = math.MaxUint64
	put(t, s, "q", entry("x"))
	shut(t, s)
}

// To prune and to merge takes the space of all that is kept, beside it.
func TestNoSpaceToMerge(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	put(t, s, "q", entry("x"))
	size := uint64(folderSize(dir))
	s.free = func(string) (uint64, error) { return size + CloseNeeds - 1, nil }
	n, err := s.Prune(t.Context(), func(Entry) bool { return true })
	if err == nil || n != 0 || !s.Peek(request("q")) || !strings.Contains(err.Error(), "remove the folder") {
		t.Errorf("%d pruned: %v", n, err)
	}
	if n, err := s.Prune(t.Context(), func(Entry) bool { return false }); n != 0 || err != nil {
		t.Errorf("nothing to prune: %d, %v", n, err)
	}
	s.free = freeSpace
	if n, err := s.Prune(t.Context(), func(Entry) bool { return true }); n != 1 || err != nil {
		t.Errorf("%d pruned: %v", n, err)
	}
}

func TestTablesAreNotMergedOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	piledTooMany(t, dir)
	s, _ := open(t, dir)
	before := len(s.db.Tables())
	s.free = func(string) (uint64, error) { return CloseNeeds, nil }
	shut(t, s)
	s, _ = open(t, dir)
	if n := len(s.db.Tables()); n != before {
		t.Errorf("%d tables, then %d", before, n)
	}
}
