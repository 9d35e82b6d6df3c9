// Package datasets reads published files of judging items.
//
// It stands at the start of the flow: a line of a dataset file becomes an
// [Item]. Whatever has to look at more than one item (duplicate ids, sampling,
// the longest text) lives here too, so that everything after it can work on
// one item at a time.
//
// Files are indexed once and read on demand, so memory does not grow with the
// length of the answers: an index entry is the id, the place of the line and
// its length.
package datasets

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Candidate is one of the answers that a judge is shown, or may give.
type Candidate struct {
	ID        string `json:"id"`              // the dataset's own name of it: "A", "B"
	Model     string `json:"model,omitempty"` // the model that wrote it, where known
	Text      string `json:"text"`
	Rank      *int   `json:"rank,omitempty"`      // among Options, 0 the best; nil where unknown
	Unrelated bool   `json:"unrelated,omitempty"` // an option of another item, put in on purpose
}

// Answered is what a Judgment item is about: an agent's answer, and the judge's
// own to the same question.
type Answered struct {
	Question  string  `json:"question_id"`         // id of the question; the items of several agents share it
	Of        Shape   `json:"of"`                  // the question's shape: Choice, Number or Preference
	Agent     string  `json:"agent"`               // name of the model that answered
	Text      string  `json:"answer"`              // its whole reply
	Reference string  `json:"reference,omitempty"` // the judge's own whole reply to the question
	Own       *Answer `json:"own,omitempty"`       // what the judge's own reply came to
}

// Answer is what a reply to a question came to.
type Answer struct {
	Value string `json:"value,omitempty"` // what was read from it; "" for nothing
	Right bool   `json:"right"`
}

// Shape is what an item asks for. A protocol says which shapes it takes.
type Shape string

const (
	Pair       Shape = "pair"       // two responses, of which one is labelled the better
	Choice     Shape = "choice"     // a question with options, of which one is right
	Number     Shape = "number"     // a question that a number answers
	Preference Shape = "preference" // two responses and what people preferred: A, B or C, a tie
	Options    Shape = "options"    // an instruction with two or more outputs, ranked or not
	Judgment   Shape = "judgment"   // an agent's answer to a question: right or wrong?
)

// Item is one question with the candidates to be judged and the known best.
type Item struct {
	ID         string
	Shape      Shape
	Source     string // the dataset's own word for where the question comes from
	Group      string // the category that results are reported by
	Question   string
	Candidates []Candidate // their ids are in order by themselves: A, B, … or 01, 02, …
	Gold       int         // index of the labelled best candidate; NoGold where there is none
	Answer     string      // of a Number: the number that is right, as the dataset writes it
	Answered   *Answered   // of a Judgment
	Line       int         // line of the file, from 1
	Raw        []byte      // the line as published, without its newline
}

// NoGold is the Gold of an item without a labelled candidate.
const NoGold = -1

// Unit is what results of the item are resampled by: several agents' answers to
// one question belong together.
func (it Item) Unit() string {
	if it.Answered != nil {
		return it.Answered.Question
	}
	return it.ID
}

// LineError says what is wrong with one line of a file.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// DuplicateError is returned when two lines claim the same id. It is an error,
// not a skipped line: neither of the two can be known to be the right one.
type DuplicateError struct {
	Path        string
	Line, First int
	ID          string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s:%d: duplicate id %q, first seen in line %d: remove one of the two lines", e.Path, e.Line, e.ID, e.First)
}

// Format turns a line into an Item. New formats are a file of this package and
// a line in [Formats].
type Format struct {
	Name  string
	About string
	Parse func(line []byte) (Item, error)
}

// Formats lists the file formats that a path may have. A file has the format of
// the first one that can read its first good line; complaints about lines that
// none can read are the first format's.
var Formats = []Format{JudgeBench}

// maxSkipped is how many skipped lines are kept word for word; the rest are
// only counted.
const maxSkipped = 20

type row struct {
	offset int64
	length int32
	sum    uint32 // CRC-32 of the line: a file may be edited while a run reads it
}

// Set is an indexed dataset file.
type Set struct {
	Name    string       // name or path it was opened by
	Path    string       // "" for a built-in set
	Format  string       // name of its format
	SHA256  string       // of the whole file, hex
	Longest int          // bytes of the longest item: question and candidates together
	Skipped int          // lines left out because they could not be read
	Bad     []*LineError // the first of those, with the reason

	ids    IDs
	rows   []row
	lines  []int32 // of the rows; nil where row i is line i+1
	data   io.ReaderAt
	close  func() error
	format Format
}

// Len is the number of usable items.
func (s *Set) Len() int { return len(s.rows) }

// ID is the id of item i, without reading it.
func (s *Set) ID(i int) string { return s.ids.At(i) }

// IDs are the ids of all items, each under the item's number; they are not to be
// added to.
func (s *Set) IDs() *IDs { return &s.ids }

// Size is the length of item i in the file, in bytes.
func (s *Set) Size(i int) int { return int(s.rows[i].length) }

// Close releases the file.
func (s *Set) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// line is the line of item i, from 1.
func (s *Set) line(i int) int {
	if s.lines == nil {
		return i + 1
	}
	return int(s.lines[i])
}

// Raw reads the line of item i as published, without its newline. It may be
// called from many goroutines.
func (s *Set) Raw(i int) ([]byte, error) { return s.RawIn(nil, i) }

// RawIn is Raw into the memory of buf, where that is enough.
func (s *Set) RawIn(buf []byte, i int) ([]byte, error) {
	r := s.rows[i]
	line := slices.Grow(buf[:0], int(r.length))[:r.length]
	if _, err := s.data.ReadAt(line, r.offset); err != nil && err != io.EOF {
		return nil, &LineError{s.label(), s.line(i), err}
	}
	if checksum(line) != r.sum {
		return nil, &LineError{s.label(), s.line(i), errors.New("the file changed while it was being read")}
	}
	return line, nil
}

// Item reads item i from the file. It may be called from many goroutines.
func (s *Set) Item(i int) (Item, error) {
	line, err := s.Raw(i)
	if err != nil {
		return Item{}, err
	}
	it, err := s.format.Parse(line)
	if err != nil {
		return Item{}, &LineError{s.label(), s.line(i), err}
	}
	it.Line, it.Raw = s.line(i), line
	return it, nil
}

func (s *Set) label() string {
	if s.Path == "" {
		return s.Name
	}
	return s.Path
}

// OpenFile indexes the dataset file at path. Lines that cannot be read are
// counted in Skipped; a file without one good line is an error that names the
// first bad one, and so is a duplicate id.
func OpenFile(path string) (*Set, error) {
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
	s := &Set{Name: path, Path: path, data: f, close: f.Close}
	if err := s.index(f); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// openBytes indexes a file that is held in memory.
func openBytes(name string, data []byte) (*Set, error) {
	s := &Set{Name: name, data: bytes.NewReader(data)}
	return s, s.index(bytes.NewReader(data))
}

// index reads the file once: it checks every line, hashes the file and
// remembers where each good line stands.
func (s *Set) index(r io.Reader) error {
	sum := sha256.New()
	in := bufio.NewReaderSize(io.TeeReader(r, sum), batchBytes)
	if err := sniff(in); err != nil {
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	err := EachLine(in, parseAny, s.add)
	if err != nil {
		var twice *DuplicateError
		if errors.As(err, &twice) {
			return err
		}
		return fmt.Errorf("%s: %w", s.label(), err)
	}
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	s.rows = slices.Clone(s.rows) // without the room to grow
	s.ids.ends = slices.Clone(s.ids.ends)
	switch {
	case len(s.rows) > 0:
		return nil
	case s.Skipped > 0:
		return fmt.Errorf("%w (no usable line among %d; expected %s)", s.Bad[0], s.Skipped, expected())
	default:
		return fmt.Errorf("%s: the file is empty; expected %s", s.label(), expected())
	}
}

// expected says what a file may hold.
func expected() string {
	abouts := make([]string, len(Formats))
	for i, f := range Formats {
		abouts[i] = f.About
	}
	return strings.Join(abouts, ", or ")
}

// parsed is a line as the first format that can read it reads it.
type parsed struct {
	format int // index in Formats
	item   Item
	err    error // of the first format, where none can
}

func parseAny(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	var out parsed
	for i, f := range Formats {
		it, err := f.Parse(text)
		if err == nil {
			return parsed{format: i, item: it}
		}
		if out.err == nil {
			out.err = err
		}
	}
	return out
}

// add takes a line in. The first good line decides the format; a later one that
// only another format can read is a bad line.
func (s *Set) add(line Line[parsed]) error {
	if blank(line.Text) {
		return nil
	}
	text := bytes.TrimRight(line.Text, "\r\n")
	it, err := line.Value.item, line.Value.err
	switch {
	case err != nil:
	case s.Format == "":
		s.format = Formats[line.Value.format]
		s.Format = s.format.Name
	case s.Format != Formats[line.Value.format].Name:
		it, err = s.format.Parse(text)
	}
	if err != nil {
		s.Skipped++
		if len(s.Bad) < maxSkipped {
			s.Bad = append(s.Bad, &LineError{s.label(), line.Number, err})
		}
		return nil
	}
	if first, added := s.ids.Add(it.ID); !added {
		return &DuplicateError{s.label(), line.Number, s.line(first), it.ID}
	}
	s.rows = append(s.rows, row{line.Offset, int32(len(text)), checksum(text)})
	if n := len(s.rows); s.lines != nil || line.Number > n { // a line was left out
		for i := len(s.lines); i < n-1; i++ {
			s.lines = append(s.lines, int32(i)+1)
		}
		s.lines = append(s.lines, int32(line.Number))
	}
	size := len(it.Question)
	for _, c := range it.Candidates {
		size += len(c.Text)
	}
	s.Longest = max(s.Longest, size)
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(line []byte) uint32 { return crc32.Checksum(line, castagnoli) }

// sniff recognises files that are something else than JSON lines, to say so in
// one sentence instead of one complaint a line.
func sniff(in *bufio.Reader) error {
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return errors.New("the file is gzip-compressed, not JSON lines: unpack it first (gunzip)")
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return errors.New("the file is zstd-compressed, not JSON lines: unpack it first (unzstd)")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return errors.New("the file is a zip archive, not JSON lines: unpack it first")
	case bytes.HasPrefix(head, []byte("PAR1")):
		return errors.New("the file is Parquet, not JSON lines: use the .jsonl file of the dataset")
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return errors.New("the file starts with a byte order mark: save it as plain UTF-8")
	}
	return nil
}

// describe says what a line that is no JSON object looks like.
func describe(line []byte, err error) error {
	first := bytes.TrimSpace(line)
	if len(first) > 0 && first[0] != '{' {
		if first[0] == '[' {
			return errors.New("not a JSON object but a JSON array: write one object per line")
		}
		if bytes.Count(first, []byte{','}) > 0 || bytes.Count(first, []byte{'\t'}) > 0 {
			return errors.New("not a JSON object; it looks like CSV: convert it to one JSON object per line")
		}
		return errors.New("not a JSON object")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON at byte %d: %v", syntax.Offset, syntax)
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Errorf("key %q is of type %s, expected %s", typ.Field, typ.Value, typ.Type)
	}
	return err
}

// published is how JudgeBench names its files.
var published = regexp.MustCompile(`^dataset=([^,]+),response_model=([^,]+?)(,|\.jsonl$)`)

// Base is a short name for a path, for titles and folder names.
func Base(path string) string {
	base := filepath.Base(path)
	if m := published.FindStringSubmatch(base); m != nil {
		return m[1] + "-" + m[2]
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
