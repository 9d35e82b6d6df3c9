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

// summed are the files that scores are made of.
var summed = []string{ItemsFile, RecordsFile}

// sums returns the SHA-256 of files of a folder, in hex, without those that are not there.
func sums(root *os.Root, dir string, names ...string) (map[string]string, error) {
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

// Changed returns the names of the files in a run's folder that changed since its last try ended. root may be nil. It
// returns none for a run in progress, and for a run of an early gavel, which noted no SHA-256 of its files.
func (m *Manifest) Changed(root *os.Root, dir string) (names []string, err error) {
	if m.Status == Running || len(m.Files) == 0 {
		return nil, nil
	}
	now, err := sums(root, dir, summed...)
	if err != nil {
		return nil, err
	}
	for _, name := range summed {
		if was := m.Files[name]; was != "" && was != now[name] {
			names = append(names, name)
		}
	}
	return names, nil
}

// EverAltered are the files that are not as a try of the run left them, the last or one before.
func (m *Manifest) EverAltered(root *os.Root, dir string) ([]string, error) {
	changed, err := m.Changed(root, dir)
	names := slices.Concat(m.Altered, changed)
	slices.Sort(names)
	return slices.Compact(names), err
}
