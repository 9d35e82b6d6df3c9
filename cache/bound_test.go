package cache

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

const soon = 50 * time.Millisecond

// random is a text that does not compress.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	for i := range b {
		b[i] = '0' + b[i]%75
	}
	return string(b)
}

// unflushable puts something where Badger's next table goes: it tries again and
// again until that is gone.
func unflushable(t *testing.T, s *Store) (obstacle string) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(s.dir, "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		obstacle = filepath.Join(s.dir, fmt.Sprintf("%06d.sst", len(tables)+1+i))
		if err := os.Mkdir(obstacle, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for range 100 { // Badger may just now write what it could not write before
			if os.RemoveAll(s.dir) == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	return obstacle
}

func clear9(dir string) {
	found, _ := filepath.Glob(filepath.Join(dir, "*.sst"))
	for _, f := range found {
		if info, err := os.Stat(f); err == nil && info.IsDir() {
			os.Remove(f)
		}
	}
}

// givenUpOnce holds a store to what one that was given up does: nothing, at once.
func givenUpOnce(t *testing.T, s *Store, w *warnings) {
	t.Helper()
	c := Wrap(saying(verdict), s)
	for range 2 {
		if got := ask(t, c, request("new")); !reflect.DeepEqual(got, verdict) {
			t.Errorf("got %+v", got)
		}
	}
	if _, ok := s.Get(Key(request("old"))); ok {
		t.Error("it still reads")
	}
	if err := s.Put(Key(request("new")), entry("x")); !errors.Is(err, ErrGivenUp) {
		t.Errorf("Put: %v", err)
	}
	if _, err := s.Stats(t.Context()); !errors.Is(err, ErrGivenUp) {
		t.Errorf("Stats: %v", err)
	}
	for range 2 {
		if err := s.Close(); !errors.Is(err, ErrGivenUp) {
			t.Errorf("Close: %v", err)
		}
	}
	if len(w.said) != 1 || !strings.Contains(w.said[0], s.dir+" is not used any more, and replies are not remembered: ") {
		t.Errorf("said %q", w.said)
	}
}

func TestFolderVanishes(t *testing.T) {
	for name, meanwhile := range map[string]func(dir string) error{
		"gone":    os.RemoveAll,
		"renamed": func(dir string) error { return os.Rename(dir, dir+"2") },
		"another": func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, w := open(t, filepath.Join(t.TempDir(), "cache"))
			put(t, s, "old", entry("x"))
			if err := meanwhile(s.dir); err != nil {
				t.Skip(err) // a system that does not let go of open files
			}
			if err := s.Close(); !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "its folder is gone") {
				t.Errorf("Close: %v", err)
			}
			givenUpOnce(t, s, w)
		})
	}
}

// A Badger that goes on in a folder that was emptied leaves tables there that no
// manifest names, and whoever opens it next is refused.
func TestFilesVanish(t *testing.T) {
	s, w := open(t, filepath.Join(t.TempDir(), "cache"))
	put(t, s, "old", entry("x"))
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Skip(err) // a system that does not let go of open files
		}
	}
	if err := s.Close(); !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "its files are gone") {
		t.Errorf("Close: %v", err)
	}
	givenUpOnce(t, s, w)
	if left, err := filepath.Glob(filepath.Join(s.dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Badger retries what it cannot flush for ever; its Close waits for that.
func TestCannotBeFlushed(t *testing.T) {
	dir := t.TempDir()
	s, w := open(t, dir)
	put(t, s, "old", entry("kept"))
	unflushable(t, s)
	s.opts.Timeout = soon
	if err := s.Close(); !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "did not answer within 50ms, or cannot be written to") {
		t.Errorf("Close: %v", err)
	}
	givenUpOnce(t, s, w)
	_, err := Open(dir, Options{MinFree: 1})
	if !errors.Is(err, ErrGivenUp) || !strings.Contains(err.Error(), "cannot be opened again by this gavel") || !strings.Contains(err.Error(), "--no-cache") {
		t.Errorf("opened again: %v", err)
	}
	// Badger is done in the end, and so the folder is free.
	clear9(dir)
	for err != nil {
		time.Sleep(10 * time.Millisecond)
		if err = stillHeld(dir); err != nil && !errors.Is(err, ErrGivenUp) {
			t.Fatal(err)
		}
	}
	s, _ = open(t, dir)
	if e, ok := s.Get(Key(request("old"))); !ok || e.Response.Text != "kept" {
		t.Errorf("what was stored: %+v, %v", e, ok)
	}
}

// A store that is given up after it was renewed holds its folder, and says so.
func TestGivenUpAfterRenewing(t *testing.T) {
	s, _ := open(t, t.TempDir())
	s.unrenewed.Store(renewAfter)
	put(t, s, "old", entry("kept"))
	put(t, s, "new", entry("kept"))
	unflushable(t, s)
	s.opts.Timeout = soon
	if err := s.Close(); !errors.Is(err, ErrGivenUp) {
		t.Fatalf("Close: %v", err)
	}
	if _, err := Open(s.dir, Options{}); !errors.Is(err, ErrGivenUp) {
		t.Error(err)
	}
	clear9(s.dir)
}

// The run goes on: with renewing that does not end, and with a write that does
// not find room in memory.
func TestCannotBeWrittenWhileRunning(t *testing.T) {
	for name, write := range map[string]func(*Store) error{
		"renewing": func(s *Store) error {
			s.unrenewed.Store(renewAfter)
			return s.Put(Key(request("more")), entry("x"))
		},
		"writing": func(s *Store) (err error) {
			for i := 0; err == nil && i < 100; i++ {
				s.unrenewed.Store(0)
				err = s.Put(Key(request(fmt.Sprint(i))), entry(random(200<<10)))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := open(t, t.TempDir())
			put(t, s, "old", entry("x"))
			unflushable(t, s)
			s.opts.Timeout = time.Second
			if err := write(s); !errors.Is(err, ErrGivenUp) {
				t.Errorf("got %v", err)
			}
			givenUpOnce(t, s, w)
		})
	}
}

// The newest value log is missing and Badger gives its number again: pointers
// lead into what others wrote. At first the panic that came of it kept a lock.
func TestValueLogIsGone(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	texts := map[string]string{}
	for i := range 4 {
		q := fmt.Sprint("old ", i)
		texts[q] = random(400<<10 + i*1000)
		put(t, s, q, entry(texts[q]))
	}
	shut(t, s)
	logs, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	if err != nil || len(logs) == 0 {
		t.Fatal(logs, err)
	}
	if err := os.Remove(logs[len(logs)-1]); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s, w := open(t, dir)
		for i := range 4 {
			q := fmt.Sprint("new ", i)
			texts[q] = random(700<<10 + i*777)
			put(t, s, q, entry(texts[q]))
		}
		for q, text := range texts {
			e, ok := s.Get(Key(request(q)))
			if ok && e.Response.Text != text {
				t.Errorf("%s has another's text", q)
			}
			if !ok && strings.HasPrefix(q, "new") {
				t.Errorf("%s is not found", q)
			}
		}
		if len(w.said) != 1 || !strings.Contains(w.said[0], "damaged entries are asked again") {
			t.Errorf("said %q", w.said)
		}
		shut(t, s)
	}
}

// A panic in Badger may leave its locks taken: it is not asked again. The number
// of entries of the one block of the one table is made impossible.
func TestPanic(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	put(t, s, "old", entry("x"))
	shut(t, s)
	s, w := open(t, dir)
	at := filepath.Join(dir, "000001.sst")
	b, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	before := func(end int) int { return int(binary.BigEndian.Uint32(b[end-4:])) } // the length that ends there
	index := len(b) - 4 - before(len(b))
	block := index - 4 - before(index)
	f, err := os.OpenFile(at, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("\x7f\xff\xff\xff"), int64(block-4-before(block)-4)); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, ok := s.Get(Key(request("old"))); ok {
		t.Error("it is a hit")
	}
	givenUpOnce(t, s, w)
	if _, err := Open(dir, Options{MinFree: 1}); !errors.Is(err, ErrGivenUp) || strings.Contains(err.Error(), "another gavel") {
		t.Errorf("opened again: %v", err)
	}
	copied := filepath.Join(t.TempDir(), "copy") // as the next gavel finds it
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	_, w = open(t, copied)
	if len(w.said) != 1 || !strings.Contains(w.said[0], copied+" is damaged (a read found it damaged): it was moved to ") {
		t.Errorf("said %q", w.said)
	}
}

// One value log copied over another: the values in it are whole, and of other
// keys.
func TestValuesAreBoundToTheirKeys(t *testing.T) {
	dir := t.TempDir()
	length := 0
	for _, q := range []string{"one", "two"} {
		s, _ := open(t, dir)
		key, e := Key(request(q)), entry(random(400<<10))
		for {
			v, err := encode(key[:], e)
			if err != nil {
				t.Fatal(err)
			}
			if length == 0 || len(v) == length {
				length = len(v)
				break
			}
			e = entry(random(400 << 10))
		}
		put(t, s, q, e)
		shut(t, s)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	if err != nil || len(logs) < 2 {
		t.Fatal(logs, err)
	}
	one, err := os.ReadFile(logs[0])
	if err == nil {
		err = os.WriteFile(logs[1], one, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, w := open(t, dir)
	if _, ok := s.Get(Key(request("one"))); !ok {
		t.Error("one is lost")
	}
	if e, ok := s.Get(Key(request("two"))); ok {
		t.Errorf("two has a reply: %.20s", e.Response.Text)
	}
	if len(w.said) != 1 || !strings.Contains(w.said[0], "wrong checksum") {
		t.Errorf("said %q: the value should have been whole", w.said)
	}
	_, bad, err := s.Verify(t.Context(), func([]byte, error) {})
	if bad != 1 || err != nil {
		t.Errorf("verify: %d, %v", bad, err)
	}
}

// What an earlier gavel stored is a hit as it was.
func TestUnboundValuesAreRead(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	put(t, s, "q", entry(""))
	shut(t, s)
	tamper(t, dir, func([]byte) []byte {
		return old(`{"model":"tiny","created":"2026-01-02T03:04:05Z","response":{"text":"[[A>B]]","finish":"stop"}}`)
	})
	s, w := open(t, dir)
	if e, ok := s.Get(Key(request("q"))); !ok || !reflect.DeepEqual(e, entry("[[A>B]]")) || len(w.said) != 0 {
		t.Errorf("%+v, %v, said %q", e, ok, w.said)
	}
}

// A cache that Badger cannot open whole is moved aside, and a new one begins: once.
func TestDamagedCacheIsMovedAside(t *testing.T) {
	base := damaged(t, func(b []byte) []byte { return b })
	killed := filepath.Join(t.TempDir(), "killed")
	s, _ := open(t, base)
	put(t, s, "in the log", entry("x"))
	if err := os.CopyFS(killed, os.DirFS(base)); err != nil {
		t.Skip(err) // a system that does not let others read open files
	}
	shut(t, s)
	const table, manifest = "000001.sst", "MANIFEST"
	same := func(b []byte) []byte { return b }
	shorter := func(b []byte) []byte { return b[:len(b)-1] }
	half := func([]byte) []byte { return []byte("half a table") }
	zeros := func(b []byte) []byte { return make([]byte, len(b)) }
	bitAt := func(i int) func([]byte) []byte {
		return func(b []byte) []byte { b[(len(b)+i)%len(b)] ^= 4; return b }
	}
	for name, tc := range map[string]struct {
		base, file string
		bend       func([]byte) []byte // nil removes it
		says       string              // "" where nothing is damaged
	}{
		"whole":                    {base, manifest, same, ""},
		"killed":                   {killed, manifest, same, ""},
		"killed while it flushed":  {killed, "000009.sst", half, ""},
		"a table without a log":    {base, "000009.sst", half, "names 2 of 3 tables"},
		"table cut short":          {base, table, shorter, table + " is damaged"},
		"table of zeros":           {base, table, zeros, table + " is damaged"},
		"table empty":              {base, table, func([]byte) []byte { return nil }, table + " is damaged"},
		"table's index":            {base, table, bitAt(-40), table + " is damaged"},
		"table gone":               {base, table, nil, table + " is damaged"},
		"manifest gone":            {base, manifest, nil, manifest + " is gone"},
		"manifest cut short":       {base, manifest, shorter, manifest + " is damaged and names 1 of 2 tables"},
		"manifest bent":            {base, manifest, bitAt(12), "names 0 of 2 tables"},
		"manifest cut, and killed": {killed, manifest, shorter, "names 0 of 1 tables"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "copy")
			for _, aside := range []string{dir + ".damaged", dir + ".damaged-2"} {
				if err := os.CopyFS(dir, os.DirFS(tc.base)); err != nil {
					t.Fatal(err)
				}
				at := filepath.Join(dir, tc.file)
				b, _ := os.ReadFile(at)
				err := os.Remove(at)
				if tc.bend != nil {
					err = os.WriteFile(at, tc.bend(b), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
				s, w := open(t, dir)
				req := request("q")
				req.Repetition = 7
				if _, ok := s.Get(Key(req)); ok != (tc.says == "") {
					t.Errorf("its entries are there: %v", ok)
				}
				said := strings.Join(w.said, "\n")
				_, err = os.Stat(filepath.Join(aside, "KEYREGISTRY"))
				if tc.says == "" {
					if said != "" || err == nil {
						t.Errorf("said %q, moved: %v", said, err)
					}
					return
				}
				if err != nil || len(w.said) != 1 {
					t.Errorf("said %q; %v", w.said, err)
				}
				for _, want := range []string{dir + " is damaged (", tc.says, "moved to " + aside + ", ", "gavel cache rebuild"} {
					if !strings.Contains(said, want) {
						t.Errorf("said %q, want %s", said, want)
					}
				}
				put(t, s, "more", entry("more"))
				shut(t, s)
				s, w = open(t, dir)
				if _, ok := s.Get(Key(request("more"))); !ok || len(w.said) != 0 {
					t.Errorf("opened again: %v, said %q", ok, w.said)
				}
				shut(t, s)
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Damage within a table shows when it is read: it is a miss, nothing is merged, and the next to open it moves it aside.
func TestDamageWithinTable(t *testing.T) {
	dir := t.TempDir()
	entries := piled(t, dir, 13)
	at := filepath.Join(dir, "000007.sst")
	b, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	bent := -1
	for i := 0; bent < 0; i++ {
		key := Key(request(fmt.Sprint(i)))
		if j := bytes.Index(b, key[16:]); j >= 0 { // keys stand there without what they share
			b[j+16+30] ^= 4 // behind the version, in the value
			bent = i
		}
	}
	if err := os.WriteFile(at, b, 0o644); err != nil {
		t.Fatal(err)
	}
	s, w := open(t, dir)
	for i := range entries {
		if _, ok := s.Get(Key(request(fmt.Sprint(i)))); ok == (i == bent) {
			t.Errorf("entry %d: hit %v", i, ok)
		}
	}
	if len(w.said) != 1 || !strings.Contains(w.said[0], "damaged entries are asked again") {
		t.Errorf("said %q", w.said)
	}
	good, bad, err := s.Verify(t.Context(), func([]byte, error) {})
	_, perr := s.Prune(t.Context(), func(Entry) bool { return true })
	for _, err := range []error{err, perr} {
		if good != entries-1 || bad != 1 || err == nil || !strings.Contains(err.Error(), "moved aside when it is opened") {
			t.Errorf("%d, %d, %v", good, bad, err)
		}
	}
	shut(t, s)
	if _, w = open(t, dir); len(w.said) != 1 || !strings.Contains(w.said[0], "moved to "+dir+".damaged") {
		t.Errorf("said %q", w.said)
	}
}

// Another gavel is at work in the folder: it is left alone.
func TestNothingIsMovedAtWork(t *testing.T) {
	dir := damaged(t, func(b []byte) []byte { return b })
	open(t, dir)
	at := filepath.Join(dir, "000001.sst")
	if err := os.Rename(at, at+".away"); err != nil {
		t.Skip(err)
	}
	if _, err := Open(dir, Options{MinFree: 1}); !errors.Is(err, errLocked) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(dir + ".damaged"); err == nil {
		t.Error("it was moved aside")
	}
}

// A reply that came with a bundle says so.
func TestOrigin(t *testing.T) {
	s, _ := open(t, t.TempDir())
	e := entry("x")
	e.Origin = "week.tar"
	put(t, s, "q", e)
	put(t, s, "own", entry("x"))
	c := Wrap(saying(verdict), s)
	if got := ask(t, c, request("q")); got.Origin != "week.tar" || !got.Cached {
		t.Errorf("%+v", got)
	}
	if got := ask(t, c, request("own")); got.Origin != "" {
		t.Errorf("%+v", got)
	}
}
