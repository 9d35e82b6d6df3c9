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

// WriteFile writes the report as HTML to a file in one step: a reader sees the old file or the new one. It returns an
// error if the file exists and was not written by gavel, unless force is true.
func (d RunsReport) WriteFile(path string, force bool) error {
	if !force {
		if err := replaceable(path); err != nil {
			return err
		}
	}
	return disk.Write(path, d.WriteHTML)
}

// WriteUnmarkedFile writes a file in one step, in a format that does not say which program wrote it. It returns an
// error if the file exists, unless force is true.
func WriteUnmarkedFile(path string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return fmt.Errorf("%s: exists: choose another name, or use --force", path)
	}
	return disk.Write(path, write)
}

// replaceable returns an error if path holds a file other than a page that gavel wrote.
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
