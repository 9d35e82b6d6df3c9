package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gavel/internal/disk"
)

// WriteFile writes the document to a file in one step: a reader sees the old file or the new one. A file that exists
// and was not written by gavel is an error, unless forced.
func (d RunReport) WriteFile(path string, force bool) error {
	if !force {
		if err := replaceable(path); err != nil {
			return err
		}
	}
	return disk.Write(path, d.WriteHTML)
}

// WriteOther writes a file in one step, in a format that does not name the program that wrote it. A file that exists is
// an error, unless forced.
func WriteOther(path string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s: exists: choose another name, or use --force", path)
	}
	return disk.Write(path, write)
}

// replaceable returns an error if a path holds a file that is no page of gavel's.
func replaceable(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024)) // the generator stands at its beginning
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.Contains(head, []byte(Generator)) {
		return fmt.Errorf("%s: exists and is not a page that gavel wrote: choose another name, or use --force", path)
	}
	return nil
}
