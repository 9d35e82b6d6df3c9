package datasets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets/rows"
	"gavel/internal/codec"
)

// mapped makes lines of gavel's formats of the rows of a file, by a mapping.
type mapped struct {
	columns map[string][]string // of each part
	values  map[string]int      // sides that the file's labels stand for; nil where they say it themselves
	seen    map[string]bool     // columns that some row has

	makes                           *Format
	rows, unlabelled, tied, several int
	zeros                           bool // a pair's label is 0: a 1 may then be the first or the second
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// line is a row as a line of the format that it makes; none where it is left out.
func (t *mapped) line(row rows.Row) ([]byte, error) {
	var has map[string]json.RawMessage
	if err := decode(row.Text, &has); err != nil {
		return nil, err
	}
	r := mappedRow{mapped: t, has: has, of: map[string]string{}, lists: map[string][]string{}}
	for _, columns := range t.columns {
		for _, c := range columns {
			t.seen[c] = t.seen[c] || r.at(c) != nil
		}
	}
	for _, p := range parts {
		var err error
		if slices.Contains(listParts, p.name) {
			r.lists[p.name], err = r.list(p.name)
		} else {
			r.of[p.name], err = r.joined(p.name, between[p.name])
		}
		if err != nil {
			return nil, err
		}
	}
	r.of[partID] = cmp.Or(r.of[partID], strconv.Itoa(row.Line))
	var err error
	var out any
	f := &Questions
	switch {
	case t.columns[partChosen] != nil:
		f, out, err = r.chosen()
	case t.columns[partPreference] != nil:
		out, err = r.preference()
	case t.columns[partA] != nil:
		f = &JudgeBench
		out, err = r.pair()
	case t.columns[partOptions] != nil:
		out, err = r.choice()
	case t.columns[partOutputs] != nil:
		f = &OptionLines
		out, err = r.outputs()
	default:
		out, err = r.numeric()
	}
	if err != nil || out == nil {
		return nil, err
	}
	if t.makes == nil {
		t.makes = f
	}
	if t.makes != f {
		return nil, fmt.Errorf("a row of the format %s in a file of %s: part the file", f.Name, t.makes.Name)
	}
	line, ready := out.([]byte)
	if !ready {
		line, err = codec.Marshal(out)
	}
	if err == nil {
		_, err = f.Parse(line)
	}
	if err != nil {
		return nil, err
	}
	t.rows++
	return line, nil
}

// listParts have a list of texts in a row, the others a text; between stands between the columns of one.
var (
	listParts = []string{partOptions, partOutputs, partRanks, partChosen, partRejected}
	between   = map[string]string{partQuestion: "\n\n", partID: ":"}
)

// mappedRow is a row of a table.
type mappedRow struct {
	*mapped
	has   map[string]json.RawMessage
	of    map[string]string   // by part
	lists map[string][]string // by part
}

// at finds a column: by its name or, with dots between them, by the keys and places in what it
// holds; nil for none and null.
func (r mappedRow) at(path string) json.RawMessage {
	value, has := r.has[path]
	if !has {
		name, rest, _ := strings.Cut(path, ".")
		for value = r.has[name]; rest != "" && value != nil; {
			name, rest, _ = strings.Cut(rest, ".")
			var list []json.RawMessage
			if n, err := strconv.Atoi(name); err == nil && json.Unmarshal(value, &list) == nil {
				if n < 0 {
					n += len(list)
				}
				value = nil
				if n >= 0 && n < len(list) {
					value = list[n]
				}
				continue
			}
			value = keysOf(value)[name]
		}
	}
	if string(value) == "null" {
		return nil
	}
	return value
}

// textOf is a text, or a number or truth value as it is written.
func textOf(column string, value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var s string
		return s, json.Unmarshal(value, &s)
	case '[', '{':
		return "", fmt.Errorf("column %q is %s: name what is in it, such as %s.0 or %s.content",
			column, rows.KindOf(value), column, column)
	}
	return string(value), nil
}

// joined are the texts of the part's columns. A column that is a part of every item has to have one.
func (r mappedRow) joined(part, between string) (string, error) {
	var texts []string
	for _, c := range r.columns[part] {
		value := r.at(c)
		if value == nil {
			continue
		}
		text, err := textOf(c, value)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 && len(r.columns[part]) > 0 && slices.Contains([]string{partQuestion, partA, partB}, part) {
		return "", fmt.Errorf("column %q has no text", r.columns[part][0])
	}
	return strings.Join(texts, between), nil
}

// list are the texts of the part's columns, each of which is a text or a list of them. Empty ones at the end are none.
func (r mappedRow) list(part string) (texts []string, err error) {
	for _, c := range r.columns[part] {
		value := r.at(c)
		if value == nil {
			continue
		}
		var items []json.RawMessage
		var packed string
		switch {
		case json.Unmarshal(value, &items) == nil:
		case json.Unmarshal(value, &packed) == nil && strings.HasPrefix(strings.TrimSpace(packed), "[") &&
			json.Unmarshal([]byte(packed), &items) == nil:
		default:
			items = []json.RawMessage{value}
		}
		for _, item := range items {
			text, err := textOf(c, item)
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
	}
	for len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	return texts, nil
}

func (r mappedRow) pair() (any, error) {
	side, err := r.sideOfTwo(partLabel)
	if err != nil {
		return nil, err
	}
	if side < 0 {
		r.unlabelled++
	}
	if side == tieSide {
		r.tied++
	}
	label := noLabel
	if side >= 0 {
		label = pairLabels[side]
	}
	p := r.pairOf(r.of[partA], r.of[partB], label)
	p.ModelA = r.of[partModelA]
	p.ModelB = r.of[partModelB]
	return p, nil
}

func (r mappedRow) pairOf(a, b, label string) pairLine {
	return pairLine{
		PairID:    new(r.of[partID]),
		Source:    cmp.Or(r.of[partGroup], r.of[partSource]),
		Question:  new(r.of[partQuestion]),
		ResponseA: &a,
		ResponseB: &b,
		Label:     &label,
	}
}

// sideOfTwo is the response that a part names, which may do so by its model.
func (r mappedRow) sideOfTwo(part string) (int, error) {
	return r.side(r.of[part], 2, []string{r.of[partModelA], r.of[partModelB]})
}

// mappedQuestion is a line of the format Questions.
type mappedQuestion struct {
	ID        string   `json:"id"`
	Category  string   `json:"category,omitempty"`
	Source    string   `json:"source,omitempty"`
	Question  string   `json:"question"`
	Options   []string `json:"options,omitempty"`
	ResponseA *string  `json:"response_a,omitempty"`
	ResponseB *string  `json:"response_b,omitempty"`
	ModelA    string   `json:"model_a,omitempty"`
	ModelB    string   `json:"model_b,omitempty"`
	Gold      *string  `json:"gold"`
}

func (r mappedRow) asked(side int) mappedQuestion {
	q := mappedQuestion{
		ID:       r.of[partID],
		Category: r.of[partGroup],
		Source:   r.of[partSource],
		Question: r.of[partQuestion],
	}
	if side >= 0 {
		q.Gold = new(letter(side))
	}
	return q
}

func (r mappedRow) preference() (any, error) {
	side, err := r.sideOfTwo(partPreference)
	if side == tieSide {
		side = 2
	}
	q := r.asked(side)
	q.ResponseA = new(r.of[partA])
	q.ResponseB = new(r.of[partB])
	q.ModelA = r.of[partModelA]
	q.ModelB = r.of[partModelB]
	return q, err
}

func (r mappedRow) choice() (any, error) {
	options := r.lists[partOptions]
	side, err := r.side(r.of[partLabel], len(options), options)
	q := r.asked(side)
	q.Options = append([]string{}, options...)
	return q, err
}

func (r mappedRow) numeric() (any, error) {
	q := r.asked(unlabelled)
	q.Gold = new(strings.TrimSpace(r.of[partLabel]))
	return q, nil
}

// outputs are ranked by a list of ranks, or the one that the label names is the best.
func (r mappedRow) outputs() (any, error) {
	texts := r.lists[partOutputs]
	ranks := r.lists[partRanks]
	if len(ranks) > 0 && len(ranks) != len(texts) {
		return nil, fmt.Errorf("%d ranks for %d outputs", len(ranks), len(texts))
	}
	best, err := r.side(r.of[partLabel], len(texts), texts)
	if err != nil {
		return nil, err
	}
	candidates := make([]Candidate, len(texts))
	for i, text := range texts {
		candidates[i].Text = text
		var rank jsonRank
		if len(ranks) > 0 {
			if err := rank.UnmarshalJSON([]byte(ranks[i])); err != nil {
				return nil, err
			}
		} else if i == best {
			rank.rank = new(0)
		}
		candidates[i].Rank = rank.rank
	}
	return r.ranked(candidates)
}

func (r mappedRow) ranked(candidates []Candidate) (any, error) {
	if len(candidates) < 2 {
		return nil, errFewOptions
	}
	if err := nameOptions(candidates); err != nil {
		return nil, err
	}
	it := optionsItem(r.of[partID], r.of[partQuestion], candidates)
	it.Source = r.of[partSource]
	it.Group = cmp.Or(r.of[partGroup], it.Group)
	return OptionsLine(it)
}

// chosen makes a pair of one chosen and one rejected response, and options of more rejected ones. The chosen one stands
// where its id draws it, since in the file it always stands first.
func (r mappedRow) chosen() (*Format, any, error) {
	chosen := r.lists[partChosen]
	rejected := r.lists[partRejected]
	switch {
	case len(chosen) == 0 || len(rejected) == 0:
		return nil, nil, fmt.Errorf("%d chosen and %d rejected responses: there is nothing to choose",
			len(chosen), len(rejected))
	case len(chosen) > 1:
		r.several++
		return nil, nil, nil
	}
	place := drawKey("chosen", 0, r.of[partID]) % uint64(1+len(rejected))
	switch {
	case len(rejected) > 1:
	case place == 0:
		return &JudgeBench, r.pairOf(chosen[0], rejected[0], pairLabels[0]), nil
	default:
		return &JudgeBench, r.pairOf(rejected[0], chosen[0], pairLabels[1]), nil
	}
	candidates := []Candidate{{Text: chosen[0], Rank: new(0)}}
	for _, text := range rejected {
		candidates = append(candidates, Candidate{Text: text, Rank: new(1)})
	}
	candidates[0], candidates[place] = candidates[place], candidates[0]
	line, err := r.ranked(candidates)
	return &OptionLines, line, err
}
