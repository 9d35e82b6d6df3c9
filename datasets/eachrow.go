package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
)

// EachRow hands the rows of a file to use, as they stand in it: for files whose
// rows are no items, such as votes and other programs' outputs. It reads whatever
// [OpenFile] can unpack. Rows count from 1; a text is valid until use returns,
// whose first error ends it.
func EachRow(path string, use func(row int, text []byte) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	how, err := sniff(f)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	in, size := content(f), info.Size()
	if how != plainLines {
		lines, _, err := unpack(f, size, how)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		defer lines.Close()
		in, size = lines, lines.size
	}
	if err := useRows(in, size, use); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// EachRowIn is EachRow of JSON lines or a JSON array that come from elsewhere
// than a file: out of an archive.
func EachRowIn(r io.Reader, use func(row int, text []byte) error) error {
	in := bufio.NewReaderSize(r, batchBytes)
	lines := new(spool)
	defer lines.Close()
	head, err := in.Peek(batchBytes)
	if err != nil && err != io.EOF {
		return ended(err)
	}
	if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		err = arrayLines(in, lines)
	} else {
		_, err = io.Copy(lines, in)
	}
	if err == nil {
		err = lines.done()
	}
	if err == nil {
		err = checkLines(lines)
	}
	if err != nil {
		return err
	}
	return useRows(lines, lines.size, use)
}

func useRows(in content, size int64, use func(row int, text []byte) error) error {
	var failed error
	err := eachRowOf(in, size, func(r Row) bool {
		failed = use(r.Line, r.Text)
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}
