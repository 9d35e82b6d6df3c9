package cache

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"gotest.tools/v3/assert"
)

// What was stored before the database is opened anew is there after it, with
// readers and writers at work all the while.
func TestRenewing(t *testing.T) {
	dir := t.TempDir()
	s, w := open(t, dir)
	put(t, s, "first", entry("first"))
	const writers, each = 4, 40
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			for j := range each {
				if j%10 == 0 {
					s.bytesSinceRenewal.Store(reopenAfterBytes) // as after so many bytes
				}
				q := fmt.Sprint(i, " ", j)
				if err := s.Put(Key(request(q)), entry(q)); err != nil || !holds(s, "first") || !holds(s, q) {
					t.Errorf("%s: what was stored is not found, %v", q, err)
				}
			}
		})
	}
	wg.Wait()
	if n := s.db.Levels()[0].NumTables; n < 4 {
		t.Errorf("%d tables: the database was not opened anew", n)
	}
	shut(t, s)
	s, _ = open(t, dir)
	if st, err := s.Stats(t.Context()); err != nil || st.Entries != 1+writers*each {
		t.Errorf("%+v, %v", st, err)
	}
	assert.Equal(t, len(w.texts), 0, "%q", w.texts)
}

// A database that cannot be opened again ends the remembering, and one that is damaged is begun anew: the run goes on.
func TestRenewingFails(t *testing.T) {
	for file, says := range map[string]string{
		"KEYREGISTRY": "replies are not stored: opening it again: ",
		"MANIFEST":    "it was moved to ",
	} {
		s, w := open(t, t.TempDir())
		assert.NilError(t, os.WriteFile(filepath.Join(s.dir, file), []byte("shopping list"), 0o644))
		s.bytesSinceRenewal.Store(reopenAfterBytes)
		c := CachingClient(fixedJudge(verdict), s, false)
		for range 3 {
			assert.Equal(t, ask(t, c, request("q")).Text, verdict.Text)
		}
		w.once(t, says)
		if st, err := s.Stats(t.Context()); (err == nil) != (file == "MANIFEST") || err == nil && st.Entries != 1 {
			t.Errorf("%s: %+v, %v", file, st, err)
		}
		shut(t, s)
	}
}

// A long reply that does not compress goes beside the tables.
func TestLongReplies(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	var texts []string
	for _, size := range []int{200 << 10, 400 << 10, 3 << 20} {
		texts = append(texts, random(size))
	}
	for _, text := range texts {
		put(t, s, text, entry(text))
	}
	for range 2 {
		for _, text := range texts {
			assert.Assert(t, holds(s, text), "%d bytes are not found", len(text))
		}
		shut(t, s)
		s, _ = open(t, dir)
	}
}

// unmergedCache creates a closed cache with the given number of small tables. It returns the number of entries, for
// request("0"), request("1") and so on.
func unmergedCache(t *testing.T, dir string, tables int) (entries int) {
	t.Helper()
	db, err := badger.Open(badgerOptions(dir).WithMemTableSize(64 << 10).WithValueThreshold(1 << 10))
	assert.NilError(t, err)
	for db.Levels()[0].NumTables < tables {
		key := Key(request(fmt.Sprint(entries)))
		value, err := encode(key[:], entry(strings.Repeat(fmt.Sprint(rand.Uint64()), 20)))
		assert.NilError(t, err)
		assert.NilError(t, db.Update(func(txn *badger.Txn) error { return txn.Set(key[:], value) }))
		entries++
	}
	assert.NilError(t, db.Close())
	return entries
}

func TestManyTablesAreMerged(t *testing.T) {
	dir := t.TempDir()
	entries := unmergedCache(t, dir, manyTables+1)
	s, _ := open(t, dir)
	shut(t, s)
	s, _ = open(t, dir)
	if n := len(s.db.Tables()); n > manyTables/2 {
		t.Errorf("%d tables are left", n)
	}
	if st, err := s.Stats(t.Context()); err != nil || st.Entries != entries {
		t.Errorf("%d entries, then %+v, %v", entries, st, err)
	}
}

// A table that is damaged within is found before a merge.
func TestDamagedTablesAreNotMerged(t *testing.T) {
	dir := t.TempDir()
	unmergedCache(t, dir, manyTables+1)
	for offset := int64(4000); offset < 12000; offset += 12 { // lengths too
		bend(t, filepath.Join(dir, "000007.sst"), scribble(offset))
	}
	s, _ := open(t, dir)
	s.Get(Key(request("q")))
	shut(t, s)
	_, w := open(t, dir)
	w.once(t, "it was moved to ")
}
