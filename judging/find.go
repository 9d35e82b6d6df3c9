package judging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gavel/datasets"
)

// FindRuns are the folders of runs that paths name: of each the run that it is, or all runs below it, at any
// depth. What is there and holds no run is passed over, as runs/* names it too, where more than least are
// named; else it stays, for whoever reads it to complain of. A folder that is not there is an error if a run
// beside it has nearly its name.
func FindRuns(paths []string, least int, passedOver func(path string)) (dirs []string, err error) {
	for _, path := range paths {
		below, err := runsBelow(path)
		if err != nil {
			return nil, err
		}
		_, gone := os.Stat(path)
		switch {
		case len(below) > 0:
			dirs = append(dirs, below...)
			continue
		case len(paths) > least && gone == nil:
			passedOver(path)
			continue
		case errors.Is(gone, fs.ErrNotExist):
			if near := nearestRun(path); near != "" {
				return nil, fmt.Errorf("%s: there is no such run, did you mean %s?", path, near)
			}
		}
		dirs = append(dirs, path)
	}
	return dirs, nil
}

// runsBelow are the runs in a folder, at any depth; the folder itself where it is a run.
func runsBelow(dir string) (runs []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // not there, or gone meanwhile
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		}
		if path != dir && strings.HasPrefix(entry.Name(), ".") { // being merged, or deleted
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, ManifestFile)); err == nil {
			runs = append(runs, path)
			return fs.SkipDir
		}
		return nil
	})
	return runs, err
}

// nearestRun is the run beside a folder whose name is nearest to it, "" where none is near.
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
