// Package datasets reads published files of judging items.
//
// It stands at the start of the flow: a line of a dataset file becomes an [Item]. Whatever has to look at more than one
// item (duplicate ids, sampling, the longest text) lives here too, so that everything after it can work on one item at
// a time.
//
// Files are indexed once and read on demand, so memory does not grow with the length of the answers: an index entry is
// the id, the place of the line and its length. Items of small files are kept.
package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"gavel/datasets/rows"
)

// Candidate is one of the answers that a judge is shown, or may give.
type Candidate struct {
	ID        string `json:"id"`              // the dataset's own name of it: "A", "B"
	Model     string `json:"model,omitempty"` // the model that wrote it, where known
	Text      string `json:"text"`
	Rank      *int   `json:"rank,omitempty"`      // among Options, 0 the best; nil where unknown
	Unrelated bool   `json:"unrelated,omitempty"` // an option of another item, put in on purpose
}

// lettered returns candidates A, B, … with these texts.
func lettered(texts ...string) (all []Candidate) {
	for i, text := range texts {
		all = append(all, Candidate{ID: string(rune('A' + i)), Text: text})
	}
	return all
}

// preferred returns the responses A and B of two models, and a tie as candidate C.
func preferred(modelA, a, modelB, b string) []Candidate {
	all := lettered(a, b, "")
	all[0].Model, all[1].Model = modelA, modelB
	return all
}

// Answered holds an agent's answer, which a Judgment item is about, and the judge's own to the same question.
type Answered struct {
	Question  string  `json:"question_id"`         // id of the question; the items of several agents share it
	Of        Shape   `json:"of"`                  // the question's shape: Choice, Number or Preference
	Agent     string  `json:"agent"`               // name of the model that answered
	Text      string  `json:"answer"`              // its whole reply
	Reference string  `json:"reference,omitempty"` // the judge's own whole reply to the question
	Own       *Answer `json:"own,omitempty"`       // what the judge's own reply came to
}

// Answer is the answer read from a reply to a question.
type Answer struct {
	Value string `json:"value,omitempty"` // what was read from it; left out for nothing
	Right bool   `json:"right"`           // it is the labelled one
}

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
	Note       string      // what is odd about the line, though it can be used
	Line       int         // line of the file, from 1
	Raw        []byte      // the line as published, without its newline
}

// NoGold is the Gold of an item without a labelled candidate.
const NoGold = -1

// GoldID is the label of the item: the id of a candidate, or the number.
func (it Item) GoldID() string {
	if it.Gold >= 0 && it.Gold < len(it.Candidates) {
		return it.Candidates[it.Gold].ID
	}
	return it.Answer
}

// candidate returns the index of the candidate with this id, or NoGold.
func (it Item) candidate(id string) int {
	return slices.IndexFunc(it.Candidates, func(c Candidate) bool { return c.ID == id })
}

// LineError says what is wrong with one line of a file, or with one row of a file that has no lines.
type LineError struct {
	Path string
	Line int
	Err  error
	Row  bool // Line counts rows
}

func (e *LineError) Error() string {
	if e.Row {
		return fmt.Sprintf("%s: row %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// Format turns a line into an Item. A new one is a file of this package, and its name in [Formats]; docs and messages
// list it by what it says of itself.
type Format struct {
	Name  string
	About string
	// Shape is that of all its items; "" where they may be of any.
	Shape Shape
	// Keys are the keys that every row has. Of the formats whose keys a row has,
	// it is taken to have that with the most.
	Keys []string
	// Parse reads a line. Where there is Assemble, it is given the lines that
	// makes, which say everything that there is to know of their item.
	Parse func(line []byte) (Item, error)
	// Assemble, where not nil, makes lines of rows before any line is parsed: where an item is several rows, or a row
	// does not tell its item's id. Lines that it made it emits as they are. The notes, a sentence each, say what was
	// left out and why.
	Assemble func(rows Rows) (notes []string, err error)
	// Cluster, where not nil, tells by an item's id what it belongs to together with others; Clusters is what that is, in
	// words: models' answers to one question, problems of one template.
	Cluster  func(id string) string
	Clusters string
	// Is, where not nil, tells by a row's values whether it is of the format, where its keys are another's too.
	Is func(row map[string]json.RawMessage) bool
	// Level, where not nil, tells by an item's id which of Levels it is.
	Level func(id string) string
	// Languages tells that rows say their language, so that the option Lang can choose among them.
	Languages bool
}

// Item parses a line and keeps it.
func (f Format) Item(line []byte) (Item, error) {
	it, err := f.Parse(line)
	it.Raw = line
	return it, err
}

// Formats lists the file formats in the order in which they are tried. A file has the format of its first row that any
// of them can read. Errors for earlier rows come from the format that shares the most keys with the row, the first one
// if several do.
var Formats = []Format{
	JudgeBench, LLMBar, MMLUPro, GSM8K, gsmSymbolicFormat, MTBench, chatbotArena, Judgments, Questions, OptionLines,
	OASSTTrees, oasstMessages, RMBench, PPE,
}

// ClusterOf tells items of a source that belong together, and what that is in words; nil where each is by itself.
func ClusterOf(source string) (of func(id string) string, what string) {
	f, _ := FormatNamed(source)
	if source == PandaLM || strings.HasPrefix(source, Vicuna) {
		f = MTBench
	}
	return f.Cluster, f.Clusters
}

// before returns a function that cuts an id before the last separator in it.
func before(separator string) func(id string) string {
	return func(id string) string { return id[:max(0, strings.LastIndex(id, separator))] }
}

// Sources of imported pairs, several to a question, whose ids begin with that and a colon. Vicuna's 80 questions have
// their category behind it.
const (
	PandaLM = "pandalm"
	Vicuna  = "vicuna80/"
)

// LevelOf tells how hard items of a source were made; nil where that is not told.
func LevelOf(source string) func(id string) string {
	f, _ := FormatNamed(source)
	return f.Level
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (f Format, ok bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	return Formats[i], true
}

// maxSkipped limits the skipped lines that are kept word for word; the rest are only counted.
const maxSkipped = 20

type row struct {
	id     string
	offset int64
	length int
	line   int    // of the file, from 1
	group  string // so that choosing items by group does not read them
	sum    uint32 // CRC-32 of the line: a file may be edited while a run reads it
}

// Set is an indexed dataset file.
type Set struct {
	Name    string       // name or path it was opened by
	Path    string       // "" for a built-in set
	Format  string       // name of its format
	SHA256  string       // of the whole file, hex; where columns were mapped, of that and the mapping
	File    string       // where that is another: SHA-256 of the file
	Mapping Mapping      // by which the rows were read, given or guessed
	Longest int          // bytes of the longest item: question and candidates together
	Skipped int          // lines left out because they could not be read
	Bad     []*LineError // the first of those, with the reason
	Notes   []string     // what else there is to say of it, a sentence each
	Options OpenOptions  // that it was opened with

	numbers map[string]int // of the items, by id
	rows    []row
	kept    []Item   // of a file of no more than keptBytes: the items, as they were parsed
	others  []string // groups that were met and are not wanted, by name
	data    rows.Source
	close   func() error
	format  Format
	remarks int   // items with a note, of which the first stand in Notes
	byRow   bool  // what is called a line is a row of a file without lines
	origin  []int // of each line that was assembled, the line of the file it comes from
}

// Len is the number of usable items.
func (s *Set) Len() int { return len(s.rows) }

// ID is the id of item i, without reading it.
func (s *Set) ID(i int) string { return s.rows[i].id }

// Find returns the number of the item with this id.
func (s *Set) Find(id string) (i int, ok bool) {
	i, ok = s.numbers[id]
	return i, ok
}

// Size is the length of item i in the file, in bytes.
func (s *Set) Size(i int) int { return s.rows[i].length }

// Close releases the file.
func (s *Set) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Raw reads the line of item i as published, without its newline. It may be called from many goroutines.
func (s *Set) Raw(i int) ([]byte, error) { return s.RawIn(nil, i) }

// RawIn is Raw into the memory of buf, where that is enough.
func (s *Set) RawIn(buf []byte, i int) ([]byte, error) {
	r := s.rows[i]
	line := slices.Grow(buf[:0], r.length)[:r.length]
	if _, err := s.data.ReadAt(line, r.offset); err != nil && err != io.EOF {
		return nil, s.complaint(s.rows[i].line, err)
	}
	if checksum(line) != r.sum {
		return nil, s.complaint(s.rows[i].line, errors.New("the file changed while it was being read"))
	}
	return line, nil
}

// Kept tells whether the items are in memory.
func (s *Set) Kept() bool { return len(s.kept) > 0 }

// keptBytes is the length of the longest file whose items are parsed only once.
const keptBytes = 16 << 20

// Item reads item i from the file. It may be called from many goroutines.
func (s *Set) Item(i int) (Item, error) {
	line, err := s.Raw(i)
	if err != nil {
		return Item{}, err
	}
	it, err := s.item(i, line)
	if err != nil {
		return Item{}, s.complaint(s.rows[i].line, err)
	}
	it.Line = s.rows[i].line
	it.Raw = line
	return it, nil
}

// item is the item of a line: it is parsed only where it is not kept.
func (s *Set) item(i int, line []byte) (Item, error) {
	if !s.Kept() {
		return s.format.Parse(line)
	}
	it := s.kept[i]
	it.Candidates = slices.Clone(it.Candidates)
	return it, nil
}

func (s *Set) complaint(line int, err error) *LineError {
	return &LineError{Path: s.label(), Line: line, Err: err, Row: s.byRow}
}

func (s *Set) label() string { return cmp.Or(s.Path, s.Name) }

// unit returns the word for a place in the file: line or row.
func (s *Set) unit() string {
	if s.byRow {
		return "row"
	}
	return "line"
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(line []byte) uint32 { return crc32.Checksum(line, castagnoli) }

// describe says what a line that is no JSON object looks like.
func describe(line []byte, err error) error {
	first := bytes.TrimSpace(line)
	if len(first) > 0 && first[0] != '{' {
		if bytes.ContainsAny(first, ",\t") {
			return errors.New("not a JSON object; it looks like CSV, " +
				"but its first line is no row of plain names: leave out {}[]<> and line breaks there")
		}
		return errors.New("not a JSON object")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON at byte %d: %v", syntax.Offset, syntax)
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		// Parts of Go's types are no keys: of a JudgmentLine, and of a message in a tree.
		key := strings.Replace(strings.TrimPrefix(typ.Field, "Answered."), ".message.", ".", 1)
		return fmt.Errorf("key %q is of type %s, expected %s", key, typ.Value, jsonKind(typ.Type))
	}
	return err
}

// jsonKind returns JSON's name of a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "an array"
	}
	return t.String()
}

// published matches JudgeBench's names of its files.
var published = regexp.MustCompile(`^dataset=([^,]+),response_model=([^,]+?)(,|\.jsonl$)`)

// Base is a short name for a path, for titles and folder names.
func Base(path string) string {
	base := filepath.Base(path)
	for _, packed := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	if m := published.FindStringSubmatch(base); m != nil {
		return m[1] + "-" + m[2]
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
