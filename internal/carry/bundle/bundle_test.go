package bundle

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/cache"
	"gavel/datasets"
	"gavel/internal/eval"
	"gavel/internal/trials"
	"gavel/judging"
)

func TestMain(m *testing.M) {
	trials.UseMemoryFiles()
	os.Exit(m.Run())
}

// oldBundle returns a bundle of a gavel before 0.1.
const oldBundle = "testdata/bundle-schema1.tar"

var library = datasets.Library{Dir: "datasets"}

// machine changes to an empty folder, and returns the path of a bundle from there.
func machine(t *testing.T, bundle string) string {
	t.Helper()
	path, err := filepath.Abs(bundle)
	assert.NilError(t, err)
	t.Chdir(t.TempDir())
	return path
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	assert.NilError(t, os.WriteFile(path, text, 0o644))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(text)
}

// pack writes a bundle of these files, as export does.
func pack(t *testing.T, out string, texts ...[2]string) {
	t.Helper()
	b := &exporter{}
	for i, f := range texts {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(i))
		write(t, folder, []byte(f[1]))
		b.files = append(b.files, file{name: f[0], path: folder})
	}
	var packed bytes.Buffer
	assert.NilError(t, b.write(&packed))
	write(t, out, packed.Bytes())
}

// TestThereAndBack: a bundle of before is taken in, its run made again, and taken
// along again: twice the same bytes.
func TestThereAndBack(t *testing.T) {
	before := machine(t, oldBundle)
	done, err := Import(library, before, "runs")
	if err != nil || done.Written != 4 || done.Unchanged != 0 || done.Runs[0] != "old" {
		t.Fatalf("%+v, %v", done, err)
	}
	m := &eval.Maker{
		Now: time.Now, Version: "test", Library: library,
		OpenCache: func(dir string) (*cache.Store, error) { return nil, errors.New("no cache is needed") },
	}
	if rep, _, err := ReplayRun(t.Context(), m, "runs/old", "again"); err != nil || rep == nil {
		t.Errorf("replay: %v, %v", rep, err)
	}
	for _, out := range []string{"one.tar", "two.tar"} {
		has, err := Export(library, ExportRequest{Out: out, Runs: []string{"runs/old"}})
		if err != nil || len(has.Runs) != 1 {
			t.Fatalf("%+v, %v", has, err)
		}
	}
	assert.Assert(t, read(t, "one.tar") == read(t, "two.tar"), "two bundles of one run differ")
	// What a killed import left is gone after the next, which writes what is missing.
	litter := "runs/old/." + judging.ItemsFile + "-12"
	write(t, litter, nil)
	assert.NilError(t, os.Remove("runs/old/"+judging.ItemsFile))
	for _, bundle := range []string{before, "one.tar"} {
		done, err = Import(library, bundle, "runs")
		if bundle == "one.tar" {
			done.Written++
			done.Unchanged--
		}
		if err != nil || done.Written != 1 || done.Unchanged != 3 {
			t.Errorf("taken in twice: %+v, %v", done, err)
		}
	}
	if _, err := os.Stat(litter); err == nil {
		t.Errorf("%s is still there", litter)
	}
	write(t, "runs/old/results.json", []byte("{}"))
	_, err = Import(library, before, "runs")
	assert.ErrorContains(t, err, "runs/old/results.json exists and differs")
	rep, _, err := ReplayRun(t.Context(), m, "runs/old", "third")
	assert.ErrorContains(t, err, "results.json differ")
	assert.Assert(t, rep != nil, "no scores of the run that was made")
}

// TestUsage: a request that asks for nothing is a usage error.
func TestUsage(t *testing.T) {
	for _, r := range []ExportRequest{{Runs: []string{"old"}}, {Out: "x.tar"}} {
		_, err := Export(library, r)
		assert.ErrorIs(t, err, eval.ErrUsage)
	}
}

// TestFlippedBit: wherever one bit changes, or the file ends, nothing is taken in, or nothing but what was packed.
func TestFlippedBit(t *testing.T) {
	before := machine(t, oldBundle)
	_, err := Import(library, before, "runs")
	assert.NilError(t, err)
	_, err = Export(library, ExportRequest{Out: "one.tar", Runs: []string{"runs/old"}})
	assert.NilError(t, err)
	for _, from := range []string{"one.tar", before} {
		whole := []byte(read(t, from))
		refused := 0
		try := func(damage string, bad []byte) error {
			write(t, "bad.tar", bad)
			_, err := Import(library, "bad.tar", "flipped")
			defer os.RemoveAll("flipped")
			if err != nil {
				refused++
				if _, serr := os.Stat("flipped"); serr == nil || !strings.Contains(err.Error(), "nothing was imported") {
					t.Errorf("%s of %s: something was written: %v", damage, from, err)
				}
				return err
			}
			for _, name := range runFiles {
				if was, err := os.ReadFile("runs/old/" + name); err == nil && string(was) != read(t, "flipped/old/"+name) {
					t.Errorf("%s of %s: %s is another", damage, from, name)
				}
			}
			return nil
		}
		for offset := 0; offset < len(whole); offset += len(whole) / 120 {
			bad := bytes.Clone(whole)
			bad[offset] ^= 1 << (offset % 8)
			try(fmt.Sprintf("bit of byte %d", offset), bad)
		}
		if refused < 60 {
			t.Errorf("%d flipped bits of %s were refused", refused, from)
		}
		for n := 0; n < len(whole)-2048; n += 512 { // where a tar may end, too
			if try(fmt.Sprintf("the first %d bytes", n), whole[:n]) == nil {
				t.Fatalf("the first %d bytes of %s are taken for all", n, from)
			}
		}
	}
}

// TestHostileBundles: a bundle can have right sums and still mean harm.
func TestHostileBundles(t *testing.T) {
	const bundle = "bad.tar"
	machine(t, bundle)
	for _, name := range []string{
		"runs/../../evil/run.json", "/etc/evil", "runs/x/y/z/run.json", "runs/x/y/suite.json", "runs/suite.json", "runs/run.json", "runs/x/evil.sh",
		"runs/x/y/evil.sh", "runs/../y/run.json", "suite.json", "runs/\x1b[31m/run.json", "runs/\u202egnp/run.json", "runs/\xff/run.json", "evil", "datasets/../evil",
		"prompts/..", "runs//run.json", "runs/.deleted-abc/run.json", "prompts/.a", `runs/..\evil/run.json`,
	} {
		pack(t, bundle, [2]string{name, "{}"})
		_, err := Import(library, bundle, "runs")
		assert.ErrorContains(t, err, "does not belong in a bundle; nothing was imported", name)
		assert.Assert(t, !strings.ContainsAny(err.Error(), "\x1b\u202e"), "%q steers the terminal", name)
	}
	for what, h := range map[string]tar.Header{
		"a link":   {Typeflag: tar.TypeSymlink, Name: "runs/x/run.json.zst", Linkname: "/etc/passwd"},
		"a folder": {Typeflag: tar.TypeDir, Name: "runs/"},
	} {
		f, err := os.Create(bundle)
		assert.NilError(t, err)
		tw := tar.NewWriter(f)
		assert.NilError(t, errors.Join(tw.WriteHeader(&h), tw.Close(), f.Close()))
		_, err = Import(library, bundle, "runs")
		assert.ErrorContains(t, err, "does not belong in a bundle", what)
	}
	// A sparse file of 8 GiB less a byte, in 1 KiB.
	sparse := make([]byte, 2048)
	copy(sparse, "bundle.json.zst")
	for at, text := range map[int]string{
		100: "0000644", 108: "0000000", 116: "0000000", 124: "00000000000", 136: "00000000000", 148: "        ", 156: "S",
		257: "ustar  ", 386: "77777777777", 398: "00000000000", 483: "77777777777",
	} {
		copy(sparse[at:], text)
	}
	sum := 0
	for _, b := range sparse[:512] {
		sum += int(b)
	}
	copy(sparse[148:], fmt.Sprintf("%06o\x00 ", sum))
	write(t, bundle, sparse)
	_, err := Import(library, bundle, "runs")
	assert.ErrorContains(t, err, "\"bundle.json.zst\" is larger than the bundle")
	// A small bundle that unpacks to a great deal is refused before anything is written.
	pack(t, bundle, [2]string{"runs/x/records.jsonl", strings.Repeat("\x00", 80<<20)})
	_, err = Import(library, bundle, "runs")
	assert.ErrorContains(t, err, "unpacks to more than is usual")
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was taken in")
	}
}

// TestHostileLinks: what lies in the folder of runs cannot lead out of it.
func TestHostileLinks(t *testing.T) {
	before := machine(t, oldBundle)
	assert.NilError(t, errors.Join(os.MkdirAll("runs", 0o755), os.Mkdir("elsewhere", 0o755)))
	if err := os.Symlink(filepath.Join("..", "elsewhere"), filepath.Join("runs", "old")); err != nil {
		t.Skip(err)
	}
	_, err := Import(library, before, "runs")
	assert.ErrorContains(t, err, "escapes from parent")
	if files, err := os.ReadDir("elsewhere"); err != nil || len(files) > 0 {
		t.Errorf("%v was written there, %v", files, err)
	}
}

// TestAboutGoesAlong: what people say of a run goes along, and never over what is said where it arrives.
func TestAboutGoesAlong(t *testing.T) {
	before := machine(t, oldBundle)
	_, err := Import(library, before, "runs")
	assert.NilError(t, err)
	assert.NilError(t, judging.WriteAbout("runs/old", judging.RunDescription{Name: "baseline", Tags: []string{"paper"}}))
	_, err = Export(library, ExportRequest{Out: "said.tar", Runs: []string{"runs/old"}})
	assert.NilError(t, err)
	path := machine(t, "said.tar")
	for _, name := range []string{"baseline", "otherwise"} {
		_, err := Import(library, path, "runs")
		assert.NilError(t, err)
		if text := read(t, "runs/old/about.json"); !strings.Contains(text, name) {
			t.Errorf("%s; want %s", text, name)
		}
		assert.NilError(t, judging.WriteAbout("runs/old", judging.RunDescription{Name: "otherwise"}))
	}
}

// TestNamedTwice: a dataset that is named twice is in the bundle once, and folders of one name are refused.
func TestNamedTwice(t *testing.T) {
	before := machine(t, oldBundle)
	const name = "gsm8k"
	assert.NilError(t, os.MkdirAll("datasets", 0o755))
	write(t, library.Path(name), []byte("{}\n"))
	_, err := Export(library, ExportRequest{Out: "b.tar", Datasets: []string{name, name}})
	assert.NilError(t, err)
	done, err := Import(datasets.Library{Dir: "elsewhere"}, "b.tar", "runs")
	if err != nil || done.Written != 1 || read(t, datasets.Library{Dir: "elsewhere"}.Path(name)) != "{}\n" {
		t.Errorf("%+v, %v", done, err)
	}
	for _, dir := range []string{"runs", "suites"} {
		_, err := Import(library, before, dir)
		assert.NilError(t, err)
	}
	_, err = Export(library, ExportRequest{Out: "c.tar", Runs: []string{"runs/old", "suites/old"}})
	assert.ErrorContains(t, err, "two folders are called old")
}
