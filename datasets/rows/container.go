package rows

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// container names the way in which the rows of a file are packed.
type container string

const (
	plainLines    container = "" // one JSON object per line: read in place
	gzipped       container = "gzip"
	zipped        container = "zip" // an archive with one JSON file
	zstandard     container = "zstd"
	parquetFile   container = "Parquet"
	jsonArray     container = "JSON array"
	utf8WithMark  container = "UTF-8"  // lines or another text, after a byte order mark
	utf16WithMark container = "UTF-16" // lines or another text in UTF-16, after a byte order mark
	csvTable      container = "CSV"    // or TSV, with a header row
)

// sniff detects by a file's first bytes how it is packed, whatever its name. Unsupported kinds of file give one clear
// error instead of one per line.
func sniff(in Source) (container, error) {
	head := make([]byte, 4096)
	n, err := in.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return plainLines, err
	}
	head = head[:n]
	starts := func(magic string) bool { return bytes.HasPrefix(head, []byte(magic)) }
	switch {
	case starts("\x1f\x8b"):
		return gzipped, nil
	case starts("\x28\xb5\x2f\xfd"), n >= 4 && head[0]&0xf0 == 0x50 && string(head[1:4]) == "\x2a\x4d\x18":
		return zstandard, nil
	case starts("PAR1"), starts("PARE"):
		return parquetFile, nil
	case starts("PK\x03\x04"), starts("PK\x05\x06"): // the second: an archive without files
		return zipped, nil
	case n >= 262 && string(head[257:262]) == "ustar":
		return plainLines, errors.New("the file is a tar archive: unpack it first")
	case starts("\xef\xbb\xbf"):
		return utf8WithMark, nil
	case starts("\xff\xfe"), starts("\xfe\xff"):
		return utf16WithMark, nil
	case 3*bytes.Count(head, []byte{0}) > n:
		return plainLines, errors.New("a third of its first bytes is NUL: " +
			"it is not text, or UTF-16 without a byte order mark: save it as UTF-8")
	}
	if text := bytes.TrimLeft(head, " \t\r\n"); len(text) > 0 && text[0] == '[' {
		return jsonArray, nil
	}
	if _, ok := detectTable(head); ok {
		return csvTable, nil
	}
	return plainLines, nil
}

// Unpack returns the rows of a file as JSON lines; nil if the file has lines already. byRow is set if the numbers of
// the returned lines are not those of lines in the file.
func Unpack(in Source) (lines *Spool, byRow bool, err error) {
	compressed := false
	for {
		kind, err := sniff(in)
		if kind == plainLines && err == nil {
			return lines, false, nil
		}
		isCompressed := kind == gzipped || kind == zstandard || kind == zipped
		if err == nil && compressed && isCompressed {
			err = errors.New("the file is compressed twice: unpack it once")
		}
		var next *Spool
		if err == nil {
			next, err = unpackOnce(in, kind)
		}
		if lines != nil {
			lines.Close()
		}
		if err != nil || !isCompressed && kind != utf8WithMark && kind != utf16WithMark {
			return next, kind != csvTable, err
		}
		compressed = compressed || isCompressed
		lines = next
		in = next
	}
}

// unpackOnce removes one layer of packing, and returns rows, or another packed file.
func unpackOnce(in Source, kind container) (*Spool, error) {
	out := new(Spool)
	var err error
	switch kind {
	case gzipped, zstandard, zipped:
		err = inflate(in, kind, out)
	case utf8WithMark, utf16WithMark: // the mark is dropped
		if kind == utf16WithMark && in.Size()%2 != 0 {
			err = errors.New("the UTF-16 text ends in the middle of a character: get the file again")
			break
		}
		_, err = io.Copy(out, transform.NewReader(reader(in), unicode.BOMOverride(transform.Nop)))
	case parquetFile:
		err = parquetLines(in, out)
	case csvTable:
		err = csvLines(in, out)
	default:
		err = arrayLines(reader(in), out)
	}
	if err == nil {
		err = out.Done()
	}
	if err != nil {
		out.Close()
		return nil, err
	}
	return out, nil
}

// inflate unpacks a compressed file into out. A gzip or zstd file may have any number of members.
func inflate(in Source, kind container, out *Spool) error {
	packed := bufio.NewReaderSize(reader(in), batchBytes)
	var r io.ReadCloser
	var err error
	switch kind {
	case gzipped:
		r, err = gzip.NewReader(packed)
	case zipped:
		r, err = openMember(in)
	default: // zstd --long writes windows of up to 128 MiB
		var z *zstd.Decoder
		z, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err == nil {
			r = z.IOReadCloser()
		}
	}
	if err == nil {
		_, err = io.Copy(out, r)
		r.Close()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, zip.ErrFormat) {
		err = errors.New("it ends too early: get the file again")
	}
	if err != nil {
		return fmt.Errorf("unpacking the %s file, after %d bytes: %s", kind, out.size, oneLine(err))
	}
	return nil
}

// openMember opens the only JSON file of a zip archive; it ignores files that macOS adds.
func openMember(in Source) (io.ReadCloser, error) {
	archive, err := zip.NewReader(in, in.Size())
	if err != nil {
		return nil, err
	}
	var members []*zip.File
	for _, m := range archive.File {
		if strings.HasSuffix(strings.ToLower(m.Name), ".json") && !strings.HasPrefix(m.Name, "__MACOSX/") {
			members = append(members, m)
		}
	}
	switch {
	case len(members) != 1:
		return nil, fmt.Errorf("%d .json files are in it: unpack it, and name one of them", len(members))
	case members[0].Flags&1 != 0:
		return nil, fmt.Errorf("%q in it is encrypted: unpack it first", members[0].Name)
	}
	return members[0].Open()
}

// tooLong returns the error for a row above the size limit.
func tooLong(row int) error {
	return fmt.Errorf("row %d is longer than %d MiB", row, unpackLimits.row>>20)
}

// arrayLines writes each object of a JSON array to out as a line.
func arrayLines(in io.Reader, out *Spool) error {
	r := &limitedReader{in: in, remaining: 2 * batchBytes}
	dec := json.NewDecoder(r)
	if _, err := dec.Token(); err != nil {
		return err
	}
	var line bytes.Buffer
	for row := 1; dec.More(); row++ {
		var raw json.RawMessage
		r.remaining = unpackLimits.row
		if err := dec.Decode(&raw); err != nil {
			if errors.Is(err, errAllowance) {
				return tooLong(row)
			}
			return fmt.Errorf("row %d of the JSON array: %w", row, explainEOF(err))
		}
		if len(raw) > unpackLimits.row {
			return tooLong(row)
		}
		if raw[0] != '{' {
			return fmt.Errorf("row %d of the JSON array is %s, not an object", row, JSONType(raw))
		}
		line.Reset()
		if err := json.Compact(&line, raw); err != nil {
			return err
		}
		line.WriteByte('\n')
		if _, err := out.Write(line.Bytes()); err != nil {
			return err
		}
	}
	r.remaining = unpackLimits.row
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("the JSON array has no end: %w", explainEOF(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("data follows the end of the JSON array")
	}
	return nil
}

// explainEOF returns a clearer error for a file that ends in the middle of a value.
func explainEOF(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends in the middle: get it again")
	}
	return err
}

// JSONType names the type of a JSON value.
func JSONType(value []byte) string {
	kinds := map[byte]string{
		'{': "an object",
		'[': "an array",
		'"': "a string",
		't': "a boolean",
		'f': "a boolean",
		'n': "null",
	}
	return cmp.Or(kinds[value[0]], "a number")
}

var errAllowance = errors.New("too long")

// limitedReader reads from in and fails after remaining bytes, so that no decoder holds more.
type limitedReader struct {
	in        io.Reader
	remaining int
}

func (a *limitedReader) Read(p []byte) (int, error) {
	if a.remaining <= 0 {
		return 0, errAllowance
	}
	n, err := a.in.Read(p[:min(len(p), a.remaining)])
	a.remaining -= n
	return n, err
}

// oneLine returns an error's text without line breaks, which libraries may include.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
