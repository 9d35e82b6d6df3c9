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

// A Store reads a folder of runs, and writes nothing. It opens all files through an os.Root, so that neither a name nor
// a link leads out of the folder. Its methods may be called from several goroutines.
type Store struct {
	Closing            context.Context    // ends when End is called; reading a run's files then ends too
	CancelClosing      context.CancelFunc // ends Closing
	MaxSearchedFolders int                // number of folders after which the search for runs ends

	root              *os.Root
	fileMemo          *memo.Memo       // values of small files, such as run.json, by file
	indexes           *memo.Memo       // indexes of runs, by name
	searchMemo        *memo.Memo       // results of Search, by run and text
	mu                sync.Mutex       // guards the listing: runs, suites, incomplete and listedAt
	runs              []FoundRun       // the listing: all runs, sorted by name; nil makes List search again
	suites            []string         // folders of the suites in the listing, sorted
	listingIncomplete bool             // the search for the listing ended at MaxSearchedFolders
	listedAt          time.Time        // when the listing was made
	now               func() time.Time // the clock
}

// Stamp identifies a state of a file by its size in bytes and the time of its last change.
type Stamp struct {
	Size  int64
	mtime time.Time
}

// StampOf returns the stamp of the file that info describes.
func StampOf(info fs.FileInfo) Stamp { return Stamp{info.Size(), info.ModTime()} }

// maxIndexes limits the indexes of runs in memory: enough for the runs of one comparison and a few more.
const maxIndexes = 8

// Open returns a store of the folder of runs dir. now is its clock.
func Open(dir string, now func() time.Time) (*Store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		MaxSearchedFolders: MaxFolders,
		root:               root,
		fileMemo:           memo.New(2*MaxFolders, now),
		indexes:            memo.New(maxIndexes, now),
		searchMemo:         memo.New(64, now),
		now:                now,
	}
	s.Closing, s.CancelClosing = context.WithCancel(context.Background())
	return s, nil
}

// LogTo sets the function that logs panics during the computation of a value.
func (s *Store) LogTo(log func(format string, args ...any)) {
	s.indexes.Log = log
	s.searchMemo.Log = log
}

// Close waits for computations in progress, and closes the folder.
func (s *Store) Close() error {
	s.indexes.Wait()
	s.searchMemo.Wait()
	return s.root.Close()
}

// Stat describes a file, given by its path below the folder of runs.
func (s *Store) Stat(name string) (fs.FileInfo, error) { return s.root.Stat(name) }

// checkName returns an error for a name that no run can have: one that leads out of the folder of runs, or has a part
// that begins with a dot.
func checkName(name string) error {
	bad := name == "." || !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00")
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".")
	}
	if bad {
		return failure.NotFound("there is no run %q: a run is named by its folder below the folder of runs",
			markup.MakeVisible(name))
	}
	return nil
}

// OpenRunFile opens a regular file of a run. It refuses other kinds, such as a named pipe, which could block.
func (s *Store) OpenRunFile(run, file string) (*os.File, fs.FileInfo, error) {
	return disk.Open(s.root, path.Join(run, file))
}

// reader returns a reader of f from an offset to the size in info. It fails once the store is closing, and at a line
// that is too long.
func (s *Store) reader(f *os.File, from int64, info fs.FileInfo) io.Reader {
	return &lineLimiter{ctx: s.Closing, r: io.NewSectionReader(f, from, info.Size()-from)}
}

// maxManifest limits the size in bytes of files that decodeFile and WrittenReport read whole. A run.json stays far
// below it, since prompts are kilobytes.
const maxManifest = 16 << 20

// Manifest returns the contents of a run's run.json.
func (s *Store) Manifest(run string) (*judging.Manifest, error) {
	if err := checkName(run); err != nil {
		return nil, err
	}
	return decodeFile(s, run, judging.ManifestFile, judging.DecodeManifest, s.MissingError)
}

// decodeFile decodes a small file in the folder of a run or suite, and keeps the value in memory until the file
// changes. If the file cannot be opened, it returns the error that missing makes of the cause.
func decodeFile[T any](
	s *Store, folder, file string,
	decode func(name string, in io.Reader) (T, error), missing func(folder string, err error) error,
) (v T, err error) {
	f, info, err := s.OpenRunFile(folder, file)
	if err != nil {
		return v, missing(folder, err)
	}
	defer f.Close()
	name := path.Join(folder, file)
	if cached, ok := memo.Peek[T](s.fileMemo, name, StampOf(info)); ok {
		return cached, nil
	}
	v, err = decode(name, io.LimitReader(f, maxManifest))
	if err != nil {
		return v, failure.Unreadable("%v", err)
	}
	s.fileMemo.Put(name, StampOf(info), v)
	return v, nil
}

// unchangedError returns err unchanged: an argument of decodeFile for files whose errors nobody sees.
func unchangedError(_ string, err error) error { return err }

// About returns the name, tags and note that people gave a run; empty if they cannot be read.
func (s *Store) About(run string) judging.RunDescription {
	details, err := decodeFile(s, run, judging.AboutFile, judging.DecodeAbout, unchangedError)
	if err != nil || details.Empty() {
		return judging.RunDescription{}
	}
	return details
}

// MissingError turns err, which a file of a run gave when it was opened, into an error for clients: the run does not
// exist, is no run, or cannot be read.
func (s *Store) MissingError(run string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return failure.Unreadable("the run %q cannot be read: %w", run, reason(err))
	}
	if info, serr := s.root.Stat(run); serr == nil && info.IsDir() {
		return failure.Unreadable("%q is a folder without a %s: it is not a run", run, judging.ManifestFile)
	}
	return failure.NotFound("there is no run %q: it may have been deleted or moved", run)
}

// reason returns the cause of a file's error, without the path.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// FoundRun holds a run that the search found, or the error of a folder that has a file of a run but cannot be read.
type FoundRun struct {
	Name     string // folder of the run, below the folder of runs
	Manifest *judging.Manifest
	Err      error
}

// Limits of the search for runs.
const (
	MaxDepth   = 5      // most folders in the path of a run
	MaxFolders = 20_000 // default of MaxSearchedFolders
	// number of entries from which a folder counts as large
	largeFolder   = 500
	listingMaxAge = time.Second // time for which List returns the same listing
)

// CanList reports whether the search finds a run with this name: the name is valid and not too deep.
func CanList(run string) bool {
	return checkName(run) == nil && strings.Count(run, "/") < MaxDepth
}

// List returns the runs in the folder, sorted by name. It does not search inside the folder of a run.
func (s *Store) List() ([]FoundRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs != nil && s.now().Sub(s.listedAt) < listingMaxAge {
		return s.runs, nil
	}
	runs, suites, err := s.walkRuns()
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

// HasManyRuns reports whether the folder of runs has at least largeFolder entries: reading its runs may then take
// longer than a page should wait.
func (s *Store) HasManyRuns() bool {
	f, err := s.root.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(largeFolder)
	return len(names) == largeFolder
}

// ListingWarning returns a warning with advice if the last listing's search ended early and may lack runs; else "".
func (s *Store) ListingWarning() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.listingIncomplete {
		return ""
	}
	return fmt.Sprintf("The search for runs ended after %d folders, so some runs may be missing: make one run of "+
		"shards with gavel carry merge, or serve a folder further down (gavel serve --runs DIR).", s.MaxSearchedFolders)
}

// walkRuns walks the folder, and returns the runs and the folders of the suites that it finds.
func (s *Store) walkRuns() (runs []FoundRun, suites []string, err error) {
	folders := 0
	s.listingIncomplete = false
	err = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.IsDir() || name == ".":
			return nil // deleted meanwhile, a file, or the folder of runs itself
		case strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= MaxDepth:
			return fs.SkipDir
		}
		if folders++; folders > s.MaxSearchedFolders {
			s.listingIncomplete = true
			return fs.SkipAll
		}
		if run, ok := s.Lookup(name); ok {
			runs = append(runs, run)
			return fs.SkipDir
		}
		if _, serr := s.root.Lstat(path.Join(name, scoring.SuiteRunsFile)); serr == nil {
			suites = append(suites, name)
		}
		return nil
	})
	return runs, suites, err
}

// Suites returns the folders of the suites in the last listing.
func (s *Store) Suites() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.suites
}

// SuiteOf returns the folder of the suite that a run is part of, by the last listing; "" if it is part of none.
func (s *Store) SuiteOf(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := slices.BinarySearch(s.suites, path.Dir(run)); ok {
		return path.Dir(run)
	}
	return ""
}

// Lookup reads the run in the folder called name, and reports whether the folder is that of a run. A damaged run has an
// error.
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

// ForgetListing makes the next List search again.
func (s *Store) ForgetListing() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = nil
}

// ForgetRun removes a deleted run's index from memory, and makes the next List search again.
func (s *Store) ForgetRun(run string) {
	s.indexes.Drop(run)
	s.ForgetListing()
}

// longestLine limits the bytes of a line of a run's file, since a whole line is held in memory.
const longestLine = 64 << 20

// A lineLimiter reads from r until its context ends or a line is longer than longestLine.
type lineLimiter struct {
	ctx       context.Context
	r         io.Reader
	lineBytes int64 // bytes of the current line read so far
}

func (l *lineLimiter) Read(b []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := l.r.Read(b)
	if last := bytes.LastIndexByte(b[:n], '\n'); last >= 0 {
		l.lineBytes = int64(n - last - 1)
	} else {
		l.lineBytes += int64(n)
	}
	if l.lineBytes > longestLine {
		return 0, fmt.Errorf("a line is longer than %d MiB: the file is damaged", longestLine>>20)
	}
	return n, err
}

// Suite returns the contents of the file that describes the suite in a folder.
func (s *Store) Suite(folder string) (*scoring.SuiteMatrix, error) {
	if err := checkName(folder); err != nil {
		return nil, failure.NotFound("there is no suite %q", markup.MakeVisible(folder))
	}
	return decodeFile(s, folder, scoring.SuiteRunsFile, scoring.DecodeSuite, func(_ string, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return failure.NotFound("there is no suite %q: it may have been deleted or moved", folder)
		}
		return failure.Unreadable("the suite %q cannot be read: %w", folder, reason(err))
	})
}

// Race returns the state of a suite's race, in which a judge is asked no more items once another is significantly
// better; nil if the suite has no race, or if the state cannot be read.
func (s *Store) Race(folder string) *race.State {
	state, err := decodeFile(s, folder, race.StateFile, race.ReadState, unchangedError)
	if err != nil {
		return nil
	}
	return state
}
