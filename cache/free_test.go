package cache

import (
	"errors"
	"math"
	"testing"

	"gotest.tools/v3/assert"
)

// free returns a disk with the given free space.
func free(bytes uint64) func(string) (uint64, error) {
	return func(string) (uint64, error) { return bytes, nil }
}

// A database that was written to is not closed on a full disk, goes on being
// read, and is closed when there is free space. The run goes on without being remembered.
func TestFullDiskIsNotWrittenTo(t *testing.T) {
	dir := t.TempDir()
	s, w := open(t, dir)
	put(t, s, "before", entry("before"))
	s.free = free(1)
	s.opts.MinFree = 2
	assert.ErrorIs(t, s.Put(Key(request("late")), entry("late")), ErrDiskFull)
	c := CachingClient(fixedJudge(verdict), s, false)
	for range 3 {
		assert.Assert(t, !ask(t, c, request("late")).Cached)
	}
	w.once(t, "the disk is nearly full", dir)
	err := s.Close()
	assert.ErrorIs(t, err, ErrDiskFull)
	assert.ErrorContains(t, err, dir)
	assert.Assert(t, !s.db.IsClosed() && holds(s, "before"))
	s.free = freeSpace
	put(t, s, "after", entry("after"))
	shut(t, s)
	s, _ = open(t, dir)
	assert.Assert(t, holds(s, "before") && holds(s, "after") && !s.CanAnswer(request("late")))
	s.free = free(1)
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
	s, _ := open(t, t.TempDir())
	put(t, s, "q", entry("q"))
	all := func(Entry) bool { return true }
	s.free = free(uint64(folderSize(s.dir)) + MinFreeToClose - 1)
	n, err := s.RemoveEntries(t.Context(), all)
	assert.ErrorContains(t, err, "remove the folder")
	assert.Assert(t, n == 0 && holds(s, "q"))
	n, err = s.RemoveEntries(t.Context(), func(Entry) bool { return false })
	assert.Assert(t, n == 0 && err == nil, "nothing to prune: %d, %v", n, err)
	s.free = freeSpace
	n, err = s.RemoveEntries(t.Context(), all)
	assert.Assert(t, n == 1 && err == nil, "%d pruned: %v", n, err)
}

func TestTablesAreNotMergedOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	unmergedCache(t, dir, manyTables+1)
	s, _ := open(t, dir)
	before := len(s.db.Tables())
	s.free = free(MinFreeToClose)
	shut(t, s)
	s, _ = open(t, dir)
	assert.Equal(t, len(s.db.Tables()), before)
}
