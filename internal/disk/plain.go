package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a regular file for reading; other files could block. With a root, links cannot lead outside; without one,
// any link is followed.
func Open(root *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	stat, open := os.Stat, os.Open
	if root != nil {
		stat, open = root.Stat, root.Open
	}
	info, err = stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", name)
	}
	if err == nil {
		f, err = open(name)
	}
	return f, info, err
}

// Exists reports whether a path names a file or folder.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// CheckRegular returns an error if one of the named files in a folder is a link or not regular, since a write could
// lead elsewhere or block. Missing files are allowed.
func CheckRegular(dir string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a link or not a regular file: remove it", path)
		}
	}
	return nil
}
