package cache

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestValuesAreCompressed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folders", "that are made")
	s, _ := open(t, dir)
	text := strings.Repeat("The first answer is better than the second. ", 1000)
	put(t, s, text, entry(text))
	shut(t, s)
	tamper(t, dir, func(v []byte) []byte {
		if len(v) > len(text)/10 || bytes.Contains(v, []byte(text[:200])) {
			t.Errorf("%d bytes of text are stored in %d", len(text), len(v))
		}
		return v
	})
	s, _ = open(t, dir)
	e, _ := s.Get(Key(request(text)))
	assert.DeepEqual(t, e, entry(text))
}

// What was stored when a gavel was killed is there for the next.
func TestKilledWithoutClosing(t *testing.T) {
	s, _ := open(t, t.TempDir())
	put(t, s, "one", entry("one"))
	put(t, s, "two", entry("two"))
	copied, w := open(t, killedCopy(t, s.dir))
	assert.Assert(t, holds(copied, "one") && holds(copied, "two") && len(w.texts) == 0, "%q", w.texts)
}

func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	_, err := Open(dir, Options{MinFree: 1})
	assert.ErrorIs(t, err, errLocked)
	assert.Error(t, err, "cache "+dir+" is in use by another gavel: wait for it to end, name another folder with "+
		"--cache, or use --no-cache")
	put(t, s, "at work", entry("at work"))
	shut(t, s)
	reopened, _ := open(t, dir)
	assert.Assert(t, holds(reopened, "at work"))
}

func TestFoldersThatWillNotDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	other := filepath.Join(t.TempDir(), "MANIFEST")
	for _, at := range []string{file, other} {
		assert.NilError(t, os.WriteFile(at, []byte("shopping list"), 0o644))
	}
	for name, tc := range map[string]struct {
		dir      string
		minFree  uint64
		messages []string
	}{
		"a file":         {file, 1, []string{file, "not a directory", "--cache", "--no-cache"}},
		"below a file":   {filepath.Join(file, "cache"), 1, []string{file, "not a directory", "--cache", "--no-cache"}},
		"a full disk":    {t.TempDir(), math.MaxUint64, []string{" MiB left, the cache needs 17592186044415", "--no-cache"}},
		"not of a cache": {filepath.Dir(other), 1, []string{"cannot be opened", "remove the folder", "--cache"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(tc.dir, Options{MinFree: tc.minFree})
			for _, want := range append(tc.messages, "cache") {
				assert.ErrorContains(t, err, want)
			}
			assert.Assert(t, !strings.ContainsAny(err.Error(), "\r\n"), "longer than a line: %q", err)
		})
	}
}

func TestUpkeep(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	st, err := s.Stats(t.Context())
	assert.Assert(t, err == nil && st.Entries == 0 && st.Oldest.IsZero() && st.Models != nil, "%+v, %v", st, err)
	for i, model := range []string{"old", "old", "tiny", "new"} {
		e := entry("x")
		e.Model, e.Created = model, e.Created.AddDate(0, i, 0)
		req := request("q")
		req.Repetition = i
		assert.NilError(t, s.Put(Key(req), e))
	}
	st, err = s.Stats(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, st.Bytes > 0)
	first := entry("").Created
	assert.DeepEqual(t, st, Stats{
		Dir:     dir,
		Entries: 4,
		Bytes:   st.Bytes,
		Oldest:  first,
		Newest:  first.AddDate(0, 3, 0),
		Models:  map[string]int{"old": 2, "tiny": 1, "new": 1},
	})
	for _, want := range []int{2, 0} {
		gone, err := s.RemoveEntries(t.Context(), func(e Entry) bool { return e.Model == "old" })
		assert.Assert(t, gone == want && err == nil, "Prune: %d, %v", gone, err)
	}
	shut(t, s)
	s, _ = open(t, dir)
	st, err = s.Stats(t.Context())
	assert.Assert(t, err == nil && st.Entries == 2 && st.Models["old"] == 0, "pruned and opened again: %+v, %v", st, err)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Stats(cancelled)
	assert.ErrorIs(t, err, context.Canceled)
	gone, err := s.RemoveEntries(cancelled, func(Entry) bool { return true })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, gone, 0)
}
