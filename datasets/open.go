package datasets

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unique"

	"gavel/datasets/rows"
	"gavel/internal/codec"
)

// OpenOptions say how the rows of a file become items, where its format leaves
// that open. The zero value is the default of every format.
type OpenOptions struct {
	Turns  string   `json:"turns,omitempty"`  // of conversations: "" the first turn, TurnsAll the whole
	Lang   string   `json:"lang,omitempty"`   // of messages: "" the format's default
	Groups []string `json:"groups,omitempty"` // only the items of these; nil for all
	Mapping
}

// OpenFile is openFileWith, with the default options.
func OpenFile(path string) (*Set, error) { return openFileWith(path, OpenOptions{}) }

// openFileWith indexes the dataset file at path: JSON lines, a JSON array of objects, or Parquet, and any of those
// compressed with gzip or zstd. Lines that cannot be read are counted in Skipped; a file without one good line is an
// error that names the first bad one, and so is a duplicate id.
//
// JSON lines are read where they stand, each when it is asked for. The rows of other files are written out as JSON
// lines first, in memory or, where they are many, in a temporary file that Close removes.
func openFileWith(path string, o OpenOptions) (*Set, error) {
	f, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	return (&Set{Name: path, Path: path, Options: o, data: f, close: f.Close}).load()
}

// openBytes is openFileWith of a file that is held in memory.
func openBytes(name string, data []byte, o OpenOptions) (*Set, error) {
	return (&Set{Name: name, Options: o, data: bytes.NewReader(data)}).load()
}

// FromLines makes a Set of lines of one format, given by its name, as if they were the lines of a file: what a later
// stage of a protocol judges. SHA256 is that of the file they would be, each line with a newline.
func FromLines(name, format string, lines [][]byte) (*Set, error) {
	f, ok := FormatNamed(format)
	if !ok {
		return nil, fmt.Errorf("%s: there is no format %q", name, format)
	}
	var file bytes.Buffer
	for _, line := range lines {
		file.Write(line)
		file.WriteByte('\n')
	}
	s := &Set{Name: name, data: bytes.NewReader(file.Bytes())}
	s.use(&f)
	return s, s.located(s.index())
}

// load indexes a file where it stands or, where that has to be done first, what
// it unpacks to and is assembled from. It refuses options that would be passed
// over: a run that named a language would else have another id, and the same items.
func (s *Set) load() (*Set, error) {
	err := s.unpack()
	if err == nil {
		err = s.index()
	}
	if err == nil && s.Options.Lang != "" && !s.format.Languages {
		err = fmt.Errorf("its rows (format %s) do not say their language: leave --lang %s out", s.Format, s.Options.Lang)
	}
	if err != nil {
		s.Close()
		return nil, s.located(err)
	}
	return s, nil
}

// located adds the file to an error, and the line if the error is about one.
func (s *Set) located(err error) error {
	var at *rows.LineError
	switch {
	case err == nil, errors.As(err, new(*LineError)):
		return err
	case errors.As(err, &at):
		return s.complaint(at.Line, at.Err)
	}
	return fmt.Errorf("%s: %w", s.label(), err)
}

// unpack puts in the place of a file the lines of its items, unless it has them.
func (s *Set) unpack() error {
	lines, byRow, err := rows.Unpack(s.data)
	if err != nil {
		return err
	}
	if lines != nil {
		s.byRow, err = byRow, s.replace(lines)
		if err != nil {
			return err
		}
	}
	how := s.Options.Mapping
	if !how.empty() {
		return s.apply(how)
	}
	f, keys, err := findFormat(s.data)
	if err != nil {
		return err
	}
	how.Fields = guess(keys)
	if !how.empty() {
		return s.apply(how)
	}
	if near, has := closest(keys); len(keys) > 0 && 2*has < len(near.Keys) {
		names := sortedKeys(keys)
		return fmt.Errorf("columns found: %.60q; no known format has these: say which is which, as in "+
			"--field question=COLUMN,response_a=COLUMN,response_b=COLUMN,label=COLUMN", names[:min(40, len(names))])
	}
	if len(how.LabelValues) > 0 {
		return errors.New("--label-values is of columns that --field names: leave it out, or name them")
	}
	s.use(f)
	if f == nil || f.Assemble == nil {
		return nil
	}
	return s.assemble(f.Assemble)
}

// replace puts lines in the place of what was read so far, which is closed; the
// first of those is the file, and is hashed.
func (s *Set) replace(lines *rows.Spool) (err error) {
	if s.SHA256 == "" {
		s.SHA256, err = rows.Sum(s.data)
	}
	if s.close != nil {
		s.close()
	}
	s.data, s.close = lines, lines.Close
	return err
}

func (s *Set) use(f *Format) {
	if f != nil {
		s.format, s.Format = *f, f.Name
	}
}

// Rows are the rows of a file, for a format that has to see all of them.
type Rows struct {
	Path    string // of the file, or the name of a set that has none
	Options OpenOptions
	// All gives every row that is not blank, in the order of the file, and ends where one cannot be read or a line cannot
	// be written.
	All iter.Seq[rows.Row]
	// Emit writes a line for Parse, a text or a value as JSON, that is made of the row of that line of the file.
	Emit func(line int, value any)
	// Reject leaves out the row of that line of the file, which cannot be used.
	Reject func(line int, why error)
}

// assemble puts the lines that are made of the file's rows in place of the rows.
func (s *Set) assemble(use func(Rows) ([]string, error)) error {
	lines := new(rows.Spool)
	var failed error
	notes, err := use(Rows{
		Path:    s.label(),
		Options: s.Options,
		All: func(yield func(rows.Row) bool) {
			for row, err := range rows.All(s.data) {
				failed = cmp.Or(failed, err)
				if failed != nil {
					return
				}
				if other, has := closest(keysOf(row.Text)); s.Format != "" && other.Name != s.Format && has == len(other.Keys) {
					s.skip(row.Line, fmt.Errorf("a row of %s in a file of %s", other.Name, s.Format))
				} else if !yield(row) {
					return
				}
			}
		},
		Emit: func(line int, value any) {
			s.origin = append(s.origin, line)
			text, isText := value.([]byte)
			var err error
			if !isText {
				text, err = codec.Marshal(value)
			}
			if err == nil {
				_, err = fmt.Fprintf(lines, "%s\n", text)
			}
			failed = cmp.Or(failed, err)
		},
		Reject: s.skip,
	})
	s.Notes = notes
	return cmp.Or(failed, err, lines.Done(), s.replace(lines))
}

// index reads the lines once: it checks every one, hashes them where that is
// not done, and remembers where each good line stands.
func (s *Set) index() error {
	s.numbers = map[string]int{}
	var r io.Reader = io.NewSectionReader(s.data, 0, s.data.Size())
	sum := sha256.New()
	if s.SHA256 == "" {
		r = io.TeeReader(r, sum)
	}
	if err := rows.EachLine(r, s.parse, s.add); err != nil {
		return err
	}
	if s.SHA256 == "" {
		s.SHA256 = fmt.Sprintf("%x", sum.Sum(nil))
	}
	if n := s.remarks - maxSkipped; n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("There are %d more notes on items like these.", n))
	}
	s.origin = nil // rows have it
	slices.SortStableFunc(s.Bad, func(a, b *LineError) int { return cmp.Compare(a.Line, b.Line) })
	return s.usable()
}

// usable says why a set without items is none.
func (s *Set) usable() error {
	switch {
	case len(s.rows) > 0:
		return nil
	case len(s.others) > 0:
		return fmt.Errorf("no item is of the group %s; there are %s",
			strings.Join(s.Options.Groups, " or "), listed(s.others))
	case s.Skipped > 0:
		return fmt.Errorf("%w (no usable %s among %d; expected %s)", s.Bad[0], s.unit(), s.Skipped, s.expected())
	case len(s.Notes) > 0:
		return fmt.Errorf("no item is left: %s", strings.Join(s.Notes, " "))
	default:
		return fmt.Errorf("the file is empty; expected %s", s.expected())
	}
}

// expected says what the file may hold: the rows of the format that it was found
// to have, or that its first row seems to be of, or of any.
func (s *Set) expected() string {
	switch {
	case !s.Mapping.empty():
		return "rows as " + s.Mapping.String() + " says"
	case s.Format != "":
		return s.format.About
	}
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return "the rows of one of the formats " + strings.Join(names, ", ") + ", or columns that --field names"
}

// add takes a line in.
func (s *Set) add(line rows.Line[parsed]) error {
	if rows.Blank(line.Text) {
		return nil
	}
	text := bytes.TrimRight(line.Text, "\r\n")
	number := line.Number
	if s.origin != nil {
		number = s.origin[number-1]
	}
	it := line.Value.item
	if err := line.Value.err; err != nil {
		s.skip(number, err)
		return nil
	}
	if !s.wanted(it.Group) {
		return nil
	}
	if first, twice := s.numbers[it.ID]; twice { // nobody can know which of the two is right
		return s.complaint(number, fmt.Errorf("duplicate id %q, first seen in %s %d: remove one of the two %ss",
			it.ID, s.unit(), s.rows[first].line, s.unit()))
	}
	s.remark(number, it.Note)
	id := strings.Clone(it.ID) // so that it does not keep a long line in memory
	s.numbers[id] = len(s.rows)
	s.rows = append(s.rows, row{
		id:     id,
		offset: line.Offset,
		length: len(text),
		line:   number,
		group:  unique.Make(it.Group).Value(),
		sum:    checksum(text),
	})
	if s.data.Size() <= keptBytes {
		s.kept = append(s.kept, it)
	}
	size := len(it.Question)
	for _, c := range it.Candidates {
		size += len(c.Text)
	}
	s.Longest = max(s.Longest, size)
	return nil
}

// FileSum is the SHA-256 of the file.
func (s *Set) FileSum() string { return cmp.Or(s.File, s.SHA256) }

// Remarks say what was left out of the set, and how it was read, a sentence each.
func (s *Set) Remarks() (lines []string) {
	for _, bad := range s.Bad {
		lines = append(lines, "skipped: "+bad.Error())
	}
	if s.Skipped > 0 {
		lines = append(lines, fmt.Sprintf("%d lines of the dataset were skipped, %d are used", s.Skipped, s.Len()))
	}
	return append(lines, s.Notes...)
}

// skip leaves a line out, and keeps why, as far as there is room.
func (s *Set) skip(line int, why error) {
	if s.Skipped++; len(s.Bad) < maxSkipped {
		s.Bad = append(s.Bad, s.complaint(line, why))
	}
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
