package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a file for reading: a regular one, so that nothing has to be waited for. No link leads out of the root,
// which may be nil: then any link is followed.
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

// Plain refuses files of a folder that are links, or anything else that a write would lead elsewhere or wait for;
// those that are not there are none.
func Plain(dir string, names ...string) error {
	for _, name := range names {
		at := filepath.Join(dir, name)
		info, err := os.Lstat(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a link, or no file: remove it", at)
		}
	}
	return nil
}
