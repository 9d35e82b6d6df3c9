// Package disk writes files that are there whole or not at all, whatever ends the process or the power, and removes
// what processes left half done that were killed.
package disk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"syscall"

	"github.com/gofrs/flock"
)

// Part is a file that does not have its name yet. While it is written it is locked, which tells it from one that a
// killed process left.
type Part struct {
	*os.File
	root       *os.Root
	part, name string
	lock       *flock.Flock
}

// Create begins a file of a folder; name may lead into folders below it that are there.
func Create(root *os.Root, name string) (*Part, error) {
	for {
		p := &Part{
			root: root,
			name: name,
			part: path.Join(path.Dir(name), fmt.Sprintf(".%s-%d", path.Base(name), rand.Uint64())),
		}
		var err error
		p.File, err = root.OpenFile(p.part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		p.lock = flock.New(filepath.Join(root.Name(), filepath.FromSlash(p.part)), flock.SetFlag(os.O_RDWR))
		// Where locks cannot be had, nothing is swept either. Otherwise a Sweep came between if this one is taken or gone.
		got, err := p.lock.TryLock()
		there, _ := root.Lstat(p.part)
		own, _ := p.Stat()
		if (got || err != nil) && os.SameFile(there, own) { // not of files that are not there
			return p, nil
		}
		p.Discard()
	}
}

// Commit has the file on disk, then gives it its name, and has that on disk too.
func (p *Part) Commit() error {
	defer p.Discard()
	err := cmp.Or(Sync(p.File), p.Close())
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // an open file cannot be renamed there
		p.lock.Unlock()
	}
	if err := p.root.Rename(p.part, p.name); err != nil {
		return err
	}
	return syncFolder(filepath.Join(p.root.Name(), path.Dir(p.name)))
}

// Discard gives a file up that was not committed, and does nothing after Commit.
func (p *Part) Discard() {
	p.Close()
	p.root.Remove(p.part) // fails, as it should, once renamed
	p.lock.Unlock()
}

// Write writes a file in one step: a reader sees the old one or the new one, never half of it, and so does whoever
// looks after a power cut. What a killed process left of the same file goes.
func Write(at string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(at))
	if err != nil {
		return Writing(at, err)
	}
	defer root.Close()
	Sweep(root.Name(), filepath.Base(at))
	return WriteIn(root, filepath.Base(at), write)
}

// WriteIn is Write for a file of a folder, out of which no link leads.
func WriteIn(root *os.Root, name string, write func(io.Writer) error) error {
	at := filepath.Join(root.Name(), filepath.FromSlash(name))
	p, err := Create(root, name)
	if err != nil {
		return Writing(at, err)
	}
	defer p.Discard()
	buf := bufio.NewWriterSize(p, 256<<10)
	err = write(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err == nil { // what is not whole never gets its name
		err = p.Commit()
	}
	if err != nil {
		return Writing(at, err)
	}
	return nil
}

// Writing says what could not be written.
func Writing(at string, err error) error {
	if perr := new(fs.PathError); errors.As(err, &perr) { // its path is that of a file with a passing name
		err = perr.Err
	} else if lerr := new(os.LinkError); errors.As(err, &lerr) {
		err = fmt.Errorf("%s: %w", lerr.Op, lerr.Err)
	}
	return fmt.Errorf("writing %s: %w", at, err)
}

// flush is put in place by tests, which drop what was not flushed.
var flush = (*os.File).Sync

// Sync has on disk what was written to a file. A file system that cannot do that is none to wait for.
func Sync(f interface{ Sync() error }) error {
	err := error(nil)
	if file, ok := f.(*os.File); ok {
		err = flush(file)
	} else {
		err = f.Sync()
	}
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// CopyFiles copies the files with these names of a folder, and of the folders in it that are not hidden.
func CopyFiles(from, to string, names ...string) error {
	for _, name := range names {
		for _, pattern := range []string{name, "[^.]*/" + name} {
			files, err := fs.Glob(os.DirFS(from), pattern)
			if err != nil {
				return err
			}
			for _, at := range files {
				if err := copyFile(filepath.Join(from, at), filepath.Join(to, at)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func copyFile(from, to string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return Write(to, func(w io.Writer) error { _, err := io.Copy(w, file); return err })
}

// MakeDir makes a folder in one step, with the folders that it stands in: fill makes part, which then gets its name. Of
// what a killed process left of the same folder nothing stays.
func MakeDir(at string, fill func(part string) error) error {
	parent, name := filepath.Split(filepath.Clean(at))
	parent = filepath.Clean(parent)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("%s cannot be made: %w", at, err)
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer root.Close()
	Sweep(parent, name)
	lock, err := Create(root, name) // stays beside part, and tells that somebody makes it
	if err != nil {
		return fmt.Errorf("%s cannot be made: %w", at, err)
	}
	defer lock.Discard()
	part := filepath.Join(parent, lock.part) + partDir
	defer os.RemoveAll(part)
	if err := fill(part); err != nil {
		return err
	}
	return move(part, at)
}

// partDir ends the name of a folder that does not have its name yet, after that of the file which is locked for it.
const partDir = ".d"

// move gives another name to a folder whose files are on disk; what it holds has its names on disk before it has its
// own.
func move(from, to string) error {
	err := filepath.WalkDir(from, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncFolder(at)
	})
	if err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder has the names in a folder on disk, which is an error on Windows and macOS.
func syncFolder(at string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	folder, err := os.Open(at)
	if err != nil {
		return err
	}
	defer folder.Close()
	return Sync(folder)
}

// passing are the names of parts; those that end in -part are of bundles that an earlier gavel took in.
var passing = regexp.MustCompile(`^\.(.+)-(?:[0-9]+|part)$`)

// Sweep removes the parts that killed processes left in a folder, of files of these names or, without any, of all.
// Those that somebody is writing stay, and what cannot be removed does.
func Sweep(dir string, names ...string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		part := passing.FindStringSubmatch(e.Name())
		if part != nil && e.Type().IsRegular() && (len(names) == 0 || slices.Contains(names, part[1])) {
			removeAbandoned(filepath.Join(dir, e.Name()))
		}
	}
}

// removeAbandoned removes a part, and the folder that it is locked for, unless somebody holds its lock.
func removeAbandoned(part string) {
	lock := flock.New(part, flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if err != nil || !got {
		return
	}
	os.RemoveAll(part + partDir)
	os.Remove(part)
	lock.Unlock()
	os.Remove(part) // on Windows, where a file that is open stays
}

// NoLocks tells whether a lock failed since the file system has none.
func NoLocks(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// Within refuses a place below a folder to which a link leads; what is not there yet is none.
func Within(folder, at string) error {
	for ; at != folder && at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a link or a file: name another folder", at)
		}
	}
	if at != folder {
		return fmt.Errorf("is not below %s", folder)
	}
	return nil
}
