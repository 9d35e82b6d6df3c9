package judging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gavel/datasets"
	"gavel/internal/disk"
)

// FindRuns returns the run folders that paths name: each path may be a run or a folder with runs at any depth. A path
// that exists and holds no run, such as a stray match of runs/*, is passed to skip if more than minPaths paths are
// given; otherwise it is returned, and its reader reports the error. A path that does not exist is an error if a run
// next to it has a similar name.
func FindRuns(paths []string, minPaths int, skip func(path string)) (dirs []string, err error) {
	for _, path := range paths {
		nested, err := runsBelow(path)
		if err != nil {
			return nil, err
		}
		_, statErr := os.Stat(path)
		switch {
		case len(nested) > 0:
			dirs = append(dirs, nested...)
			continue
		case len(paths) > minPaths && statErr == nil:
			skip(path)
			continue
		case errors.Is(statErr, fs.ErrNotExist):
			if near := nearestRun(path); near != "" {
				return nil, fmt.Errorf("%s: there is no such run, did you mean %s?", path, near)
			}
		}
		dirs = append(dirs, path)
	}
	return dirs, nil
}

// runsBelow returns the runs in a folder, at any depth, or the folder itself if it is a run.
func runsBelow(dir string) (runs []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // missing, or removed meanwhile
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		}
		if path != dir && strings.HasPrefix(entry.Name(), ".") { // being merged, or deleted
			return fs.SkipDir
		}
		if disk.Exists(filepath.Join(path, ManifestFile)) {
			runs = append(runs, path)
			return fs.SkipDir
		}
		return nil
	})
	return runs, err
}

// nearestRun returns the sibling run whose name is most similar to the folder's, or "".
func nearestRun(dir string) string {
	manifests, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", ManifestFile)) // of a name that is no pattern
	var names []string
	for _, m := range manifests {
		names = append(names, filepath.Base(filepath.Dir(m)))
	}
	if name := datasets.Nearest(filepath.Base(dir), names); name != "" {
		return filepath.Join(filepath.Dir(dir), name)
	}
	return ""
}
