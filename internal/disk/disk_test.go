package disk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func wrote(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// powerCuts stands for a disk that keeps what was flushed and nothing else: of a file its bytes, of a folder its names.
// A name may come to the disk sooner than it has to.
type powerCuts struct {
	dir    string
	synced map[string]string // the bytes of files that were flushed, by what they hold now
	names  map[string]string // the folder as it was flushed: by name, what the file held then
	cut    func(moment string, disk map[string]string)
}

func (p *powerCuts) now() map[string]string {
	names := map[string]string{}
	entries, _ := os.ReadDir(p.dir)
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(p.dir, e.Name()))
		names[e.Name()] = p.synced[string(text)] // nothing, where it was not flushed
	}
	return names
}

func (p *powerCuts) flush(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		p.names = p.now()
	} else {
		text, _ := os.ReadFile(f.Name())
		p.synced[string(text)] = string(text)
	}
	p.cut("the names as they were", p.names)
	p.cut("the names as they are", p.now())
	return nil
}

// TestPowerCut: whenever the power goes, a file is the old one or the new one; once Write has returned, the new one.
func TestPowerCut(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("names of a folder cannot be flushed here")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	cuts := 0
	p := &powerCuts{dir: dir, synced: map[string]string{"": "", "old": "old"}, names: map[string]string{"results.json": "old"}}
	p.cut = func(moment string, disk map[string]string) {
		cuts++
		if got := disk["results.json"]; got != "old" && got != "new" {
			t.Errorf("power cut %d, %s: results.json is %q", cuts, moment, got)
		}
	}
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	flush = p.flush
	defer func() { flush = (*os.File).Sync }()
	if err := Write(path, wrote("new")); err != nil {
		t.Fatal(err)
	}
	if p.cut("at the end", p.now()); p.names["results.json"] != "new" || cuts != 5 {
		t.Errorf("%q is on disk after Write, and %d power cuts", p.names["results.json"], cuts)
	}
	flush = func(*os.File) error { return errors.New("the disk is broken") }
	if err := Write(path, wrote("newer")); err == nil || !strings.Contains(err.Error(), "writing "+path+": the disk is broken") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "new" {
		t.Errorf("%q after a flush that failed", text)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, ".*")); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}

// TestWriteFails: an error names the file, and nothing is left of it.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	broken := errors.New("no more")
	if err := Write(path, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if err := Write(filepath.Join(path, "b"), wrote("x")); err == nil || !strings.HasPrefix(err.Error(), "writing "+filepath.Join(path, "b")+": ") {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("left: %v", files)
	}
}

// TestMove: a folder has its new name only once the names of all that it holds are on disk, and move returns once its
// own is.
func TestMove(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("names of a folder cannot be flushed here")
	}
	dir := t.TempDir()
	from, to := filepath.Join(dir, ".part"), filepath.Join(dir, "whole")
	if err := os.MkdirAll(filepath.Join(from, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(from, "run", "a"), wrote("a")); err != nil {
		t.Fatal(err)
	}
	defer func(was func(*os.File) error) { flush = was }(flush)
	var flushed []string
	flush = func(f *os.File) error {
		entries, err := f.ReadDir(-1)
		for _, e := range entries {
			flushed = append(flushed, e.Name())
		}
		return err
	}
	if err := renameDurably(from, to); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(flushed, " "); got != "run a whole" {
		t.Errorf("flushed were the names %q", got)
	}
}

// TestNoWayOut: no link leads a file out of its folder.
func TestNoWayOut(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	if err := os.Symlink(out, filepath.Join(in, "link")); err != nil {
		t.Skip(err)
	}
	root, err := os.OpenRoot(in)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := WriteIn(root, "link/a", wrote("x")); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("%v", err)
	}
	if files, _ := os.ReadDir(out); len(files) > 0 {
		t.Errorf("written there: %v", files)
	}
}

// TestHalfDone is not a test but the process that TestSweep kills in the middle of writing a file in a new folder.
func TestHalfDone(t *testing.T) {
	dir := os.Getenv("DISK_TEST_HALF_DONE")
	if dir == "" {
		t.Skip("run by TestSweep")
	}
	MakeDir(filepath.Join(dir, "run"), func(part string) error {
		if err := os.Mkdir(part, 0o755); err != nil {
			return err
		}
		return Write(filepath.Join(dir, "results.json"), func(w io.Writer) error {
			fmt.Fprint(w, strings.Repeat("half", 1<<20))
			os.Stdout.WriteString("half done\n")
			time.Sleep(time.Hour) // it is killed before
			return nil
		})
	})
}

// TestSweep: what a process was writing stays while it lives, and goes when it was killed.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	foreign := []string{".results.json", ".results.json-x1", "results.json-1", ".other-12"}
	for _, name := range append(foreign, ".results.json-417", ".results.json-part") {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".run-7", ".run-mine.d", "run-7.d"} { // of somebody else
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	half := exec.Command(os.Args[0], "-test.run=^TestHalfDone$")
	half.Env = append(os.Environ(), "DISK_TEST_HALF_DONE="+dir)
	output, err := half.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := half.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := output.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	there := func() (parts, folders int) {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if e.IsDir() {
				folders++
			} else {
				parts++
			}
		}
		return parts, folders
	}
	names := []string{"results.json", "run.json", "run"}
	Sweep(dir, names...)
	if parts, folders := there(); parts != len(foreign)+2 || folders != 4 {
		t.Errorf("%d files and %d folders while it lives, want %d and 4", parts, folders, len(foreign)+2)
	}
	half.Process.Kill()
	half.Wait()
	Sweep(dir, names...)
	if parts, folders := there(); parts != len(foreign) || folders != 3 {
		t.Errorf("%d files and %d folders once it is killed, want %d and 3", parts, folders, len(foreign))
	}
	if Sweep(dir); errors.Is(func() error { _, err := os.Stat(filepath.Join(dir, ".other-12")); return err }(), nil) {
		t.Error("without names not everything was swept")
	}
}

// TestMakeDir: a folder is there whole or not at all, and nothing stays beside it.
func TestMakeDir(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "below", "run")
	failed := errors.New("no more")
	for _, want := range []error{failed, nil} {
		err := MakeDir(path, func(part string) error {
			if err := os.Mkdir(part, 0o755); err != nil {
				return err
			}
			return errors.Join(Write(filepath.Join(part, "a"), wrote("a")), want)
		})
		_, serr := os.Stat(filepath.Join(path, "a"))
		if !errors.Is(err, want) || (serr == nil) != (want == nil) {
			t.Errorf("%v, %v, want %v", err, serr, want)
		}
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "below")); len(files) != 1 {
		t.Errorf("left: %v", files)
	}
}

// BenchmarkWrite measures the cost of writing a file, with and without flushing.
func BenchmarkWrite(b *testing.B) {
	for name, with := range map[string]func(*os.File) error{"flushed": (*os.File).Sync, "not": func(*os.File) error { return nil }} {
		b.Run(name, func(b *testing.B) {
			flush = with
			defer func() { flush = (*os.File).Sync }()
			path := filepath.Join(b.TempDir(), "results.json")
			text := wrote(strings.Repeat("x", 20<<10))
			for b.Loop() {
				if err := Write(path, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestNoLocks: errors of file systems without locks are told from others.
func TestNoLocks(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOLCK:        true,
		errors.ErrUnsupported: true,
		syscall.ENOTSUP:       true,
		syscall.EACCES:        false,
		nil:                   false,
	} {
		if LocksUnsupported(err) != want {
			t.Errorf("%v: no locks is %v", err, !want)
		}
	}
}
