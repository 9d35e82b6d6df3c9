package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gavel/cache"
	"gavel/datasets"
	"gavel/eval"
)

// machine is a Maker in a folder of its own, and an order to take a bundle in there.
func machine(t *testing.T, bundle string) (*eval.Maker, ImportRequest) {
	t.Helper()
	at, err := filepath.Abs(bundle)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	m := &eval.Maker{
		Now: time.Now, Version: "test", Library: datasets.Library{Dir: "datasets"},
		OpenCache: func(dir string) (*cache.Store, error) { return cache.Open(dir, cache.Options{}) },
	}
	return m, ImportRequest{Bundle: at, Runs: "runs", Cache: "replies", MaxMiB: DefaultMaxMiB}
}

// ofBefore is a bundle of a gavel that knew no origins.
const ofBefore = "testdata/bundle-schema1.tar"

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// failsWith wants an error with these words.
func failsWith(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("%v, want %s", err, words)
	}
}

// TestThereAndBack: a bundle of before is taken in, its run made again, and taken
// along again: twice the same bytes.
func TestThereAndBack(t *testing.T) {
	m, r := machine(t, ofBefore)
	done, err := Import(m, r)
	if err != nil || done.Files != 4 || done.SameFiles != 0 || done.Replies != 4 || done.SameReplies != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if rep, _, err := Replay(context.Background(), m, "runs/old", "again", "replies"); err != nil || rep == nil {
		t.Errorf("replay: %v, %v", rep, err)
	}
	for _, out := range []string{"one.tar", "two.tar"} {
		index, err := Export(context.Background(), m, ExportRequest{Out: out, Runs: []string{"runs/old"}, Cache: "replies"})
		if err != nil || index.Replies != 4 {
			t.Fatalf("%+v, %v", index, err)
		}
	}
	if !bytes.Equal(read(t, "one.tar"), read(t, "two.tar")) {
		t.Error("two bundles of one run differ")
	}
	if c, err := Verify("one.tar"); err != nil || len(c.Files) != 6 || c.Index.Gavel != "test" || c.Index.Replies != 4 {
		t.Errorf("%+v, %v", c, err)
	}
	if done, err = Import(m, r); err != nil || done.Files != 0 || done.SameFiles != 4 || done.Replies != 0 || done.SameReplies != 4 {
		t.Errorf("taken in twice: %+v, %v", done, err)
	}
	write(t, "runs/old/results.json", []byte("{}"))
	_, err = Import(m, r)
	failsWith(t, err, "results.json is there already and differs from the bundle's runs/old/results.json.zst: nothing was taken in")
	rep, _, err := Replay(context.Background(), m, "runs/old", "third", "replies")
	if failsWith(t, err, "results.json differ"); rep == nil {
		t.Error("no scores of the run that was made")
	}
}

// What cannot be asked for is a usage error.
func TestUsage(t *testing.T) {
	m, r := machine(t, ofBefore)
	for _, most := range []int64{0, -1, 1 << 44} {
		r.MaxMiB = most
		if _, err := Import(m, r); !errors.Is(err, eval.ErrUsage) {
			t.Errorf("%d MiB: %v", most, err)
		}
	}
	for _, r := range []ExportRequest{{Runs: []string{"old"}}, {Out: "x.tar"}} {
		if _, err := Export(context.Background(), m, r); !errors.Is(err, eval.ErrUsage) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestFlippedBit: wherever one bit changes, nothing is taken in, and what it is
// in is named.
func TestFlippedBit(t *testing.T) {
	m, r := machine(t, ofBefore)
	whole := read(t, r.Bundle)
	r.Bundle = "bad.tar"
	places := map[string]bool{}
	for at := 0; at < len(whole); at += 7 {
		bad := bytes.Clone(whole)
		bad[at] ^= 1 << (at % 8)
		write(t, r.Bundle, bad)
		_, err := Import(m, r)
		said := fmt.Sprint(err)
		if err == nil || !strings.Contains(said, "nothing was taken in") {
			t.Fatalf("byte %d changed: %v", at, err)
		}
		for _, name := range []string{"records.jsonl.zst", "items.jsonl.zst", repliesFile, sealFile} {
			places[name] = places[name] || strings.Contains(said, name)
		}
	}
	for name, named := range places {
		if !named {
			t.Errorf("%s was never named", name)
		}
	}
	for _, n := range []int{0, 100, 511, len(whole) / 2, len(whole) - 1} {
		write(t, r.Bundle, whole[:n])
		_, err := Verify(r.Bundle)
		failsWith(t, err, "bad.tar: ")
	}
	for _, folder := range []string{"runs", "replies"} {
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s was written", folder)
		}
	}
}

// tarball writes a well-sealed bundle of these files, each of which holds its
// text so many times; bend has the list of them before it is written.
func tarball(t *testing.T, path string, times int, bend func([]File), files ...bundled) error {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := newTarball(f)
	add := func(b bundled, times int) error {
		text, err := pack(b)
		if err != nil {
			t.Fatal(err)
		}
		return w.add(b.name+packed, bytes.Repeat(text, times)) // frames that follow each other are one text
	}
	err = add(bundled{name: indexFile, text: []byte(`{"schema":1}`)}, 1)
	for _, b := range files {
		err = errors.Join(err, add(b, times))
	}
	if bend != nil {
		bend(w.files)
	}
	return errors.Join(err, w.end())
}

// TestHostileNames: a bundle can be well sealed and still mean harm.
func TestHostileNames(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "bad.tar"
	for _, name := range []string{
		"runs/../../evil/run.json", "/etc/evil", "runs/x/y/z/run.json", "runs/x/y/suite.json", "runs/suite.json", "runs/run.json", "runs/x/evil.sh",
		"runs/x/y/evil.sh", "runs/../y/run.json", "suite.json", "runs/\x1b[31m/run.json", "runs/\u202egnp/run.json", "evil", "datasets/../evil", "prompts/..", "runs//run.json", `runs/..\evil/run.json` + "\x00",
	} {
		if tarball(t, r.Bundle, 1, nil, bundled{name: name, text: []byte("{}")}) != nil {
			continue // a name that tar itself refuses
		}
		_, err := Import(m, r)
		failsWith(t, err, "no file of a bundle")
	}
}

// TestHostileSums: a list that is well sealed and says that files lie where they
// cannot.
func TestHostileSums(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, bend := range map[string]func([]File){
		"not at the beginning": func(f []File) { f[0].Offset = tarBlock },
		"over each other":      func(f []File) { f[1].Offset = 0 },
		"beyond the end":       func(f []File) { f[1].Size = 1 << 40 },
		"of no size":           func(f []File) { f[0].Size = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			if err := tarball(t, "bad.tar", 1, bend, bundled{name: repliesFile, text: []byte{}}); err != nil {
				t.Fatal(err)
			}
			_, err := Verify("bad.tar")
			failsWith(t, err, "lies where it cannot")
		})
	}
}

// TestBomb: a small bundle that unpacks to a great deal is refused before
// anything is written, and never held in memory.
func TestBomb(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "bomb.tar"
	zeros := make([]byte, 64<<20)
	for _, tc := range []struct {
		times int
		names []string
		most  int64
		says  string
	}{
		{22, []string{"prompts/a", "prompts/b", "prompts/c"}, DefaultMaxMiB, "bomb.tar unpacks to more than 4096 MiB: nothing was taken in"},
		{8, []string{"prompts/a"}, 100, "bomb.tar unpacks to more than 100 MiB: nothing was taken in; if it is to be trusted, allow more with --max-mib"},
		{4, []string{repliesFile}, DefaultMaxMiB, "replies.jsonl.zst: line 1: longer than 16 MiB"},
	} {
		var files []bundled
		for _, name := range tc.names {
			files = append(files, bundled{name: name, text: zeros})
		}
		if err := tarball(t, r.Bundle, tc.times, nil, files...); err != nil {
			t.Fatal(err)
		}
		r.MaxMiB = tc.most
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Import(m, r)
		runtime.ReadMemStats(&after)
		failsWith(t, err, tc.says)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 128 {
			t.Errorf("%s: %d MiB were allocated", tc.says, took)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was taken in")
	}
}
