// Package disk writes files that exist completely or not at all, also after a crash or power failure, and removes the
// partial files of killed processes.
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

// PartialFile is a file (a part) that does not have its final name yet. It is locked while it is written, which
// distinguishes it from the part of a killed process.
type PartialFile struct {
	*os.File
	root       *os.Root
	part, name string       // the temporary and the final name, relative to root
	lock       *flock.Flock // on the temporary file
}

// CreatePartial creates a PartialFile for the file name below root; name may contain existing folders.
func CreatePartial(root *os.Root, name string) (*PartialFile, error) {
	for {
		p := &PartialFile{
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
		// Without file locks nothing is swept. With them, a Sweep came between if the lock is taken or the file is gone.
		got, err := p.lock.TryLock()
		onPath, _ := root.Lstat(p.part)
		opened, _ := p.Stat()
		if (got || err != nil) && os.SameFile(onPath, opened) { // false for missing files
			return p, nil
		}
		p.Discard()
	}
}

// Commit writes the file to disk and renames it to its final name. Both survive a power failure after Commit.
func (p *PartialFile) Commit() error {
	defer p.Discard()
	err := cmp.Or(Sync(p.File), p.Close())
	if err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // Windows cannot rename an open file
		p.lock.Unlock()
	}
	if err := p.root.Rename(p.part, p.name); err != nil {
		return err
	}
	return syncFolder(filepath.Join(p.root.Name(), path.Dir(p.name)))
}

// Discard removes a part that was not committed; it does nothing after Commit.
func (p *PartialFile) Discard() {
	p.Close()
	p.root.Remove(p.part) // fails after the rename, as intended
	p.lock.Unlock()
}

// Write writes a file in one step: a reader, also after a power failure, sees the old content or the new, never a mix.
// Write removes parts of the same file that killed processes left.
func Write(path string, write func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return WriteError(path, err)
	}
	defer root.Close()
	Sweep(root.Name(), filepath.Base(path))
	return WriteIn(root, filepath.Base(path), write)
}

// WriteIn works like Write for a file below root, but leaves the parts of killed processes. It follows no link that
// leads outside.
func WriteIn(root *os.Root, name string, write func(io.Writer) error) error {
	path := filepath.Join(root.Name(), filepath.FromSlash(name))
	p, err := CreatePartial(root, name)
	if err != nil {
		return WriteError(path, err)
	}
	defer p.Discard()
	buf := bufio.NewWriterSize(p, 256<<10)
	err = write(buf)
	if err == nil {
		err = buf.Flush()
	}
	if err == nil { // an incomplete file never gets its name
		err = p.Commit()
	}
	if err != nil {
		return WriteError(path, err)
	}
	return nil
}

// WriteError returns the error for a file that could not be written, with the file's path in place of a temporary name.
func WriteError(path string, err error) error {
	if perr := new(fs.PathError); errors.As(err, &perr) { // its path is the temporary name
		err = perr.Err
	} else if lerr := new(os.LinkError); errors.As(err, &lerr) {
		err = fmt.Errorf("%s: %w", lerr.Op, lerr.Err)
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// flush writes a file's data to disk. It is a variable so that tests can drop unflushed data.
var flush = (*os.File).Sync

// Sync writes a file's data to disk. It ignores file systems that cannot do that.
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

// CopyFiles copies the files with these names from a folder, and from its subfolders that are not hidden, to the same
// places in another folder.
func CopyFiles(from, to string, names ...string) error {
	for _, name := range names {
		for _, pattern := range []string{name, "[^.]*/" + name} {
			files, err := fs.Glob(os.DirFS(from), pattern)
			if err != nil {
				return err
			}
			for _, path := range files {
				if err := copyFile(filepath.Join(from, path), filepath.Join(to, path)); err != nil {
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

// MakeDir creates a folder in one step, with its parent folders: fill creates the folder under the temporary path part,
// which MakeDir then renames. It removes what killed processes left of the same folder.
func MakeDir(path string, fill func(part string) error) error {
	parent, name := filepath.Split(filepath.Clean(path))
	parent = filepath.Clean(parent)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fmt.Errorf("cannot create %s: %w", path, err)
	}
	root, err := os.OpenRoot(parent)
	if err != nil {
		return err
	}
	defer root.Close()
	Sweep(parent, name)
	lock, err := CreatePartial(root, name) // stays next to part and shows that it is in use
	if err != nil {
		return fmt.Errorf("cannot create %s: %w", path, err)
	}
	defer lock.Discard()
	part := filepath.Join(parent, lock.part) + partDirSuffix
	defer os.RemoveAll(part)
	if err := fill(part); err != nil {
		return err
	}
	return renameDurably(part, path)
}

// partDirSuffix is the suffix of a folder's temporary name, after the name of its lock file.
const partDirSuffix = ".d"

// renameDurably renames a folder whose files are on disk. It makes the names inside durable first, then the folder's.
func renameDurably(from, to string) error {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncFolder(path)
	})
	if err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder makes the names in a folder durable. Windows and macOS do not support that.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	return Sync(folder)
}

// partName matches the names of parts; the suffix -part marks bundles that an earlier gavel was importing.
var partName = regexp.MustCompile(`^\.(.+)-(?:[0-9]+|part)$`)

// Sweep removes parts in a folder that killed processes left, for the given file names or, without names, for all.
// Parts in use stay, and so do those that cannot be removed.
func Sweep(dir string, names ...string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		part := partName.FindStringSubmatch(e.Name())
		if part != nil && e.Type().IsRegular() && (len(names) == 0 || slices.Contains(names, part[1])) {
			removeAbandoned(filepath.Join(dir, e.Name()))
		}
	}
}

// removeAbandoned removes a part and the unfinished folder for which it is the lock, unless the lock is held.
func removeAbandoned(part string) {
	lock := flock.New(part, flock.SetFlag(os.O_RDWR))
	got, err := lock.TryLock()
	if err != nil || !got {
		return
	}
	os.RemoveAll(part + partDirSuffix)
	os.Remove(part)
	lock.Unlock()
	os.Remove(part) // for Windows, where an open file stays
}

// LocksUnsupported reports whether a lock failed because the file system does not support locks.
func LocksUnsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// CheckBelow returns an error unless path is below folder and leads through folders alone, no links or files; missing
// folders are allowed.
func CheckBelow(folder, path string) error {
	for ; path != folder && path != filepath.Dir(path); path = filepath.Dir(path) {
		info, err := os.Lstat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !info.IsDir() {
			return fmt.Errorf("%s is a link or a file: name another folder", path)
		}
	}
	if path != folder {
		return fmt.Errorf("is not below %s", folder)
	}
	return nil
}
