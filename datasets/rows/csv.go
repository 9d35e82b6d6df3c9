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

// LineError is the error of one line, without which a file has no rows.
type LineError struct {
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// tableOf tells by its first bytes whether a file is a table of values with a row of names, and what is between them. A
// file whose second line is a JSON object has lines of which the first is broken.
func tableOf(head []byte) (comma rune, is bool) {
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

// mostNames is the most bytes that the row of a table's column names may have.
const mostNames = 2 * batchBytes

// csvLines writes each row of a table as a line: an object of texts by the names of the first row. A row stands in the
// line in which it begins in the file. Columns without a name are left out.
func csvLines(in Source, out *Spool) error {
	head := make([]byte, 4096)
	n, err := in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return err
	}
	limited := &allowance{in: reader(in), left: mostNames}
	r := csv.NewReader(limited)
	r.Comma, _ = tableOf(head[:n])
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
		limited.left = unpacking.row
		begins, _ := r.FieldPos(0)
		cells, err = r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return csvError(err, begins+1, len(names))
		}
		begins, _ = r.FieldPos(0)
		text = append(text[:0], strings.Repeat("\n", begins-line)...)
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
					at, _ := r.FieldPos(i)
					return &LineError{at, errors.New("not UTF-8: save the file in that encoding")}
				}
				if k == 0 {
					text = append(text, ':')
				}
			}
		}
		text = append(text, '}', '\n')
		line = begins + 1
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
}

// csvError says what is wrong with a table, in the line where it is or, of a cell without an end, where its row begins.
func csvError(err error, begins, columns int) error {
	var at *csv.ParseError
	switch {
	case errors.Is(err, errAllowance) && columns == 0:
		return &LineError{begins, fmt.Errorf("the names of the columns are longer than %d KiB, which no table of "+
			"items needs: leave columns out, or end a quoted name", mostNames>>10)}
	case errors.Is(err, errAllowance):
		return &LineError{begins, fmt.Errorf("a row longer than %d MiB begins about here: "+
			"is the end of a quoted cell missing?", unpacking.row>>20)}
	case !errors.As(err, &at):
		return err
	case errors.Is(err, csv.ErrFieldCount):
		return &LineError{at.StartLine, fmt.Errorf("another number of cells than the %d of the first line: "+
			"put cells with commas, quotes or line breaks between quotes", columns)}
	case errors.Is(err, csv.ErrBareQuote):
		return &LineError{at.Line, fmt.Errorf("broken quotes at byte %d: "+
			"a cell with a quote in it is put between quotes, and its own are written twice", at.Column)}
	}
	return &LineError{at.StartLine, fmt.Errorf("broken quotes: the cell whose quote is opened here, "+
		"or one after it in the row, is not closed as it should be (seen at line %d, byte %d); "+
		"quotes in a cell are written twice", at.Line, at.Column)}
}
