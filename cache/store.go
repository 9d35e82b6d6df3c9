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
	// Warn is told of entries that cannot be used, of a disk that is full and of
	// a store that is given up, each once. May be nil.
	Warn func(format string, args ...any)
	// MinFree is how much space must be left on the disk of the folder, in bytes; default 256 MiB (see free.go).
	MinFree uint64
}

// Store is an open cache.
type Store struct {
	dir       string
	folder    os.FileInfo
	mu        sync.RWMutex // renewing db; readers and writers of the database share it
	db        *badger.DB
	opts      Options
	timeout   time.Duration                    // of one read, write or closing of the database
	free      func(dir string) (uint64, error) // space on the disk
	life      context.Context                  // ends with the use of the store, before it is closed
	end       context.CancelCauseFunc
	said      sync.Once    // why it ended
	wrote     atomic.Bool  // since db was opened
	unrenewed atomic.Int64 // bytes written since db was opened
	warned    sync.Map
}

// errLocked is wrapped by Open's error when another process has the cache open.
var errLocked = errors.New("in use by another gavel")

// renewAfter is how many bytes may be written before the database is closed and opened again. Badger maps its files
// into memory and writes them through the map, so all that was written would count as this process's memory; closing
// lets go of it.
const renewAfter = 8 << 20

// manyTables is how many tables may lie unmerged, or as many as are merged if that is more, so that a large cache is
// not merged over and over. Each costs a look at its filter for every key that is not known: 0.1 µs.
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
	s := &Store{dir: dir, opts: opts, timeout: defaultTimeout, free: freeSpace}
	s.life, s.end = context.WithCancelCause(context.Background())
	if err := s.within(openingTakes*s.timeout, s.open); err != nil {
		return nil, openError(dir, err)
	}
	return s, nil
}

// openingTakes is how many times as long as a write the opening may take: it may have to read all tables.
const openingTakes = 10

// open opens the database, and lets go of it where that took so long that nobody waits for it.
func (s *Store) open() error {
	if err := moveAside(s.dir, s.opts.Warn); err != nil {
		return err
	}
	db, err := badger.Open(badgerOptions(s.dir))
	if err != nil && strings.Contains(err.Error(), z.NewFile.Error()) {
		// A process that was killed had just begun a log, which is empty: the first try has made it one that opens.
		db, err = badger.Open(badgerOptions(s.dir))
	}
	if err != nil {
		return err
	}
	if why := s.ended(); why != nil {
		db.Close()
		return why
	}
	s.folder, _ = os.Stat(s.dir)
	s.db = db
	s.wrote.Store(false)
	return nil
}

// badgerOptions are for a small, quick store: entries of one or two kilobytes that are already compressed, opened for a
// second at a time; and for a process that stays small however much is written:
//
//   - Tables are not merged while a run is on, they wait at level 0 in whatever
//     number (see [Store.Close]): keys are hashes, so every merge is of
//     everything, in buffers and in files mapped.
//   - A key that a table's filter does not rule out is looked up there, which
//     maps a piece of the file. At Badger's one false alarm in a hundred, some
//     dozens of tables and 100,000 new keys, all of them end up in memory.
//   - The checksum of a long value is looked at before its lengths, which Badger
//     trusts: one that lies elsewhere by now is a miss, not a panic. Blocks of
//     tables are read as they are: the checksums of our values tell more, of
//     which a block has several.
//   - The memory table is small. A value may not be longer than 15% of it; one
//     above the threshold goes to the value log instead.
func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).
		WithMetricsEnabled(false).
		WithSyncWrites(false). // the records of a run are the safe copy
		WithCompression(options.None).
		WithBlockCacheSize(0). // only of use with compression or encryption
		WithIndexCacheSize(0). // the same
		WithMemTableSize(2 << 20).
		WithValueThreshold(256 << 10).
		WithNumMemtables(1).
		WithBloomFalsePositive(1e-9). // comes out as 30 bits a key, 5e-7
		WithValueLogFileSize(64 << 20).
		WithNumCompactors(0).
		WithNumLevelZeroTablesStall(math.MaxInt).
		WithDetectConflicts(false).
		WithVerifyValueChecksum(true).
		WithCompactL0OnClose(false)
}

func openError(dir string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case strings.Contains(text, "Cannot acquire directory lock") || strings.Contains(text, "Another process is using"):
		return fmt.Errorf("cache %s is %w: wait for it to end, name another folder with --cache, or use --no-cache",
			dir, errLocked)
	case errors.Is(err, ErrGivenUp):
		return fmt.Errorf("cache %s: %w", dir, err)
	case readOnly.MatchString(text): // Badger's errors do not unwrap
		return fmt.Errorf("cache %s: %s: name a folder you may write to with --cache, or use --no-cache", dir, text)
	}
	return fmt.Errorf("cache %s cannot be opened (%s): "+
		"remove the folder to start a new one, or name another with --cache", dir, text)
}

var readOnly = regexp.MustCompile(`(?i)permission denied|read-only file system|access is denied`)

// Close writes what is in memory to disk and releases the folder. Where many tables have piled up, it merges them. On a
// disk that is full it does neither, see [ErrDiskFull]. A store that was given up is not closed, see [ErrGivenUp].
func (s *Store) Close() error {
	err := s.within(s.mergeTakes(), s.shut)
	if err == nil || s.ended() != nil && !errors.Is(err, ErrGivenUp) { // one that could not be renewed is closed
		return nil
	}
	return fmt.Errorf("cache %s: %w", s.dir, err)
}

func (s *Store) shut() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db.IsClosed() {
		return nil
	}
	if err := s.checkFolder(); err != nil {
		return err
	}
	if free, ok := s.freeFor(CloseNeeds); !ok && s.wrote.Load() {
		return fmt.Errorf("%w (%d MiB left): it is not closed; "+
			"what it was told last is in its log, and read the next time", ErrDiskFull, free>>20)
	}
	s.merge()
	return s.db.Close()
}

// mergeTakes is how long a merge of all tables may take.
func (s *Store) mergeTakes() time.Duration {
	return s.timeout + time.Duration(folderSize(s.dir)/mergedASecond)*time.Second
}

// merge leaves everything as it is if a table is damaged, or there is no free space:
// Badger merges in goroutines of its own, where it may panic.
func (s *Store) merge() {
	levels := s.db.Levels()
	merged := 0
	for _, l := range levels[1:] {
		merged += l.NumTables
	}
	if levels[0].NumTables > max(manyTables, merged) && s.freeToMerge() == nil && s.sound() == nil {
		s.db.Flatten(1) // if it fails, the tables are still there
	}
}

// renew closes the database and opens it again. Another gavel can take the
// folder in between, which ends the remembering for this one.
func (s *Store) renew() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unrenewed.Load() < renewAfter {
		return nil // someone else just did
	}
	s.unrenewed.Store(0)
	err := s.db.Close()
	if err == nil && s.ended() == nil {
		err = s.open()
	}
	if err != nil {
		return s.finish(fmt.Errorf("opening it again: %w", err))
	}
	return s.ended()
}

func (s *Store) warnOnce(kind, format string, args ...any) {
	if _, again := s.warned.LoadOrStore(kind, true); !again {
		s.opts.Warn(format, args...)
	}
}

// Get looks a key up. Whatever cannot be read is a miss.
func (s *Store) Get(key [sha256.Size]byte) (Entry, bool) {
	var value []byte
	err := s.within(s.timeout, func() (err error) {
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
	case errors.Is(err, badger.ErrKeyNotFound), errors.Is(err, badger.ErrDBClosed), s.ended() != nil: // finish says why
	case errors.Is(err, errOlder):
		s.warnOnce("older", "cache %s: entries of an older gavel are asked again (\"gavel cache prune\" removes them)", s.dir)
	default:
		s.warnOnce("damaged", "cache %s: damaged entries are asked again (%v; \"gavel cache prune\" removes them)",
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
