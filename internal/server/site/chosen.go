package site

import (
	"errors"
	"fmt"
	"gavel/judging"
	"gavel/scoring"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Chosen are the runs that are named, folders descended, as a server knows them: by their path below one folder.
func Chosen(paths []string, passedOver func(path string)) (root string, names []string, err error) {
	dirs, err := judging.FindRuns(paths, 1, passedOver)
	if err != nil {
		return "", nil, err
	}
	for _, dir := range dirs {
		if _, err := judging.ReadManifest(dir); err != nil {
			return "", nil, err
		}
	}
	for i, dir := range dirs {
		if dirs[i], err = filepath.Abs(dir); err != nil {
			return "", nil, err
		}
	}
	if len(dirs) == 0 {
		return "", nil, errors.New("there are no runs in these folders")
	}
	root = filepath.Dir(dirs[0])
	for _, dir := range dirs[1:] {
		for !strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			up := filepath.Dir(root)
			if up == root {
				return "", nil, fmt.Errorf("%s and %s have no common folder", dirs[0], dir)
			}
			root = up
		}
	}
	if _, err := os.Stat(filepath.Join(root, scoring.SuiteFile)); err == nil && filepath.Dir(root) != root {
		root = filepath.Dir(root) // so that the suite has a name
	}
	for _, dir := range dirs {
		name, err := filepath.Rel(root, dir)
		if err != nil {
			return "", nil, err
		}
		name = filepath.ToSlash(name)
		if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
			return "", nil, fmt.Errorf("%s: a folder below %s has a name that begins with a dot and is hidden: move the run", dir, root)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return root, slices.Compact(names), nil
}
