package rows

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetLines writes each row of a Parquet file to out as a line: a JSON object with the names of the columns, in the
// file's order.
func parquetLines(in Source, out *Spool) (err error) {
	done, opened := 0, false
	defer func() {
		if r := recover(); r != nil { // the library panics on some broken files (its issue 537)
			err = fmt.Errorf("%v", r)
		}
		switch {
		case err != nil && opened:
			err = fmt.Errorf("row %d: reading Parquet: %s", done+1, oneLine(err))
		case err != nil:
			err = fmt.Errorf("reading Parquet: %s", oneLine(err))
		}
	}()
	f, err := openParquet(in)
	if err != nil {
		return err
	}
	table := newColumn(f.Root())
	opened = true
	for _, group := range f.RowGroups() {
		err := eachRow(group, func(row parquet.Row) error {
			values := map[string]any{}
			if err := f.Schema().Reconstruct(&values, row); err != nil {
				return err
			}
			line := table.append(nil, values)
			if len(line) > unpackLimits.row {
				return fmt.Errorf("it is longer than %d MiB", unpackLimits.row>>20)
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
			done++
			return nil
		})
		if err != nil {
			return err
		}
	}
	if int64(done) != f.NumRows() {
		return fmt.Errorf("the footer says %d rows, the data has %d", f.NumRows(), done)
	}
	return nil
}

// eachRow calls use for every row of a group until use returns an error. A row is valid until use returns.
func eachRow(group parquet.RowGroup, use func(parquet.Row) error) error {
	in := group.Rows()
	defer in.Close()
	rows := make([]parquet.Row, 64)
	for {
		n, err := in.ReadRows(rows)
		for _, row := range rows[:n] {
			if err := use(row); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return explainEOF(err)
		}
	}
}

// openParquet opens a Parquet file by its footer, which is at the end of the file. An encrypted or truncated file is an
// error.
func openParquet(in Source) (*parquet.File, error) {
	size := in.Size()
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("the file is cut short: get it again")
	}
	if _, err := in.ReadAt(tail[:], size-8); err != nil && err != io.EOF {
		return nil, err
	}
	footer := int64(binary.LittleEndian.Uint32(tail[:]))
	switch magic := string(tail[4:]); {
	case magic == "PARE":
		return nil, errors.New("the file is encrypted")
	case magic != "PAR1" || footer > size-12:
		return nil, errors.New("the file is cut short, its footer is missing: get it again")
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true),
		parquet.FileReadMode(parquet.ReadModeSync))
	if err != nil {
		return nil, err
	}
	unpacks := int64(0)
	for _, group := range f.Metadata().RowGroups {
		unpacks += group.TotalByteSize
		for _, c := range group.Columns {
			if c.MetaData.Codec == format.Lz4Raw { // v0.32.0 cannot always read what it wrote itself
				return nil, errors.New("LZ4 is not supported: write the file with snappy or zstd")
			}
		}
	}
	if unpacks > unpackLimits.total {
		return nil, errLongFile()
	}
	return f, nil
}

// column describes a column or a group of columns, and writes its values.
type column struct {
	name     string
	key      []byte                   // the name in JSON, with a colon
	write    func([]byte, any) []byte // appends a value as JSON; nil for a group or list
	children []*column                // the columns of a group
	element  *column                  // the elements of a list
}

// newColumn describes a column of a file. It returns nil for an unsupported one: a map, a date, a time or a decimal.
func newColumn(source *parquet.Column) *column {
	c := &column{name: source.Name(), key: append(appendText(nil, []byte(source.Name())), ':')}
	if source.Leaf() {
		c.write = jsonAppenderFor(source.Type())
		if c.write == nil {
			return nil
		}
		return c
	}
	children := source.Columns()
	switch source.Type().String() {
	case "LIST":
		if len(children) != 1 || !children[0].Repeated() || children[0].Leaf() || len(children[0].Columns()) != 1 {
			return nil // current Parquet files have a group around the element
		}
		c.element = newColumn(children[0].Columns()[0])
		if c.element == nil {
			return nil
		}
		return c
	case "MAP", "VARIANT":
		return nil
	}
	for _, child := range children {
		if inner := newColumn(child); inner != nil {
			c.children = append(c.children, inner)
		}
	}
	return c
}

// append appends a value of the column to line as JSON. The library returns a group as a map, whose keys append writes
// in the order of the file, and a repeated value as a slice.
func (c *column) append(line []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(line, "null"...)
	case []any:
		element := cmp.Or(c.element, c)
		line = append(line, '[')
		for i, item := range v {
			if len(line) > unpackLimits.row { // it will be rejected
				break
			}
			if i > 0 {
				line = append(line, ',')
			}
			line = element.append(line, item)
		}
		return append(line, ']')
	case map[string]any:
		line = append(line, '{')
		for i, child := range c.children {
			if i > 0 {
				line = append(line, ',')
			}
			line = child.append(append(line, child.key...), v[child.name])
		}
		return append(line, '}')
	}
	return c.write(line, value)
}

// jsonAppenderFor returns the function that appends values of a type as JSON; nil if the type is unsupported. Columns
// declared as text are written unchanged, so that invalid UTF-8 is noticed later. Other bytes become base64, unless
// they are valid text.
func jsonAppenderFor(t parquet.Type) func([]byte, any) []byte {
	if t.Kind() == parquet.Int96 {
		return nil
	}
	logical := t.LogicalType()
	if logical == nil {
		return appendUntypedValue
	}
	switch l := logical.Value.(type) {
	case *format.StringType, *format.EnumType:
		return func(b []byte, v any) []byte { return appendText(b, []byte(v.(string))) }
	case *format.IntType:
		if !l.IsSigned && l.BitWidth == 64 { // the library returns an int64
			return func(b []byte, v any) []byte { return strconv.AppendUint(b, uint64(v.(int64)), 10) }
		}
		return appendUntypedValue
	case *format.UUIDType:
		return func(b []byte, v any) []byte {
			id := v.([]byte)
			return fmt.Appendf(b, `"%x-%x-%x-%x-%x"`, id[:4], id[4:6], id[6:8], id[8:10], id[10:])
		}
	}
	return nil
}

// appendUntypedValue appends a value of a column without a declared type: a number, a boolean or bytes.
func appendUntypedValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case float32:
		return appendFloat(b, float64(v), 32)
	case float64:
		return appendFloat(b, v, 64)
	case string:
		return appendJSONString(b, []byte(v))
	case []byte:
		return appendJSONString(b, v)
	}
	return fmt.Append(b, value) // an integer or a boolean
}

// appendFloat appends a number of 32 or 64 bits as JSON: NaN and infinities as null, since JSON has no notation for
// them. Labels identify a row by its bytes, so the notation of exponents must not change; encoding/json would use
// another.
func appendFloat(b []byte, x float64, bits int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	format := byte('f')
	if x != 0 && (math.Abs(x) < 1e-6 || math.Abs(x) >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, x, format, -1, bits)
}

// appendJSONString appends a JSON string with the value or, if that is not UTF-8, with its base64.
func appendJSONString(b, value []byte) []byte {
	if utf8.Valid(value) {
		return appendText(b, value)
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, value)
	return append(b, '"')
}

var escapes = map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// appendText appends a JSON string with as few escapes as possible.
func appendText(b, text []byte) []byte {
	b = append(b, '"')
	for {
		n := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
		if n < 0 {
			return append(append(b, text...), '"')
		}
		b = append(b, text[:n]...)
		c := text[n]
		if short := escapes[c]; short != "" {
			b = append(b, short...)
		} else {
			b = fmt.Appendf(b, `\u%04x`, c)
		}
		text = text[n+1:]
	}
}
