// Package datasets reads published files of judging items.
//
// It is the start of the flow: a line of a dataset file becomes an [Item]. Checks and selections over several items
// (duplicate ids, sampling, the longest text) are here too, so that later packages handle one item at a time.
//
// Files are indexed once and read on demand, so memory does not grow with the length of the answers: an index entry
// holds the id and the line's offset and length. Only items of small files stay in memory.
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

	"go.yaml.in/yaml/v3"

	"gavel/datasets/rows"
)

// Candidate is one of the answers that a judge sees or may give.
type Candidate struct {
	ID        string `json:"id"`              // the dataset's name for the candidate: "A", "B"
	Model     string `json:"model,omitempty"` // the model that wrote the text, if known
	Text      string `json:"text"`
	Rank      *int   `json:"rank,omitempty"`      // of an item of ranked options: 0 is the best, nil unknown
	Unrelated bool   `json:"unrelated,omitempty"` // an option of another item, added on purpose
}

// lettered returns candidates A, B, … with the given texts.
func lettered(texts ...string) (all []Candidate) {
	for i, text := range texts {
		all = append(all, Candidate{ID: string(rune('A' + i)), Text: text})
	}
	return all
}

// preferenceCandidates returns the responses of two models as A and B, and a tie as candidate C.
func preferenceCandidates(modelA, a, modelB, b string) []Candidate {
	all := lettered(a, b, "")
	all[0].Model, all[1].Model = modelA, modelB
	return all
}

// AgentAnswer holds an agent's answer, the subject of a Judgment item, and the judge's own answer to the same question.
type AgentAnswer struct {
	QuestionID    string  `json:"question_id"`         // id of the question; the items of several agents share it
	QuestionShape Shape   `json:"of"`                  // the question's shape: Choice, Number or Preference
	Agent         string  `json:"agent"`               // name of the model that answered
	Text          string  `json:"answer"`              // the agent's whole reply
	Reference     string  `json:"reference,omitempty"` // the judge's own whole reply to the question, or another reference
	Metrics       string  `json:"metrics,omitempty"`   // the judge's own metrics of a good response
	Own           *Answer `json:"own,omitempty"`       // the answer read from the judge's own reply
	// kind of reference: gold, wrong, none or run (another model's reply); "": the judge's own reply
	ReferenceKind  string `json:"reference_kind,omitempty"`
	ReferenceRight bool   `json:"reference_right,omitempty"` // another model's reply has the right answer
}

// Answer holds the final answer that was read from a reply to a question.
type Answer struct {
	Value string `json:"value,omitempty"` // the answer that was read; "": none
	Right bool   `json:"right"`           // whether the answer equals the question's label
	// from 0 to 1, with --gate; 0 if unknown
	Confidence float64 `json:"confidence,omitempty"`
}

// Item holds one question with its candidates and its label.
type Item struct {
	ID         string
	Shape      Shape
	Source     string // the question's origin, as the dataset names it
	Group      string // the category that results are reported by
	Question   string
	Candidates []Candidate   // ids sort in this order: A, B, … or 01, 02, …
	Gold       int           // index of the labelled best candidate; NoGold: no label
	Answer     string        // of a Number: the correct number as the dataset writes it
	People     *PeopleScores `json:",omitempty"` // of a Response: what people think of it
	Reference  string        `json:",omitempty"` // the dataset's right answer to the question, if it has one
	Answered   *AgentAnswer  // of a Judgment: the answer to judge; of a pair: the judge's own answer, if it has one
	Note       string        // a warning about a line that is still usable
	Line       int           // number of the item's line in the file, from 1
	Raw        []byte        // the line as published, without its newline
}

// NoGold is the Gold of an item without a labelled candidate.
const NoGold = -1

// GoldID returns the label of the item: a candidate's id, or the number.
func (item Item) GoldID() string {
	if item.Gold >= 0 && item.Gold < len(item.Candidates) {
		return item.Candidates[item.Gold].ID
	}
	return item.Answer
}

// candidateIndex returns the index of the candidate with the given id, or NoGold.
func (item Item) candidateIndex(id string) int {
	return slices.IndexFunc(item.Candidates, func(c Candidate) bool { return c.ID == id })
}

// LineError reports a problem in one line of a file, or in one row of a file without lines.
type LineError struct {
	Path  string
	Line  int // from 1
	Err   error
	IsRow bool // Line is the number of a row, in a file without lines
}

func (e *LineError) Error() string {
	if e.IsRow {
		return fmt.Sprintf("%s: row %d: %v", e.Path, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err)
}

func (e *LineError) Unwrap() error { return e.Err }

// Format describes a file format and parses its lines. A new one takes a file of this package, an entry in
// [Formats], and one in formats.yaml with the fields that are no functions; docs and messages list it by About.
type Format struct {
	Name  string
	About string // the columns or keys of its rows
	// Shape is the shape of all items; "": items may have any.
	Shape Shape
	// Keys lists the keys that every row has. A row belongs to the format with the most keys among those whose keys it
	// has all.
	Keys []string
	// Parse converts a line into an item. With Assemble, it gets the lines that Assemble writes: each is complete.
	Parse func(line []byte) (Item, error)
	// Assemble, unless nil, turns rows into lines before any is parsed, if an item consists of several rows or a row
	// lacks the item's id. Lines that Assemble itself wrote pass unchanged. The notes are sentences about omitted rows
	// and the reasons.
	Assemble func(rows FileRows) (notes []string, err error)
	// ClusterKey, unless nil, maps an item's id to the key of its cluster: related items, which are resampled together.
	// Clusters is a noun for the key: "question" if several models answered it, "template" of several problems.
	ClusterKey  func(id string) string
	ClusterNoun string `yaml:"clusters"`
	// Matches, unless nil, reports whether a row with these values has the format, if another format has the same keys.
	Matches func(row map[string]json.RawMessage) bool
	// DifficultyOf, unless nil, returns the item's entry of Levels by its id.
	DifficultyOf func(id string) string
	// Languages is set if rows state their language, so that the option Lang can select.
	Languages bool
}

// formatDescriptions holds what formats.yaml says of the formats, by name.
var formatDescriptions = readYAML[map[string]yaml.Node]("formats.yaml")

// newFormat returns a format of this name and these functions, as formats.yaml describes it.
func newFormat(name string, f Format) Format {
	f.Name = name
	description := formatDescriptions[name]
	if err := description.Decode(&f); err != nil {
		panic(err)
	}
	return f
}

// Item returns the item of a line, with the line as its Raw.
func (f Format) Item(line []byte) (Item, error) {
	item, err := f.Parse(line)
	item.Raw = line
	return item, err
}

// Formats lists the file formats in the order of detection. A file has the format of the first row that matches one.
// Errors in earlier rows come from the format that shares the most keys with the row; the first one on a tie.
var Formats = []Format{
	JudgeBenchFormat, LLMBarFormat, MMLUProFormat, GSM8KFormat, gsmSymbolicFormat, MTBenchFormat, chatbotArenaFormat,
	JudgmentsFormat, QuestionsFormat, OptionsFormat,
	OASSTTreesFormat, oasstMessagesFormat, RMBenchFormat, PPEFormat, ScoresFormat,
}

// ClusterFunc returns the function from item ids to clusters of related items, for the items of a source, and a noun
// for a cluster, such as "question"; nil if items are independent.
func ClusterFunc(source string) (cluster func(id string) string, unit string) {
	f, _ := FormatNamed(source)
	if source == SourcePandaLM || strings.HasPrefix(source, SourceVicuna) {
		f = MTBenchFormat
	}
	return f.ClusterKey, f.ClusterNoun
}

// idPrefixFunc returns a function that returns the part of an id before its last separator.
func idPrefixFunc(separator string) func(id string) string {
	return func(id string) string { return id[:max(0, strings.LastIndex(id, separator))] }
}

// Sources of imported pairs with several pairs per question; ids begin with the question and a colon. The source of
// Vicuna's 80 questions continues with the category.
const (
	SourcePandaLM = "pandalm"
	SourceVicuna  = "vicuna80/"
)

// DifficultyFunc returns the function from ids of a source's items to levels of difficulty; nil if they have none.
func DifficultyFunc(source string) func(id string) string {
	f, _ := FormatNamed(source)
	return f.DifficultyOf
}

// FormatNames returns the names of the formats, in the order of detection.
func FormatNames() (names []string) {
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// FormatNamed finds a format by name.
func FormatNamed(name string) (f Format, ok bool) {
	for _, f := range Formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// maxListedSkips limits the skipped lines listed in full; the rest are only counted.
const maxListedSkips = 20

// row is the index entry of an item.
type row struct {
	id     string
	offset int64  // bytes before the line in Set.data
	length int    // bytes of the line, without its newline
	line   int    // number of the line in the file, from 1
	group  string // the item's group, here so that a selection by group need not read the item
	sum    uint32 // CRC-32 of the line: the file may be edited during a run
}

// Set is an indexed dataset file.
type Set struct {
	Name             string       // name or path given to open the set
	Path             string       // path of the file; "" for a built-in set
	Format           string       // name of the file's format
	SHA256           string       // of the whole file, in hex; with mapped columns, of that sum and the mapping
	MappedFileSHA256 string       // SHA-256 of the file, if SHA256 includes a mapping; else ""
	Mapping          Mapping      // the mapping applied to the rows, given or guessed
	LongestItemBytes int          // bytes of the longest item: question and candidates
	Skipped          int          // unreadable lines left out
	SkipReasons      []*LineError // the reasons for the first skipped lines
	Notes            []string     // further remarks, a sentence each
	OpenOptions      OpenOptions  // the options with which the set was opened

	indexByID      map[string]int // index of each item, by id
	rows           []row
	items          []Item      // parsed items of a file of at most inMemoryBytes
	excludedGroups []string    // groups in the file that Options.Groups excludes, sorted
	data           rows.Source // the lines: those of the file, or made from its rows
	close          func() error
	format         Format
	noteCount      int   // number of items with a note; the first notes are in Notes
	numbersAreRows bool  // line numbers count the rows of a file without lines
	sourceLines    []int // the line in the file from which each assembled line was made; nil once the index is complete
}

// Len returns the number of usable items.
func (s *Set) Len() int { return len(s.rows) }

// ItemID returns the id of item i without reading the item.
func (s *Set) ItemID(i int) string { return s.rows[i].id }

// Find returns the index of the item with the given id.
func (s *Set) Find(id string) (i int, ok bool) {
	i, ok = s.indexByID[id]
	return i, ok
}

// ItemBytes returns the length of item i in the file, in bytes.
func (s *Set) ItemBytes(i int) int { return s.rows[i].length }

// Close closes the file, and removes a temporary one.
func (s *Set) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Raw reads the line of item i as published, without its newline. It may be called from many goroutines.
func (s *Set) Raw(i int) ([]byte, error) { return s.RawIntoBuffer(nil, i) }

// RawIntoBuffer works like Raw, but stores the line in buf if it has room.
func (s *Set) RawIntoBuffer(buf []byte, i int) ([]byte, error) {
	r := s.rows[i]
	line := slices.Grow(buf[:0], r.length)[:r.length]
	if _, err := s.data.ReadAt(line, r.offset); err != nil && err != io.EOF {
		return nil, s.lineError(s.rows[i].line, err)
	}
	if lineChecksum(line) != r.sum {
		return nil, s.lineError(s.rows[i].line, errors.New("the file changed while it was being read"))
	}
	return line, nil
}

// inMemoryBytes is the maximum size, in bytes, of a file whose parsed items stay in memory.
const inMemoryBytes = 16 << 20

// Item reads item i from the file. It may be called from many goroutines.
func (s *Set) Item(i int) (Item, error) {
	line, err := s.Raw(i)
	if err != nil {
		return Item{}, err
	}
	item, err := s.item(i, line)
	if err != nil {
		return Item{}, s.lineError(s.rows[i].line, err)
	}
	item.Line = s.rows[i].line
	item.Raw = line
	return item, nil
}

// item returns item i, whose line is given. It parses the line unless items are in memory.
func (s *Set) item(i int, line []byte) (Item, error) {
	if s.items == nil {
		return s.format.Parse(line)
	}
	item := s.items[i]
	item.Candidates = slices.Clone(item.Candidates)
	return item, nil
}

func (s *Set) lineError(line int, err error) *LineError {
	return &LineError{Path: s.displayName(), Line: line, Err: err, IsRow: s.numbersAreRows}
}

// displayName returns the file's path, or the name of a set without one, for messages.
func (s *Set) displayName() string { return cmp.Or(s.Path, s.Name) }

// positionNoun returns the word for a position in the file: line or row.
func (s *Set) positionNoun() string {
	if s.numbersAreRows {
		return "row"
	}
	return "line"
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lineChecksum returns the CRC-32C of a line.
func lineChecksum(line []byte) uint32 { return crc32.Checksum(line, castagnoli) }

// explainDecodeError returns a clearer error than err, the decoder's, for a line that is not the JSON expected.
func explainDecodeError(line []byte, err error) error {
	first := bytes.TrimSpace(line)
	if len(first) > 0 && first[0] != '{' {
		if bytes.ContainsAny(first, ",\t") {
			return errors.New("not a JSON object; it looks like CSV, " +
				"but its first line is not a row of plain column names: remove {}[]<> and line breaks from it")
		}
		return errors.New("not a JSON object")
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("broken JSON at byte %d: %v", syntax.Offset, syntax)
	}
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		// Parts of Go's types are no keys: of a JudgmentLine, a responseLine and a message in a tree.
		key := strings.NewReplacer("AgentAnswer.", "", "PeopleScores.", "", ".message.", ".").Replace(typ.Field)
		return fmt.Errorf("key %q is of type %s, expected %s", key, typ.Value, jsonKind(typ.Type))
	}
	return err
}

// jsonKind returns the JSON name of a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "an array"
	}
	return t.String()
}

// judgeBenchFileName matches the names of JudgeBench's files: dataset=NAME,response_model=MODEL.jsonl.
var judgeBenchFileName = regexp.MustCompile(`^dataset=([^,]+),response_model=([^,]+?)(,|\.jsonl$)`)

// ShortName returns a short name for a path, for titles and folder names.
func ShortName(path string) string {
	base := filepath.Base(path)
	for _, packed := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, packed)
	}
	if m := judgeBenchFileName.FindStringSubmatch(base); m != nil {
		return m[1] + "-" + m[2]
	}
	return strings.TrimSuffix(base, filepath.Ext(base))
}
