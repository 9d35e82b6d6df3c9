// Package store reads the folder of runs for a server: it finds runs and suites, decodes their files, and indexes the
// records and items of a run. Values stay in memory until the files change.
package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/internal/disk"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// A Store reads a folder of runs. It opens all files through an os.Root, so that neither a name nor a link leads out of
// the folder, and writes nothing. Its methods may be called from many goroutines.
type Store struct {
	Closing     context.Context // ends with the store, and reading with it
	End         context.CancelFunc
	SearchLimit int // limit of the folders searched

	root       *os.Root
	files      *memo.Memo // decoded run.json, about.json and so on
	indexes    *memo.Memo
	searches   *memo.Memo // results of Search
	mu         sync.Mutex
	runs       []FoundRun
	suites     []string // folders of suites in the listing
	incomplete bool     // the listing has only the first Most folders
	listedAt   time.Time
	now        func() time.Time
}

// Stamp identifies a state of a file.
type Stamp struct {
	Size  int64
	mtime time.Time
}

// StampOf returns the stamp of a file.
func StampOf(info fs.FileInfo) Stamp { return Stamp{info.Size(), info.ModTime()} }

// maxIndexes limits the indexes in memory: those of one comparison and a few more.
const maxIndexes = 8

// Open returns a store of a folder of runs.
func Open(dir string, now func() time.Time) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		SearchLimit: MaxFolders,
		root:        root,
		files:       memo.New(2*MaxFolders, now),
		indexes:     memo.New(maxIndexes, now),
		searches:    memo.New(64, now),
		now:         now,
	}
	s.Closing, s.End = context.WithCancel(context.Background())
	return s, nil
}

// LogTo sets the log for panics.
func (s *Store) LogTo(log func(format string, args ...any)) {
	s.indexes.Log = log
	s.searches.Log = log
}

// Close closes the folder after waiting for background work.
func (s *Store) Close() error {
	s.indexes.Wait()
	s.searches.Wait()
	return s.root.Close()
}

// Stat returns the FileInfo of a file below the folder.
func (s *Store) Stat(name string) (fs.FileInfo, error) { return s.root.Stat(name) }

// checkName returns an error for a name that no run can have: one that leads out of the folder, or to a hidden part.
func checkName(name string) error {
	bad := name == "." || !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00")
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".")
	}
	if bad {
		return failure.NotFound("there is no run %q: a run is named by its folder below the folder of runs",
			markup.Visible(name))
	}
	return nil
}

// Open opens a regular file of a run, never a pipe that would have to be waited for.
func (s *Store) Open(run, file string) (*os.File, fs.FileInfo, error) {
	return disk.Open(s.root, path.Join(run, file))
}

// reader returns a reader of a file from an offset to its size in info, which also ends when the store does.
func (s *Store) reader(f *os.File, from int64, info fs.FileInfo) io.Reader {
	return &lineLimiter{ctx: s.Closing, r: io.NewSectionReader(f, from, info.Size()-from)}
}

// maxManifest limits the size of small files. Manifests stay far below it, since prompts are kilobytes.
const maxManifest = 16 << 20

// Manifest reads run.json of a run.
func (s *Store) Manifest(run string) (*judging.Manifest, error) {
	if err := checkName(run); err != nil {
		return nil, err
	}
	return decodeFile(s, run, judging.ManifestFile, judging.DecodeManifest, s.MissingError)
}

// decodeFile reads a small file of a run or suite, and keeps its value in memory until the file changes. missing
// returns the error if it cannot be opened.
func decodeFile[T any](
	s *Store, folder, file string,
	decode func(name string, in io.Reader) (T, error), missing func(folder string, err error) error,
) (v T, err error) {
	f, info, err := s.Open(folder, file)
	if err != nil {
		return v, missing(folder, err)
	}
	defer f.Close()
	name := path.Join(folder, file)
	if cached, ok := memo.Peek[T](s.files, name, StampOf(info)); ok {
		return cached, nil
	}
	v, err = decode(name, io.LimitReader(f, maxManifest))
	if err != nil {
		return v, failure.Unreadable("%v", err)
	}
	s.files.Put(name, StampOf(info), v)
	return v, nil
}

// keepError returns err, for files whose errors are not shown.
func keepError(_ string, err error) error { return err }

// About returns the name, tags and note that people gave a run; empty if they cannot be read.
func (s *Store) About(run string) judging.About {
	details, err := decodeFile(s, run, judging.AboutFile, judging.DecodeAbout, keepError)
	if err != nil || details.Empty() {
		return judging.About{}
	}
	return details
}

// MissingError returns the error for a run that cannot be read.
func (s *Store) MissingError(run string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return failure.Unreadable("the run %q cannot be read: %w", run, reason(err))
	}
	if info, serr := s.root.Stat(run); serr == nil && info.IsDir() {
		return failure.Unreadable("%q is a folder without a %s: it is not a run", run, judging.ManifestFile)
	}
	return failure.NotFound("there is no run %q: it may have been deleted or moved", run)
}

// reason returns the error of a file without its path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// FoundRun holds a run of the folder, or the error of a folder that looks like one.
type FoundRun struct {
	Name     string
	Manifest *judging.Manifest
	Err      error
}

// Limits of the search for runs.
const (
	MaxDepth   = 5
	MaxFolders = 20_000
	// number of entries from which a folder counts as large
	largeFolder = 500
	listFor     = time.Second // for which a listing is used
)

// CanList reports whether the list has room for a run of that name: it is a valid name and not too deep.
func CanList(run string) bool {
	return checkName(run) == nil && strings.Count(run, "/") < MaxDepth
}

// List returns the runs, sorted by name. It does not search inside the folder of a run.
func (s *Store) List() ([]FoundRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs != nil && s.now().Sub(s.listedAt) < listFor {
		return s.runs, nil
	}
	runs, suites, err := s.search()
	if err != nil {
		return nil, fmt.Errorf("the folder of runs cannot be read: %w", reason(err))
	}
	slices.SortFunc(runs, func(a, b FoundRun) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(suites)
	s.runs = runs
	s.suites = suites
	s.listedAt = s.now()
	return runs, nil
}

// Large reports whether the folder has so many entries that reading its runs may take longer than a page may wait.
func (s *Store) Large() bool {
	f, err := s.root.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(largeFolder)
	return len(names) == largeFolder
}

// SearchEnded returns a warning if the last listing may lack runs, with what to do; else "".
func (s *Store) SearchEnded() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.incomplete {
		return ""
	}
	return fmt.Sprintf("The search for runs ended after %d folders, so some runs may be missing: make one run of "+
		"shards with gavel carry merge, or serve a folder further down (gavel serve --runs DIR).", s.SearchLimit)
}

// search looks for runs and suites in the folder.
func (s *Store) search() (runs []FoundRun, suites []string, err error) {
	folders := 0
	s.incomplete = false
	err = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.IsDir():
			return nil // deleted meanwhile, or a file
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= MaxDepth:
			return fs.SkipDir
		}
		if folders++; folders > s.SearchLimit {
			s.incomplete = true
			return fs.SkipAll
		}
		if run, ok := s.Lookup(name); ok {
			runs = append(runs, run)
			return fs.SkipDir
		}
		if _, serr := s.root.Lstat(path.Join(name, scoring.SuiteFile)); serr == nil {
			suites = append(suites, name)
		}
		return nil
	})
	return runs, suites, err
}

// Suites returns the folders of suites that the last listing found.
func (s *Store) Suites() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.suites
}

// SuiteOf returns the folder of the suite that a run belongs to, by the last listing; "" for none.
func (s *Store) SuiteOf(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := slices.BinarySearch(s.suites, path.Dir(run)); ok {
		return path.Dir(run)
	}
	return ""
}

// Lookup returns the run of a folder, and reports whether the folder is a run at all. A damaged run has an error.
func (s *Store) Lookup(name string) (FoundRun, bool) {
	if checkName(name) != nil {
		return FoundRun{}, false
	}
	m, err := s.Manifest(name)
	if err == nil {
		return FoundRun{Name: name, Manifest: m}, true
	}
	for _, file := range []string{judging.ManifestFile, judging.RecordsFile} {
		if _, serr := s.root.Lstat(path.Join(name, file)); serr == nil {
			return FoundRun{Name: name, Err: err}, true
		}
	}
	return FoundRun{}, false
}

// Forget makes List search again.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = nil
}

// Drop forgets a run that was deleted.
func (s *Store) Drop(run string) {
	s.indexes.Drop(run)
	s.Forget()
}

// longestLine limits the lines that are read, since a whole line is held in memory.
const longestLine = 64 << 20

// A lineLimiter is a reader that fails when its context ends, or at a line that is too long.
type lineLimiter struct {
	ctx  context.Context
	r    io.Reader
	line int64
}

func (l *lineLimiter) Read(b []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.r.Read(b)
	if last := bytes.LastIndexByte(b[:n], '\n'); last >= 0 {
		l.line = int64(n - last - 1)
	} else {
		l.line += int64(n)
	}
	if l.line > longestLine {
		return 0, fmt.Errorf("a line is longer than %d MiB: the file is damaged", longestLine>>20)
	}
	return n, err
}

// Suite reads the file of a suite.
func (s *Store) Suite(folder string) (*scoring.Matrix, error) {
	if err := checkName(folder); err != nil {
		return nil, failure.NotFound("there is no suite %q", markup.Visible(folder))
	}
	return decodeFile(s, folder, scoring.SuiteFile, scoring.DecodeSuite, func(_ string, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return failure.NotFound("there is no suite %q: it may have been deleted or moved", folder)
		}
		return failure.Unreadable("the suite %q cannot be read: %w", folder, reason(err))
	})
}

// Race reads the race of a suite's cells; nil if there is none, or it cannot be read.
func (s *Store) Race(folder string) *race.State {
	state, err := decodeFile(s, folder, race.StateFile, race.ReadState, keepError)
	if err != nil {
		return nil
	}
	return state
}
