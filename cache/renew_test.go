package cache

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/dgraph-io/badger/v4"

	"gavel/backends"
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
					s.unrenewed.Store(renewAfter) // as after so many bytes
				}
				q := fmt.Sprint(i, " ", j)
				if err := s.Put(Key(request(q)), entry(q)); err != nil {
					t.Error(err)
				}
				if !s.Peek(request("first")) || !s.Peek(request(q)) {
					t.Errorf("%s: what was stored is not found", q)
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
	if len(w.said) != 0 {
		t.Errorf("it warns: %q", w.said)
	}
}

// A database that cannot be opened again ends the remembering, and one that is damaged is begun anew: the run goes on.
func TestRenewingFails(t *testing.T) {
	for file, says := range map[string]string{
		"KEYREGISTRY": "replies are not remembered: opening it again: ",
		"MANIFEST":    "it was moved to ",
	} {
		s, w := open(t, t.TempDir())
		if err := os.WriteFile(filepath.Join(s.dir, file), []byte("shopping list"), 0o644); err != nil {
			t.Fatal(err)
		}
		s.unrenewed.Store(renewAfter)
		c := Wrap(saying(verdict), s)
		for range 3 {
			if got := ask(t, c, request("q")); got.Text != verdict.Text {
				t.Errorf("got %+v", got)
			}
		}
		if len(w.said) != 1 || !strings.Contains(w.said[0], says) {
			t.Errorf("warned %q", w.said)
		}
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
	texts := map[string]string{}
	for _, size := range []int{200 << 10, 400 << 10, 3 << 20} {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte('0' + rand.IntN(75))
		}
		q := fmt.Sprint(size)
		texts[q] = string(b)
		put(t, s, q, entry(string(b)))
	}
	for _, when := range []string{"at once", "after opening again"} {
		for q, text := range texts {
			if e, ok := s.Get(Key(request(q))); !ok || e.Response.Text != text {
				t.Errorf("%s: %s bytes are not found", when, q)
			}
		}
		shut(t, s)
		s, _ = open(t, dir)
	}
}

// piled is a closed cache of so many small tables; it returns how many entries
// it holds: request("0"), request("1") and so on.
func piled(t *testing.T, dir string, tables int) (entries int) {
	t.Helper()
	db, err := badger.Open(badgerOptions(dir).WithMemTableSize(64 << 10).WithValueThreshold(1 << 10))
	if err != nil {
		t.Fatal(err)
	}
	for db.Levels()[0].NumTables < tables {
		key := Key(request(fmt.Sprint(entries)))
		value, err := encode(key[:], entry(strings.Repeat(fmt.Sprint(rand.Uint64()), 20)))
		if err == nil {
			err = db.Update(func(txn *badger.Txn) error { return txn.Set(key[:], value) })
		}
		if err != nil {
			t.Fatal(err)
		}
		entries++
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return entries
}

var tooMany struct {
	sync.Once
	files   fstest.MapFS
	entries int
}

// piledTooMany puts a closed cache of more tables than are left alone into a folder. It is made once.
func piledTooMany(t *testing.T, dir string) (entries int) {
	t.Helper()
	tooMany.Do(func() {
		made := t.TempDir()
		tooMany.entries = piled(t, made, manyTables+1)
		tooMany.files = fstest.MapFS{}
		files, err := os.ReadDir(made)
		for _, f := range files {
			var text []byte
			if err == nil {
				text, err = os.ReadFile(filepath.Join(made, f.Name()))
			}
			tooMany.files[f.Name()] = &fstest.MapFile{Data: text, Mode: 0o644}
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	if err := os.CopyFS(dir, tooMany.files); err != nil {
		t.Fatal(err)
	}
	return tooMany.entries
}

func TestManyTablesAreMerged(t *testing.T) {
	dir := t.TempDir()
	entries := piledTooMany(t, dir)
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
	piledTooMany(t, dir)
	for at := int64(4000); at < 12000; at += 12 { // lengths too
		scribble(t, filepath.Join(dir, "000007.sst"), at)
	}
	s, _ := open(t, dir)
	s.Get(Key(request("q")))
	shut(t, s)
	if _, w := open(t, dir); len(w.said) != 1 || !strings.Contains(w.said[0], "it was moved to ") {
		t.Errorf("said %q", w.said)
	}
}

// A cache of an earlier gavel, with its larger memory tables, is read as it is.
func TestWrittenWithOtherOptions(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil).WithValueLogFileSize(64 << 20).WithMemTableSize(8 << 20).WithNumMemtables(2))
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	for i := range n {
		req := request(fmt.Sprint(i))
		key := Key(req)
		value, err := encode(key[:], Entry{Model: "tiny", Response: backends.Response{Text: req.Messages[1].Content, Finish: backends.Stop}})
		if err == nil {
			err = db.Update(func(txn *badger.Txn) error { return txn.Set(key[:], value) })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, killed} {
		s, w := open(t, dir)
		for i := range n {
			q := fmt.Sprint(i)
			if e, ok := s.Get(Key(request(q))); !ok || e.Response.Text != q {
				t.Fatalf("%s is not found", q)
			}
		}
		if len(w.said) != 0 {
			t.Errorf("it warns: %q", w.said)
		}
	}
}
