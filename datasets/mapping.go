package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Mapping tells which columns of a file hold which parts of its items, and what its labels mean, in the notation of the
// flags. If a part has several columns, texts of a question are joined, and those of options are one option each.
type Mapping struct {
	// part of an item and the column that holds it, as in "question=prompt,response_a=out_1"; for the names see parts
	Fields []string `json:"field,omitempty" yaml:"field"`
	// verdict and the label that means it, as in "A>B=model_a,tie=tie"; for a choice "A=0,B=1"
	LabelValues []string `json:"label-values,omitempty" yaml:"label-values"`
}

func (m Mapping) empty() bool { return len(m.Fields) == 0 }

// String returns the mapping as flags.
func (m Mapping) String() string {
	var words []string
	for _, f := range m.Fields {
		words = append(words, "--field "+ShellQuote(f))
	}
	for _, v := range m.LabelValues {
		words = append(words, "--label-values "+ShellQuote(v))
	}
	return strings.Join(words, " ")
}

// plainWord matches a word that no shell changes.
var plainWord = regexp.MustCompile(`^[\pL\pN_@%+=:,./` + regexp.QuoteMeta(string(filepath.Separator)) + `-]+$`)

// ShellQuote returns a word quoted for a shell.
func ShellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ShellLine joins the words of a command into a line for a shell, with quotes where needed.
func ShellLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = ShellQuote(word)
	}
	return strings.Join(quoted, " ")
}

// Names of the parts of an item that a column may hold.
const (
	partID, partQuestion           = "id", "question"
	partResponseA, partResponseB   = "response_a", "response_b"
	partLabel, partPreference      = "label", "preference"
	partOptions                    = "options"
	partOutputs, partRanks         = "outputs", "ranks"
	partChosen, partRejected       = "chosen", "rejected"
	partModelA, partModelB         = "model_a", "model_b"
	partGroup, partSource, partTie = "group", "source", "tie"
	partResponse, partScore        = "response", "score"
	partScale                      = "scale"
	partReference                  = "reference"
	partPerson                     = "person"
)

// part describes a part of an item: a text or a list of texts.
type part struct {
	Name      string
	Aliases   []string // column names that suggest the part, in lower case without separators
	List      bool     // the part is a list of texts
	Separator string   // separator of the texts of several columns; "": one column only
	Needed    bool     // every row must have a text for the part, if a column is mapped to it
}

// itemParts lists the parts in the order of the canonical mapping, and partsByKind the parts that each kind of item
// requires besides a question, and its optional parts.
var (
	itemParts   = readYAML[[]part]("parts.yaml")
	partsByKind = readYAML[[]struct{ Required, Optional []string }]("kinds.yaml")
)

// errNoQuestion is the error for a mapping without a column for the question. Such a mapping completes the one that the
// names of the file's columns suggest.
var errNoQuestion = errors.New("has no column for the question: add question=COLUMN")

// Check validates a mapping without a file; field names the field of a request ("field" or "label-values") at fault.
func (m Mapping) Check() (field string, err error) {
	if m.empty() {
		_, err = parseAssignments(m.LabelValues)
		return "label-values", err
	}
	_, field, err = m.newMapper()
	if errors.Is(err, errNoQuestion) {
		return "", nil
	}
	return field, err
}

// isPartial reports whether the mapping names parts of an item, but not the question.
func (m Mapping) isPartial() bool {
	_, _, err := m.newMapper()
	return !m.empty() && errors.Is(err, errNoQuestion)
}

// completed returns a partial mapping with columns added for its other parts, as far as the names of the file's columns
// (keys) suggest them.
func (m Mapping) completed(keys map[string]json.RawMessage) Mapping {
	entries, _ := parseAssignments(m.Fields)
	for _, f := range guess(keys) {
		name, _, _ := strings.Cut(f, "=")
		if !slices.ContainsFunc(entries, func(e [2]string) bool { return e[0] == name }) {
			m.Fields = append(slices.Clone(m.Fields), f)
		}
	}
	return m
}

// newMapper validates the mapping and returns a mapper for it; field is as in Check.
func (m Mapping) newMapper() (t *mapper, field string, err error) {
	t = &mapper{columnsByPart: map[string][]string{}, nonempty: map[string]bool{}}
	pairs, err := parseAssignments(m.Fields)
	for _, p := range pairs {
		if err == nil && !slices.ContainsFunc(itemParts, func(entry part) bool { return entry.Name == p[0] }) {
			err = fmt.Errorf("%q: unknown part, use %s", p[0], itemPartNames())
		}
		t.columnsByPart[p[0]] = append(t.columnsByPart[p[0]], p[1])
	}
	if err == nil {
		err = t.checkParts()
	}
	if err == nil && t.columnsByPart[partScale] != nil {
		t.scale = new([2]float64)
		if n, _ := fmt.Sscanf(t.columnsByPart[partScale][0], "%g-%g", &t.scale[0], &t.scale[1]); n < 2 {
			err = fmt.Errorf("scale=%s: write the lowest and the highest score, as in scale=1-5", t.columnsByPart[partScale][0])
		}
	}
	if err != nil {
		return nil, "field", err
	}
	pairs, err = parseAssignments(m.LabelValues)
	if len(pairs) > 0 {
		t.labelSides = map[string]int{}
	}
	for _, p := range pairs {
		side := t.parseSide(p[0])
		if err == nil && side == sideUnclear {
			err = fmt.Errorf("%q: use A>B, B>A or tie for pairs, a letter for choices and outputs; numbers have no labels", p[0])
		}
		t.labelSides[p[1]] = side
		t.labelValues = append(t.labelValues, p[0]+"="+p[1])
	}
	return t, "label-values", err
}

func itemPartNames() string {
	var names []string
	for _, p := range itemParts {
		names = append(names, p.Name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// parseAssignments parses comma-separated lists of NAME=VALUE. Text after a comma without a = continues the previous
// value.
func parseAssignments(lists []string) (out [][2]string, err error) {
	for _, list := range lists {
		first := len(out)
		for part := range strings.SplitSeq(list, ",") {
			name, value, ok := strings.Cut(part, "=")
			switch {
			case ok && strings.TrimSpace(name) != "" && value != "":
				out = append(out, [2]string{strings.TrimSpace(name), value})
			case !ok && len(out) > first:
				out[len(out)-1][1] += "," + part
			default:
				return out, fmt.Errorf("%q: write NAME=VALUE,NAME=VALUE", list)
			}
		}
	}
	return out, nil
}

// canonicalMapping returns the mapping in a normal form, equal for all mappings with the same meaning.
func (t *mapper) canonicalMapping() (m Mapping) {
	var fields []string
	for _, p := range itemParts {
		for _, c := range t.columnsByPart[p.Name] {
			fields = append(fields, p.Name+"="+c)
		}
	}
	m.Fields = []string{strings.Join(fields, ",")}
	if t.labelValues != nil {
		m.LabelValues = []string{strings.Join(slices.Sorted(slices.Values(t.labelValues)), ",")}
	}
	return m
}

// furtherResponse matches the plain name of a column with a third response or a later one.
var furtherResponse = regexp.MustCompile(`^(response|resp|answer|output|out|completion|candidate)([c-h]|[3-8])$`)

// guess returns mapping fields by the names of a file's columns; none if the names do not tell.
func guess[V any](columns map[string]V) (fields []string) {
	plain := map[string]string{}
	for name := range columns {
		key := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
		plain[key] = max(plain[key], name) // one of them, always the same
	}
	columnsOf := map[string][]string{}
	for _, p := range itemParts {
		for _, c := range p.Aliases {
			if plain[c] != "" && columnsOf[p.Name] == nil {
				columnsOf[p.Name] = []string{plain[c]}
			}
		}
	}
	responses := slices.Concat(columnsOf[partResponseA], columnsOf[partResponseB])
	for _, key := range sortedKeys(plain) {
		switch {
		case scoreName.MatchString(key): // one of the people
			columnsOf[partScore] = append(columnsOf[partScore], plain[key])
		case furtherResponse.MatchString(key) && columnsOf[partLabel] == nil && len(responses) > 1:
			responses = append(responses, plain[key])
			columnsOf[partResponseA], columnsOf[partOutputs] = nil, responses
		}
	}
	for _, k := range partsByKind {
		lacks := func(p string) bool { return columnsOf[p] == nil }
		if lacks(partQuestion) || slices.ContainsFunc(k.Required, lacks) || k.Required[0] == partResponse &&
			lacks(partScore) && slices.Equal(columnsOf[partResponse], columnsOf[partLabel]) {
			continue // a column such as answer may hold the right answer
		}
		for _, p := range slices.Concat(k.Required, k.Optional, []string{partID, partQuestion, partGroup, partSource}) {
			for _, c := range columnsOf[p] {
				fields = append(fields, p+"="+c)
			}
		}
		break
	}
	return fields
}

// apply replaces the file's rows by lines of one of gavel's formats, with the columns that mapping assigns.
func (s *Set) apply(mapping Mapping) error {
	t, field, err := mapping.newMapper()
	if err != nil {
		return fmt.Errorf("--%s %w", field, err)
	}
	err = s.convert(t.canonicalMapping(), t.convertRows)
	s.setFormat(t.format)
	return err
}

// convert replaces the file's rows by the lines that build makes from them by a mapping.
func (s *Set) convert(m Mapping, build func(FileRows) ([]string, error)) error {
	s.Mapping = m
	err := s.replaceRows(build)
	s.MappedFileSHA256, s.SHA256 = s.SHA256, HexSum([]byte(s.SHA256+" "+m.String()))
	return err
}

// soleScoreColumn returns the column or label that the mapping assigns to the score; "" if it assigns anything else.
func (m Mapping) soleScoreColumn() string {
	entries, _ := parseAssignments(m.Fields)
	if len(entries) == 1 && entries[0][0] == partScore {
		return entries[0][1]
	}
	return ""
}

// describeGuess adds a note on a mapping that was guessed from the names of the columns: what each column holds and, if
// none holds the label, those that are not used.
func (s *Set) describeGuess(guessed Mapping, keys map[string]json.RawMessage) {
	text := fmt.Sprintf("%s: columns recognised by their names: %s", s.displayName(), s.Mapping)
	entries, _ := parseAssignments(guessed.Fields)
	holds := func(i int, name string) bool {
		return slices.ContainsFunc(entries, func(e [2]string) bool { return e[i] == name })
	}
	unused := slices.DeleteFunc(sortedKeys(keys), func(key string) bool { return holds(1, key) })
	if len(unused) > 0 && !holds(0, partLabel) && !holds(0, partChosen) && !holds(0, partScore) {
		text += fmt.Sprintf(". No label is among them; not used: %s. If one is the label: --field %s",
			shortList(unused), ShellQuote("label="+unused[0]))
	}
	s.Notes = slices.Insert(s.Notes, 0, text)
}

// convertRows converts the rows of a file to lines.
func (t *mapper) convertRows(rows FileRows) ([]string, error) {
	delete(t.columnsByPart, partScale) // no column
	var first []byte
	var responses []responseLine
	people := map[string]responseLine{} // by question and response: several rows have the scores of one
	for row := range rows.Rows {
		if first == nil {
			first = slices.Clone(row.Text)
		}
		line, err := t.line(row)
		switch {
		case err != nil:
			rows.Reject(row.Line, err)
		case t.columnsByPart[partPerson] != nil:
			l := responseLine{lineNumber: row.Line}
			json.Unmarshal(line, &l) // written by t.line
			key := *l.Question + "\x00" + *l.Response
			if first, ok := people[key]; ok {
				maps.Copy(first.Scores, l.Scores)
			} else {
				people[key] = l
				responses = append(responses, l)
			}
		case line != nil:
			rows.EmitLine(row.Line, line)
		}
	}
	for _, r := range responses {
		rows.EmitLine(r.lineNumber, r)
	}
	if t.hasZeroLabel {
		return nil, errors.New("labels are 0 and 1: say which response each means, " +
			"with --label-values 'A>B=…,B>A=…'")
	}
	return t.notes(), t.emptyColumnError(first)
}

// emptyColumnError returns an error for the first mapped column without any value. first is the file's first row.
func (t *mapper) emptyColumnError(first []byte) error {
	has := keysOf(first)
	for _, p := range itemParts {
		for _, c := range t.columnsByPart[p.Name] {
			if len(has) > 0 && !t.nonempty[c] {
				return fmt.Errorf("--field %s: the column is missing or empty in every row; columns: %s",
					ShellQuote(p.Name+"="+c), shortList(sortedKeys(has)))
			}
		}
	}
	return nil
}

// notes returns sentences about pairs without a label and about rows left out.
func (t *mapper) notes() (out []string) {
	if t.unlabelled > 0 && t.columnsByPart[partLabel] != nil { // a file without labels needs none
		tied := ""
		if t.tieCount > 0 {
			tied = fmt.Sprintf(", %d of them labelled a tie", t.tieCount)
		}
		out = append(out, fmt.Sprintf("%d of %d pairs have no label that names a response%s: "+
			"they are judged, count for consistency and position, and are left out of what needs a label.",
			t.unlabelled, t.rows, tied))
	}
	return append(out, notes(omission{t.multiChosenRows, "rows with several chosen responses: none is the best"})...)
}

// checkParts returns an error unless the parts to which columns are mapped make up one kind of item.
func (t *mapper) checkParts() error {
	together := func(a, b string) error {
		if (t.columnsByPart[a] == nil) != (t.columnsByPart[b] == nil) {
			return fmt.Errorf("%s and %s go together", a, b)
		}
		return nil
	}
	if err := cmp.Or(together(partResponseA, partResponseB), together(partChosen, partRejected)); err != nil {
		return err
	}
	matching := 0
	for _, k := range partsByKind {
		if t.columnsByPart[k.Required[0]] != nil {
			matching++
		}
	}
	switch {
	case t.columnsByPart[partQuestion] == nil:
		return errNoQuestion
	case t.columnsByPart[partResponse] == nil && t.columnsByPart[partScore] != nil:
		return together(partResponse, partScore)
	case matching > 1:
		return fmt.Errorf("%s, %s, %s, %s and %s belong to different kinds of items: give only one",
			partResponseA, partOptions, partOutputs, partChosen, partResponse)
	case t.columnsByPart[partLabel] != nil && t.columnsByPart[partPreference] != nil:
		return errors.New("label and preference: name one; a preference may be a tie, a label names a response")
	case t.columnsByPart[partPreference] != nil && t.columnsByPart[partResponseA] == nil:
		return errors.New("preference needs the columns of response_a and response_b")
	case t.columnsByPart[partLabel] == nil && (matching == 0 || t.columnsByPart[partOptions] != nil):
		return errors.New("has no column for the right answer: add label=COLUMN, " +
			"or the columns of response_a and response_b, of outputs, of chosen and rejected, or of response and score")
	}
	for _, p := range itemParts {
		if n := len(t.columnsByPart[p.Name]); n > 1 && !p.List && p.Separator == "" {
			return fmt.Errorf("%s has %d columns: give one", p.Name, n)
		}
	}
	return nil
}
