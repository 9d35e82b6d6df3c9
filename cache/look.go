package cache

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// Stats counts the entries of a cache.
type Stats struct {
	Dir       string         `json:"dir"`
	Entries   int            `json:"entries"`         // number of replies
	Bytes     int64          `json:"bytes"`           // size of the folder on disk
	Oldest    time.Time      `json:"oldest,omitzero"` // when the oldest reply arrived
	Newest    time.Time      `json:"newest,omitzero"` // when the newest reply arrived
	Models    map[string]int `json:"models"`          // number of replies by model
	OldFormat int            `json:"older"`           // number of entries in an older format, which cannot be used
	Damaged   int            `json:"damaged"`         // number of unreadable entries
}

// Rows returns the counts as labels and values for people.
func (st Stats) Rows() [][2]string {
	rows := [][2]string{{"folder", st.Dir}, {"replies", strconv.Itoa(st.Entries)}, {
		"bytes on disk", strconv.FormatInt(st.Bytes, 10),
	}}
	if st.Entries > 0 {
		rows = append(rows, [2]string{"oldest", st.Oldest.Format(time.RFC3339)},
			[2]string{"newest", st.Newest.Format(time.RFC3339)})
	}
	if st.OldFormat+st.Damaged > 0 {
		rows = append(rows,
			[2]string{"cannot be used", fmt.Sprintf("%d of an older gavel, %d damaged", st.OldFormat, st.Damaged)})
	}
	for _, m := range slices.Sorted(maps.Keys(st.Models)) {
		rows = append(rows, [2]string{"of " + m, strconv.Itoa(st.Models[m])})
	}
	return rows
}

// Visit calls f for every entry, with its key. f's err is the reason if an entry cannot be used.
func (s *Store) Visit(ctx context.Context, f func(key []byte, e Entry, err error) error) (err error) {
	defer func() {
		if errors.Is(err, errDamaged) {
			err = fmt.Errorf("cache %s: %w: try again, which moves it aside and starts a new one", s.dir, err)
		}
	}()
	if err := s.endReason(); err != nil {
		return err
	}
	defer func() { err = s.giveUpAfterPanic(err) }()
	defer guard(&err)
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.db.View(func(txn *badger.Txn) error {
		opts := badger.DefaultIteratorOptions
		opts.PrefetchValues = false
		iterator := txn.NewIterator(opts)
		defer iterator.Close()
		for iterator.Rewind(); iterator.Valid(); iterator.Next() {
			if err := ctx.Err(); err != nil {
				return err
			}
			item := iterator.Item()
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

// Stats reads every entry once and counts it.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	st := Stats{Dir: s.dir, Models: map[string]int{}}
	err := s.Visit(ctx, func(_ []byte, e Entry, err error) error {
		switch {
		case errors.Is(err, errOlder):
			st.OldFormat++
		case err != nil:
			st.Damaged++
		case !e.IsSample:
			st.Entries++
			st.Models[e.Model]++
			if st.Oldest.IsZero() || e.Created.Before(st.Oldest) {
				st.Oldest = e.Created
			}
			if e.Created.After(st.Newest) {
				st.Newest = e.Created
			}
		}
		return nil
	})
	st.Bytes = folderSize(s.dir)
	return st, err
}

// PruneFilter returns a function that selects entries: all, or those of a model ("": any) that are older than age
// (0: any age) at the time now; none without model and age.
func PruneFilter(all bool, model string, age time.Duration, now time.Time) func(Entry) bool {
	return func(e Entry) bool {
		return all || (model != "" || age > 0) && (model == "" || e.Model == model) &&
			(age <= 0 || e.Created.Before(now.Add(-age)))
	}
}

// RemoveEntries removes unusable entries and those that drop selects, and returns their number. A model's sample stays
// while a reply of that model name remains: the next model of that name would otherwise inherit the reply.
func (s *Store) RemoveEntries(ctx context.Context, drop func(Entry) bool) (int, error) {
	var keys [][]byte
	samples, remaining := map[string][][]byte{}, map[string]bool{} // by model
	err := s.Visit(ctx, func(key []byte, e Entry, err error) error {
		switch {
		case err == nil && e.IsSample:
			samples[e.Model] = append(samples[e.Model], key)
		case err != nil || drop(e):
			keys = append(keys, key)
		default:
			remaining[e.Model] = true
		}
		return nil
	})
	replies := len(keys)
	for model, keysOfModel := range samples {
		if !remaining[model] {
			keys = append(keys, keysOfModel...)
		}
	}
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := s.checkMergeSpace(); err != nil {
		return 0, err
	}
	limit := 2 * s.mergeTimeout() // everything may be rewritten, also the values outside tables
	return replies, s.callBadger(limit, func() error { return s.remove(keys) })
}

// remove deletes entries, then reclaims their space.
func (s *Store) remove(keys [][]byte) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.verify(); err != nil { // see merge
		return err
	}
	s.hasWrites.Store(true)
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

// folderSize returns the bytes that the files in a folder occupy on the disk.
func folderSize(dir string) int64 {
	var n int64
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += bytesOnDisk(info)
			}
		}
		return nil
	})
	return n
}
