package cache

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// random returns a text that does not compress.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	for i := range b {
		b[i] = '0' + b[i]%75
	}
	return string(b)
}

// unflushable puts something where Badger's next tables go: it tries again and again until that is gone.
func unflushable(t *testing.T, s *Store) {
	t.Helper()
	for i := range 9 {
		assert.NilError(t, os.Mkdir(filepath.Join(s.dir, fmt.Sprintf("%06d.sst", i+1)), 0o755))
	}
	t.Cleanup(func() {
		for range 100 { // Badger may just now write what it could not write before
			if os.RemoveAll(s.dir) == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}

// givenUp holds a store to what one that was given up does: nothing, at once, and its folder is not opened again.
func givenUpOnce(t *testing.T, s *Store, w *warnings) {
	t.Helper()
	c := CachingClient(fixedJudge(verdict), s, false)
	for range 2 {
		if got := ask(t, c, request("new")); !reflect.DeepEqual(got, verdict) {
			t.Errorf("got %+v", got)
		}
	}
	if holds(s, "old") {
		t.Error("it still reads")
	}
	_, statsErr := s.Stats(t.Context())
	_, openErr := Open(s.dir, Options{MinFree: 1})
	for _, err := range []error{statsErr, openErr, s.Put(Key(request("new")), entry("x")), s.Close(), s.Close()} {
		assert.ErrorIs(t, err, ErrStoreGivenUp)
	}
	assert.ErrorContains(t, openErr, "cannot be opened again by this gavel")
	w.once(t, s.dir+" is no longer used, and replies are not stored: ")
}

func TestFolderVanishes(t *testing.T) {
	for name, meanwhile := range map[string]func(dir string) error{
		"gone":    os.RemoveAll,
		"renamed": func(dir string) error { return os.Rename(dir, dir+"2") },
		"another": func(dir string) error { return errors.Join(os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o755)) },
		"replaced": func(dir string) error {
			other := dir + "3"
			return errors.Join(os.Mkdir(other, 0o755), os.WriteFile(filepath.Join(other, "MANIFEST"), nil, 0o644),
				os.Rename(dir, dir+"2"), os.Rename(other, dir))
		},
		"emptied": func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, w := open(t, filepath.Join(t.TempDir(), "cache"))
			put(t, s, "old", entry("old"))
			if err := meanwhile(s.dir); err != nil {
				t.Skip(err) // a system that does not let go of open files
			}
			err := s.Close()
			assert.ErrorContains(t, err, "its files are gone")
			givenUpOnce(t, s, w)
			if files, err := filepath.Glob(filepath.Join(s.dir, "*")); err != nil || len(files) > 0 && name != "replaced" {
				t.Errorf("left behind: %q, %v", files, err)
			}
		})
	}
}

// Badger retries what it cannot flush for ever, and its Close waits for that; so does a write that finds no room in
// memory. The run goes on.
func TestCannotBeFlushed(t *testing.T) {
	for name, act := range map[string]func(*Store) error{
		"closing": (*Store).Close,
		"renewing": func(s *Store) error {
			s.bytesSinceRenewal.Store(reopenAfterBytes)
			return s.Put(Key(request("more")), entry("x"))
		},
		"writing": func(s *Store) (err error) {
			for i := 0; err == nil && i < 100; i++ {
				s.bytesSinceRenewal.Store(0)
				err = s.Put(Key(request(fmt.Sprint(i))), entry(random(200<<10)))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := open(t, t.TempDir())
			put(t, s, "old", entry("old"))
			unflushable(t, s)
			s.timeout = time.Second
			assert.ErrorContains(t, act(s), "did not answer within 1s, or cannot be written to")
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
	store := func(name string, size int) {
		texts[name] = random(size)
		put(t, s, name, entry(texts[name]))
	}
	for i := range 4 {
		store(fmt.Sprint("old ", i), 400<<10+i*1000)
	}
	shut(t, s)
	logs, err := filepath.Glob(filepath.Join(dir, "*.vlog"))
	assert.NilError(t, err)
	assert.NilError(t, os.Remove(logs[len(logs)-1]))
	var w *warnings
	for range 2 {
		s, w = open(t, dir)
		for i := range 4 {
			store(fmt.Sprint("new ", i), 700<<10+i*777)
		}
		for name, text := range texts {
			e, ok := s.Get(Key(request(name)))
			if ok && e.Response.Text != text || !ok && name[:3] == "new" {
				t.Errorf("%s: a hit: %v, of the right text: %v", name, ok, e.Response.Text == text)
			}
		}
		w.once(t, "damaged replies are requested again")
		shut(t, s)
	}
}

// A panic in Badger may leave its locks taken: it is not asked again. The number
// of entries of the one block of the one table is made impossible.
func TestPanic(t *testing.T) {
	dir := cacheOf(t, 1)
	s, w := open(t, dir)
	table := filepath.Join(dir, "000001.sst")
	b, err := os.ReadFile(table)
	assert.NilError(t, err)
	before := func(end int) int { return int(binary.BigEndian.Uint32(b[end-4:])) } // the length that ends there
	index := len(b) - 4 - before(len(b))
	block := index - 4 - before(index)
	f, err := os.OpenFile(table, os.O_WRONLY, 0) // which Badger has mapped
	assert.NilError(t, err)
	_, err = f.WriteAt([]byte("\x7f\xff\xff\xff"), int64(block-4-before(block)-4))
	assert.NilError(t, err)
	f.Close()
	if holds(s, "0") {
		t.Error("it is a hit")
	}
	givenUpOnce(t, s, w)
	next := killedCopy(t, dir)
	_, w = open(t, next)
	w.once(t, next+" is damaged (a read found it damaged): it was moved to ")
}
