// Package store is the folder of runs as a server reads it: which runs and suites are there, what their files say, and
// where the records and items of a run stand. What was read is kept in memory for as long as the files are as they
// were.
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

// Store is the folder of runs. Everything in it is opened through an os.Root, so that neither a name nor a link in it
// leads out. Nothing is ever written. Its methods may be called from many goroutines.
type Store struct {
	Closing context.Context // over once the store ends, and with it whatever is being read
	End     context.CancelFunc
	Most    int // folders that are searched

	root       *os.Root
	files      *memo.Memo // what run.json and about.json hold
	indexes    *memo.Memo
	searches   *memo.Memo // which items of a run have a text
	mu         sync.Mutex
	runs       []Found
	suites     []string // folders of suites, as of the listing
	incomplete bool     // the listing is of the first Most folders alone
	listedAt   time.Time
	now        func() time.Time
}

// Stamp tells one state of a file from another.
type Stamp struct {
	Size  int64
	mtime time.Time
}

// StampOf a file.
func StampOf(info fs.FileInfo) Stamp { return Stamp{info.Size(), info.ModTime()} }

// maxIndexes is how many runs the store has an index of at once: as many as are compared, and some more.
const maxIndexes = 8

// Open opens a folder of runs.
func Open(dir string, now func() time.Time) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		Most:     MaxFolders,
		root:     root,
		files:    memo.New(2*MaxFolders, now),
		indexes:  memo.New(maxIndexes, now),
		searches: memo.New(64, now),
		now:      now,
	}
	s.Closing, s.End = context.WithCancel(context.Background())
	return s, nil
}

// LogTo sets the log for panics.
func (s *Store) LogTo(log func(format string, args ...any)) {
	s.indexes.Log = log
	s.searches.Log = log
}

// Close lets go of the folder.
func (s *Store) Close() error {
	s.indexes.Wait()
	s.searches.Wait()
	return s.root.Close()
}

// Stat is that of a file below the folder.
func (s *Store) Stat(name string) (fs.FileInfo, error) { return s.root.Stat(name) }

// checkName refuses names that no run has: they lead out of the folder, or to what is hidden in it.
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

// Open opens a file of a run, and nothing that would have to be waited for.
func (s *Store) Open(run, file string) (*os.File, fs.FileInfo, error) {
	return disk.Open(s.root, path.Join(run, file))
}

// reader reads a file of a run from a place to where it ended when it was looked at, or until the store is closed.
func (s *Store) reader(f *os.File, from int64, info fs.FileInfo) io.Reader {
	return &lineLimiter{ctx: s.Closing, r: io.NewSectionReader(f, from, info.Size()-from)}
}

// maxManifest is more than any manifest has: prompts are kilobytes.
const maxManifest = 16 << 20

// Manifest reads run.json of a run.
func (s *Store) Manifest(run string) (*judging.Manifest, error) {
	if err := checkName(run); err != nil {
		return nil, err
	}
	return decodeFile(s, run, judging.ManifestFile, judging.DecodeManifest, s.Missing)
}

// decodeFile reads a small file of a run or suite, and remembers it for as long as it is as it was. missing says why one
// cannot be opened.
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

// keepError is the error of a file of which nobody is told why it is not there.
func keepError(_ string, err error) error { return err }

// About returns the name, tags and note that people gave a run, as far as they can be read.
func (s *Store) About(run string) judging.About {
	details, err := decodeFile(s, run, judging.AboutFile, judging.DecodeAbout, keepError)
	if err != nil || details.Empty() {
		return judging.About{}
	}
	return details
}

// Missing says why a run cannot be read.
func (s *Store) Missing(run string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return failure.Unreadable("the run %q cannot be read: %w", run, reason(err))
	}
	if info, serr := s.root.Stat(run); serr == nil && info.IsDir() {
		return failure.Unreadable("%q is a folder without a %s: it is not a run", run, judging.ManifestFile)
	}
	return failure.NotFound("there is no run %q: it may have been deleted or moved", run)
}

// reason is the error of a file without the path that stands elsewhere.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Found is a run of the folder, or a folder that looks like one and is none.
type Found struct {
	Name     string
	Manifest *judging.Manifest
	Err      error
}

// How far the folder is searched for runs.
const (
	MaxDepth   = 5
	MaxFolders = 20_000
	// entries of a folder of runs from which on pages do not wait until all runs have been read
	largeFolder = 500
	listFor     = time.Second // that a listing is good for
)

// Shows tells whether a run of that name stands in the list, once it is there.
func Shows(run string) bool {
	return checkName(run) == nil && strings.Count(run, "/") < MaxDepth
}

// List finds the runs, by name. A folder with a run in it is not searched on.
func (s *Store) List() ([]Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs != nil && s.now().Sub(s.listedAt) < listFor {
		return s.runs, nil
	}
	runs, suites, err := s.search()
	if err != nil {
		return nil, fmt.Errorf("the folder of runs cannot be read: %w", reason(err))
	}
	slices.SortFunc(runs, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(suites)
	s.runs = runs
	s.suites = suites
	s.listedAt = s.now()
	return runs, nil
}

// Large tells whether the folder has so many entries that to read its runs may take longer than a page may.
func (s *Store) Large() bool {
	f, err := s.root.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(largeFolder)
	return len(names) == largeFolder
}

// SearchEnded says that the last listing need not have all runs, and what to do; "" where it has.
func (s *Store) SearchEnded() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.incomplete {
		return ""
	}
	return fmt.Sprintf("The search for runs ended after %d folders, and some need not be here: "+
		"make one run of shards with gavel merge, or serve a folder further down (gavel serve --runs DIR).", s.Most)
}

// search looks for runs and suites in the folder.
func (s *Store) search() (runs []Found, suites []string, err error) {
	folders := 0
	s.incomplete = false
	err = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.IsDir():
			return nil // what went away meanwhile
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= MaxDepth:
			return fs.SkipDir
		}
		if folders++; folders > s.Most {
			s.incomplete = true
			return fs.SkipAll
		}
		if run, ok := s.Look(name); ok {
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

// Suites are the folders of suites that the last listing found.
func (s *Store) Suites() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.suites
}

// SuiteOf is the folder of the suite that a run is part of, as of the last listing; "" where it is of none.
func (s *Store) SuiteOf(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := slices.BinarySearch(s.suites, path.Dir(run)); ok {
		return path.Dir(run)
	}
	return ""
}

// Look tells whether a folder is a run, a damaged one included.
func (s *Store) Look(name string) (Found, bool) {
	if checkName(name) != nil {
		return Found{}, false
	}
	m, err := s.Manifest(name)
	if err == nil {
		return Found{Name: name, Manifest: m}, true
	}
	for _, file := range []string{judging.ManifestFile, judging.RecordsFile} {
		if _, serr := s.root.Lstat(path.Join(name, file)); serr == nil {
			return Found{Name: name, Err: err}, true
		}
	}
	return Found{}, false
}

// Forget makes the next listing a new one.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = nil
}

// Drop lets go of a run that was deleted.
func (s *Store) Drop(run string) {
	s.indexes.Drop(run)
	s.Forget()
}

// longestLine is the longest line that is read: memory holds a whole one.
const longestLine = 64 << 20

// lineLimiter ends reading with its context, and where a line is longer than memory should have to hold.
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

// Suite reads what a suite's folder says of it.
func (s *Store) Suite(folder string) (*scoring.Suite, error) {
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

// Race of a suite's cells; nil where there is none that can be read.
func (s *Store) Race(folder string) *race.State {
	state, err := decodeFile(s, folder, race.StateFile, race.ReadState, keepError)
	if err != nil {
		return nil
	}
	return state
}
