package cache

import (
	"errors"
	"fmt"
)

// Badger writes its files through memory maps, over holes in them. If the disk has no space to fill a hole, the system
// ends the process with SIGBUS in one of Badger's goroutines, which Go cannot catch
// (github.com/dgraph-io/badger/issues/1682 and 1801). Every writer therefore first checks for ample free space.

// defaultMinFree is the free space on the disk, in bytes, below which no reply is stored. It is far more than one write
// needs, since other programs write to the disk, too.
const defaultMinFree = 256 << 20

// MinFreeToClose is the free space on the disk, in bytes, that is needed to close a database after writes, or to open
// one for reading: the content in memory becomes a table of 2 MiB.
const MinFreeToClose = 32 << 20

// ErrDiskFull reports, wrapped by [Store.Close], that the disk is too full to close the database. The database stays
// open and can be closed later. If the process ends first, nothing is lost: a log, which the next process reads,
// has everything not yet in a table.
var ErrDiskFull = errors.New("the disk is nearly full")

// DiskFullError is the error of [Open] for a disk that is too full.
type DiskFullError struct {
	Dir        string
	Free, Need uint64 // bytes free on the disk, and bytes needed
}

func (e *DiskFullError) Error() string {
	return fmt.Sprintf("cache %s: the disk has %d MiB left, the cache needs %d: "+
		"free some space, name another folder with --cache, or use --no-cache", e.Dir, e.Free>>20, e.Need>>20)
}

// hasFreeSpace returns the free bytes on the cache's disk, and whether there are at least need of them. A disk that
// does not report its space counts as sufficient.
func (s *Store) hasFreeSpace(need uint64) (free uint64, ok bool) {
	free, err := s.free(s.dir)
	return free, err != nil || free >= need
}

// checkMergeSpace returns an error unless all tables can be rewritten next to the old ones.
func (s *Store) checkMergeSpace() error {
	need := uint64(folderSize(s.dir)) + MinFreeToClose
	if free, ok := s.hasFreeSpace(need); !ok {
		return fmt.Errorf("cache %s: removing entries rewrites the rest, which takes %d MiB, "+
			"and the disk has %d: free some space, or remove the folder (its replies are then requested again)",
			s.dir, need>>20, free>>20)
	}
	return nil
}
