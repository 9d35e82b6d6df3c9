package imports

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/datasets/rows"
)

// Other harnesses' files are rows: whatever [rows.Each] reads, or a zip archive with one JSON file in it. What a file
// is, its first bytes tell, not its name.

// DecodeRow reads a row that has to be an object.
func DecodeRow[T any](raw json.RawMessage, row *T) error { return datasets.DecodeObject(raw, row) }

// Keys are the keys of an object with their values, in their order.
func Keys(row json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		dec := json.NewDecoder(bytes.NewReader(row))
		dec.Token()
		for dec.More() {
			key, err := dec.Token()
			var value json.RawMessage
			if err != nil || dec.Decode(&value) != nil || !yield(key.(string), value) {
				return
			}
		}
	}
}

// Without is an object on one line, its keys in their order, without some of them; compact writes the other values on
// one line too, and where it is nil they stay as they stand.
func Without(row json.RawMessage, compact func(to *bytes.Buffer, value []byte) error, keys ...string) ([]byte, error) {
	if err := DecodeRow(row, new(map[string]json.RawMessage)); err != nil {
		return nil, err
	}
	line := bytes.NewBufferString("{")
	for key, value := range Keys(row) {
		if slices.Contains(keys, key) {
			continue
		}
		if line.Len() > 1 {
			line.WriteString(", ")
		}
		name, err := PythonJSON(key)
		if err != nil {
			return nil, err
		}
		line.Write(append(name, ": "...))
		if compact == nil {
			line.Write(value)
		} else if err := compact(line, value); err != nil {
			return nil, err
		}
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

// What zip archives begin with, those with files in them and those without.
const (
	zipMagic = "PK\x03\x04"
	emptyZip = "PK\x05\x06"
)

// Source is a file of rows that is open.
type Source struct {
	Path   string
	Sum    string        // SHA-256 of the file, hex
	inside string        // of an archive: the name of the file in it
	member io.ReadCloser // of an archive: that file
	file   *os.File
}

// Open opens a file of rows, which may be the one .json file of a zip archive.
func Open(name string) (*Source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	s := &Source{Path: name, file: f}
	if err := s.look(f); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// look hashes the file and, where it is an archive, opens what is in it.
func (s *Source) look(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: is not a file", s.Path)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	s.Sum = hex.EncodeToString(sum.Sum(nil))
	head := make([]byte, len(zipMagic))
	if n, _ := f.ReadAt(head, 0); string(head[:n]) != zipMagic && string(head[:n]) != emptyZip {
		return nil
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: is not a whole zip archive (%w): get it again", s.Path, err)
	}
	m, err := jsonMember(archive)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Path, err)
	}
	s.inside = m.Name
	s.member, err = m.Open()
	if err != nil {
		return s.damaged(err)
	}
	return nil
}

// Close releases the file.
func (s *Source) Close() error {
	if s.member != nil {
		s.member.Close()
	}
	return s.file.Close()
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
		return nil, fmt.Errorf("no .json file in the zip archive (%d others, the first is %q)",
			len(archive.File), archive.File[0].Name)
	case len(found) > 1:
		return nil, fmt.Errorf("%d .json files in the zip archive (%q, %q …): unpack it and name one of them",
			len(found), found[0].Name, found[1].Name)
	case found[0].Flags&1 != 0:
		return nil, fmt.Errorf("%q in the zip archive is encrypted: unpack it first", found[0].Name)
	}
	return found[0], nil
}

// Each hands the rows to use; errors name the file. A truncated or damaged archive shows while it is read.
func (s *Source) Each(use func(row int, raw json.RawMessage) error) error {
	take := func(row int, text []byte) error { return use(row, text) }
	if s.member == nil {
		return rows.Each(s.Path, take)
	}
	if err := rows.EachIn(s.member, take); err != nil {
		return s.damaged(err)
	}
	return nil
}

// damaged names the file in the archive and, where it cannot be unpacked, says what to do.
func (s *Source) damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		err = errors.New("is packed in a way that gavel does not know: unpack it first")
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, zip.ErrFormat), errors.Is(err, io.ErrUnexpectedEOF),
		errors.As(err, &corrupt):
		err = fmt.Errorf("is damaged (%w): get the archive again", err)
	}
	return fmt.Errorf("%s: %s in it: %w", s.Path, s.inside, err)
}

// Name is the file's own name, that in the archive where it is in one.
func (s *Source) Name() string {
	if s.inside != "" {
		return path.Base(s.inside)
	}
	return path.Base(strings.ReplaceAll(s.Path, `\`, "/"))
}
