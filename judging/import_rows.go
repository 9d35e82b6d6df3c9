package judging

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Other harnesses' files are rows: JSON lines, or one JSON array, compact or
// pretty-printed, alone or in a zip archive. What one is, its first bytes tell,
// not its name.

// eachRow hands the rows of a file to use, counted from 1: the objects of a JSON
// array, or the lines with something on them. It reads on as it goes: memory
// does not grow with the file.
func eachRow(r io.Reader, use func(row int, raw json.RawMessage) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	array, err := isArray(in)
	if err != nil {
		return err
	}
	if array {
		return eachElement(in, use)
	}
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := use(number, bytes.TrimRight(line, "\r\n")); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// isArray looks at what a file begins with; white space before it is taken off.
func isArray(in *bufio.Reader) (bool, error) {
	if head, _ := in.Peek(4); bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return false, errors.New("the file starts with a byte order mark: save it as plain UTF-8")
	} else if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return false, errors.New("the file is gzip-compressed: unpack it first (gunzip)")
	} else if bytes.HasPrefix(head, []byte(zipMagic)) {
		return false, errors.New("the file is a zip archive: unpack it first")
	} else if bytes.HasPrefix(head, []byte("PAR1")) {
		return false, errors.New("the file is Parquet: save its rows as JSON lines first")
	}
	for {
		b, err := in.ReadByte()
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(b)) {
			return b == '[', in.UnreadByte()
		}
	}
}

func eachElement(in io.Reader, use func(row int, raw json.RawMessage) error) error {
	dec := json.NewDecoder(in)
	if _, err := dec.Token(); err != nil {
		return err
	}
	for row := 1; dec.More(); row++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return fmt.Errorf("row %d of the JSON array: %w", row, ended(err))
		}
		if err := use(row, raw); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return fmt.Errorf("the JSON array has no end: %w", ended(err))
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("there is more after the end of the JSON array")
	}
	return nil
}

// ended says what the end of a file in the middle of a value means.
func ended(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends in the middle: get it again")
	}
	return err
}

// decodeRow reads a row that has to be an object.
func decodeRow(raw json.RawMessage, v any) error {
	if !utf8.Valid(raw) { // the decoder would put U+FFFD in its place
		return errors.New("not UTF-8: save the file in that encoding")
	}
	if text := bytes.TrimSpace(raw); len(text) == 0 || text[0] != '{' {
		return errors.New("not a JSON object")
	}
	err := json.Unmarshal(raw, v)
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typ):
		return fmt.Errorf("key %q is of type %s, expected %s", typ.Field, typ.Value, typ.Type)
	case errors.As(err, &syntax):
		return fmt.Errorf("broken JSON at byte %d: %v", syntax.Offset, syntax)
	}
	return err
}

// without is an object on one line, its keys in their order, without some of
// them.
func without(row json.RawMessage, keys ...string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(row))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	line := bytes.NewBufferString("{")
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		if slices.Contains(keys, key.(string)) {
			continue
		}
		if line.Len() > 1 {
			line.WriteString(", ")
		}
		line.Write(append(pythonString(nil, key.(string)), ": "...))
		if err := json.Compact(line, value); err != nil {
			return nil, err
		}
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

const zipMagic = "PK\x03\x04"

// sourceFile is a file of rows that is open.
type sourceFile struct {
	path   string
	member string // of an archive: the file in it
	rows   io.Reader
	sum    string // SHA-256 of the file, hex
	close  []io.Closer
}

// openSource opens a file of rows, which may be the one .json file of a zip
// archive.
func openSource(name string) (*sourceFile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &sourceFile{path: name, rows: f, close: []io.Closer{f}}
	if err := s.look(f); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// look hashes the file and, where it is an archive, opens what is in it.
func (s *sourceFile) look(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a file", s.path)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	s.sum = hex.EncodeToString(sum.Sum(nil))
	head := make([]byte, len(zipMagic))
	if n, _ := f.ReadAt(head, 0); !strings.HasPrefix(string(head[:n]), "PK") {
		_, err := f.Seek(0, io.SeekStart)
		return err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: is not a whole zip archive (%w): get it again", s.path, err)
	}
	m, err := jsonMember(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	in, err := m.Open()
	if err != nil {
		return fmt.Errorf("%s: %s in it: %w", s.path, m.Name, err)
	}
	s.member, s.rows, s.close = m.Name, in, append(s.close, in)
	return nil
}

// Close releases the file.
func (s *sourceFile) Close() error {
	var err error
	for _, c := range s.close {
		err = errors.Join(err, c.Close())
	}
	return err
}

// jsonMember is the one JSON file of an archive. What macOS adds is passed over.
func jsonMember(archive *zip.Reader) (*zip.File, error) {
	var found []*zip.File
	for _, m := range archive.File {
		if strings.HasSuffix(strings.ToLower(m.Name), ".json") && !strings.HasPrefix(m.Name, "__MACOSX/") {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 0 && len(archive.File) == 0:
		return nil, errors.New("the zip archive is empty")
	case len(found) == 0:
		return nil, fmt.Errorf("no .json file in the zip archive (%d others, the first is %q)", len(archive.File), archive.File[0].Name)
	case len(found) > 1:
		return nil, fmt.Errorf("%d .json files in the zip archive (%q, %q …): unpack it and name one of them", len(found), found[0].Name, found[1].Name)
	case found[0].Flags&1 != 0:
		return nil, fmt.Errorf("%q in the zip archive is encrypted: unpack it first", found[0].Name)
	}
	return found[0], nil
}

// each is eachRow, with errors that name the file. A truncated or damaged
// archive shows while it is read.
func (s *sourceFile) each(use func(row int, raw json.RawMessage) error) error {
	err := eachRow(s.rows, use)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, zip.ErrChecksum), s.member != "" && errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: %q in the zip archive is damaged (%w): get it again", s.path, s.member, err)
	case s.member != "":
		return fmt.Errorf("%s: %s in it: %w", s.path, s.member, err)
	}
	return fmt.Errorf("%s: %w", s.path, err)
}

// name is the file's own name, that in the archive where it is in one.
func (s *sourceFile) name() string {
	if s.member != "" {
		return path.Base(s.member)
	}
	return path.Base(strings.ReplaceAll(s.path, `\`, "/"))
}
