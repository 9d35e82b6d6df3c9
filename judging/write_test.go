package judging

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging/judgingtest"
)

// Records written at once by many are whole lines, each on disk when its Write
// returns.
func TestDirWriteFromManyGoroutines(t *testing.T) {
	path := runWith(t)
	d := startedDir(t, path)
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
	if err := ReadRecords(filepath.Join(path, RecordsFile), func(*Record) error { n++; return nil }); err != nil ||
		n != 200 {
		t.Errorf("%d records, %v", n, err)
	}
}

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	d := startedDir(t, runWith(t))
	d.file.Close()
	d.file = full
	if err := d.Write(recordOf("p1", 0, Decided)); err == nil || !strings.Contains(err.Error(), "what is written is kept") {
		t.Errorf("error %v", err)
	}
}

func TestBeginWritesItemsOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	d, _, err := open(path, testManifest())
	assert.NilError(t, err)
	defer d.Close()
	no := errors.New("no")
	err = d.StartWithItems(testManifest(), func(func([]byte) error) error {
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
		err := d.StartWithItems(testManifest(), func(line func([]byte) error) error {
			for _, l := range lines {
				if err := line([]byte(l)); err != nil {
					return err
				}
			}
			return nil
		})
		assert.NilError(t, err)
	}
	if got, want := readAll(t, filepath.Join(path, ItemsFile)), "{\"a\": 1}\n{\"b\":  \"\\u00e9\"}\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRunsShareItems: runs beside each other that have the same items keep one file of them, which each of them has as
// its own: what becomes of one changes nothing of the others.
func TestRunsShareItems(t *testing.T) {
	runs := t.TempDir()
	file := func(name string) string { return filepath.Join(runs, name, ItemsFile) }
	for _, run := range []struct{ name, lines string }{
		{name: "a", lines: "one\ntwo"}, {name: "b", lines: "one\ntwo"}, {name: "c", lines: "one\ntwO"}, {name: "d", lines: "one"},
		{name: "deep/e", lines: "one\ntwo"}, {name: "f", lines: "one\ntwo"},
	} {
		d, _, err := open(filepath.Join(runs, run.name), testManifest())
		assert.NilError(t, err)
		defer d.Close()
		assert.NilError(t, d.StartWithItems(testManifest(), func(line func([]byte) error) error {
			for l := range strings.SplitSeq(run.lines, "\n") {
				if err := line([]byte(l)); err != nil {
					return err
				}
			}
			return nil
		}))
		assert.Equal(t, readAll(t, file(run.name)), run.lines+"\n")
		if run.name == "a" {
			assert.NilError(t, os.Mkdir(filepath.Join(runs, "link"), 0o755))
			assert.NilError(t, os.Symlink(file("a"), file("link")))
		}
		if run.name == "b" {
			assert.NilError(t, os.RemoveAll(filepath.Join(runs, "a")))
			assert.Equal(t, readAll(t, file("b")), "one\ntwo\n")
		}
	}
	stat := func(name string) fs.FileInfo {
		info, err := os.Lstat(file(name))
		assert.NilError(t, err)
		return info
	}
	for name, shared := range map[string]bool{"c": false, "d": false, "deep/e": false, "f": true, "link": false} {
		if os.SameFile(stat("b"), stat(name)) != shared {
			t.Errorf("b and %s: one file is %v, want %v", name, !shared, shared)
		}
	}
	assert.NilError(t, WriteJSON(file("f"), 1))
	assert.Equal(t, readAll(t, file("b")), "one\ntwo\n")
}

func TestWriteJSONIsOldOrNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	assert.NilError(t, WriteJSON(path, map[string]string{"a": "<&>"}))
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

// single shows one candidate at a time.
type single struct{ pairwise }

func (single) Presentations(item datasets.Item) (all []Presentation) {
	for i := range item.Candidates {
		all = append(all, Presentation{Index: i, Order: []int{i}, Shape: item.Shape})
	}
	return all
}

func (single) Prompt(item datasets.Item, s Presentation) Prompt {
	return Prompt{User: item.Question + item.Candidates[s.Order[0]].Text}
}

func (single) Parse(_ Presentation, reply string, _ ReadingOptions) Verdict {
	return Verdict{Outcome: Decided, Choice: NoCandidate, Answer: reply}
}

// TestARecordThatNobodyCanReadIsNotWritten: a protocol that shows one candidate ran to its end, and its records were
// then refused.
func TestARecordThatNobodyCanReadIsNotWritten(t *testing.T) {
	client := judgingtest.Script(func(context.Context, backends.Request) (backends.Response, error) { return judgingtest.Reply("7") })
	job, _ := newJob(t, judgingtest.Pairs(t, 2), client)
	job.Asker = single{}
	d := startedDir(t, runWith(t))
	job.Write = d.Write
	err := job.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "made a record of item") || !strings.Contains(err.Error(), "it has 1 of at least 2 candidates") {
		t.Errorf("error %v", err)
	}
	if err := ReadRecords(filepath.Join(d.Path, RecordsFile), func(*Record) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestAShapeSaysHowManyCandidatesItShows: of every shape but two they had to be two.
func TestAShapeSaysHowManyCandidatesItShows(t *testing.T) {
	const essay datasets.Shape = "essay"
	datasets.Shapes[essay] = datasets.ShapeInfo{MinCandidates: 1}
	defer delete(datasets.Shapes, essay)
	d := startedDir(t, runWith(t))
	item := datasets.Item{ID: "e1", Shape: essay, Candidates: []datasets.Candidate{{ID: "A", Text: "Once"}}, Gold: datasets.NoGold}
	for _, s := range (single{}).Presentations(item) {
		r := NewRecord(testManifest(), item, s)
		r.Presentations = 1
		r.SetVerdict(Verdict{Outcome: Decided, Choice: NoCandidate, Answer: "7"})
		assert.NilError(t, d.Write(r))
	}
	n := 0
	err := ReadRecords(filepath.Join(d.Path, RecordsFile), func(r *Record) error {
		if r.Item == item.ID {
			n++
		}
		return nil
	})
	if err != nil || n != 1 {
		t.Errorf("%d records: %v", n, err)
	}
	for shape, info := range datasets.Shapes {
		r := recordOf("p1", 0, NoVerdict)
		r.Shape, r.Gold, r.Order = shape, "", []string{"A", "B", "C"}[:max(0, info.MinCandidates-1)]
		if err := d.Write(r); (err != nil) != (info.MinCandidates > 0) {
			t.Errorf("a %s of %d candidates: error %v", shape, len(r.Order), err)
		}
	}
}
