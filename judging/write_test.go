package judging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Records written at once by many are whole lines, each on disk when its Write
// returns.
func TestDirWriteFromManyGoroutines(t *testing.T) {
	path := runWith(t)
	d := begun(t, path)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 25 {
				r := recordOf(fmt.Sprintf("p%d-%d", i, k), 0, Decided)
				r.Replies[0].Text = strings.Repeat("long ", 1000*(k%3))
				if err := d.Write(r); err != nil {
					t.Error(err)
				}
				if b, _ := os.ReadFile(filepath.Join(path, RecordsFile)); !strings.Contains(string(b), `"item":"`+r.Item+`"`) {
					t.Errorf("%s is not on disk", r.Item)
				}
			}
		})
	}
	wg.Wait()
	n := 0
	if err := ReadRecords(filepath.Join(path, RecordsFile), func(*Record) error { n++; return nil }); err != nil || n != 200 {
		t.Errorf("%d records, %v", n, err)
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	d := begun(t, runWith(t))
	d.file.Close()
	d.file = full
	if err := d.Write(recordOf("p1", 0, Decided)); err == nil || !strings.Contains(err.Error(), "what is written is kept") {
		t.Errorf("error %v", err)
	}
}

func TestBeginWritesItemsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d, _, _, err := open(path, testManifest())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	no := errors.New("no")
	err = d.Begin(testManifest(), func(func([]byte) error) error {
		if _, err := ReadManifest(path); err != nil {
			t.Errorf("items are written before what run they are of: %v", err)
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(path, ItemsFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file is there that was not finished")
	}
	for _, lines := range [][]string{{`{"a": 1}`, `{"b":  "\u00e9"}`}, {"other"}} { // the second time it stands
		err := d.Begin(testManifest(), func(line func([]byte) error) error {
			for _, l := range lines {
				if err := line([]byte(l)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := readAll(t, filepath.Join(path, ItemsFile)), "{\"a\": 1}\n{\"b\":  \"\\u00e9\"}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWriteJSONIsOldOrNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	if err := WriteJSON(path, map[string]string{"a": "<&>"}); err != nil {
		t.Fatal(err)
	}
	if err := WriteJSON(path, func() {}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("what has no JSON: %v", err)
	}
	if got := readAll(t, path); got != "{\n  \"a\": \"<&>\"\n}\n" {
		t.Errorf("%q", got)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
}
