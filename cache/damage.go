package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"github.com/dgraph-io/ristretto/v2/z"
	"github.com/gofrs/flock"
	"google.golang.org/protobuf/proto"
)

// errPanicked is errDamaged that showed as a panic.
var errPanicked = fmt.Errorf("%w", errDamaged)

// guard turns a panic into an error: Badger slices by the lengths it finds in
// its files, and checks them after, if at all.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %.80v", errPanicked, p)
	}
}

const (
	damagedFolder = "damaged" // where damaged tables are kept
	distrustFile  = "CHECK"   // asks the next one who opens the cache to read all of every table first
)

// files is what lies in the folder of a cache, by its manifest.
type files struct {
	tables  int      // that the manifest names
	damaged []uint64 // of them: cannot be opened, or are gone
	whole   int64    // bytes of the manifest before what was cut off
	lost    int      // tables that a manifest that was cut off does not name: Badger deletes them
}

// lookAt looks at what Badger is about to open. It opens each table that the manifest names, as Badger does in
// goroutines of its own, where no guard can reach and a file that was cut off would end the process; thorough reads all
// of its entries. Badger deletes the tables that the manifest does not name: where it is gone, that is all of them.
func lookAt(dir string, thorough bool) (found files, err error) {
	var tables []uint64
	logged := false // writes are in a log that was not yet made a table
	entries, _ := os.ReadDir(dir)
	for _, f := range entries {
		if id, ok := table.ParseFileID(f.Name()); ok {
			tables = append(tables, id)
		}
		logged = logged || strings.HasSuffix(f.Name(), ".mem")
	}
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) && len(tables) > 0 {
		return found, fmt.Errorf("its %s is gone", badger.ManifestFilename)
	}
	if err != nil {
		return found, nil // a new folder, or something that Badger will say
	}
	defer f.Close()
	manifest, whole, err := badger.ReplayManifestFile(f, 0, badgerOptions(dir))
	if err != nil {
		return found, nil
	}
	found.tables, found.whole = len(manifest.Tables), whole
	for id, m := range manifest.Tables {
		opts := table.Options{Compression: m.Compression, BlockSize: 4 << 10}
		err := checkTable(table.NewFilename(id, dir), opts, thorough)
		switch {
		case errors.Is(err, errDamaged):
			found.damaged = append(found.damaged, id)
		case err != nil:
			return found, err
		}
	}
	slices.Sort(found.damaged)
	if info, err := f.Stat(); err != nil || logged && whole == info.Size() {
		return found, nil // what is not named was being written when a gavel was killed, and is in the log
	}
	for _, id := range tables {
		if _, named := manifest.Tables[id]; !named {
			found.lost++
		}
	}
	return found, nil
}

// checkTable's error wraps errDamaged where the table is, and not where it cannot be looked at.
func checkTable(path string, opts table.Options, thorough bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return fmt.Errorf("%s is %w", filepath.Base(path), errDamaged)
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
	if err := openTable(f, opts, thorough); err != nil {
		return fmt.Errorf("%s is %w", filepath.Base(path), errDamaged)
	}
	return nil
}

func openTable(f *z.MmapFile, opts table.Options, thorough bool) (err error) {
	defer guard(&err)
	t, err := table.OpenTable(f, opts)
	if err != nil || !thorough {
		return err
	}
	return walk(t)
}

// walk goes through all entries, as looking one up and merging does. It does not ask for the checksums of blocks: what
// is wrong with a value alone is found when the value is read, and the others of its table are worth keeping.
func walk(t *table.Table) error {
	it := t.NewIterator(0)
	defer it.Close()
	var last []byte
	n := 0
	for it.Rewind(); it.Valid(); it.Next() {
		if n > 0 && y.CompareKeys(last, it.Key()) >= 0 {
			return errDamaged
		}
		last = append(last[:0], it.Key()...)
		it.Value() // decodes it
		n++
	}
	if n != int(t.KeyCount()) {
		return errDamaged
	}
	return nil
}

// mend takes the damaged tables out of a cache, so that Badger opens the rest. Where another gavel is at work in the
// folder it does nothing: what looks damaged may be what that one just merged, and Badger will say that it is there.
func mend(dir string, thorough bool, warn func(format string, args ...any)) error {
	found, err := lookAt(dir, thorough)
	if err != nil || len(found.damaged) == 0 {
		return err
	}
	lock := badgerLock(dir)
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil
	}
	defer lock.Unlock()
	found, err = lookAt(dir, thorough)
	if err != nil || len(found.damaged) == 0 {
		return err
	}
	if err := setAside(dir, found); err != nil {
		return err
	}
	warn("cache %s: %d of its %d tables %s damaged and set aside in %s: what they held is asked again",
		dir, len(found.damaged), found.tables, is(len(found.damaged)), filepath.Join(dir, damagedFolder))
	return nil
}

func is(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// badgerLock is the lock that Badger takes on its folder: on the folder itself, and on Windows by having a file open.
func badgerLock(dir string) *flock.Flock {
	if runtime.GOOS == "windows" {
		return flock.New(filepath.Join(dir, "LOCK"))
	}
	return flock.New(dir, flock.SetFlag(os.O_RDONLY))
}

// setAside moves damaged tables away, and then takes their names out of the manifest: one that is named and not there
// is damaged too, so that it can be cut off in between.
func setAside(dir string, found files) error {
	aside := filepath.Join(dir, damagedFolder)
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return err
	}
	set := &pb.ManifestChangeSet{}
	for _, id := range found.damaged {
		at := table.NewFilename(id, dir)
		if err := os.Rename(at, filepath.Join(aside, filepath.Base(at))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		set.Changes = append(set.Changes, &pb.ManifestChange{Id: id, Op: pb.ManifestChange_DELETE})
	}
	change, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	// As Badger writes it: length, CRC-32C, change.
	record := binary.BigEndian.AppendUint32(nil, uint32(len(change)))
	record = binary.BigEndian.AppendUint32(record, crc32.Checksum(change, castagnoli))
	f, err := os.OpenFile(filepath.Join(dir, badger.ManifestFilename), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(found.whole); err != nil {
		return err
	}
	if _, err := f.WriteAt(append(record, change...), found.whole); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// distrust has the next one who opens the cache read all of every table: damage within a table shows when it is read.
func (s *Store) distrust() {
	os.WriteFile(filepath.Join(s.dir, distrustFile), nil, 0o644) // if it cannot be written, the damage shows again
}

// sound reads all tables: Badger merges in goroutines of its own, where a panic would end the process.
func (s *Store) sound() error {
	found, err := lookAt(s.dir, true)
	if err == nil && len(found.damaged) > 0 {
		s.distrust()
		err = fmt.Errorf("%d of its %d tables %s %w: set aside when it is opened the next time",
			len(found.damaged), found.tables, is(len(found.damaged)), errDamaged)
	}
	return err
}
