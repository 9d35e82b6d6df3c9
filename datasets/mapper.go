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
)

// mapper makes lines of gavel's formats of the rows of a file, by a mapping.
type mapper struct {
	columns map[string][]string // of each part
	values  map[string]int      // sides that the file's labels stand for; nil where they say it themselves
	labels  []string            // values as they were given: "A>B=model_a"
	seen    map[string]bool     // columns that some row has

	makes                           *Format
	rows, unlabelled, tied, several int
	zeros                           bool // a pair's label is 0: a 1 may then be the first or the second
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// line is a row as a line of the format that it makes; none where it is left out.
func (t *mapper) line(row rows.Row) ([]byte, error) {
	var has map[string]json.RawMessage
	if err := decode(row.Text, &has); err != nil {
		return nil, err
	}
	r := tableRow{mapper: t, has: has, text: map[string]string{}, lists: map[string][]string{}}
	var err error
	for _, p := range parts {
		texts, bad := r.texts(p)
		err = cmp.Or(err, bad)
		r.lists[p.name] = texts
		r.text[p.name] = strings.Join(texts, p.join)
	}
	if err != nil {
		return nil, err
	}
	r.text[partID] = cmp.Or(r.text[partID], strconv.Itoa(row.Line))
	it, err := r.item()
	if err != nil || it.Shape == "" {
		return nil, err
	}
	f := &Questions
	switch it.Shape {
	case Pair:
		f = &JudgeBench
		it.Source = cmp.Or(it.Group, it.Source)
	case Options:
		f = &OptionLines
	}
	if t.makes == nil {
		t.makes = f
	}
	if t.makes != f {
		return nil, fmt.Errorf("a row of the format %s in a file of %s: part the file", f.Name, t.makes.Name)
	}
	line, err := it.line()
	if err == nil {
		_, err = f.Parse(line)
	}
	if err != nil {
		return nil, err
	}
	t.rows++
	return line, nil
}

// tableRow is a row of a table.
type tableRow struct {
	*mapper
	has   map[string]json.RawMessage
	text  map[string]string   // by part
	lists map[string][]string // by part
}

// at finds a column: by its name or, with dots between them, by the keys and places in what it
// holds; nil for none and null.
func (r tableRow) at(path string) json.RawMessage {
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

// texts returns the texts of the part's columns, each of which is a text or, of a list, may be a list of them. Empty
// ones at the end of a list are none.
func (r tableRow) texts(p part) (texts []string, err error) {
	for _, c := range r.columns[p.name] {
		value := r.at(c)
		if value == nil {
			continue
		}
		r.seen[c] = true
		items := []json.RawMessage{value}
		if p.list {
			items = elements(value)
		}
		for _, item := range items {
			text, bad := textOf(c, item)
			err = cmp.Or(err, bad)
			texts = append(texts, text)
		}
	}
	for p.list && len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	if p.needed && texts == nil && r.columns[p.name] != nil {
		err = fmt.Errorf("column %q has no text", r.columns[p.name][0])
	}
	return texts, err
}

// elements returns the elements of a list, which a text may hold, too; of anything else itself.
func elements(value json.RawMessage) (items []json.RawMessage) {
	var packed string
	if json.Unmarshal(value, &packed) == nil && strings.HasPrefix(strings.TrimSpace(packed), "[") {
		json.Unmarshal([]byte(packed), &items)
	} else {
		json.Unmarshal(value, &items)
	}
	if items == nil {
		items = []json.RawMessage{value}
	}
	return items
}

// item returns the item of the row; one without a shape is left out.
func (r tableRow) item() (it Item, err error) {
	it = Item{
		ID:       r.text[partID],
		Question: r.text[partQuestion],
		Group:    r.text[partGroup],
		Source:   r.text[partSource],
		Gold:     NoGold,
	}
	switch {
	case r.columns[partChosen] != nil:
		err = r.choose(&it)
	case r.columns[partA] != nil:
		err = r.two(&it)
	case r.columns[partOptions] != nil:
		it.Shape = Choice
		it.Gold, err = r.side(r.text[partLabel], len(r.lists[partOptions]), r.lists[partOptions])
		it.Candidates = lettered(r.lists[partOptions]...)
	case r.columns[partOutputs] != nil:
		err = r.outputs(&it)
	default:
		it.Shape = Number
		it.Answer = strings.TrimSpace(r.text[partLabel])
	}
	return it, err
}

// two are responses of which the label, or people's preference, names one, which it may do by its model.
func (r tableRow) two(it *Item) error {
	it.Shape = Pair
	named := r.text[partLabel]
	if r.columns[partPreference] != nil {
		it.Shape = Preference
		named = r.text[partPreference]
	}
	side, err := r.side(named, 2, []string{r.text[partModelA], r.text[partModelB]})
	it.Candidates = preferred(r.text[partModelA], r.text[partA], r.text[partModelB], r.text[partB])
	it.Gold = side
	switch {
	case err != nil:
	case it.Shape == Preference && side == tieSide:
		it.Gold = 2
	case it.Shape == Pair && side < 0:
		r.unlabelled++
		if side == tieSide {
			r.tied++
		}
	}
	return err
}

// outputs are ranked by a list of ranks, or the one that the label names is the best.
func (r tableRow) outputs(it *Item) error {
	texts := r.lists[partOutputs]
	ranks := r.lists[partRanks]
	if len(ranks) > 0 && len(ranks) != len(texts) {
		return fmt.Errorf("%d ranks for %d outputs", len(ranks), len(texts))
	}
	best, err := r.side(r.text[partLabel], len(texts), texts)
	if err != nil {
		return err
	}
	candidates := make([]Candidate, len(texts))
	for i, text := range texts {
		candidates[i].Text = text
		var rank jsonRank
		if len(ranks) > 0 {
			if err := rank.UnmarshalJSON([]byte(ranks[i])); err != nil {
				return err
			}
		} else if i == best {
			rank.rank = new(0)
		}
		candidates[i].Rank = rank.rank
	}
	return it.rank(candidates)
}

// rank gives an item ranked options.
func (it *Item) rank(candidates []Candidate) error {
	if len(candidates) < 2 {
		return errFewOptions
	}
	err := nameOptions(candidates)
	ranked := optionsItem(it.ID, it.Question, candidates)
	ranked.Source = it.Source
	ranked.Group = cmp.Or(it.Group, ranked.Group)
	*it = ranked
	return err
}

// chosenPlace draws, by the item's id, the position among n at which the chosen response is shown. In the file it
// always comes first.
func chosenPlace(id string, n int) int { return int(drawKey("chosen", 0, id) % uint64(n)) }

// choose makes a pair of the chosen response and one rejected one, or a choice among options if several were rejected.
func (r tableRow) choose(it *Item) error {
	chosen := r.lists[partChosen]
	rejected := r.lists[partRejected]
	switch {
	case len(chosen) == 0 || len(rejected) == 0:
		return fmt.Errorf("%d chosen and %d rejected responses: there is nothing to choose", len(chosen), len(rejected))
	case len(chosen) > 1:
		r.several++
		return nil
	}
	candidates := []Candidate{{Text: chosen[0], Rank: new(0)}}
	for _, text := range rejected {
		candidates = append(candidates, Candidate{Text: text, Rank: new(1)})
	}
	place := chosenPlace(it.ID, len(candidates))
	candidates[0], candidates[place] = candidates[place], candidates[0]
	if len(rejected) > 1 {
		return it.rank(candidates)
	}
	it.Shape = Pair
	it.Candidates = candidates
	it.Gold = place
	return nil
}
