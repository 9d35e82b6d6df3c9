package judging

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gavel/internal/disk"
)

// hashedFiles lists the files of a run on which its scores depend. run.json has their hashes.
var hashedFiles = []string{ItemsFile, RecordsFile}

// hashFiles returns the SHA-256 of a folder's files by name, in hex, without files that do not exist.
func hashFiles(root *os.Root, dir string, names ...string) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range names {
		f, _, err := disk.Open(root, filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		all[name] = hex.EncodeToString(h.Sum(nil))
	}
	return all, nil
}

// ChangedFiles returns the names of the files in a run's folder that changed since its last try ended. root may be nil.
// It returns none for a run in progress, and for a run of an early gavel, which did not store hashes.
func (m *Manifest) ChangedFiles(root *os.Root, dir string) (names []string, err error) {
	if m.Status == Running || len(m.Files) == 0 {
		return nil, nil
	}
	now, err := hashFiles(root, dir, hashedFiles...)
	if err != nil {
		return nil, err
	}
	for _, name := range hashedFiles {
		if was := m.Files[name]; was != "" && was != now[name] {
			names = append(names, name)
		}
	}
	return names, nil
}

// AlteredFiles returns the files that changed after the last or an earlier try of the run ended.
func (m *Manifest) AlteredFiles(root *os.Root, dir string) ([]string, error) {
	changed, err := m.ChangedFiles(root, dir)
	names := slices.Concat(m.Altered, changed)
	slices.Sort(names)
	return slices.Compact(names), err
}
