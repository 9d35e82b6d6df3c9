package bundle

import (
	"archive/tar"
	"bytes"
	"encoding/json"
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
	"gavel/internal/eval"
	"gavel/judging"
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
	done, err := Import(t.Context(), m, r)
	if err != nil || done.Files != 4 || done.SameFiles != 0 || done.Replies != (eval.Rebuilt{Filled: 4}) {
		t.Fatalf("%+v, %v", done, err)
	}
	if rep, _, err := Replay(t.Context(), m, "runs/old", "again"); err != nil || rep == nil {
		t.Errorf("replay: %v, %v", rep, err)
	}
	for _, out := range []string{"one.tar", "two.tar"} {
		index, err := Export(m, ExportRequest{Out: out, Runs: []string{"runs/old"}})
		if err != nil {
			t.Fatalf("%+v, %v", index, err)
		}
	}
	if !bytes.Equal(read(t, "one.tar"), read(t, "two.tar")) {
		t.Error("two bundles of one run differ")
	}
	if c, err := Verify("one.tar"); err != nil || len(c.Files) != 5 || c.Index.Gavel != "test" {
		t.Errorf("%+v, %v", c, err)
	}
	if done, err = Import(t.Context(), m, r); err != nil || done.Files != 0 || done.SameFiles != 4 || done.Replies != (eval.Rebuilt{Same: 4}) {
		t.Errorf("taken in twice: %+v, %v", done, err)
	}
	write(t, "runs/old/results.json", []byte("{}"))
	_, err = Import(t.Context(), m, r)
	failsWith(t, err, "results.json exists and differs from runs/old/results.json.zst in the bundle: nothing was imported")
	rep, _, err := Replay(t.Context(), m, "runs/old", "third")
	if failsWith(t, err, "results.json differ"); rep == nil {
		t.Error("no scores of the run that was made")
	}
}

// What cannot be asked for is a usage error.
func TestUsage(t *testing.T) {
	m, r := machine(t, ofBefore)
	for _, most := range []int64{0, -1, 1 << 44} {
		r.MaxMiB = most
		if _, err := Import(t.Context(), m, r); !errors.Is(err, eval.ErrUsage) {
			t.Errorf("%d MiB: %v", most, err)
		}
	}
	for _, r := range []ExportRequest{{Runs: []string{"old"}}, {Out: "x.tar"}} {
		if _, err := Export(m, r); !errors.Is(err, eval.ErrUsage) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// TestFlippedBit: wherever one bit changes, nothing is taken in, and what it is
// in or follows is named.
func TestFlippedBit(t *testing.T) {
	m, r := machine(t, ofBefore)
	if _, err := Import(t.Context(), m, r); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(m, ExportRequest{Out: "one.tar", Runs: []string{"runs/old"}}); err != nil {
		t.Fatal(err)
	}
	for from, parts := range map[string][]string{
		"one.tar": {"bundle.json.zst", "run.json.zst", "records.jsonl.zst", "items.jsonl.zst", sumsFile}, r.Bundle: {"items.jsonl.zst", oldSealFile},
	} {
		whole := read(t, from)
		flip := ImportRequest{Bundle: "bad.tar", Runs: "flipped", Cache: "flipped-replies", MaxMiB: DefaultMaxMiB}
		places := map[string]bool{}
		for at := 0; at < len(whole); at += len(whole) / 300 {
			bad := bytes.Clone(whole)
			bad[at] ^= 1 << (at % 8)
			write(t, flip.Bundle, bad)
			_, err := Import(t.Context(), m, flip)
			said := fmt.Sprint(err)
			if err == nil || !strings.Contains(said, "nothing was imported") || !strings.Contains(said, "has changed") && !strings.Contains(said, "truncated") {
				t.Fatalf("byte %d of %s changed: %v", at, from, err)
			}
			for _, name := range parts {
				places[name] = places[name] || strings.Contains(said, name)
			}
		}
		for _, name := range parts {
			if !places[name] {
				t.Errorf("%s of %s was never named", name, from)
			}
		}
		for _, n := range []int{0, 100, 511, len(whole) / 2, len(whole) - 1} {
			write(t, flip.Bundle, whole[:n])
			_, err := Verify(flip.Bundle)
			failsWith(t, err, "bad.tar: ")
		}
		write(t, flip.Bundle, append(whole, 0))
		_, err := Verify(flip.Bundle)
		failsWith(t, err, "has changed")
		for _, folder := range []string{"flipped", "flipped-replies"} {
			if _, err := os.Stat(folder); err == nil {
				t.Errorf("%s was written", folder)
			}
		}
	}
}

// tarball writes a well-sealed bundle of these files.
func tarball(t *testing.T, path string, files ...bundled) error {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	index := Index{Schema: 1}
	for _, f := range files {
		if name, is := strings.CutPrefix(f.name, "prompts/"); is {
			index.Prompts = append(index.Prompts, name)
		}
	}
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	return writeTarball(f, append([]bundled{{name: indexFile, text: text}}, files...))
}

// TestIndexNamesItsFiles: what an index says is in the bundle, and each file has a place of its own.
func TestIndexNamesItsFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for index, says := range map[string]string{
		`{"schema":1,"runs":["a","b/c"],"suites":["b"],"prompts":["x"],"datasets":["d"]}`:   "",
		`{"schema":1,"runs":["../../etc"],"suites":["b"],"prompts":["x"],"datasets":["d"]}`: "its runs are",
		`{"schema":1,"runs":["a","b/c"],"prompts":["x"],"datasets":["d"]}`:                  "its suites are",
		`{"schema":1,"runs":["a","b/c"],"suites":["b"],"datasets":["d"]}`:                   "its prompts are",
		`{"schema":1,"runs":["a","b/c"],"suites":["b"],"prompts":["x"]}`:                    "its datasets are",
	} {
		var out bytes.Buffer
		files := []bundled{{name: indexFile, text: []byte(index)}}
		for _, name := range []string{"runs/a/run.json", "runs/b/suite.json", "runs/b/c/run.json", "prompts/x", "datasets/d.jsonl", repliesFile} {
			files = append(files, bundled{name: name, text: []byte("{}")})
		}
		if err := writeTarball(&out, files); err != nil {
			t.Fatal(err)
		}
		write(t, "b.tar", out.Bytes())
		if _, err := Verify("b.tar"); says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v", index, err)
		}
	}
	for _, names := range [][]string{{"prompts/items.jsonl", "runs/prompts/items.jsonl"}, {"runs/s/results.json", "runs/s/results.json/items.jsonl"}} {
		err := tarball(t, "b.tar", bundled{name: names[0], text: []byte("{}")}, bundled{name: names[1], text: []byte("{}")})
		if _, verr := Verify("b.tar"); err != nil || verr == nil || !strings.Contains(verr.Error(), "damaged: ") {
			t.Errorf("%q: %v %v", names, err, verr)
		}
	}
	b := &exporting{}
	for _, p := range []judging.Template{{SHA256: "ab", Name: "p.txt"}, {SHA256: "../../../x", Name: "p.txt"}} {
		if err := b.addPrompt(p); err == nil || len(b.files) > 0 {
			t.Errorf("%+v: %v", p, b.files)
		}
	}
}

// TestHostileNames: a bundle can be well sealed and still mean harm.
func TestHostileNames(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "bad.tar"
	for _, name := range []string{
		"runs/../../evil/run.json", "/etc/evil", "runs/x/y/z/run.json", "runs/x/y/suite.json", "runs/suite.json", "runs/run.json", "runs/x/evil.sh",
		"runs/x/y/evil.sh", "runs/../y/run.json", "suite.json", "runs/\x1b[31m/run.json", "runs/\u202egnp/run.json", "evil", "datasets/../evil", "prompts/..", "runs//run.json", "runs/.deleted-abc/run.json", "prompts/.a", `runs/..\evil/run.json` + "\x00",
	} {
		if tarball(t, r.Bundle, bundled{name: name, text: []byte("{}")}) != nil {
			continue // a name that tar itself refuses
		}
		_, err := Import(t.Context(), m, r)
		failsWith(t, err, "does not belong in a bundle")
	}
}

// TestHostileTar: what a tar can hold beside plain files is none of a bundle's,
// and is not even read: a sparse file stands for far more than it is.
func TestHostileTar(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, h := range map[string]tar.Header{
		"a link":          {Typeflag: tar.TypeSymlink, Name: "runs/x/run.json.zst", Linkname: "/etc/passwd"},
		"a folder":        {Typeflag: tar.TypeDir, Name: "runs/"},
		"other records":   {Name: "runs/x/run.json.zst", PAXRecords: map[string]string{"GAVEL.x": "y"}},
		"somebody's file": {Name: "runs/x/run.json.zst", Uid: 7},
	} {
		f, err := os.Create("bad.tar")
		if err != nil {
			t.Fatal(err)
		}
		tw := tar.NewWriter(f)
		if err := errors.Join(tw.WriteHeader(&h), tw.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = Verify("bad.tar")
		t.Log(name)
		failsWith(t, err, "the data after the beginning has changed")
	}
}

// TestHostileLinks: what lies in the folder of runs cannot lead out of it.
func TestHostileLinks(t *testing.T) {
	m, r := machine(t, ofBefore)
	if err := errors.Join(os.MkdirAll("runs", 0o755), os.Mkdir("elsewhere", 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join("runs", "old")); err != nil {
		t.Skip(err)
	}
	_, err := Import(t.Context(), m, r)
	failsWith(t, err, "escapes from parent")
	if left, err := os.ReadDir("elsewhere"); err != nil || len(left) > 0 {
		t.Errorf("%v was written there, %v", left, err)
	}
}

// TestHostileSums: a list that names other files, or others' sums.
func TestHostileSums(t *testing.T) {
	files := []File{{Name: "a", SHA256: "1"}, {Name: "b", SHA256: "2"}}
	for sums, says := range map[string]string{
		"1  a\n2  b\n":       "",
		"1  a\n":             "damaged: b, or its line in SHA256SUMS, has changed",
		"1  a\n2  c\n":       "damaged: b, or its line",
		"2  b\n1  a\n":       "damaged: a, or its line",
		"1  a\n2  b\n3  c\n": "damaged: files listed in SHA256SUMS are missing",
	} {
		err := compare(files, sums)
		if says == "" && err != nil {
			t.Errorf("%q: %v", sums, err)
		} else if says != "" {
			failsWith(t, err, says)
		}
	}
}

// TestTwoOfOneName: the second would be "there already", whatever is in it.
func TestTwoOfOneName(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "bad.tar"
	for _, text := range []string{"a", "b"} {
		if err := tarball(t, r.Bundle, bundled{name: "prompts/x", text: []byte("a")}, bundled{name: "prompts/x", text: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		_, err := Import(t.Context(), m, r)
		failsWith(t, err, "damaged: it has two files named prompts/x.zst; nothing was imported")
	}
}

// TestKilledImport: what a killed import left is gone after the next, which writes what is missing, and a cache that does
// not open says so when the runs are there.
func TestKilledImport(t *testing.T) {
	m, r := machine(t, ofBefore)
	at := func(name string) string { return filepath.Join("runs", "old", name) }
	whole := m.OpenCache
	m.OpenCache = func(string) (*cache.Store, error) { return nil, errors.New("locked") }
	if _, err := Import(t.Context(), m, r); err == nil || !strings.Contains(err.Error(), "locked") {
		t.Error(err)
	}
	m.OpenCache = whole
	litter := at("." + judging.ItemsFile + "-12")
	write(t, litter, nil)
	if err := os.Remove(at(judging.ItemsFile)); err != nil {
		t.Fatal(err)
	}
	if done, err := Import(t.Context(), m, r); err != nil || done.Files != 1 || done.Replies.Filled != 4 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Stat(litter); err == nil {
		t.Errorf("%s is still there", litter)
	}
}

// TestBomb: a small bundle that unpacks to a great deal is refused before
// anything is written, and never held in memory.
func TestBomb(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "bomb.tar"
	zeros := make([]byte, 256<<20)
	for _, tc := range []struct {
		mib   int
		names []string
		most  int64
		room  uint64 // MiB that may be allocated, one after the other
		says  string
	}{
		{200, []string{"prompts/a", "prompts/b", "prompts/c"}, 512, 128, "bomb.tar unpacks to more than 512 MiB: nothing was imported"},
		{128, []string{"prompts/a"}, 100, 128, "bomb.tar unpacks to more than 100 MiB: nothing was imported; if you trust it, allow more with --max-mib"},
	} {
		var files []bundled
		for _, name := range tc.names {
			files = append(files, bundled{name: name, text: zeros[:tc.mib<<20]})
		}
		if err := tarball(t, r.Bundle, files...); err != nil {
			t.Fatal(err)
		}
		r.MaxMiB = tc.most
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Import(t.Context(), m, r)
		runtime.ReadMemStats(&after)
		failsWith(t, err, tc.says)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > tc.room {
			t.Errorf("%s: %d MiB were allocated", tc.says, took)
		}
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was taken in")
	}
}

// TestASmallBundleThatWritesMuch: what a few KiB unpack to is looked at before any of it is written: whether it is what its
// name says, and how many times the bundle's size it is, unless a person allows more.
func TestASmallBundleThatWritesMuch(t *testing.T) {
	m, r := machine(t, "bad.tar")
	r.Bundle = "small.tar"
	lines := bytes.Repeat([]byte(`{"schema":1,"item":"`+strings.Repeat("x", 1<<10)+`"}`+"\n"), 100<<10)
	deep := []byte(strings.Repeat(" ", 70<<20) + "{}")
	for name, tc := range map[string]struct {
		file string
		text []byte
		most int64
		says string
	}{
		"NULs for records":  {"runs/x/records.jsonl", make([]byte, 100<<20), 1 << 20, "runs/x/records.jsonl.zst: line 1: the line is longer than 64 MiB"},
		"numbers for items": {"runs/x/items.jsonl", []byte("{}\n1\n"), DefaultMaxMiB, "runs/x/items.jsonl.zst: line 2: it is no JSON object; nothing was imported"},
		"NULs for a run":    {"runs/x/run.json", make([]byte, 1<<20), DefaultMaxMiB, "runs/x/run.json.zst: it is no JSON; nothing was imported"},
		"spaces":            {"runs/x/results.json", deep, 1 << 20, "runs/x/results.json.zst: it is longer than 64 MiB"},
		"the same lines":    {"runs/x/records.jsonl", lines, DefaultMaxMiB, "which is 64 MiB and 256 times its size: nothing was imported; if you trust it, allow more with --max-mib"},
		"allowed":           {"runs/x/records.jsonl", lines, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			index := Index{Schema: schema, Runs: []string{}, Datasets: []string{}, Prompts: []string{}}
			if strings.HasSuffix(tc.file, judging.ManifestFile) {
				index.Runs = []string{"x"}
			}
			text, err := json.Marshal(index)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := writeTarball(&out, []bundled{{name: indexFile, text: text}, {name: tc.file, text: tc.text}}); err != nil {
				t.Fatal(err)
			}
			write(t, r.Bundle, out.Bytes())
			r.MaxMiB = tc.most
			_, err = Import(t.Context(), m, r)
			if tc.says == "" {
				if info, serr := os.Stat(tc.file); err != nil || serr != nil || info.Size() != int64(len(tc.text)) {
					t.Errorf("%v, %v", err, serr)
				}
				os.RemoveAll("runs")
				return
			}
			failsWith(t, err, tc.says)
			if _, err := os.Stat("runs"); err == nil {
				t.Error("something was written")
			}
		})
	}
}

// What people say of a run goes along, and never over what is said where it arrives.
func TestWhatIsSaidGoesAlong(t *testing.T) {
	m, r := machine(t, ofBefore)
	if _, err := Import(t.Context(), m, r); err != nil {
		t.Fatal(err)
	}
	if err := judging.WriteAbout("runs/old", judging.About{Name: "baseline", Tags: []string{"paper"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := Export(m, ExportRequest{Out: "said.tar", Runs: []string{"runs/old"}}); err != nil {
		t.Fatal(err)
	}
	m, r = machine(t, "said.tar")
	for _, name := range []string{"baseline", "otherwise"} {
		if _, err := Import(t.Context(), m, r); err != nil {
			t.Fatal(err)
		}
		var a judging.About
		text, err := os.ReadFile("runs/old/about.json")
		if err != nil || json.Unmarshal(text, &a) != nil || a.Name != name {
			t.Errorf("%s, %v; want %s", text, err, name)
		}
		if err := judging.WriteAbout("runs/old", judging.About{Name: "otherwise"}); err != nil {
			t.Fatal(err)
		}
	}
}
