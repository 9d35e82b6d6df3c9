package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/gofrs/flock"
)

// errPanicked marks damage that made Badger panic.
var errPanicked = fmt.Errorf("%w", errDamaged)

// guard, when deferred, turns a panic into an error: Badger slices by lengths from its files, and checks them
// afterwards, if at all.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %.80v", errPanicked, p)
	}
}

// distrustFile marks the folder of a cache in which a read found damage: the next Open moves the folder aside.
const distrustFile = "CHECK"

// checkDatabase returns an error that wraps errDamaged if the folder holds no complete database. It opens each table
// that the manifest lists. Badger would do so in goroutines of its own, where no guard helps and a truncated file would
// end the process. Badger deletes tables that the manifest does not list: their content is lost, unless the process
// that wrote them was killed and a log still has it.
func checkDatabase(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, distrustFile)); err == nil {
		return fmt.Errorf("a read found it %w", errDamaged)
	}
	tables, _ := fs.Glob(os.DirFS(dir), "*.sst")
	logs, _ := fs.Glob(os.DirFS(dir), "*.mem")
	var manifest badger.Manifest // empty if the file is missing or invalid
	if f, err := os.Open(filepath.Join(dir, badger.ManifestFilename)); err == nil {
		defer f.Close()
		manifest, _, _ = badger.ReplayManifestFile(f, 0, badgerOptions(dir))
	}
	for id, m := range manifest.Tables {
		opts := table.Options{Compression: m.Compression, BlockSize: 4 << 10}
		if err := checkTableFile(table.NewFilename(id, dir), opts); err != nil {
			return err
		}
	}
	if len(tables) > len(manifest.Tables) && len(logs) == 0 {
		return fmt.Errorf("%s is %w and lists %d of %d tables",
			badger.ManifestFilename, errDamaged, len(manifest.Tables), len(tables))
	}
	return nil
}

// checkTableFile returns an error that wraps errDamaged if the table, a file of the database, is damaged, and another
// error if the file cannot be read.
func checkTableFile(path string, opts table.Options) (err error) {
	damaged := fmt.Errorf("%s is %w", filepath.Base(path), errDamaged)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return damaged
	}
	if err != nil {
		return err
	}
	f, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Fd.Close()
	defer z.Munmap(f.Data)
	defer func() {
		if recover() != nil || err != nil {
			err = damaged
		}
	}()
	_, err = table.OpenTable(f, opts)
	return err
}

// moveAside renames a damaged folder, so that a new cache can take its place. It does nothing while another gavel works
// in the folder: what looks damaged may be its current merge, and Badger will report the lock.
func moveAside(dir string, warn func(format string, args ...any)) error {
	lock := badgerLock(dir)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil
	}
	defer lock.Unlock()
	err := checkDatabase(dir)
	if !errors.Is(err, errDamaged) {
		return err
	}
	if runtime.GOOS == "windows" {
		lock.Unlock() // a folder with an open file cannot be renamed
	}
	from, failed := filepath.EvalSymlinks(dir)
	aside := from + ".damaged"
	for n := 2; ; n++ {
		if _, err := os.Lstat(aside); err != nil {
			break
		}
		aside = fmt.Sprintf("%s.damaged-%d", from, n)
	}
	failed = errors.Join(failed, os.Rename(from, aside), os.MkdirAll(from, 0o755))
	if failed != nil {
		return fmt.Errorf("%w; it cannot be moved aside: %w", err, failed)
	}
	warn("cache %s is damaged (%v): it was moved to %s, and a new one was started; "+
		"\"gavel cache rebuild RUN...\" fills it from runs", dir, err, aside)
	return nil
}

// badgerLock returns the lock that Badger takes: on the folder itself, on Windows by an open file.
func badgerLock(dir string) *flock.Flock {
	if runtime.GOOS == "windows" {
		return flock.New(filepath.Join(dir, "LOCK"))
	}
	return flock.New(dir, flock.SetFlag(os.O_RDONLY))
}

// markDamaged marks the cache as damaged. If the mark cannot be written, the next read finds the damage again.
func (s *Store) markDamaged() { os.WriteFile(filepath.Join(s.dir, distrustFile), nil, 0o644) }

// verify reads all tables and returns an error if one is damaged. It must precede a merge: Badger merges in goroutines
// of its own, where a panic would end the process.
func (s *Store) verify() (err error) {
	defer func() {
		if err != nil {
			s.markDamaged()
			err = fmt.Errorf("cache %s is %w (%v): the next gavel moves it aside; "+
				"\"gavel cache rebuild RUN...\" fills a new one from runs", s.dir, errDamaged, err)
		}
	}()
	defer guard(&err)
	return s.db.VerifyChecksum()
}
