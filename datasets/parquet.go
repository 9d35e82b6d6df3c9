package datasets

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// parquetLines writes each row of a Parquet file as a line: a JSON object with
// the file's column names, in their order.
//
// The rows are put together here and not by the library, which would want a Go
// type, or give maps, whose keys have no order.
func parquetLines(in content, size int64, out *spool) (err error) {
	done, opened := 0, false
	defer func() {
		if r := recover(); r != nil { // the library panics on some broken files (its issue 537)
			err = fmt.Errorf("%v", r)
		}
		switch {
		case err != nil && opened:
			err = fmt.Errorf("row %d: reading Parquet: %s", done+1, oneLineOf(err))
		case err != nil:
			err = fmt.Errorf("reading Parquet: %s", oneLineOf(err))
		}
	}()
	f, err := openParquet(in, size)
	if err != nil {
		return err
	}
	opened = true
	table := newField(f.Root(), 0, 0)
	columns := make([][]parquet.Value, len(f.Schema().Columns()))
	var line []byte
	for _, group := range f.RowGroups() {
		err := eachRow(group, func(row parquet.Row) (err error) {
			if line, err = appendRow(line[:0], table, columns, row); err == nil {
				_, err = out.Write(line)
			}
			if err == nil {
				done++
			}
			return err
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

func eachRow(group parquet.RowGroup, use func(parquet.Row) error) error {
	rows := group.Rows()
	defer rows.Close()
	buffer := make([]parquet.Row, 64)
	for {
		n, err := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			if err := use(row); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return ended(err)
		case n == 0:
			return io.ErrNoProgress
		}
	}
}

// openParquet reads the footer, which stands at the end of the file.
func openParquet(in content, size int64) (*parquet.File, error) {
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
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.FileReadMode(parquet.ReadModeSync))
	if err != nil {
		return nil, err
	}
	for _, group := range f.Metadata().RowGroups {
		for _, c := range group.Columns {
			if c.MetaData.Codec == format.Lz4Raw { // v0.32.0 does not always read what it wrote itself
				return nil, errors.New("LZ4 is not read; write the file with snappy or zstd")
			}
		}
	}
	return f, nil
}

// appendRow puts a row together from the values of its columns.
func appendRow(line []byte, table *field, columns [][]parquet.Value, row parquet.Row) ([]byte, error) {
	clear(columns)
	for i := 0; i < len(row); {
		c, begin := row[i].Column(), i
		for i < len(row) && row[i].Column() == c {
			i++
		}
		columns[c] = row[begin:i]
	}
	line, err := table.appendFields(line, columns)
	if err != nil {
		return nil, err
	}
	if len(line) > unpacking.row {
		return nil, fmt.Errorf("it is longer than %d MiB", unpacking.row>>20)
	}
	return append(line, '\n'), nil
}

// field is a column, or a group of columns, and how its values are written.
type field struct {
	name     []byte // as a JSON key with its colon
	optional bool
	repeated bool
	def, rep int // levels from which a value is there, and which starts its next
	leaf     int // index of its column, or of its first
	write    func([]byte, parquet.Value) []byte
	list     *field // of a LIST: what its elements are
	entries  *field // of a MAP: its repeated group of key and value
	fields   []*field
}

func newField(c *parquet.Column, def, rep int) *field {
	f := &field{name: append(appendText(nil, []byte(c.Name())), ':'), optional: c.Optional(), repeated: c.Repeated()}
	if f.optional || f.repeated {
		def++
	}
	if f.repeated {
		rep++
	}
	f.def, f.rep = def, rep
	if c.Leaf() {
		f.leaf, f.write = c.Index(), writerOf(c.Type())
		return f
	}
	for _, child := range c.Columns() {
		f.fields = append(f.fields, newField(child, def, rep))
	}
	if len(f.fields) > 0 {
		f.leaf = f.fields[0].leaf
	}
	if len(f.fields) != 1 || !f.fields[0].repeated {
		return f
	}
	switch c.Type().String() {
	case "LIST":
		f.list = f.fields[0]
	case "MAP":
		if pair := f.fields[0]; len(pair.fields) == 2 {
			f.entries = pair
		}
	}
	return f
}

// isElement tells whether the repeated field of a LIST is itself the element, as
// old writers have it, and no group around it (the format's rules for backward
// compatibility).
func (f *field) isElement(list *field) bool {
	name := string(f.name[1 : len(f.name)-2])
	return f.write != nil || len(f.fields) != 1 || name == "array" || name == string(list.name[1:len(list.name)-2])+"_tuple"
}

var errLevels = errors.New("the columns do not fit together")

// append writes the field's next value and takes it off its columns.
func (f *field) append(line []byte, columns [][]parquet.Value) ([]byte, error) {
	if f.repeated {
		return f.appendRepeated(line, columns, f.appendValue)
	}
	return f.appendValue(line, columns)
}

// appendValue is append of one of the values of a repeated field.
func (f *field) appendValue(line []byte, columns [][]parquet.Value) ([]byte, error) {
	if f.optional {
		there, err := f.present(columns)
		if err != nil {
			return nil, err
		}
		if !there {
			return append(line, "null"...), f.drop(columns)
		}
	}
	switch {
	case f.write != nil:
		values := columns[f.leaf]
		if len(values) == 0 || values[0].DefinitionLevel() != f.def {
			return nil, errLevels
		}
		columns[f.leaf] = values[1:]
		return f.write(line, values[0]), nil
	case f.list != nil:
		element := f.list.appendValue
		if !f.list.isElement(f) {
			element = f.list.fields[0].append
		}
		return f.list.appendRepeated(line, columns, element)
	case f.entries != nil:
		return f.appendEntries(line, columns)
	}
	return f.appendFields(line, columns)
}

func (f *field) appendFields(line []byte, columns [][]parquet.Value) (_ []byte, err error) {
	line = append(line, '{')
	for i, child := range f.fields {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, child.name...)
		if line, err = child.append(line, columns); err != nil {
			return nil, err
		}
	}
	return append(line, '}'), nil
}

// appendRepeated writes all values of a repeated field as an array.
func (f *field) appendRepeated(line []byte, columns [][]parquet.Value, element func([]byte, [][]parquet.Value) ([]byte, error)) ([]byte, error) {
	line = append(line, '[')
	first := true
	err := f.eachValue(columns, func() (err error) {
		if !first {
			line = append(line, ',')
		}
		first = false
		line, err = element(line, columns)
		return err
	})
	return append(line, ']'), err
}

// appendEntries writes a MAP: an object, whose keys are texts in JSON.
func (f *field) appendEntries(line []byte, columns [][]parquet.Value) ([]byte, error) {
	line = append(line, '{')
	first := true
	err := f.entries.eachValue(columns, func() (err error) {
		if !first {
			line = append(line, ',')
		}
		first = false
		key, err := f.entries.fields[0].append(nil, columns)
		if err != nil {
			return err
		}
		if len(key) == 0 || key[0] != '"' {
			key = appendText(nil, key)
		}
		line = append(append(line, key...), ':')
		line, err = f.entries.fields[1].append(line, columns)
		return err
	})
	return append(line, '}'), err
}

// eachValue calls use once for each value of a repeated field.
func (f *field) eachValue(columns [][]parquet.Value, use func() error) error {
	there, err := f.present(columns)
	if err != nil {
		return err
	}
	if !there {
		return f.drop(columns)
	}
	for {
		before := len(columns[f.leaf])
		if err := use(); err != nil {
			return err
		}
		left := columns[f.leaf]
		if len(left) == before {
			return errLevels
		}
		if len(left) == 0 || left[0].RepetitionLevel() < f.rep {
			return nil
		}
	}
}

func (f *field) present(columns [][]parquet.Value) (bool, error) {
	if len(columns[f.leaf]) == 0 {
		return false, errLevels
	}
	return columns[f.leaf][0].DefinitionLevel() >= f.def, nil
}

// drop takes the place of a value that is not there off all its columns.
func (f *field) drop(columns [][]parquet.Value) error {
	if f.write != nil {
		if len(columns[f.leaf]) == 0 {
			return errLevels
		}
		columns[f.leaf] = columns[f.leaf][1:]
		return nil
	}
	for _, child := range f.fields {
		if err := child.drop(columns); err != nil {
			return err
		}
	}
	return nil
}

// writerOf says how the values of a type are written. Texts that are declared
// as such stay as they are, so that one that is not UTF-8 is noticed later; other
// bytes are base64 where they are no text. Dates and times are ISO 8601.
func writerOf(t parquet.Type) func([]byte, parquet.Value) []byte {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.StringType, *format.EnumType, *format.JsonType:
			return func(b []byte, v parquet.Value) []byte { return appendText(b, v.ByteArray()) }
		case *format.DecimalType:
			return func(b []byte, v parquet.Value) []byte { return appendDecimal(b, v, int(l.Scale)) }
		case *format.DateType:
			return func(b []byte, v parquet.Value) []byte {
				return appendText(b, time.Unix(int64(v.Int32())*24*60*60, 0).UTC().AppendFormat(nil, time.DateOnly))
			}
		case *format.TimestampType:
			if l.Unit.Value != nil {
				return timestampWriter(int64(l.Unit.Value.Duration()), l.IsAdjustedToUTC)
			}
		case *format.IntType:
			if !l.IsSigned {
				return appendUnsigned
			}
		case *format.UUIDType:
			return func(b []byte, v parquet.Value) []byte {
				id := v.ByteArray()
				if len(id) != 16 {
					return appendBytes(b, id)
				}
				return fmt.Appendf(b, `"%x-%x-%x-%x-%x"`, id[:4], id[4:6], id[6:8], id[8:10], id[10:])
			}
		}
	}
	return appendPhysical
}

func appendPhysical(b []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(b, v.Boolean())
	case parquet.Int32:
		return strconv.AppendInt(b, int64(v.Int32()), 10)
	case parquet.Int64:
		return strconv.AppendInt(b, v.Int64(), 10)
	case parquet.Int96: // a time, in files of old writers
		day := v.Int96()
		nanos := int64(day[1])<<32 | int64(day[0])
		return appendTime(b, time.Unix((int64(day[2])-2440588)*24*60*60, nanos), true)
	case parquet.Float:
		return appendFloat(b, float64(v.Float()), 32)
	case parquet.Double:
		return appendFloat(b, v.Double(), 64)
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return appendBytes(b, v.ByteArray())
	}
	return append(b, "null"...)
}

func appendUnsigned(b []byte, v parquet.Value) []byte {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(b, uint64(v.Uint32()), 10)
	}
	return strconv.AppendUint(b, v.Uint64(), 10)
}

// appendFloat writes what is no number as null: JSON has no word for it.
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

func appendDecimal(b []byte, v parquet.Value, scale int) []byte {
	n := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		n.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		n.SetInt64(v.Int64())
	default: // two's complement, the highest byte first
		bytes := v.ByteArray()
		n.SetBytes(bytes)
		if len(bytes) > 0 && bytes[0] >= 0x80 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
		}
	}
	if scale <= 0 || scale > 1000 {
		return n.Append(b, 10)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return append(b, new(big.Rat).SetFrac(n, power).FloatString(scale)...)
}

// timestampWriter writes counts of a unit, of so many nanoseconds, since 1970.
func timestampWriter(unit int64, utc bool) func([]byte, parquet.Value) []byte {
	perSecond := int64(time.Second) / unit
	return func(b []byte, v parquet.Value) []byte {
		count := v.Int64()
		return appendTime(b, time.Unix(count/perSecond, count%perSecond*unit), utc)
	}
}

func appendTime(b []byte, t time.Time, utc bool) []byte {
	layout := "2006-01-02T15:04:05.999999999"
	if utc {
		layout = time.RFC3339Nano
	}
	return appendText(b, t.UTC().AppendFormat(nil, layout))
}

func appendBytes(b, value []byte) []byte {
	if utf8.Valid(value) {
		return appendText(b, value)
	}
	b = append(b, '"')
	b = base64.StdEncoding.AppendEncode(b, value)
	return append(b, '"')
}

// appendText writes a JSON string, of which it escapes no more than it must.
func appendText(b, text []byte) []byte {
	b = append(b, '"')
	for len(text) > 0 {
		n := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
		if n < 0 {
			break
		}
		b = append(b, text[:n]...)
		switch c := text[n]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
		text = text[n+1:]
	}
	return append(append(b, text...), '"')
}
