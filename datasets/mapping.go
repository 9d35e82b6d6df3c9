package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Mapping says which columns of a file of any shape are which parts of its items, and what its labels mean, as people
// write it. Of several columns of one part, the texts of a question stand in one, those of options are an option each.
type Mapping struct {
	// "question=prompt,response_a=out_1"; parts are those of parts
	Fields []string `json:"field,omitempty" yaml:"field"`
	// "A>B=model_a,tie=tie"; of a choice "A=0,B=1"
	LabelValues []string `json:"label-values,omitempty" yaml:"label-values"`
}

func (m Mapping) empty() bool { return len(m.Fields) == 0 }

// String is the mapping as flags.
func (m Mapping) String() string {
	var words []string
	for _, f := range m.Fields {
		words = append(words, "--field "+Quoted(f))
	}
	for _, v := range m.LabelValues {
		words = append(words, "--label-values "+Quoted(v))
	}
	return strings.Join(words, " ")
}

// plainWord is a word that every shell leaves as it is.
var plainWord = regexp.MustCompile(`^[\pL\pN_@%+=:,./` + regexp.QuoteMeta(string(filepath.Separator)) + `-]+$`)

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// Names of the parts of an item that a column may be.
const (
	partID, partQuestion           = "id", "question"
	partA, partB                   = "response_a", "response_b"
	partLabel, partPreference      = "label", "preference"
	partOptions                    = "options"
	partOutputs, partRanks         = "outputs", "ranks"
	partChosen, partRejected       = "chosen", "rejected"
	partModelA, partModelB         = "model_a", "model_b"
	partGroup, partSource, partTie = "group", "source", "tie"
)

// part is a part of an item: a text or a list of texts.
type part struct {
	name   string
	called []string // names of columns, in small letters and without marks between words, from which it is guessed
	list   bool
	join   string // between the texts of several columns; "" if a text stands in one
	needed bool   // a mapped column has a text in every row
}

// parts lists them in the order in which a mapping names them.
var parts = []part{
	{name: partID, called: []string{"id", "pairid", "itemid", "exampleid", "uid", "uuid"}, join: ":"},
	{
		name:   partQuestion,
		called: []string{"question", "prompt", "instruction", "query", "input", "userprompt", "problem"},
		join:   "\n\n",
		needed: true,
	},
	{
		name: partA,
		called: []string{
			"responsea", "answera", "outputa", "completiona", "candidatea", "modelaresponse", "response1",
			"answer1", "output1", "out1", "completion1", "candidate1",
		},
		needed: true,
	},
	{
		name: partB,
		called: []string{
			"responseb", "answerb", "outputb", "completionb", "candidateb", "modelbresponse", "response2",
			"answer2", "output2", "out2", "completion2", "candidate2",
		},
		needed: true,
	},
	{name: partOptions, called: []string{"options", "choices"}, list: true},
	{name: partOutputs, called: []string{"outputs", "responses", "completions", "candidates", "answers"}, list: true},
	{name: partChosen, called: []string{"chosen"}, list: true},
	{name: partRejected, called: []string{"rejected"}, list: true},
	{
		name: partLabel,
		called: []string{
			"label", "winner", "preference", "preferred", "verdict", "gold", "correct", "correctanswer", "answer",
		},
	},
	{name: partPreference},
	{name: partRanks, called: []string{"ranks", "ranking"}, list: true},
	{name: partModelA, called: []string{"modela", "model1"}},
	{name: partModelB, called: []string{"modelb", "model2"}},
	{name: partGroup, called: []string{"group", "category", "subset", "domain", "subject", "topic"}},
	{name: partSource, called: []string{"source"}},
}

// kinds are the parts by which items are known, besides their question, and those that they may have.
var kinds = []struct{ needs, may []string }{
	{needs: []string{partChosen, partRejected}},
	{needs: []string{partA, partB}, may: []string{partLabel, partModelA, partModelB}},
	{needs: []string{partOptions, partLabel}},
	{needs: []string{partOutputs}, may: []string{partRanks, partLabel}},
}

// Check says what is wrong with a mapping, whatever the file; field is that of a request which is at fault.
func (m Mapping) Check() (field string, err error) {
	if m.empty() {
		_, err = equations(m.LabelValues)
		return "label-values", err
	}
	_, field, err = m.read()
	return field, err
}

// read makes sense of the mapping.
func (m Mapping) read() (t *mapper, field string, err error) {
	t = &mapper{columns: map[string][]string{}, seen: map[string]bool{}}
	pairs, err := equations(m.Fields)
	for _, p := range pairs {
		if err == nil && !slices.ContainsFunc(parts, func(known part) bool { return known.name == p[0] }) {
			err = fmt.Errorf("%q: a column may be %s", p[0], partNames())
		}
		t.columns[p[0]] = append(t.columns[p[0]], p[1])
	}
	if err == nil {
		err = t.complete()
	}
	if err != nil {
		return nil, "field", err
	}
	pairs, err = equations(m.LabelValues)
	if len(pairs) > 0 {
		t.values = map[string]int{}
	}
	for _, p := range pairs {
		side := t.named(p[0])
		if err == nil && side == unclear {
			err = fmt.Errorf("%q: of pairs it is A>B, B>A or tie, of choices and outputs a letter, and numbers have none", p[0])
		}
		t.values[p[1]] = side
		t.labels = append(t.labels, p[0]+"="+p[1])
	}
	return t, "label-values", err
}

func partNames() string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// equations reads NAME=VALUE with commas between them. What stands after a comma and has no = belongs to the value
// before it.
func equations(lists []string) (out [][2]string, err error) {
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
				return out, fmt.Errorf("%q: it is written NAME=VALUE,NAME=VALUE", list)
			}
		}
	}
	return out, nil
}

// canonical returns the mapping in one way of writing, in which all that mean the same are alike.
func (t *mapper) canonical() (m Mapping) {
	var fields []string
	for _, p := range parts {
		for _, c := range t.columns[p.name] {
			fields = append(fields, p.name+"="+c)
		}
	}
	m.Fields = []string{strings.Join(fields, ",")}
	if t.labels != nil {
		m.LabelValues = []string{strings.Join(slices.Sorted(slices.Values(t.labels)), ",")}
	}
	return m
}

// guess returns the fields of a mapping by the names of a file's columns; none where they are not plain.
func guess[V any](columns map[string]V) (fields []string) {
	plain := map[string]string{}
	for name := range columns {
		key := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
		plain[key] = max(plain[key], name) // one of them, always the same
	}
	found := map[string]string{}
	for _, p := range parts {
		for _, c := range p.called {
			found[p.name] = cmp.Or(found[p.name], plain[c])
		}
	}
	for _, k := range kinds {
		if slices.ContainsFunc(append(k.needs, partQuestion), func(p string) bool { return found[p] == "" }) {
			continue
		}
		for _, p := range slices.Concat(k.needs, k.may, []string{partID, partQuestion, partGroup, partSource}) {
			if found[p] != "" {
				fields = append(fields, p+"="+found[p])
			}
		}
		break
	}
	return fields
}

// apply puts lines of a format of gavel's in the place of the file's rows.
func (s *Set) apply(how Mapping) error {
	t, field, err := how.read()
	if err != nil {
		return fmt.Errorf("--%s %w", field, err)
	}
	s.Mapping = t.canonical()
	if err := s.assemble(t.assemble); err != nil {
		return err
	}
	s.File, s.SHA256 = s.SHA256, hexSum([]byte(s.SHA256+" "+s.Mapping.String()))
	s.use(t.makes)
	if s.Options.Mapping.empty() {
		s.Notes = slices.Insert(s.Notes, 0,
			fmt.Sprintf("%s: the columns are read as their names say: %s", s.label(), s.Mapping))
	}
	return nil
}

// assemble makes lines of the rows of a file.
func (t *mapper) assemble(rows Rows) ([]string, error) {
	var first []byte
	for row := range rows.All {
		if first == nil {
			first = slices.Clone(row.Text)
		}
		line, err := t.line(row)
		if err != nil {
			rows.Reject(row.Line, err)
		} else if line != nil {
			rows.Emit(row.Line, line)
		}
	}
	if t.zeros {
		return nil, errors.New("labels are 0 and 1: which response each names must be said, " +
			"with --label-values 'A>B=…,B>A=…'")
	}
	return t.notes(), t.missing(first)
}

// missing complains of a column that no row has.
func (t *mapper) missing(first []byte) error {
	has := keysOf(first)
	for _, p := range parts {
		for _, c := range t.columns[p.name] {
			if len(has) > 0 && !t.seen[c] {
				return fmt.Errorf("--field %s=%s: no row has anything in a column of that name; there are %s",
					p.name, c, listed(sortedKeys(has)))
			}
		}
	}
	return nil
}

func (t *mapper) notes() (out []string) {
	if t.unlabelled > 0 {
		tied := ""
		if t.tied > 0 {
			tied = fmt.Sprintf(", %d of them labelled a tie", t.tied)
		}
		out = append(out, fmt.Sprintf("%d of %d pairs have no label that names a response%s: "+
			"they are judged, count for consistency and position, and are left out of what needs a label.",
			t.unlabelled, t.rows, tied))
	}
	return append(out, notes(note{t.several, "rows, in which several responses are chosen: none is the best"})...)
}

// complete holds the parts to what an item needs.
func (t *mapper) complete() error {
	together := func(a, b string) error {
		if (t.columns[a] == nil) != (t.columns[b] == nil) {
			return fmt.Errorf("%s and %s go together", a, b)
		}
		return nil
	}
	if err := cmp.Or(together(partA, partB), together(partChosen, partRejected)); err != nil {
		return err
	}
	named := 0
	for _, k := range kinds {
		if t.columns[k.needs[0]] != nil {
			named++
		}
	}
	switch {
	case t.columns[partQuestion] == nil:
		return errors.New("says no column of the question: question=COLUMN")
	case named > 1:
		return fmt.Errorf("%s, %s, %s and %s are of different items: name one of them",
			partA, partOptions, partOutputs, partChosen)
	case t.columns[partLabel] != nil && t.columns[partPreference] != nil:
		return errors.New("label and preference: name one; a preference may be a tie, a label names a response")
	case t.columns[partPreference] != nil && t.columns[partA] == nil:
		return errors.New("a preference is one of response_a and response_b: name their columns")
	case named == 0 && t.columns[partLabel] == nil, t.columns[partOptions] != nil && t.columns[partLabel] == nil:
		return errors.New("says no column of the right answer: label=COLUMN; " +
			"or name those of response_a and response_b, of outputs, or of chosen and rejected")
	}
	for _, p := range parts {
		if n := len(t.columns[p.name]); n > 1 && !p.list && p.join == "" {
			return fmt.Errorf("%s has %d columns: it has one", p.name, n)
		}
	}
	return nil
}
