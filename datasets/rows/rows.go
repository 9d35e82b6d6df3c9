// Package rows reads the rows of a file as JSON lines, whatever the packing: JSON lines, a JSON array, Parquet or a
// table (CSV), also under gzip, zstd or zip. It does not interpret the rows.
package rows

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// Source holds the bytes of a file, or of its unpacked content.
type Source interface {
	io.ReaderAt
	Size() int64
}

// File is a [Source] opened by its path.
type File struct {
	*os.File
	size int64 // bytes, when the file was opened
}

// Size returns the length of the file when it was opened.
func (f *File) Size() int64 { return f.size }

// Open opens a regular file. Others, such as pipes, are an error, since they could not be read more than once.
func Open(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; name the .jsonl file in it", path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file; "+
			"items are read on demand, so save it to a file first", path)
	}
	f, err := os.Open(path)
	return &File{f, info.Size()}, err
}

// Row is one row of a file.
type Row struct {
	Line int    // number of the line in the file, from 1
	Text []byte // a JSON value without its newline, valid until the next row
}

// Lines yields the lines of a source that are not blank, in order. It ends after the first error.
func Lines(in Source) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		stop := errors.New("enough")
		err := EachLine(reader(in), Blank, func(line Line[bool]) error {
			if line.Value || yield(Row{line.Number, bytes.TrimRight(line.Text, "\r\n")}, nil) {
				return nil
			}
			return stop
		})
		if err != nil && err != stop {
			yield(Row{}, err)
		}
	}
}

// EachRow passes the rows of a file to use: for files whose rows are not items, such as votes and other programs'
// outputs. Rows count from 1; text is valid until use returns. EachRow stops at use's first error.
func EachRow(path string, use func(row int, text []byte) error) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := eachUnpacked(f, use); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// FileSHA256 returns the SHA-256 of the file at path, in hex.
func FileSHA256(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return SourceSHA256(f)
}

// SourceSHA256 returns the SHA-256 of a source, in hex.
func SourceSHA256(in Source) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, reader(in))
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// eachUnpacked passes the rows of a source to use, after unpacking it if needed.
func eachUnpacked(in Source, use func(row int, text []byte) error) error {
	lines, _, err := Unpack(in)
	if lines != nil {
		defer lines.Close()
		in = lines
	}
	if err != nil {
		return err
	}
	for row, err := range Lines(in) {
		if err == nil {
			err = use(row.Line, row.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// reader returns a reader over the whole source.
func reader(in Source) io.Reader { return io.NewSectionReader(in, 0, in.Size()) }
