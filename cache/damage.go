package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/ristretto/v2/z"
)

// guard turns a panic into an error: Badger slices by the lengths it finds in
// its files, and checks them after, if at all.
func guard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %.80v", errDamaged, p)
	}
}

// checkTables opens each table that the manifest names, as Badger is about to
// do in goroutines of its own, where no guard can reach and a file that was cut
// off would end the process.
func checkTables(dir string) error {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if err != nil {
		return nil // a new folder, or something that Badger will say
	}
	defer f.Close()
	manifest, _, err := badger.ReplayManifestFile(f, 0, badgerOptions(dir))
	if err != nil {
		return nil
	}
	for id, m := range manifest.Tables {
		opts := table.Options{Compression: m.Compression, BlockSize: 4 << 10}
		// One that is gone was merged by a gavel that is at work in the folder.
		if err := checkTable(table.NewFilename(id, dir), opts); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func checkTable(path string, opts table.Options) error {
	f, err := z.OpenMmapFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Fd.Close()
	defer z.Munmap(f.Data)
	if err := openTable(f, opts); err != nil {
		return fmt.Errorf("%s is %w", filepath.Base(path), errDamaged)
	}
	return nil
}

func openTable(f *z.MmapFile, opts table.Options) (err error) {
	defer guard(&err)
	_, err = table.OpenTable(f, opts)
	return err
}
