package cache

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gavel/backends"
)

func entry(text string) Entry {
	return Entry{Model: "tiny", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Response: backends.Response{Text: text, Finish: backends.Stop}}
}

func put(t *testing.T, s *Store, text string, e Entry) {
	t.Helper()
	if err := s.Put(Key(request(text)), e); err != nil {
		t.Fatal(err)
	}
}

func TestValuesAreCompressed(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	text := strings.Repeat("The first answer is better than the second. ", 1000)
	put(t, s, "q", entry(text))
	shut(t, s)
	tamper(t, dir, func(v []byte) []byte {
		if len(v) > len(text)/10 || bytes.Contains(v, []byte(text[:200])) {
			t.Errorf("%d bytes of text are stored in %d", len(text), len(v))
		}
		return v
	})
	s, _ = open(t, dir)
	if e, ok := s.Get(Key(request("q"))); !ok || e.Response.Text != text || !e.Created.Equal(entry("").Created) || e.Model != "tiny" {
		t.Errorf("read back: %v, %d bytes", ok, len(e.Response.Text))
	}
}

// What was stored when a gavel was killed is there for the next: a copy of the
// folder of an open store is what a kill leaves.
func TestKilledWithoutClosing(t *testing.T) {
	dir, copied := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	s, _ := open(t, dir)
	for _, q := range []string{"one", "two", "three"} {
		put(t, s, q, entry(q))
	}
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	left, w := open(t, copied)
	for _, q := range []string{"one", "two", "three"} {
		if e, ok := left.Get(Key(request(q))); !ok || e.Response.Text != q {
			t.Errorf("%s is lost", q)
		}
	}
	if len(w.said) != 0 {
		t.Errorf("it warns: %q", w.said)
	}
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	_, err := Open(dir, Options{MinFree: 1})
	if want := "cache " + dir + " is in use by another gavel: wait for it to end, name another folder with --cache, or use --no-cache"; !errors.Is(err, errLocked) || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	put(t, s, "q", entry("still at work"))
	shut(t, s)
	again, _ := open(t, dir)
	if _, ok := again.Get(Key(request("q"))); !ok {
		t.Error("what the first stored is gone")
	}
}

func TestFoldersThatWillNotDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		dir     string
		minFree uint64
		says    []string
	}{
		"a file":         {file, 1, []string{file, "not a directory", "--cache", "--no-cache"}},
		"below a file":   {filepath.Join(file, "cache"), 1, []string{file, "not a directory", "--cache", "--no-cache"}},
		"a full disk":    {t.TempDir(), math.MaxUint64, []string{"the disk has ", " MiB left, the cache needs 17592186044415", "--cache", "--no-cache"}},
		"not of a cache": {withFile(t, "MANIFEST", "shopping list"), 1, []string{"cannot be opened", "remove the folder", "--cache"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(tc.dir, Options{MinFree: tc.minFree})
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			for _, want := range append(tc.says, "cache") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %s", want, err)
				}
			}
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("longer than a line: %q", err)
			}
		})
	}
}

func withFile(t *testing.T, name, content string) string {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// damaged is a closed cache of 100 entries whose one table file is changed, or
// removed.
func damaged(t *testing.T, change func([]byte) []byte) string {
	t.Helper()
	dir := t.TempDir()
	s, _ := open(t, dir)
	for i := range 100 {
		req := request("q")
		req.Repetition = i
		if err := s.Put(Key(req), entry(strings.Repeat("x", i))); err != nil {
			t.Fatal(err)
		}
	}
	shut(t, s)
	table := filepath.Join(dir, "000001.sst")
	data, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		err = os.Remove(table)
	} else {
		err = os.WriteFile(table, change(data), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestMissingFoldersAreMade(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, _ := open(t, dir)
	put(t, s, "q", entry("x"))
	if _, ok := s.Get(Key(request("q"))); !ok {
		t.Error("not stored")
	}
}

// The disk fills while a run is on: it goes on without being remembered.
func TestDiskFillsUp(t *testing.T) {
	s, w := open(t, t.TempDir())
	put(t, s, "before", entry("x"))
	s.opts.MinFree = math.MaxUint64
	c := Wrap(saying(verdict), s)
	for range 3 {
		if got := ask(t, c, request("q")); !reflect.DeepEqual(got, verdict) {
			t.Errorf("got %+v", got)
		}
	}
	if s.Peek(request("q")) || !s.Peek(request("before")) {
		t.Error("stored on a full disk, or lost what was there")
	}
	if len(w.said) != 1 || !strings.Contains(w.said[0], "the disk is nearly full") || !strings.Contains(w.said[0], s.dir) {
		t.Errorf("warned %q", w.said)
	}
}

func TestUpkeep(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	ctx := context.Background()
	for i, model := range []string{"old", "old", "tiny", "new"} {
		e := entry("x")
		e.Model, e.Created = model, e.Created.AddDate(0, i, 0)
		req := request("q")
		req.Repetition = i
		if err := s.Put(Key(req), e); err != nil {
			t.Fatal(err)
		}
	}
	st, err := s.Stats(ctx)
	if err != nil || st.Entries != 4 || st.Older != 0 || st.Damaged != 0 || st.Dir != dir || st.Bytes == 0 || len(st.Models) != 3 || st.Models["old"] != 2 {
		t.Errorf("Stats: %+v, %v", st, err)
	}
	if want := entry("").Created; !st.Oldest.Equal(want) || !st.Newest.Equal(want.AddDate(0, 3, 0)) {
		t.Errorf("from %s to %s", st.Oldest, st.Newest)
	}
	if good, bad, err := s.Verify(ctx, func([]byte, error) { t.Error("a good entry is reported") }); good != 4 || bad != 0 || err != nil {
		t.Errorf("Verify: %d good, %d bad, %v", good, bad, err)
	}
	gone, err := s.Prune(ctx, func(e Entry) bool { return e.Model == "old" })
	if gone != 2 || err != nil {
		t.Errorf("Prune: %d, %v", gone, err)
	}
	if gone, err := s.Prune(ctx, func(Entry) bool { return false }); gone != 0 || err != nil {
		t.Errorf("Prune of nothing: %d, %v", gone, err)
	}
	shut(t, s)
	s, _ = open(t, dir)
	if st, err := s.Stats(ctx); err != nil || st.Entries != 2 || st.Models["old"] != 0 {
		t.Errorf("after pruning and opening again: %+v, %v", st, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Stats(cancelled); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if gone, err := s.Prune(cancelled, func(Entry) bool { return true }); gone != 0 || err != context.Canceled {
		t.Errorf("cancelled: %d pruned, %v", gone, err)
	}
}

func TestEmptyStore(t *testing.T) {
	s, _ := open(t, t.TempDir())
	st, err := s.Stats(context.Background())
	if err != nil || st.Entries != 0 || !st.Oldest.IsZero() || st.Models == nil {
		t.Errorf("%+v, %v", st, err)
	}
	if good, bad, err := s.Verify(context.Background(), nil); good+bad != 0 || err != nil {
		t.Errorf("%d, %d, %v", good, bad, err)
	}
}
