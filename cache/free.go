package cache

import (
	"errors"
	"fmt"
)

// Badger writes its files through memory maps, over holes in them. Where the disk has no free space to fill a hole, the
// system ends the whole process with SIGBUS, which Go cannot catch, in goroutines of Badger's own
// (github.com/dgraph-io/badger/issues/1682 and 1801). So it is made to write only where there is free space by far:
// everything that writes asks first.

// defaultMinFree is what must be left of the disk to remember replies. It is far
// more than one write takes, since others write there too.
const defaultMinFree = 256 << 20

// CloseNeeds is what must be left to close a database that was written to, or to
// open one without writing to it: what is in memory becomes a table of 2 MiB.
const CloseNeeds = 32 << 20

// ErrDiskFull is wrapped by the error of [Store.Close] where the disk is too full to close the database. It stays open
// and can be closed later. If the process ends first nothing is lost: what was not written to a table is in a log that
// the next one reads.
var ErrDiskFull = errors.New("the disk is nearly full")

// DiskFullError is what [Open] says of a disk that is too full.
type DiskFullError struct {
	Dir        string
	Free, Need uint64 // bytes
}

func (e *DiskFullError) Error() string {
	return fmt.Sprintf("cache %s: the disk has %d MiB left, the cache needs %d: "+
		"free some space, name another folder with --cache, or use --no-cache", e.Dir, e.Free>>20, e.Need>>20)
}

// freeFor tells whether so many bytes are left on the cache's disk, and how many
// there are. A disk that does not tell has enough.
func (s *Store) freeFor(need uint64) (free uint64, ok bool) {
	free, err := s.free(s.dir)
	return free, err != nil || free >= need
}

// freeToMerge tells whether all tables can be written anew beside the old ones.
func (s *Store) freeToMerge() error {
	need := uint64(folderSize(s.dir)) + CloseNeeds
	if free, ok := s.freeFor(need); !ok {
		return fmt.Errorf("cache %s: to remove entries, what is left is written anew: that takes %d MiB, "+
			"and the disk has %d: free some space, or remove the folder, and what it holds is asked again",
			s.dir, need>>20, free>>20)
	}
	return nil
}
