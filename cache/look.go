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

// Rows are the same for people.
func (st Stats) Rows() [][2]string {
	rows := [][2]string{{"folder", st.Dir}, {"replies", strconv.Itoa(st.Entries)}, {
		"bytes on disk", strconv.FormatInt(st.Bytes, 10),
	}}
	if st.Entries > 0 {
		rows = append(rows, [2]string{"oldest", st.Oldest.Format(time.RFC3339)},
			[2]string{"newest", st.Newest.Format(time.RFC3339)})
	}
	if st.Older+st.Damaged > 0 {
		rows = append(rows,
			[2]string{"cannot be used", fmt.Sprintf("%d of an older gavel, %d damaged", st.Older, st.Damaged)})
	}
	for _, m := range slices.Sorted(maps.Keys(st.Models)) {
		rows = append(rows, [2]string{"of " + m, strconv.Itoa(st.Models[m])})
	}
	return rows
}

// Visit calls f for every entry; err says why an entry cannot be used.
func (s *Store) Visit(ctx context.Context, f func(key []byte, e Entry, err error) error) (err error) {
	defer func() {
		if errors.Is(err, errDamaged) {
			err = fmt.Errorf("cache %s: %w: try again, which moves it aside and starts a new one", s.dir, err)
		}
	}()
	if err := s.ended(); err != nil {
		return err
	}
	defer func() { err = s.giveUpAfterPanic(err) }()
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
		case err != nil:
			st.Damaged++
		case !e.Sample:
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

// Dropping picks all entries, or those of a model ("" for any) that are older than age (0 for any); with neither, none.
func Dropping(all bool, model string, age time.Duration, now time.Time) func(Entry) bool {
	return func(e Entry) bool {
		picked := (model != "" || age > 0) && (model == "" || e.Model == model) &&
			(age <= 0 || e.Created.Before(now.Add(-age)))
		return all || picked
	}
}

// Prune removes entries that cannot be used, and those that drop picks; it returns how many went. A model's sample
// stays for as long as a reply of that name does: what is left would else be given to the next model of the name.
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
	replies := len(keys)
	for model, of := range samples {
		if !left[model] {
			keys = append(keys, of...)
		}
	}
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	if err := s.freeToMerge(); err != nil {
		return 0, err
	}
	takes := 2 * s.mergeTakes() // everything may be written anew, values beside the tables too
	return replies, s.within(takes, func() error { return s.remove(keys) })
}

// remove deletes entries, and then what is left of them.
func (s *Store) remove(keys [][]byte) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := s.sound(); err != nil { // see merge
		return err
	}
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
