package datasets

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
)

// OpenOptions say how the rows of a file become items, where its format leaves
// that open. The zero value is the default of every format.
type OpenOptions struct {
	Turns  string   `json:"turns,omitempty"`  // of conversations: "" the first turn, TurnsAll the whole
	Lang   string   `json:"lang,omitempty"`   // of messages: "" the format's default
	Groups []string `json:"groups,omitempty"` // only the items of these; nil for all
}

// OpenFile is OpenFileWith, with the default options.
func OpenFile(path string) (*Set, error) { return OpenFileWith(path, OpenOptions{}) }

// OpenFileWith indexes the dataset file at path: JSON lines, a JSON array of
// objects, or Parquet, and any of those compressed with gzip or zstd. Lines that
// cannot be read are counted in Skipped; a file without one good line is an
// error that names the first bad one, and so is a duplicate id.
//
// JSON lines are read where they stand, each when it is asked for. The rows of
// other files are written out as JSON lines first, in memory or, where they are
// many, in a temporary file that Close removes.
func OpenFileWith(path string, o OpenOptions) (*Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; name the .jsonl file in it", path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file; items are read when they are asked for, so save it to a file first", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: path, Path: path, Options: o, data: f, close: f.Close}
	if err := s.load(f, info.Size()); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openBytes is OpenFileWith of a file that is held in memory.
func openBytes(name string, data []byte, o OpenOptions) (*Set, error) {
	s := &Set{Name: name, Options: o, data: bytes.NewReader(data)}
	if err := s.load(bytes.NewReader(data), int64(len(data))); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// FromLines makes a Set of lines of one format, given by its name, as if they
// were the lines of a file: what a later stage of a protocol judges. SHA256 is
// that of the file they would be, each line with a newline.
func FromLines(name, format string, lines [][]byte) (*Set, error) {
	k := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == format })
	if k < 0 {
		return nil, fmt.Errorf("%s: there is no format %q", name, format)
	}
	var file bytes.Buffer
	for _, line := range lines {
		file.Write(line)
		file.WriteByte('\n')
	}
	s := &Set{Name: name, data: bytes.NewReader(file.Bytes())}
	s.use(&Formats[k])
	if err := s.index(bytes.NewReader(file.Bytes())); err != nil {
		return nil, err
	}
	return s, nil
}

// load indexes a file, and refuses options that would be passed over: a run that
// named a language would else have another id, and the same items.
func (s *Set) load(in content, size int64) error {
	if err := s.read(in, size); err != nil {
		return err
	}
	if s.Options.Lang != "" && !s.format.Languages {
		return fmt.Errorf("%s: its rows (format %s) do not say their language: leave --lang %s out", s.label(), s.Format, s.Options.Lang)
	}
	return nil
}

// read indexes a file, from in where it has the lines to be read later, else
// from what it unpacks to and is assembled from.
func (s *Set) read(in content, size int64) error {
	how, err := sniff(in)
	if err != nil {
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	if how == plainLines {
		f, err := findFormat(in, size)
		if err != nil {
			return fmt.Errorf("%s: %w", s.label(), err)
		}
		if f == nil || f.Assemble == nil {
			s.use(f)
			return s.index(io.NewSectionReader(in, 0, size))
		}
	}
	if err := s.unpacked(in, size, how); err != nil {
		return err
	}
	lines := s.data.(*spool)
	return s.index(io.NewSectionReader(lines, 0, lines.size))
}

// unpacked hashes a file and puts in its place what it unpacks to.
func (s *Set) unpacked(in content, size int64, how container) error {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(in, 0, size)); err != nil {
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if how != plainLines {
		lines, byRow, err := unpack(in, size, how)
		if err != nil {
			return fmt.Errorf("%s: %w", s.label(), err)
		}
		s.replace(lines)
		in, size, s.byRow = lines, lines.size, byRow
	}
	f, err := findFormat(in, size)
	if err != nil {
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	s.use(f)
	if f == nil || f.Assemble == nil {
		return nil
	}
	return s.assemble(in, size)
}

// replace puts lines in the place of what was read so far, which is closed.
func (s *Set) replace(lines *spool) {
	if s.close != nil {
		s.close()
	}
	s.data, s.close = lines, lines.Close
}

func (s *Set) use(f *Format) {
	if f != nil {
		s.format, s.Format = *f, f.Name
		s.found.Store(f)
	}
}

// Rows are the rows of a file, for a format that has to see all of them.
type Rows struct {
	Path    string // of the file, or the name of a set that has none
	Options OpenOptions
	// All gives every row that is not blank, in the order of the file. It may be
	// ranged over more than once, as telling what belongs together and then
	// writing it takes no more memory than the telling.
	All iter.Seq[Row]
}

// Row is one row of a file.
type Row struct {
	Line int    // of the file, from 1
	Text []byte // a JSON value without its newline, valid until the next one
}

// assemble puts the lines that the format makes of the file's rows in place of
// the rows.
func (s *Set) assemble(in content, size int64) error {
	lines := new(spool)
	var readErr error
	rows := Rows{Path: s.label(), Options: s.Options, All: func(yield func(Row) bool) {
		if err := eachRowOf(in, size, yield); err != nil {
			readErr = err
		}
	}}
	notes, err := s.format.Assemble(rows, func(line int, text []byte) error {
		s.origin = append(s.origin, int32(line))
		if _, err := lines.Write(text); err != nil {
			return err
		}
		_, err := lines.Write([]byte{'\n'})
		return err
	})
	if err == nil {
		err = readErr
	}
	if err == nil {
		err = lines.done()
	}
	s.replace(lines)
	s.Notes = notes
	if err != nil {
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	return nil
}

// eachRowOf gives the lines that are not blank to use, until it says no.
func eachRowOf(in content, size int64, use func(Row) bool) error {
	r := bufio.NewReaderSize(io.NewSectionReader(in, 0, size), batchBytes)
	var text []byte
	for number := 1; ; number++ {
		var err error
		text, err = appendLine(text[:0], r)
		if !blank(text) && !use(Row{number, bytes.TrimRight(text, "\r\n")}) {
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// tellBy is how much of a file is looked at to tell its format. A file that
// tells it later than that can only have one that does not assemble.
const tellBy = 1000 // rows

// findFormat tells the format of JSON lines from the first that has one, nil for
// none.
func findFormat(in content, size int64) (found *Format, err error) {
	n := 0
	err = eachRowOf(in, size, func(row Row) bool {
		if p := parseAny(row.Text); p.err == nil {
			found = &Formats[p.format]
		} else if f := closest(row.Text); f.Assemble != nil && hasAll(row.Text, f.Keys) {
			found = f
		}
		n++
		return found == nil && n < tellBy
	})
	return found, err
}

// parsed is a line as a format reads it.
type parsed struct {
	format int // index in Formats
	item   Item
	err    error // where none can, of the one it is the closest to
}

// parse reads a line in the format that was found, as far as that is known yet.
func (s *Set) parse(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	if f := s.found.Load(); f != nil {
		it, err := f.read(text)
		return parsed{formatIndex(f.Name), it, err}
	}
	return parseAny(text)
}

// read is Parse of a line that should be of the format. The keys of those that
// assemble are few, and another's rows may have them all: such rows are bad ones.
func (f *Format) read(text []byte) (Item, error) {
	it, err := f.Parse(text)
	if err == nil && f.Assemble != nil {
		if other := closest(text); other.Name != f.Name && other.Name != f.Makes {
			return Item{}, fmt.Errorf("a row of %s in a file of %s", other.Name, f.Name)
		}
	}
	return it, err
}

func formatIndex(name string) int {
	return slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
}

// parseAny reads a line in the format whose keys it has.
func parseAny(text []byte) parsed {
	it, err := Formats[0].Parse(text)
	if err == nil {
		return parsed{0, it, nil}
	}
	out := parsed{err: err}
	if f := closest(text); f != &Formats[0] && len(f.Keys) > 0 {
		it, err := f.Parse(text)
		out = parsed{formatIndex(f.Name), it, err}
		if err == nil {
			return out
		}
	}
	for i, f := range Formats[1:] {
		if len(f.Keys) == 0 {
			if it, err := f.Parse(text); err == nil {
				return parsed{i + 1, it, nil}
			}
		}
	}
	return out
}

// closest is the format all of whose keys a row has, that with the most; where
// there is none, the one of whose keys it has the largest part. In doubt it is
// the one that stands first.
func closest(text []byte) *Format {
	keys := keysOf(text)
	best, bestScore := &Formats[0], 0.0
	for i := range Formats {
		score := 0
		for _, k := range Formats[i].Keys {
			if keys[k] {
				score++
			}
		}
		n := len(Formats[i].Keys)
		value := float64(score) / float64(max(n, 1))
		if n > 0 && score == n {
			value = float64(1 + n)
		}
		if value > bestScore {
			best, bestScore = &Formats[i], value
		}
	}
	return best
}

func hasAll(text []byte, keys []string) bool {
	has := keysOf(text)
	return !slices.ContainsFunc(keys, func(k string) bool { return !has[k] })
}

// keysOf are the keys of a JSON object, none of anything else.
func keysOf(text []byte) map[string]bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	keys := make(map[string]bool, len(object))
	for k := range object {
		keys[k] = true
	}
	return keys
}

// index reads the lines once: it checks every one, hashes them where that is
// not done, and remembers where each good line stands.
func (s *Set) index(r io.Reader) error {
	sum := sha256.New()
	if s.SHA256 == "" {
		r = io.TeeReader(r, sum)
	}
	if err := EachLine(r, s.parse, s.add); err != nil {
		var twice *DuplicateError
		if errors.As(err, &twice) {
			return err
		}
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	if s.SHA256 == "" {
		s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	if n := s.remarks - maxSkipped; n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("There are %d more notes on items like these.", n))
	}
	s.origin = nil                // lines has it
	s.rows = slices.Clone(s.rows) // without the room to grow
	s.ids.ends = slices.Clone(s.ids.ends)
	s.groups.of = slices.Clone(s.groups.of)
	return s.usable()
}

// usable says why a set without items is none.
func (s *Set) usable() error {
	what := "line"
	if s.byRow {
		what = "row"
	}
	switch {
	case len(s.rows) > 0:
		return nil
	case len(s.groups.others) > 0:
		return fmt.Errorf("%s: no item is of the group %s; there are %s", s.label(), strings.Join(s.Options.Groups, " or "), listed(s.groups.others))
	case s.Skipped > 0:
		return fmt.Errorf("%w (no usable %s among %d; expected %s)", s.Bad[0], what, s.Skipped, s.expected())
	case len(s.Notes) > 0:
		return fmt.Errorf("%s: no item is left: %s", s.label(), strings.Join(s.Notes, " "))
	default:
		return fmt.Errorf("%s: the file is empty; expected %s", s.label(), s.expected())
	}
}

// expected says what the file may hold: the rows of the format that it was found
// to have, or that its first row seems to be of, or of any.
func (s *Set) expected() string {
	switch {
	case s.Format != "":
		return s.format.About
	case s.meant != nil:
		return s.meant.About
	}
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return "the rows of one of the formats " + strings.Join(names, ", ")
}

// add takes a line in. The first good line decides the format; a later one that
// only another format can read is a bad line.
func (s *Set) add(line Line[parsed]) error {
	if blank(line.Text) {
		return nil
	}
	text := bytes.TrimRight(line.Text, "\r\n")
	number := line.Number
	if s.origin != nil {
		number = int(s.origin[number-1])
	}
	it, err := line.Value.item, line.Value.err
	switch f := &Formats[line.Value.format]; {
	case s.Format == "" && err == nil:
		s.use(f)
	case s.Format != "" && s.Format != f.Name:
		it, err = s.format.read(text)
	}
	if err != nil {
		if f := &Formats[line.Value.format]; s.Skipped == 0 && len(f.Keys) > 0 && hasAll(text, f.Keys) {
			s.meant = f
		}
		s.Skipped++
		if len(s.Bad) < maxSkipped {
			s.Bad = append(s.Bad, s.complaint(number, err))
		}
		return nil
	}
	if !s.groups.wanted(it.Group, s.Options.Groups) {
		return nil
	}
	if first, added := s.ids.Add(it.ID); !added {
		return &DuplicateError{s.label(), number, s.line(first), it.ID, s.byRow}
	}
	s.groups.add(it.Group)
	s.remark(number, it.Note)
	s.rows = append(s.rows, row{line.Offset, int32(len(text)), checksum(text)})
	if n := len(s.rows); s.lines != nil || number != n { // a line was left out
		for i := len(s.lines); i < n-1; i++ {
			s.lines = append(s.lines, int32(i)+1)
		}
		s.lines = append(s.lines, int32(number))
	}
	size := len(it.Question)
	for _, c := range it.Candidates {
		size += len(c.Text)
	}
	s.Longest = max(s.Longest, size)
	return nil
}

// remark keeps what is odd about a line, as far as there is room.
func (s *Set) remark(line int, note string) {
	if note == "" {
		return
	}
	if s.remarks++; s.remarks <= maxSkipped {
		s.Notes = append(s.Notes, s.complaint(line, errors.New(note)).Error()+".")
	}
}
