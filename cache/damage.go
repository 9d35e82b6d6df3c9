package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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

// checkTables looks at what Badger is about to open. It opens each table that
// the manifest names, as Badger does in goroutines of its own, where no guard
// can reach and a file that was cut off would end the process. Badger deletes
// the tables that the manifest does not name: where it is gone, that is all of
// them; where it was cut off, lost says how many go.
func checkTables(dir string) (lost int, err error) {
	var tables []uint64
	logged := false // writes are in a log that was not yet made a table
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if id, ok := table.ParseFileID(f.Name()); ok {
			tables = append(tables, id)
		}
		logged = logged || strings.HasSuffix(f.Name(), ".mem")
	}
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) && len(tables) > 0 {
		return 0, fmt.Errorf("its %s is gone", badger.ManifestFilename)
	}
	if err != nil {
		return 0, nil // a new folder, or something that Badger will say
	}
	defer f.Close()
	manifest, whole, err := badger.ReplayManifestFile(f, 0, badgerOptions(dir))
	if err != nil {
		return 0, nil
	}
	for id, m := range manifest.Tables {
		opts := table.Options{Compression: m.Compression, BlockSize: 4 << 10}
		// One that is gone was merged by a gavel that is at work in the folder.
		if err := checkTable(table.NewFilename(id, dir), opts); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	if info, err := f.Stat(); err != nil || logged && whole == info.Size() {
		return 0, nil // what is not named was being written when a gavel was killed, and is in the log
	}
	for _, id := range tables {
		if _, named := manifest.Tables[id]; !named {
			lost++
		}
	}
	return lost, nil
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
