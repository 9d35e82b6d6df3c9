package cache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/ristretto/v2/z"
)

// Options for Open.
type Options struct {
	// Warn, unless nil, is called once each for unusable entries, a full disk, and a store that is given up.
	Warn func(format string, args ...any)
	// MinFree is the minimum of free space on the folder's disk, in bytes; default 256 MiB (see free.go).
	MinFree uint64
}

// Store is an open cache.
type Store struct {
	dir               string
	folderInfo        os.FileInfo  // dir when the database was opened
	mu                sync.RWMutex // held to renew db; readers and writers of the database share it
	db                *badger.DB
	opts              Options
	timeout           time.Duration                    // limit of one read, write or close of the database
	free              func(dir string) (uint64, error) // returns the free bytes on the disk
	lifetimeContext   context.Context                  // ends, with the reason, when the store must not be used any more
	end               context.CancelCauseFunc          // ends life
	warnOnEnd         sync.Once                        // for the warning that the store is no longer used
	hasWrites         atomic.Bool                      // the database was written to since db was opened
	bytesSinceRenewal atomic.Int64                     // bytes written since db was opened
	warned            sync.Map                         // kinds of warnings given; see warnOnce
}

// errLocked reports, wrapped by Open, that another process has the cache open.
var errLocked = errors.New("in use by another gavel")

// reopenAfterBytes limits the bytes written before the database is closed and reopened. Badger writes its files through
// memory maps, so everything written counts as this process's memory until then.
const reopenAfterBytes = 8 << 20

// manyTables is the number of unmerged tables above which Close merges all, unless there are more merged ones: a large
// cache is not merged repeatedly. Each table costs a filter lookup of 0.1 µs for every unknown key.
const manyTables = 128

// Open opens the cache in dir and makes the folder if it is missing.
func Open(dir string, opts Options) (*Store, error) {
	if opts.MinFree == 0 {
		opts.MinFree = defaultMinFree
	}
	if opts.Warn == nil {
		opts.Warn = func(string, ...any) {}
	}
	if err := checkNotGivenUp(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cache: %w; name another folder with --cache, or use --no-cache", err)
	}
	if free, err := freeSpace(dir); err == nil && free < opts.MinFree {
		return nil, &DiskFullError{Dir: dir, Free: free, Need: opts.MinFree}
	}
	s := &Store{dir: dir, opts: opts, timeout: badgerCallTimeout, free: freeSpace}
	s.lifetimeContext, s.end = context.WithCancelCause(context.Background())
	if err := s.callBadger(openTimeoutFactor*s.timeout, s.open); err != nil {
		return nil, openError(dir, err)
	}
	return s, nil
}

// openTimeoutFactor sets the time limit for opening, in multiples of that for a write: all tables may have to be read.
const openTimeoutFactor = 10

// open opens the database, and closes it again if the store was given up in the meantime.
func (s *Store) open() error {
	if err := moveAside(s.dir, s.opts.Warn); err != nil {
		return err
	}
	db, err := badger.Open(badgerOptions(s.dir))
	if err != nil && strings.Contains(err.Error(), z.NewFile.Error()) {
		// A killed process had just created an empty log. The first attempt has repaired it.
		db, err = badger.Open(badgerOptions(s.dir))
	}
	if err != nil {
		return err
	}
	if why := s.endReason(); why != nil {
		db.Close()
		return why
	}
	s.folderInfo, _ = os.Stat(s.dir)
	s.db = db
	s.hasWrites.Store(false)
	return nil
}

// badgerOptions returns options for a small, fast store: entries of one or two kilobytes, already compressed, open for
// a second at a time, in a process that stays small however much it writes:
//
//   - Tables are not merged during a run; they stay at level 0 in any number (see
//     [Store.Close]). Keys are hashes, so every merge would rewrite everything, in
//     buffers and mapped files.
//   - A key that a table's filter does not exclude is looked up there, which maps
//     a part of the file. At Badger's false-positive rate of 1 %, some dozens of
//     tables and 100,000 new keys would bring all tables into memory.
//   - The checksum of a long value is checked before its lengths, which Badger
//     trusts: a misplaced value is a miss, not a panic. Blocks of tables are not
//     checked: our values have checksums of their own, several per block.
//   - The memory table is small. A value may not exceed 15% of it; one above the
//     threshold goes to the value log instead.
func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithSyncWrites(false). // the records of a run are the safe copy
		WithCompression(options.None).
		WithBlockCacheSize(0). // only useful with compression or encryption
		WithIndexCacheSize(0). // the same
		WithMemTableSize(2 << 20).
		WithValueThreshold(256 << 10).
		WithNumMemtables(1).
		WithBloomFalsePositive(1e-9). // amounts to 30 bits per key, 5e-7
		WithValueLogFileSize(64 << 20).
		WithNumCompactors(0).
		WithNumLevelZeroTablesStall(math.MaxInt).
		WithDetectConflicts(false).
		WithVerifyValueChecksum(true).
		WithCompactL0OnClose(false)
}

// openError returns the error for a cache that Badger cannot open, with advice.
func openError(dir string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case strings.Contains(text, "Cannot acquire directory lock") || strings.Contains(text, "Another process is using"):
		return fmt.Errorf("cache %s is %w: wait for it to end, name another folder with --cache, or use --no-cache",
			dir, errLocked)
	case errors.Is(err, ErrStoreGivenUp):
		return fmt.Errorf("cache %s: %w", dir, err)
	case readOnlyMessage.MatchString(text): // Badger's errors do not unwrap
		return fmt.Errorf("cache %s: %s: name a folder you may write to with --cache, or use --no-cache", dir, text)
	}
	return fmt.Errorf("cache %s cannot be opened (%s): "+
		"remove the folder to start a new one, or name another with --cache", dir, text)
}

// readOnlyMessage matches the texts of Badger's errors for a folder that may not be written to.
var readOnlyMessage = regexp.MustCompile(`(?i)permission denied|read-only file system|access is denied`)

// Close writes the content in memory to disk and releases the folder. It merges tables if many have accumulated. On a
// full disk it does neither, see [ErrDiskFull]. It does not close a store that was given up, see [ErrStoreGivenUp].
func (s *Store) Close() error {
	err := s.callBadger(s.mergeTimeout(), s.close)
	// A store that failed to renew is closed already.
	if err == nil || s.endReason() != nil && !errors.Is(err, ErrStoreGivenUp) {
		return nil
	}
	return fmt.Errorf("cache %s: %w", s.dir, err)
}

// close checks the folder and the free space, merges tables if there are many, and closes the database.
func (s *Store) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db.IsClosed() {
		return nil
	}
	if err := s.checkFolder(); err != nil {
		return err
	}
	if free, ok := s.hasFreeSpace(MinFreeToClose); !ok && s.hasWrites.Load() {
		return fmt.Errorf("%w (%d MiB left): it stays open; "+
			"its latest entries are in its log, which the next gavel reads", ErrDiskFull, free>>20)
	}
	s.mergeTables()
	return s.db.Close()
}

// mergeTimeout returns the time limit for a merge of all tables.
func (s *Store) mergeTimeout() time.Duration {
	return s.timeout + time.Duration(folderSize(s.dir)/mergeBytesPerSecond)*time.Second
}

// mergeTables merges the tables, unless one is damaged or there is no free space: Badger merges in goroutines of its
// own, where it may panic.
func (s *Store) mergeTables() {
	levels := s.db.Levels()
	merged := 0
	for _, l := range levels[1:] {
		merged += l.NumTables
	}
	if levels[0].NumTables > max(manyTables, merged) && s.checkMergeSpace() == nil && s.verify() == nil {
		s.db.Flatten(1) // if it fails, the tables are still there
	}
}

// reopenDatabase closes and reopens the database, which frees memory. If another gavel takes the folder in between, the
// use of this store ends.
func (s *Store) reopenDatabase() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytesSinceRenewal.Load() < reopenAfterBytes {
		return nil // another goroutine just did
	}
	s.bytesSinceRenewal.Store(0)
	err := s.db.Close()
	if err == nil && s.endReason() == nil {
		err = s.open()
	}
	if err != nil {
		return s.warnAndEnd(fmt.Errorf("opening it again: %w", err))
	}
	return s.endReason()
}

// warnOnce warns unless there was a warning of this kind.
func (s *Store) warnOnce(kind, format string, args ...any) {
	if _, repeated := s.warned.LoadOrStore(kind, true); !repeated {
		s.opts.Warn(format, args...)
	}
}

// Get returns the entry with a key, and whether there is one. An unreadable value counts as missing.
func (s *Store) Get(key [sha256.Size]byte) (Entry, bool) {
	var value []byte
	err := s.callBadger(s.timeout, func() (err error) {
		value, err = s.read(key)
		return err
	})
	var e Entry
	if err == nil {
		e, err = decode(key[:], value)
	}
	switch {
	case err == nil:
		return e, true
	case errors.Is(err, badger.ErrKeyNotFound), errors.Is(err, badger.ErrDBClosed), s.endReason() != nil: // finish warned
	case errors.Is(err, errOlder):
		s.warnOnce("older", "cache %s: replies of an older gavel are requested again (\"gavel cache prune\" removes them)",
			s.dir)
	default:
		s.warnOnce("damaged", "cache %s: damaged replies are requested again (%v; \"gavel cache prune\" removes them)",
			s.dir, err)
	}
	return Entry{}, false
}

func (s *Store) read(key [sha256.Size]byte) (value []byte, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	err = s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key[:])
		if err == nil {
			value, err = item.ValueCopy(nil)
		}
		return err
	})
	return value, err
}
