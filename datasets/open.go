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

// OpenOptions selects among the ways in which a format can turn rows into items. The zero value is every format's
// default.
type OpenOptions struct {
	Turns  string   `json:"turns,omitempty"`  // turns of a conversation to judge; "": the first, TurnsAll: all
	Lang   string   `json:"lang,omitempty"`   // language of messages; "": the format's default
	Groups []string `json:"groups,omitempty"` // groups whose items are used; nil: all
	Mapping
}

// OpenFile opens the dataset file at path with the default options.
func OpenFile(path string) (*Set, error) { return openFileWith(path, OpenOptions{}) }

// openFileWith indexes the dataset file at path: JSON lines, a JSON array of objects, or Parquet, each also compressed
// with gzip or zstd. Skipped counts unreadable lines. A file without a readable line is an error that names the first
// bad one; a duplicate id is an error too.
//
// JSON lines are read on demand at their offset. Rows of other files are first written as JSON lines, in memory or, if
// there are many, to a temporary file that Close removes.
func openFileWith(path string, o OpenOptions) (*Set, error) {
	f, err := rows.Open(path)
	if err != nil {
		return nil, err
	}
	return (&Set{Name: path, Path: path, OpenOptions: o, data: f, close: f.Close}).load()
}

// openBytes indexes a dataset file in memory.
func openBytes(name string, data []byte, o OpenOptions) (*Set, error) {
	return (&Set{Name: name, OpenOptions: o, data: bytes.NewReader(data)}).load()
}

// FromLines returns a Set over lines of the named format, as if they were a file. It serves items that gavel makes,
// such as answers to judge. SHA256 is that of the file that the lines would form, each with a newline.
func FromLines(name, format string, lines [][]byte) (*Set, error) {
	f, ok := FormatNamed(format)
	if !ok {
		return nil, fmt.Errorf("%s: unknown format %q", name, format)
	}
	var file bytes.Buffer
	for _, line := range lines {
		file.Write(line)
		file.WriteByte('\n')
	}
	s := &Set{Name: name, data: bytes.NewReader(file.Bytes())}
	s.setFormat(&f)
	return s, s.locateError(s.index())
}

// load indexes a file, after unpacking and assembling it if needed. It rejects options without effect: a run that names
// a language would otherwise have another id but the same items.
func (s *Set) load() (*Set, error) {
	err := s.unpackToLines()
	if err == nil {
		err = s.index()
	}
	if err == nil && s.OpenOptions.Lang != "" && !s.format.Languages {
		err = fmt.Errorf("rows of format %s state no language: leave out --lang %s", s.Format, s.OpenOptions.Lang)
	}
	if err != nil {
		s.Close()
		return nil, s.locateError(err)
	}
	return s, nil
}

// locateError adds the file's path to an error, and the line number if the error has one.
func (s *Set) locateError(err error) error {
	var lineErr *rows.LineError
	switch {
	case err == nil, errors.As(err, new(*LineError)):
		return err
	case errors.As(err, &lineErr):
		return s.lineError(lineErr.Line, lineErr.Err)
	}
	return fmt.Errorf("%s: %w", s.displayName(), err)
}

// unpackToLines replaces a file by the lines of its items, unless it already has this form.
func (s *Set) unpackToLines() error {
	lines, byRow, err := rows.Unpack(s.data)
	if err != nil {
		return err
	}
	if lines != nil {
		s.numbersAreRows, err = byRow, s.replace(lines)
		if err != nil {
			return err
		}
	}
	mapping := s.OpenOptions.Mapping
	if !mapping.empty() && !mapping.isPartial() {
		return s.apply(mapping)
	}
	f, keys, err := detectFormat(s.data)
	switch {
	case err != nil:
		return err
	case f != nil && f.Shape == ShapeOptions && f.Languages && mapping.soleScoreColumn() != "":
		// people's label of OASST's replies
		err := s.convert(mapping, f.Assemble)
		s.setFormat(&ScoresFormat)
		s.format.Languages = f.Languages
		return err
	case mapping.isPartial():
		return s.apply(mapping.completed(keys))
	}
	mapping.Fields = guess(keys)
	if !mapping.empty() {
		err := s.apply(mapping)
		s.describeGuess(mapping, keys)
		return err
	}
	if near, hits := closestFormat(keys); len(keys) > 0 && 2*hits <= len(near.Keys) {
		names := sortedKeys(keys)
		return fmt.Errorf("columns found: %.60q; no known format has these: assign them, as in "+
			"--field question=COLUMN,response_a=COLUMN,response_b=COLUMN,label=COLUMN or "+
			"question=COLUMN,response=COLUMN,score=COLUMN", names[:min(40, len(names))])
	}
	if len(mapping.LabelValues) > 0 {
		return errors.New("--label-values needs --field: name the columns, or leave it out")
	}
	s.setFormat(f)
	if f == nil || f.Assemble == nil {
		return nil
	}
	return s.replaceRows(f.Assemble)
}

// replace replaces the set's data by lines, and closes the old data. The first data replaced is the file itself, which
// replace hashes.
func (s *Set) replace(lines *rows.Spool) (err error) {
	if s.SHA256 == "" {
		s.SHA256, err = rows.SourceSHA256(s.data)
	}
	if s.close != nil {
		s.close()
	}
	s.data, s.close = lines, lines.Close
	return err
}

func (s *Set) setFormat(f *Format) {
	if f != nil {
		s.format, s.Format = *f, f.Name
	}
}

// FileRows gives a format with Assemble access to the rows of a file.
type FileRows struct {
	Path    string // path of the file, or the name of a set without one
	Options OpenOptions
	// Rows yields every row that is not blank, in file order. It stops at the first row that cannot be read, or line that
	// cannot be written.
	Rows iter.Seq[rows.Row]
	// EmitLine writes a line for Parse, made from the row at the given line: text as is, any other value as JSON.
	EmitLine func(line int, value any)
	// Reject leaves out the row at the given line.
	Reject func(line int, why error)
}

// replaceRows replaces the file's rows by the lines that build makes from them.
func (s *Set) replaceRows(build func(FileRows) ([]string, error)) error {
	lines := new(rows.Spool)
	var failed error
	notes, err := build(FileRows{
		Path:    s.displayName(),
		Options: s.OpenOptions,
		Rows: func(yield func(rows.Row) bool) {
			for row, err := range rows.Lines(s.data) {
				failed = cmp.Or(failed, err)
				if failed != nil {
					return
				}
				other, hits := closestFormat(keysOf(row.Text))
				if s.Format != "" && other.Name != s.Format && hits == len(other.Keys) {
					s.skip(row.Line, fmt.Errorf("a row of %s in a file of %s", other.Name, s.Format))
				} else if !yield(row) {
					return
				}
			}
		},
		EmitLine: func(line int, value any) {
			s.sourceLines = append(s.sourceLines, line)
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

// index reads all lines once. It checks them, hashes them if needed, and records the offset of each usable line.
func (s *Set) index() error {
	s.indexByID = map[string]int{}
	var r io.Reader = io.NewSectionReader(s.data, 0, s.data.Size())
	sum := sha256.New()
	if s.SHA256 == "" {
		r = io.TeeReader(r, sum)
	}
	if err := rows.EachLine(r, s.parseLine, s.add); err != nil {
		return err
	}
	if s.SHA256 == "" {
		s.SHA256 = fmt.Sprintf("%x", sum.Sum(nil))
	}
	if n := s.noteCount - maxListedSkips; n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("There are %d more notes on items like these.", n))
	}
	s.sourceLines = nil // rows have the line numbers now
	slices.SortStableFunc(s.SkipReasons, func(a, b *LineError) int { return cmp.Compare(a.Line, b.Line) })
	return s.checkUsable()
}

// checkUsable returns an error for a set without items.
func (s *Set) checkUsable() error {
	switch {
	case len(s.rows) > 0:
		return nil
	case len(s.excludedGroups) > 0:
		return fmt.Errorf("no item has the group %s; groups: %s",
			strings.Join(s.OpenOptions.Groups, " or "), shortList(s.excludedGroups))
	case s.Skipped > 0:
		return fmt.Errorf("%w (no usable %s among %d; expected %s)",
			s.SkipReasons[0], s.positionNoun(), s.Skipped, s.describeExpectedRows())
	case len(s.Notes) > 0:
		return fmt.Errorf("no item is left: %s", strings.Join(s.Notes, " "))
	default:
		return fmt.Errorf("the file is empty; expected %s", s.describeExpectedRows())
	}
}

// describeExpectedRows describes the rows that the file should have: those of its format or of the possible formats.
func (s *Set) describeExpectedRows() string {
	switch {
	case !s.Mapping.empty():
		return "rows as in " + s.Mapping.String()
	case s.Format != "":
		return s.format.About
	}
	return "the rows of one of the formats " + strings.Join(FormatNames(), ", ") + ", or columns given by --field"
}

// add adds the item of a line to the index, or counts the line as skipped.
func (s *Set) add(line rows.Line[parsedLine]) error {
	if rows.Blank(line.Text) {
		return nil
	}
	text := bytes.TrimRight(line.Text, "\r\n")
	number := line.Number
	if s.sourceLines != nil {
		number = s.sourceLines[number-1]
	}
	item := line.Value.item
	if err := line.Value.err; err != nil {
		s.skip(number, err)
		return nil
	}
	if !s.includesGroup(item.Group) {
		return nil
	}
	if first, duplicate := s.indexByID[item.ID]; duplicate { // either could be the intended one
		return s.lineError(number, fmt.Errorf("duplicate id %q, first seen in %s %d: remove one of the two %ss",
			item.ID, s.positionNoun(), s.rows[first].line, s.positionNoun()))
	}
	s.remark(number, item.Note)
	id := strings.Clone(item.ID) // a clone does not keep a long line in memory
	s.indexByID[id] = len(s.rows)
	s.rows = append(s.rows, row{
		id:     id,
		offset: line.Offset,
		length: len(text),
		line:   number,
		group:  unique.Make(item.Group).Value(),
		sum:    lineChecksum(text),
	})
	if s.data.Size() <= inMemoryBytes {
		s.items = append(s.items, item)
	}
	size := len(item.Question)
	for _, c := range item.Candidates {
		size += len(c.Text)
	}
	s.LongestItemBytes = max(s.LongestItemBytes, size)
	return nil
}

// FileSHA256 returns the SHA-256 of the file alone, without a mapping, in hex.
func (s *Set) FileSHA256() string { return cmp.Or(s.MappedFileSHA256, s.SHA256) }

// Remarks returns sentences about skipped lines and the way the file was read.
func (s *Set) Remarks() (lines []string) {
	for _, bad := range s.SkipReasons {
		lines = append(lines, "skipped: "+bad.Error())
	}
	if s.Skipped > 0 {
		lines = append(lines, fmt.Sprintf("%d lines of the dataset were skipped, %d are used", s.Skipped, s.Len()))
	}
	return append(lines, s.Notes...)
}

// skip counts an unusable line, and records the reason for the first ones.
func (s *Set) skip(line int, why error) {
	if s.Skipped++; len(s.SkipReasons) < maxListedSkips {
		s.SkipReasons = append(s.SkipReasons, s.lineError(line, why))
	}
}

// remark records a warning about a line, for the first ones.
func (s *Set) remark(line int, note string) {
	if note == "" {
		return
	}
	if s.noteCount++; s.noteCount <= maxListedSkips {
		s.Notes = append(s.Notes, s.lineError(line, errors.New(note)).Error()+".")
	}
}
