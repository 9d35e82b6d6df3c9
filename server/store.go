package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/disk"
	"gavel/judging"
	"gavel/scoring"
)

// store is the folder of runs. Everything in it is opened through an os.Root, so
// that neither a name nor a link in it leads out. Nothing is ever written.
type store struct {
	root      *os.Root
	manifests *lru[string, kept[stamp, *judging.Manifest]]
	abouts    *lru[string, kept[stamp, *judging.About]]
	only      []string // runs that are shown; nil for all
	mu        sync.Mutex
	listed    []found
	inSuites  []string // folders of suites, as of the listing
	listedAt  time.Time
	forgot    int
	now       func() time.Time
	closing   context.Context // ends whatever is being read
	close     func()
}

// stamp tells one state of a file from another.
type stamp struct {
	size  int64
	mtime time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }

func openStore(dir string, now func() time.Time) (*store, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &store{root: root, manifests: newLRU[string, kept[stamp, *judging.Manifest]](maxFolders), abouts: newLRU[string, kept[stamp, *judging.About]](maxFolders), now: now}
	s.closing, s.close = context.WithCancel(context.Background())
	return s, nil
}

// checkName refuses names that no run has: they lead out of the folder, or to what is hidden in it.
func checkName(name string) error {
	bad := name == "." || !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00")
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasPrefix(part, ".")
	}
	if bad {
		return &failure{status: 404, text: fmt.Sprintf("there is no run %q: a run is named by its folder below the folder of runs", visible(name))}
	}
	return nil
}

// escaped is a name as one segment of a URL's path.
func escaped(name string) string { return url.PathEscape(name) }

// open opens a file of a run, and nothing that would have to be waited for.
func (s *store) open(run, file string) (*os.File, fs.FileInfo, error) {
	return disk.Open(s.root, path.Join(run, file))
}

// reading reads a file of a run from a place to where it ended when it was looked at, or until the store is closed.
func (s *store) reading(f *os.File, from int64, info fs.FileInfo) io.Reader {
	return &limited{ctx: s.closing, r: io.NewSectionReader(f, from, info.Size()-from)}
}

// maxManifest is more than any manifest has: prompts are kilobytes.
const maxManifest = 16 << 20

// manifest reads run.json of a run.
func (s *store) manifest(run string) (*judging.Manifest, error) {
	if err := checkName(run); err != nil {
		return nil, err
	}
	f, info, err := s.open(run, judging.ManifestFile)
	if err != nil {
		return nil, s.missing(run, err)
	}
	defer f.Close()
	if at, ok := s.manifests.get(run); ok && at.of == stampOf(info) {
		return at.v, nil
	}
	m, err := judging.DecodeManifest(path.Join(run, judging.ManifestFile), io.LimitReader(f, maxManifest))
	if err != nil {
		return nil, &failure{status: 422, text: err.Error()}
	}
	s.manifests.put(run, kept[stamp, *judging.Manifest]{of: stampOf(info), v: m})
	return m, nil
}

// about is what people say of a run; nil where they say nothing, or nothing that can be read.
func (s *store) about(run string) *judging.About {
	info, err := s.root.Stat(path.Join(run, judging.AboutFile))
	if err != nil {
		return nil
	}
	if at, ok := s.abouts.get(run); ok && at.of == stampOf(info) {
		return at.v
	}
	f, _, err := s.open(run, judging.AboutFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	said, err := judging.DecodeAbout(judging.AboutFile, f)
	out := &said
	if err != nil || said.Empty() {
		out = nil
	}
	s.abouts.put(run, kept[stamp, *judging.About]{of: stampOf(info), v: out})
	return out
}

// missing says why a run cannot be read.
func (s *store) missing(run string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return unreadable(err, "the run %q cannot be read: %v", run, reason(err))
	}
	if info, serr := s.root.Stat(run); serr == nil && info.IsDir() {
		return &failure{status: 422, text: fmt.Sprintf("%q is a folder without a %s: it is not a run", run, judging.ManifestFile)}
	}
	return &failure{status: 404, text: fmt.Sprintf("there is no run %q: it may have been deleted or moved", run)}
}

// reason is the error of a file without the path that stands elsewhere.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// found is a run of the folder, or a folder that looks like one and is none.
type found struct {
	name string
	m    *judging.Manifest
	err  error
}

// How far the folder is searched for runs.
const (
	maxDepth   = 5
	maxFolders = 20_000
	listFor    = time.Second // that a listing is good for
)

// Shows tells whether a run of that name stands in the list, once it is there.
func Shows(run string) bool {
	return checkName(run) == nil && strings.Count(run, "/") < maxDepth
}

// list finds the runs, by name. A folder with a run in it is not searched on.
func (s *store) list() ([]found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listed != nil && s.now().Sub(s.listedAt) < listFor {
		return s.listed, nil
	}
	runs, suites, err := s.search()
	if err != nil {
		return nil, fmt.Errorf("the folder of runs cannot be read: %w", reason(err))
	}
	slices.SortFunc(runs, func(a, b found) int { return strings.Compare(a.name, b.name) })
	slices.Sort(suites)
	s.listed, s.inSuites, s.listedAt = runs, suites, s.now()
	return runs, nil
}

// search looks for runs and suites in the folder.
func (s *store) search() (runs []found, suites []string, err error) {
	if s.only != nil {
		return s.chosen()
	}
	folders := 0
	err = fs.WalkDir(s.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil || !d.IsDir():
			return nil // what went away meanwhile
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), ".") || strings.Count(name, "/") >= maxDepth:
			return fs.SkipDir
		}
		if folders++; folders > maxFolders {
			return fs.SkipAll
		}
		if run, is := s.look(name); is {
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

// chosen are the runs that are shown, and the suites that have no others.
func (s *store) chosen() (runs []found, suites []string, err error) {
	for _, name := range s.only {
		if run, is := s.look(name); is {
			runs = append(runs, run)
		}
		folder := path.Dir(name)
		if suite, serr := s.suite(folder); serr == nil && !slices.Contains(suites, folder) && !slices.ContainsFunc(suite.Cells, func(c scoring.SuiteCell) bool {
			_, there := s.look(path.Join(folder, c.Run))
			return there && !slices.Contains(s.only, path.Join(folder, c.Run))
		}) {
			suites = append(suites, folder)
		}
	}
	return runs, suites, nil
}

// suites are the folders of suites that the last listing found.
func (s *store) suites() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inSuites
}

// suiteOf is the folder of the suite that a run is part of, as of the last listing; "" where it is of none.
func (s *store) suiteOf(run string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, is := slices.BinarySearch(s.inSuites, path.Dir(run)); is {
		return path.Dir(run)
	}
	return ""
}

// look tells whether a folder is a run, a damaged one included.
func (s *store) look(name string) (found, bool) {
	if checkName(name) != nil {
		return found{}, false
	}
	m, err := s.manifest(name)
	if err == nil {
		return found{name: name, m: m}, true
	}
	for _, file := range []string{judging.ManifestFile, judging.RecordsFile} {
		if _, serr := s.root.Lstat(path.Join(name, file)); serr == nil {
			return found{name: name, err: err}, true
		}
	}
	return found{}, false
}

// forget makes the next listing a new one.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = nil
	s.forgot++
}

// forgotten is how often the listing was forgotten.
func (s *store) forgotten() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forgot
}

// longestLine is the longest line that is read: memory holds a whole one.
const longestLine = 64 << 20

// limited ends reading with its context, and where a line is longer than memory should have to hold.
type limited struct {
	ctx  context.Context
	r    io.Reader
	line int64
}

func (l *limited) Read(b []byte) (int, error) {
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
