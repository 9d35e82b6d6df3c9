// Package cache remembers what judges answered: a backends.Client around a
// backends.Client, over a Badger database.
//
// The key is a SHA-256 over everything that can change a reply and nothing else
// (see [Key]). Only answers are kept; a failed call is none. A value that cannot
// be read is a miss, and asked again.
package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/klauspost/compress/s2"
	"golang.org/x/sync/singleflight"

	"gavel/backends"
)

// schema is part of every key and the first byte of every value. Raise it when
// the meaning of either changes: older entries are then misses.
const schema = 1

// Key is the SHA-256 of the request's JSON and the schema version: identity of
// backend and model, messages, sampling parameters, limits, context size and
// repeat index. Where the judge runs, how many run at once and how long they may
// take do not change a reply and are not in it.
func Key(req backends.Request) [sha256.Size]byte {
	messages := req.MessagesJSON()
	req.Messages = nil
	rest, err := json.Marshal(req)
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	h := sha256.New()
	h.Write([]byte{schema})
	h.Write(rest)
	h.Write(messages)
	return [sha256.Size]byte(h.Sum(nil))
}

// Entry is a value of the database.
type Entry struct {
	Model    string            `json:"model"`
	Created  time.Time         `json:"created"`
	Response backends.Response `json:"response"`
}

// Options for Open.
type Options struct {
	// Warn is told of entries that cannot be used and of a disk that is full,
	// each once. May be nil.
	Warn func(format string, args ...any)
	// MinFree is how much space must be left on the disk of the folder,
	// in bytes; default 256 MiB (see room.go).
	MinFree uint64
}

// Store is an open cache.
type Store struct {
	dir       string
	mu        sync.RWMutex // renewing db; readers and writers of the database share it
	db        *badger.DB
	opts      Options
	free      func(dir string) (uint64, error) // space on the disk
	gone      atomic.Bool                      // db could not be opened again
	wrote     atomic.Bool                      // since db was opened
	unrenewed atomic.Int64                     // bytes written since db was opened
	warned    sync.Map
}

// ErrLocked is wrapped by Open's error when another process has the cache open.
var ErrLocked = errors.New("in use by another gavel")

// renewAfter is how many bytes may be written before the database is closed and
// opened again. Badger maps its files into memory and writes them through the
// map, so all that was written would count as this process's memory; closing
// lets go of it.
const renewAfter = 8 << 20

// manyTables is how many tables may lie unmerged, or as many as are merged if
// that is more, so that a large cache is not merged over and over. Each costs
// a look at its filter for every key that is not known: 0.1 µs.
const manyTables = 128

// Open opens the cache in dir and makes the folder if it is missing.
func Open(dir string, opts Options) (*Store, error) {
	if opts.MinFree == 0 {
		opts.MinFree = defaultRoom
	}
	if opts.Warn == nil {
		opts.Warn = func(string, ...any) {}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cache: %w; name another folder with --cache, or use --no-cache", err)
	}
	if free, err := freeSpace(dir); err == nil && free < opts.MinFree {
		return nil, &NoRoomError{dir, free, opts.MinFree}
	}
	db, err := openBadger(dir, opts.Warn)
	if err != nil {
		return nil, openError(dir, err)
	}
	return &Store{dir: dir, db: db, opts: opts, free: freeSpace}, nil
}

func openBadger(dir string, warn func(format string, args ...any)) (*badger.DB, error) {
	lost, err := checkTables(dir)
	if err != nil {
		return nil, err
	}
	db, err := badger.Open(badgerOptions(dir))
	if err == nil && lost > 0 {
		warn("cache %s: its %s is damaged: %d of its tables are lost, and what they held is asked again", dir, badger.ManifestFilename, lost)
	}
	return db, err
}

// badgerOptions are for a small, quick store: entries of one or two kilobytes
// that are already compressed, opened for a second at a time; and for a process
// that stays small however much is written:
//
//   - Tables are not merged while a run is on, they wait at level 0 in whatever
//     number (see [Store.Close]): keys are hashes, so every merge is of
//     everything, in buffers and in files mapped.
//   - A key that a table's filter does not rule out is looked up there, which
//     maps a piece of the file. At Badger's one false alarm in a hundred, some
//     dozens of tables and 100,000 new keys, all of them end up in memory.
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
		WithCompactL0OnClose(false)
}

func openError(dir string, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	switch {
	case strings.Contains(text, "Cannot acquire directory lock") || strings.Contains(text, "Another process is using"):
		return fmt.Errorf("cache %s is %w: wait for it to end, name another folder with --cache, or use --no-cache", dir, ErrLocked)
	case readOnly.MatchString(text): // Badger's errors do not unwrap
		return fmt.Errorf("cache %s: %s: name a folder you may write to with --cache, or use --no-cache", dir, text)
	}
	return fmt.Errorf("cache %s cannot be opened (%s): remove the folder to start a new one, or name another with --cache", dir, text)
}

var readOnly = regexp.MustCompile(`(?i)permission denied|read-only file system|access is denied`)

// Close writes what is in memory to disk and releases the folder. Where many
// tables have piled up, it merges them. On a disk that is full it does neither,
// see [ErrNoRoom].
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if free, ok := s.roomFor(CloseRoom); !ok && s.wrote.Load() && !s.db.IsClosed() {
		return fmt.Errorf("cache %s: %w (%d MiB left): it is not closed; what it was told last is in its log, and read the next time", s.dir, ErrNoRoom, free>>20)
	}
	s.merge()
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("cache %s: closing: %w", s.dir, err)
	}
	return nil
}

// merge leaves everything as it is if a table is damaged, or there is no room:
// Badger merges in goroutines of its own, where it may panic.
func (s *Store) merge() {
	if s.db.IsClosed() {
		return
	}
	levels := s.db.Levels()
	merged := 0
	for _, l := range levels[1:] {
		merged += l.NumTables
	}
	if levels[0].NumTables > max(manyTables, merged) && s.roomToMerge() == nil && s.checksums() == nil {
		s.db.Flatten(1) // if it fails, the tables are still there
	}
}

func (s *Store) checksums() (err error) {
	defer guard(&err)
	if err := s.db.VerifyChecksum(); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
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
	if err == nil {
		var db *badger.DB
		if db, err = openBadger(s.dir, s.opts.Warn); err == nil {
			s.db = db
			s.wrote.Store(false)
			return nil
		}
	}
	s.gone.Store(true)
	return fmt.Errorf("opening it again: %w", err)
}

func (s *Store) warnOnce(kind, format string, args ...any) {
	if _, again := s.warned.LoadOrStore(kind, true); !again {
		s.opts.Warn(format, args...)
	}
}

// Get looks a key up. Whatever cannot be read is a miss.
func (s *Store) Get(key [sha256.Size]byte) (Entry, bool) {
	e, err := s.read(key)
	switch {
	case err == nil:
		return e, true
	case errors.Is(err, badger.ErrKeyNotFound), errors.Is(err, badger.ErrDBClosed): // renew says why
	case errors.Is(err, errOlder):
		s.warnOnce("older", "cache %s: entries of an older gavel are asked again (\"gavel cache prune\" removes them)", s.dir)
	default:
		s.warnOnce("damaged", "cache %s: damaged entries are asked again (%v; \"gavel cache verify\" lists them)", s.dir, err)
	}
	return Entry{}, false
}

func (s *Store) read(key [sha256.Size]byte) (e Entry, err error) {
	defer guard(&err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	err = s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key[:])
		if err != nil {
			return err
		}
		return item.Value(func(v []byte) error { e, err = decode(v); return err })
	})
	return e, err
}

// Put stores an answer. On a disk that is nearly full it stores nothing, and its
// error wraps ErrNoRoom.
func (s *Store) Put(key [sha256.Size]byte, e Entry) error {
	if s.gone.Load() {
		return nil
	}
	value, err := encode(e)
	if err != nil {
		return err
	}
	if free, ok := s.roomFor(s.opts.MinFree); !ok {
		return fmt.Errorf("%w: it has %d MiB left, the cache needs %d", ErrNoRoom, free>>20, s.opts.MinFree>>20)
	}
	if err := s.write(key, value); err != nil {
		return err
	}
	if s.unrenewed.Add(int64(len(value))) >= renewAfter {
		return s.renew()
	}
	return nil
}

func (s *Store) write(key [sha256.Size]byte, value []byte) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.wrote.Store(true)
	return s.db.Update(func(txn *badger.Txn) error { return txn.Set(key[:], value) })
}

var (
	errOlder   = errors.New("written by an older gavel")
	errDamaged = errors.New("damaged")
)

// A value is the schema byte, the CRC-32C of what follows it unpacked, and the
// entry's JSON as an S2 block. S2 rather than zstd: a reply is a kilobyte or
// two, and setting up zstd for one costs more than writing it.
const header = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxPlain bounds what a damaged length can make us allocate.
const maxPlain = 256 << 20

func encode(e Entry) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return seal(buf.Bytes()), nil
}

func seal(plain []byte) []byte {
	out := make([]byte, header, header+s2.MaxEncodedLen(len(plain)))
	out[0] = schema
	binary.LittleEndian.PutUint32(out[1:], crc32.Checksum(plain, castagnoli))
	return out[:header+len(s2.Encode(out[header:cap(out)], plain))]
}

func decode(v []byte) (Entry, error) {
	if len(v) == 0 {
		return Entry{}, fmt.Errorf("%w: empty value", errDamaged)
	}
	if v[0] != schema {
		return Entry{}, errOlder
	}
	if len(v) < header {
		return Entry{}, fmt.Errorf("%w: cut short", errDamaged)
	}
	if n, err := s2.DecodedLen(v[header:]); err != nil || n > maxPlain {
		return Entry{}, fmt.Errorf("%w: impossible length", errDamaged)
	}
	plain, err := s2.Decode(nil, v[header:])
	if err != nil {
		return Entry{}, fmt.Errorf("%w: %v", errDamaged, err)
	}
	if crc32.Checksum(plain, castagnoli) != binary.LittleEndian.Uint32(v[1:]) {
		return Entry{}, fmt.Errorf("%w: wrong checksum", errDamaged)
	}
	var e Entry
	if err := json.Unmarshal(plain, &e); err != nil {
		return Entry{}, fmt.Errorf("%w: %v", errDamaged, err)
	}
	switch e.Response.Finish {
	case backends.Stop, backends.Length, backends.TooLong, backends.Refused:
		return e, nil
	}
	return Entry{}, fmt.Errorf("%w: unknown end %q", errDamaged, e.Response.Finish)
}

var _ backends.Client = (*client)(nil)

type client struct {
	next   backends.Client
	store  *Store
	flight singleflight.Group
}

// Wrap returns a Client that asks next only for what it does not know, and
// only once for equal requests in flight.
func Wrap(next backends.Client, store *Store) backends.Client {
	return &client{next: next, store: store}
}

// outcome is what callers of equal requests share.
type outcome struct {
	resp backends.Response
	left bool // whoever asked gave up before there was an answer
}

func (c *client) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	s, key := c.store, Key(req)
	for {
		// The call runs under the context of whoever came first. If that one
		// gives up, the others ask for themselves. The store is looked at
		// inside, or a request that missed just before an equal one was stored
		// would be asked once more.
		mine := false
		v, err, _ := c.flight.Do(string(key[:]), func() (any, error) {
			mine = true
			if e, ok := s.Get(key); ok && usable(e, req) {
				e.Response.Cached = true
				return outcome{resp: e.Response}, nil
			}
			resp, err := c.next.Ask(ctx, req)
			if err != nil {
				return outcome{resp, ctx.Err() != nil}, err
			}
			err = s.Put(key, Entry{Model: req.Model, Created: time.Now().UTC().Truncate(time.Second), Response: resp})
			switch { // the run goes on: its records hold the replies
			case errors.Is(err, ErrNoRoom):
				s.warnOnce("full", "cache %s: until there is room, replies are not remembered: %v", s.dir, err)
			case err != nil:
				s.warnOnce("write", "cache %s: replies are not remembered: %v", s.dir, err)
			}
			return outcome{resp: resp}, nil
		})
		o := v.(outcome)
		if o.left && !mine && ctx.Err() == nil {
			continue
		}
		o.resp.Cached = o.resp.Cached || err == nil && !mine
		return o.resp, err
	}
}

// usable tells whether a remembered answer still holds. "Too long" was said by
// a server of a certain context: one that serves more is asked again.
func usable(e Entry, req backends.Request) bool {
	return e.Response.Finish != backends.TooLong || e.Response.Context >= req.Context
}

// Peek tells whether a request would be answered from the cache.
func (s *Store) Peek(req backends.Request) bool {
	e, ok := s.Get(Key(req))
	return ok && usable(e, req)
}

// Stats is what a cache holds.
type Stats struct {
	Dir     string         `json:"dir"`
	Entries int            `json:"entries"`
	Bytes   int64          `json:"bytes"` // of the folder on disk
	Oldest  time.Time      `json:"oldest,omitzero"`
	Newest  time.Time      `json:"newest,omitzero"`
	Models  map[string]int `json:"models"`
	Older   int            `json:"older"`   // of an older schema
	Damaged int            `json:"damaged"` // unreadable
}

// Visit calls f for every entry; err says why an entry cannot be used.
func (s *Store) Visit(ctx context.Context, f func(key []byte, e Entry, err error) error) (err error) {
	defer func() {
		if errors.Is(err, errDamaged) {
			err = fmt.Errorf("cache %s: %w: remove the folder to start a new one", s.dir, err)
		}
	}()
	defer guard(&err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			if err := ctx.Err(); err != nil {
				return err
			}
			item := it.Item()
			var e Entry
			err := item.Value(func(v []byte) (err error) { e, err = decode(v); return err })
			if err := f(item.KeyCopy(nil), e, err); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stats reads every entry once.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	st := Stats{Dir: s.dir, Models: map[string]int{}}
	err := s.Visit(ctx, func(_ []byte, e Entry, err error) error {
		switch {
		case errors.Is(err, errOlder):
			st.Older++
			return nil
		case err != nil:
			st.Damaged++
			return nil
		}
		st.Entries++
		st.Models[e.Model]++
		if st.Oldest.IsZero() || e.Created.Before(st.Oldest) {
			st.Oldest = e.Created
		}
		if e.Created.After(st.Newest) {
			st.Newest = e.Created
		}
		return nil
	})
	st.Bytes = folderSize(s.dir)
	return st, err
}

// Prune removes entries that cannot be used, and those that drop picks; it
// returns how many went.
func (s *Store) Prune(ctx context.Context, drop func(Entry) bool) (int, error) {
	var keys [][]byte
	err := s.Visit(ctx, func(key []byte, e Entry, err error) error {
		if err != nil || drop(e) {
			keys = append(keys, key)
		}
		return nil
	})
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := s.roomToMerge(); err != nil {
		return 0, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.wrote.Store(true)
	batch := s.db.NewWriteBatch()
	defer batch.Cancel()
	for _, k := range keys {
		if err := batch.Delete(k); err != nil {
			return 0, err
		}
	}
	if err := batch.Flush(); err != nil {
		return 0, err
	}
	if err := s.db.Flatten(1); err != nil {
		return len(keys), err
	}
	for s.db.RunValueLogGC(0.5) == nil {
	}
	return len(keys), nil
}

// Verify reads every entry and every table's checksums; report is told of each
// entry that cannot be used.
func (s *Store) Verify(ctx context.Context, report func(key []byte, err error)) (good int, bad int, err error) {
	err = s.Visit(ctx, func(key []byte, _ Entry, err error) error {
		if err != nil {
			bad++
			report(key, err)
			return nil
		}
		good++
		return nil
	})
	if err != nil {
		return good, bad, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.checksums(); err != nil {
		return good, bad, fmt.Errorf("cache %s: %w", s.dir, err)
	}
	return good, bad, nil
}

func folderSize(dir string) int64 {
	var n int64
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += onDisk(info)
			}
		}
		return nil
	})
	return n
}
