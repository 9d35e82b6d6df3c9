package report

import (
	"bytes"
	"errors"
	"fmt"
	"gavel/internal/disk"
	"gavel/internal/report/table"
	"io"
	"io/fs"
	"os"
)

// WritePage writes the page of [WriteHTML] to a file in one step: who reads it meanwhile sees the old one or the new
// one. A file that is there and no page of gavel's is an error, unless forced.
func WritePage(path string, force bool, runs []Run, more ...table.Table) error {
	if !force {
		if err := replaceable(path); err != nil {
			return err
		}
	}
	return disk.Write(path, func(w io.Writer) error { return WriteHTML(w, runs, more...) })
}

// replaceable tells whether a page may be written to a path: where there is nothing yet, or a page of gavel's.
func replaceable(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, 1024) // the generator stands at its beginning
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !bytes.Contains(head[:n], []byte(Generator)) {
		return fmt.Errorf("%s: exists and is not a page that gavel wrote: choose another name, or use --force", path)
	}
	return nil
}
