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

// schema is part of every key. Raise it when the meaning of a key changes: older
// entries are then misses.
const schema = 1

// The first byte of a value says what its checksum is of. A value of an earlier
// gavel is read as it is, and is not bound to its key: a file of the cache that
// is copied over another gives a whole value under a key that it is not of.
const (
	unbound = 1 // of the text alone
	bound   = 2 // of the key and the text
)

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
	// Origin is the bundle that the reply was taken in from, as it was called
	// then; empty for a reply to this gavel.
	Origin string `json:"origin,omitempty"`
	// Sample says that it is no reply, but what a model is known by.
	Sample bool `json:"sample,omitempty"`
}

// answer is what a caller is given.
func (e Entry) answer() backends.Response {
	e.Response.Cached, e.Response.Origin = true, e.Origin
	return e.Response
}

// Options for Open.
type Options struct {
	// Warn is told of entries that cannot be used, of a disk that is full and of
	// a store that is given up, each once. May be nil.
	Warn func(format string, args ...any)
	// MinFree is how much space must be left on the disk of the folder,
	// in bytes; default 256 MiB (see room.go).
	MinFree uint64
	// Timeout is how long is waited for one read, write or closing of the
	// database; default 30 s. A store that takes longer is given up.
	Timeout time.Duration
}

// Store is an open cache.
type Store struct {
	dir       string
	folder    os.FileInfo
	writing   sync.Mutex   // after a write that fails Badger takes no other: it would end the process
	mu        sync.RWMutex // renewing db; readers and writers of the database share it
	db        *badger.DB
	opts      Options
	free      func(dir string) (uint64, error) // space on the disk
	end       ending
	wrote     atomic.Bool  // since db was opened
	unrenewed atomic.Int64 // bytes written since db was opened
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
	if opts.Timeout == 0 {
		opts.Timeout = defaultTimeout
	}
	if err := stillHeld(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("cache: %w; name another folder with --cache, or use --no-cache", err)
	}
	if free, err := freeSpace(dir); err == nil && free < opts.MinFree {
		return nil, &NoRoomError{dir, free, opts.MinFree}
	}
	folder, err := os.Stat(dir)
	if err != nil {
		return nil, openError(dir, err)
	}
	s := &Store{dir: dir, folder: folder, opts: opts, free: freeSpace, end: ending{over: make(chan struct{})}}
	if s.db, err = within(s, openingTakes*opts.Timeout, s.open); err != nil {
		return nil, openError(dir, err)
	}
	return s, nil
}

// openingTakes is how many times as long as a write the opening may take: it may
// have to read all tables.
const openingTakes = 10

// open opens the database, and lets go of it where that took so long that nobody
// waits for it.
func (s *Store) open() (*badger.DB, error) {
	db, err := openBadger(s.dir, s.opts.Warn)
	if why := s.ended(); why != nil {
		if err == nil {
			db.Close()
		}
		s.released()
		return nil, why
	}
	return db, err
}

func openBadger(dir string, warn func(format string, args ...any)) (*badger.DB, error) {
	distrusted := filepath.Join(dir, distrustFile)
	_, err := os.Stat(distrusted)
	thorough := err == nil
	if err := mend(dir, thorough, warn); err != nil {
		return nil, err
	}
	found, err := lookAt(dir, false)
	if err != nil {
		return nil, err
	}
	db, err := badger.Open(badgerOptions(dir))
	if err == nil && found.lost > 0 {
		warn("cache %s: its %s is damaged: %d of its tables are lost, and what they held is asked again", dir, badger.ManifestFilename, found.lost)
	}
	if err == nil && thorough {
		os.Remove(distrusted)
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
		return fmt.Errorf("cache %s is %w: wait for it to end, name another folder with --cache, or use --no-cache", dir, ErrLocked)
	case errors.Is(err, ErrGivenUp):
		return fmt.Errorf("cache %s: %w", dir, err)
	case readOnly.MatchString(text): // Badger's errors do not unwrap
		return fmt.Errorf("cache %s: %s: name a folder you may write to with --cache, or use --no-cache", dir, text)
	}
	return fmt.Errorf("cache %s cannot be opened (%s): remove the folder to start a new one, or name another with --cache", dir, text)
}

var readOnly = regexp.MustCompile(`(?i)permission denied|read-only file system|access is denied`)

// Close writes what is in memory to disk and releases the folder. Where many
// tables have piled up, it merges them. On a disk that is full it does neither,
// see [ErrNoRoom]. A store that was given up is not closed, see [ErrGivenUp].
func (s *Store) Close() error {
	if err := s.ended(); err != nil {
		if errors.Is(err, ErrGivenUp) {
			return fmt.Errorf("cache %s: %w", s.dir, err)
		}
		return nil // it was closed then
	}
	err := s.do(s.opts.Timeout, func() error {
		if err := s.here(); err != nil {
			return err
		}
		if free, ok := s.roomFor(CloseRoom); !ok && s.wrote.Load() && !s.db.IsClosed() {
			return fmt.Errorf("%w (%d MiB left): it is not closed; what it was told last is in its log, and read the next time", ErrNoRoom, free>>20)
		}
		return nil
	})
	if err == nil {
		err = s.do(s.mergeTakes(), s.merge)
	}
	if err == nil {
		err = s.do(s.opts.Timeout, func() error {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.close()
		})
	}
	if err != nil {
		return fmt.Errorf("cache %s: %w", s.dir, err)
	}
	return nil
}

// close closes the database. The caller holds the lock.
func (s *Store) close() error {
	err := s.db.Close()
	s.released()
	return err
}

// mergeTakes is how long a merge of all tables may take.
func (s *Store) mergeTakes() time.Duration {
	return s.opts.Timeout + time.Duration(folderSize(s.dir)/mergedASecond)*time.Second
}

// merge leaves everything as it is if a table is damaged, or there is no room:
// Badger merges in goroutines of its own, where it may panic.
func (s *Store) merge() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db.IsClosed() {
		return nil
	}
	levels := s.db.Levels()
	merged := 0
	for _, l := range levels[1:] {
		merged += l.NumTables
	}
	if levels[0].NumTables > max(manyTables, merged) && s.roomToMerge() == nil && s.sound() == nil {
		s.db.Flatten(1) // if it fails, the tables are still there
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
	err := s.close()
	if err == nil && s.ended() == nil {
		var db *badger.DB
		if db, err = s.open(); err == nil {
			s.db = db
			s.wrote.Store(false)
			return nil
		}
	}
	return s.finish(fmt.Errorf("opening it again: %w", err))
}

func (s *Store) warnOnce(kind, format string, args ...any) {
	if _, again := s.warned.LoadOrStore(kind, true); !again {
		s.opts.Warn(format, args...)
	}
}

// Get looks a key up. Whatever cannot be read is a miss.
func (s *Store) Get(key [sha256.Size]byte) (Entry, bool) {
	e, err := within(s, s.opts.Timeout, func() (Entry, error) { return s.read(key) })
	switch {
	case err == nil:
		return e, true
	case errors.Is(err, badger.ErrKeyNotFound), errors.Is(err, badger.ErrDBClosed), s.ended() != nil: // finish says why
	case errors.Is(err, errOlder):
		s.warnOnce("older", "cache %s: entries of an older gavel are asked again (\"gavel cache prune\" removes them)", s.dir)
	default:
		s.warnOnce("damaged", "cache %s: damaged entries are asked again (%v; \"gavel cache verify\" lists them)", s.dir, err)
	}
	return Entry{}, false
}

func (s *Store) read(key [sha256.Size]byte) (e Entry, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	err = s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key[:])
		if err != nil {
			return err
		}
		return item.Value(func(v []byte) error { e, err = decode(key[:], v); return err })
	})
	return e, err
}

// Put stores an answer. On a disk that is nearly full it stores nothing, and its
// error wraps ErrNoRoom. The first write that Badger fails is the last.
func (s *Store) Put(key [sha256.Size]byte, e Entry) error {
	if err := s.ended(); err != nil {
		return err
	}
	value, err := encode(key[:], e)
	if err != nil {
		return err
	}
	err = s.do(s.opts.Timeout, func() error {
		if err := s.here(); err != nil {
			return err
		}
		if free, ok := s.roomFor(s.opts.MinFree); !ok {
			return fmt.Errorf("%w: it has %d MiB left, the cache needs %d", ErrNoRoom, free>>20, s.opts.MinFree>>20)
		}
		return s.write(key, value)
	})
	if err != nil {
		return err
	}
	if s.unrenewed.Add(int64(len(value))) >= renewAfter {
		return s.do(s.opts.Timeout, s.renew)
	}
	return nil
}

func (s *Store) write(key [sha256.Size]byte, value []byte) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.ended(); err != nil {
		return err
	}
	s.wrote.Store(true)
	txn := s.db.NewTransaction(true)
	defer txn.Discard()
	if err := txn.Set(key[:], value); err != nil {
		return err // a value that is too long
	}
	if err := txn.Commit(); err != nil {
		return s.giveUp("it cannot be written to (%w)", err)
	}
	return nil
}

var (
	errOlder   = errors.New("written by an older gavel")
	errDamaged = errors.New("damaged")
)

// A value is the byte that says what its checksum is of, that CRC-32C, and the
// entry's JSON as an S2 block. S2 rather than zstd: a reply is a kilobyte or
// two, and setting up zstd for one costs more than writing it.
const header = 1 + crc32.Size

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxPlain bounds what a damaged length can make us allocate.
const maxPlain = 256 << 20

func encode(key []byte, e Entry) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return seal(key, buf.Bytes()), nil
}

func seal(key, plain []byte) []byte {
	out := make([]byte, header, header+s2.MaxEncodedLen(len(plain)))
	out[0] = bound
	binary.LittleEndian.PutUint32(out[1:], checksum(bound, key, plain))
	return out[:header+len(s2.Encode(out[header:cap(out)], plain))]
}

func checksum(kind byte, key, plain []byte) uint32 {
	if kind == unbound {
		key = nil
	}
	return crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, plain)
}

func decode(key, v []byte) (Entry, error) {
	if len(v) == 0 {
		return Entry{}, fmt.Errorf("%w: empty value", errDamaged)
	}
	if v[0] != unbound && v[0] != bound {
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
	if checksum(v[0], key, plain) != binary.LittleEndian.Uint32(v[1:]) {
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
				return outcome{resp: e.answer()}, nil
			}
			resp, err := c.next.Ask(ctx, req)
			if err != nil {
				return outcome{resp, ctx.Err() != nil}, err
			}
			err = s.Put(key, Entry{Model: req.Model, Created: time.Now().UTC().Truncate(time.Second), Response: resp})
			switch { // the run goes on: its records hold the replies
			case s.ended() != nil: // said
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
			err = fmt.Errorf("cache %s: %w: try again, which sets damaged tables aside, or remove the folder to start a new one", s.dir, err)
		}
	}()
	if err := s.ended(); err != nil {
		return err
	}
	defer func() { err = s.judged(err) }()
	defer guard(&err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db.View(func(txn *badger.Txn) error {
		opts := badger.DefaultIteratorOptions
		opts.PrefetchValues = false
		it := txn.NewIterator(opts)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			if err := ctx.Err(); err != nil {
				return err
			}
			item := it.Item()
			key := item.KeyCopy(nil)
			var e Entry
			err := item.Value(func(v []byte) (err error) { e, err = decode(key, v); return err })
			if err := f(key, e, err); err != nil {
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
		case e.Sample:
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
// returns how many went. Tables that were set aside go too. A model's sample
// stays for as long as a reply of that name does: what is left would else be
// given to the next model of the name.
func (s *Store) Prune(ctx context.Context, drop func(Entry) bool) (int, error) {
	var keys [][]byte
	samples, left := map[string][][]byte{}, map[string]bool{} // by model
	err := s.Visit(ctx, func(key []byte, e Entry, err error) error {
		switch {
		case err == nil && e.Sample:
			samples[e.Model] = append(samples[e.Model], key)
		case err != nil || drop(e):
			keys = append(keys, key)
		default:
			left[e.Model] = true
		}
		return nil
	})
	if err == nil {
		err = os.RemoveAll(filepath.Join(s.dir, damagedFolder))
	}
	replies := len(keys)
	for model, of := range samples {
		if !left[model] {
			keys = append(keys, of...)
		}
	}
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := s.roomToMerge(); err != nil {
		return 0, err
	}
	return replies, s.do(s.pruneTakes(), func() error { return s.remove(keys) })
}

// pruneTakes is how long it may take to write everything anew, values beside the
// tables too.
func (s *Store) pruneTakes() time.Duration { return 2 * s.mergeTakes() }

// remove deletes entries, and then what is left of them.
func (s *Store) remove(keys [][]byte) error {
	if err := s.sound(); err != nil { // see merge
		return fmt.Errorf("cache %s: %w", s.dir, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.wrote.Store(true)
	batch := s.db.NewWriteBatch()
	defer batch.Cancel()
	for _, k := range keys {
		if err := batch.Delete(k); err != nil {
			return err
		}
	}
	if err := batch.Flush(); err != nil {
		return err
	}
	if err := s.db.Flatten(1); err != nil {
		return err
	}
	for s.db.RunValueLogGC(0.5) == nil {
	}
	return nil
}

// Verify reads every entry and every table; report is told of each
// entry that cannot be used.
func (s *Store) Verify(ctx context.Context, report func(key []byte, err error)) (good int, bad int, err error) {
	err = s.Visit(ctx, func(key []byte, e Entry, err error) error {
		switch {
		case err != nil:
			bad++
			report(key, err)
		case !e.Sample:
			good++
		}
		return nil
	})
	if err != nil {
		return good, bad, err
	}
	if err := s.sound(); err != nil {
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
