package judging

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/disk"
	"gavel/judging/judgingtest"
)

// noItems writes an empty items.jsonl.
func noItems(func([]byte) error) error { return nil }

// startedDir opens a run directory and makes it ready for records.
func startedDir(t *testing.T, path string) *Dir {
	t.Helper()
	d, _, err := open(path, testManifest())
	if err == nil {
		err = d.StartWithItems(testManifest(), noItems)
	}
	assert.NilError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func failedAgain(r *Record) bool { return r.Outcome == Failed }

// open opens a run directory and lists the judgments that stand.
func open(path string, m *Manifest) (*Dir, []string, error) {
	var completed []string
	d, err := OpenDir(path, m, failedAgain, func(r *Record) error {
		completed = append(completed, fmt.Sprint(r.Item, " ", r.Presentation))
		return nil
	})
	return d, completed, err
}

func testManifest() *Manifest {
	return NewManifest("test", Spec{Protocol: "pairwise", Goal: "better", Prompt: comparison("pairwise").Templates[0], Model: ModelSpec{Name: "judge"}, Parameters: DefaultParameters})
}

func recordOf(item string, presentation int, o Outcome) *Record {
	r := goodRecord()
	r.Item, r.Presentation, r.Outcome = item, presentation, o
	if presentation == 0 {
		r.Order = []string{"A", "B"}
	}
	if o != Decided {
		r.Choice, r.Label = "", ""
	}
	return &r
}

// runWith makes a run directory with records in it.
func runWith(t *testing.T, records ...*Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	d, completed, err := open(path, testManifest())
	if err != nil || disk.Exists(filepath.Join(path, ManifestFile)) || len(completed) != 0 {
		t.Fatalf("a new run: standing %v, error %v", completed, err)
	}
	assert.NilError(t, d.StartWithItems(testManifest(), noItems))
	for _, r := range records {
		assert.NilError(t, d.Write(r))
	}
	assert.NilError(t, d.Close())
	return path
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(b)
}

func TestOpenDirGoesOn(t *testing.T) {
	for _, c := range []struct {
		name      string
		records   []*Record
		completed []string
		lines     int // left in the file
	}{
		{"nothing yet", nil, nil, 0},
		{"all good", []*Record{recordOf("p1", 0, Decided), recordOf("p1", 1, Truncated), recordOf("p2", 0, NoVerdict)}, []string{"p1 0", "p1 1", "p2 0"}, 3},
		{"a failed one is dropped", []*Record{recordOf("p1", 0, Failed), recordOf("p1", 1, Decided), recordOf("p2", 1, Failed)}, []string{"p1 1"}, 1},
		{"all failed", []*Record{recordOf("p1", 0, Failed), recordOf("p1", 1, Failed)}, nil, 0},
		{"a doubled one is dropped", []*Record{recordOf("p1", 0, Decided), recordOf("p1", 1, Decided), recordOf("p1", 0, Tie)}, []string{"p1 0", "p1 1"}, 2},
		{"failed and then not", []*Record{recordOf("p1", 0, Failed), recordOf("p1", 0, Decided)}, []string{"p1 0"}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := runWith(t, c.records...)
			d, completed, err := open(path, testManifest())
			assert.NilError(t, err)
			defer d.Close()
			old, err := ReadManifest(path)
			if err != nil || old.ID != testManifest().ID || !slices.Equal(completed, c.completed) {
				t.Errorf("manifest %v, standing %q, want %q, error %v", old, completed, c.completed, err)
			}
			assert.NilError(t, d.StartWithItems(testManifest(), noItems))
			assert.NilError(t, d.Write(recordOf("p9", 0, Decided)))
			text := readAll(t, filepath.Join(path, RecordsFile))
			if n := strings.Count(text, "\n"); n != c.lines+1 || !strings.HasSuffix(text, "\n") {
				t.Errorf("%d lines with the new one, want %d:\n%s", n, c.lines+1, text)
			}
			if _, reopened, err := reopen(d, path); err != nil || len(reopened) != c.lines+1 {
				t.Errorf("opened again: %q, %v", reopened, err)
			}
		})
	}
}

func reopen(d *Dir, path string) (*Dir, []string, error) {
	d.Close()
	reopened, completed, err := open(path, testManifest())
	if err == nil {
		defer reopened.Close()
	}
	return reopened, completed, err
}

// Killed before its first record, whatever files were made, a run starts over.
func TestOpenDirAfterAKillAtTheStart(t *testing.T) {
	var files []string // each a state that the run goes through, in turn
	path := runWith(t)
	entries, err := os.ReadDir(path)
	assert.NilError(t, err)
	for _, name := range []string{"", lockFile, ManifestFile, ItemsFile, RecordsFile} {
		files = append(files, name)
		killed := filepath.Join(t.TempDir(), "run")
		assert.NilError(t, os.MkdirAll(killed, 0o755))
		for _, f := range files[1:] {
			assert.NilError(t, os.WriteFile(filepath.Join(killed, f), []byte(readAll(t, filepath.Join(path, f))), 0o644))
		}
		startedDir(t, killed)
		if got, err := os.ReadDir(killed); err != nil || len(got) != len(entries) {
			t.Errorf("killed with %q: then %v, %v", files, got, err)
		}
	}
}

// Killed at any moment, a run loses the record that was being written and
// nothing else.
func TestOpenDirAfterAKill(t *testing.T) {
	whole := runWith(t, recordOf("p1", 0, Decided), recordOf("p1", 1, Failed), recordOf("p2", 0, Tie))
	text := readAll(t, filepath.Join(whole, RecordsFile))
	for _, kept := range []struct {
		name    string
		dropped bool // a failed record is among the whole ones: the file is written anew
	}{{"written anew", true}, {"cut to size", false}} {
		lines := strings.SplitAfter(text, "\n")[:3]
		if !kept.dropped {
			lines = slices.Delete(lines, 1, 2)
		}
		whole, last := strings.Join(lines[:len(lines)-1], ""), lines[len(lines)-1]
		for offset := 0; offset < len(last); offset += 1 + offset/8 {
			path := runWith(t)
			assert.NilError(t, os.WriteFile(filepath.Join(path, RecordsFile), []byte(whole+last[:offset]), 0o644))
			d, completed, err := open(path, testManifest())
			if err != nil || !slices.Equal(completed, []string{"p1 0"}) {
				t.Fatalf("%s, cut after %d bytes: standing %q, error %v", kept.name, offset, completed, err)
			}
			assert.NilError(t, d.StartWithItems(testManifest(), noItems))
			assert.NilError(t, d.Write(recordOf("p2", 0, Tie)))
			if got := readAll(t, filepath.Join(path, RecordsFile)); got != lines[0]+last {
				t.Fatalf("%s, cut after %d bytes, then written: %q", kept.name, offset, got)
			}
			d.Close()
		}
	}
}

func TestOpenDirRefuses(t *testing.T) {
	file := func(name, text string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			assert.NilError(t, os.MkdirAll(path, 0o755))
			assert.NilError(t, os.WriteFile(filepath.Join(path, name), []byte(text), 0o644))
		}
	}
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		err     string // "" where it is not refused
	}{
		{"a file of that name", func(t *testing.T, path string) { os.WriteFile(path, nil, 0o644) }, "not a directory; name another with --out"},
		{"a file above it", func(t *testing.T, path string) { os.WriteFile(filepath.Dir(path), nil, 0o644) }, "not a directory"},
		{"somebody else's folder", file("notes.txt", "x"), "is not empty and holds no run (there is notes.txt but no run.json)"},
		{"records without a manifest", file(RecordsFile, "{}\n"), "is not empty and holds no run (there is records.jsonl but no run.json)"},
		{"a file named as ours", file(ItemsFile, ""), "is not empty and holds no run (there is items.jsonl but no run.json)"},
		{"hidden files", file(".DS_Store", ""), ""},
		{"a damaged manifest", file(ManifestFile, `{"schema": 1, "id": "ab`), "damaged"},
		{"no manifest of ours", file(ManifestFile, `{}`), "not a manifest of gavel"},
		{"a broken record", func(t *testing.T, path string) {
			file(ManifestFile, "")(t, path)
			assert.NilError(t, WriteJSON(filepath.Join(path, ManifestFile), testManifest()))
			file(RecordsFile, lineOf(t, goodRecord())+"{\n")(t, path)
		}, "records.jsonl:2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "above", "run")
			if c.name == "a file of that name" {
				os.MkdirAll(filepath.Dir(path), 0o755)
			}
			c.prepare(t, path)
			for range 2 { // a refusal does not keep the lock
				d, _, err := open(path, testManifest())
				if err == nil {
					d.Close()
				}
				if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
			}
		})
	}
}

func TestOpenDirNamesWhatIsDifferent(t *testing.T) {
	path := runWith(t, recordOf("p1", 0, Decided))
	before := readAll(t, filepath.Join(path, RecordsFile))
	spec := testManifest().Spec
	spec.Prompt = comparison("pairwise").Templates[1]
	spec.Parameters.MaxTokens = 99
	spec.Model.Name = "other"
	_, _, err := open(path, NewManifest("test", spec))
	if !errors.Is(err, ErrOtherRun) {
		t.Fatal(err)
	}
	for _, want := range []string{path, "model.name: judge, now other", "parameters.max_tokens: 4096, now 99", "prompt.name: sop, now direct", "--out"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q: %v", want, err)
		}
	}
	for _, other := range []string{"parameters.seed", "Only the label", "protocol"} {
		if strings.Contains(err.Error(), other) {
			t.Errorf("the error says %q: %v", other, err)
		}
	}
	if got := readAll(t, filepath.Join(path, RecordsFile)); got != before {
		t.Errorf("the records of the run found were changed: %s", got)
	}
}

func TestOpenDirLocks(t *testing.T) {
	path := runWith(t)
	d, _, err := open(path, testManifest())
	assert.NilError(t, err)
	if _, _, err := open(path, testManifest()); err == nil || !strings.Contains(err.Error(), "another gavel is writing to this run") || !strings.Contains(err.Error(), path) {
		t.Errorf("opened twice: %v", err)
	}
	assert.NilError(t, d.Close())
	d, _, err = open(path, testManifest())
	if err != nil {
		t.Fatalf("the lock outlived its owner: %v", err)
	}
	d.Close()
}

func TestOpenDirStopsWhereDoneFails(t *testing.T) {
	no := errors.New("no")
	_, err := OpenDir(runWith(t, recordOf("p1", 0, Decided)), testManifest(), failedAgain, func(*Record) error { return no })
	if !errors.Is(err, no) {
		t.Error(err)
	}
}

// TestAbandonedFolderHasOneWriter: who takes a folder while another abandons it does not share it with a third.
func TestAbandonedFolderHasOneWriter(t *testing.T) {
	j, _ := newJob(t, judgingtest.Pairs(t, 1), nil)
	path := filepath.Join(t.TempDir(), "run")
	var holders, opened atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2000 {
				m := *j.Manifest
				d, err := OpenDir(path, &m, func(*Record) bool { return false }, func(*Record) error { return nil })
				if err != nil {
					continue
				}
				opened.Add(1)
				if n := holders.Add(1); n > 1 {
					t.Errorf("%d hold the folder at once", n)
				}
				runtime.Gosched()
				holders.Add(-1)
				d.Abandon()
			}
		})
	}
	all.Wait()
	if opened.Load() == 0 {
		t.Error("nobody had the folder")
	}
}
