package rows

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// LineError reports a problem in one line that makes the whole file unreadable.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// detectTable detects by a file's first bytes whether the file is a table with a header row, and returns the separator
// of columns. If the second line is a JSON object, the file has JSON lines and the first is broken.
func detectTable(head []byte) (comma rune, ok bool) {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(head, "\r\n"), []byte{'\n'})
	if bytes.ContainsAny(first, "{}[]<>\x00") || bytes.HasPrefix(bytes.TrimSpace(rest), []byte{'{'}) {
		return 0, false
	}
	comma = ','
	for _, c := range "\t;" {
		if bytes.Count(first, []byte(string(c))) > bytes.Count(first, []byte(string(comma))) {
			comma = c
		}
	}
	r := csv.NewReader(bytes.NewReader(first))
	r.Comma = comma
	names, err := r.Read()
	return comma, err == nil && len(names) > 1
}

// maxHeader limits the bytes of a table's header row: a longer first line is no header.
const maxHeader = 2 * batchBytes

// csvLines writes each row of a table to out as a line: an object with texts, keyed by the header row. It adds empty
// lines, so that each row has the number of the line where it begins in the file. It leaves out columns without a name.
func csvLines(in Source, out *Spool) error {
	head := make([]byte, 4096)
	n, err := in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	limited := &limitedReader{in: reader(in), remaining: maxHeader}
	r := csv.NewReader(limited)
	r.Comma, _ = detectTable(head[:n])
	r.ReuseRecord = true
	cells, err := r.Read()
	if err != nil {
		return csvError(err, 1, 0)
	}
	names := slices.Clone(cells)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return &LineError{1, fmt.Errorf("two columns are called %q: give each a name of its own", names[i])}
		}
	}
	text := []byte{}
	for line := 1; ; {
		limited.remaining = unpackLimits.row
		start, _ := r.FieldPos(0)
		cells, err = r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(err, start+1, len(names))
		}
		start, _ = r.FieldPos(0)
		text = append(text[:0], strings.Repeat("\n", start-line)...)
		text = append(text, '{')
		for i, cell := range cells {
			if names[i] == "" {
				continue
			}
			if text[len(text)-1] != '{' {
				text = append(text, ',')
			}
			for k, s := range []string{names[i], cell} {
				text, err = jsontext.AppendQuote(text, s)
				if err != nil {
					cellLine, _ := r.FieldPos(i)
					return &LineError{cellLine, errors.New("not UTF-8: save the file as UTF-8")}
				}
				if k == 0 {
					text = append(text, ':')
				}
			}
		}
		text = append(text, '}', '\n')
		line = start + 1
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
}

// csvError returns a clearer error for a table that err, the CSV reader's error, makes unreadable. It has the number of
// the line; if a quoted cell is not closed, of the line where the cell's row begins. start is about the line where the
// unreadable row begins, columns the number of columns, or 0 for the header row.
func csvError(err error, start, columns int) error {
	var parseErr *csv.ParseError
	switch {
	case errors.Is(err, errAllowance) && columns == 0:
		return &LineError{start, fmt.Errorf("the header row is longer than %d KiB: "+
			"leave columns out, or end a quoted name", maxHeader>>10)}
	case errors.Is(err, errAllowance):
		return &LineError{start, fmt.Errorf("a row longer than %d MiB begins about here: "+
			"is the end of a quoted cell missing?", unpackLimits.row>>20)}
	case !errors.As(err, &parseErr):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return &LineError{parseErr.StartLine, fmt.Errorf("the number of cells differs from the %d of the first line: "+
			"put cells with commas, quotes or line breaks between quotes", columns)}
	case errors.Is(err, csv.ErrBareQuote):
		return &LineError{parseErr.Line, fmt.Errorf("broken quotes at byte %d: "+
			"put a cell that contains quotes between quotes, and double the quotes inside", parseErr.Column)}
	}
	return &LineError{parseErr.StartLine, fmt.Errorf("broken quotes: the quoted cell that starts here, "+
		"or one after it in the row, is not closed (noticed at line %d, byte %d); "+
		"double the quotes inside a cell", parseErr.Line, parseErr.Column)}
}
