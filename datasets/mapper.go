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

// mapper converts the rows of a file to lines of gavel's formats, by a mapping.
type mapper struct {
	columnsByPart map[string][]string // names of the columns that hold each part of an item, by the part's name
	labelSides    map[string]int      // index of the candidate that a label names, or sideTie; nil without --label-values
	labelValues   []string            // label values as given: "A>B=model_a"
	nonempty      map[string]bool     // names of the columns with a value in some row

	format *Format // format of the lines written; nil before the first line
	// rows counts the rows converted, unlabelled the pairs among them without a label for a response, tieCount those of
	// these with the label tie, and multiChosenRows the rows left out because several responses are the chosen ones.
	rows, unlabelled, tieCount, multiChosenRows int

	hasZeroLabel bool        // a pair has the label 0: a label 1 may mean the first or the second
	scale        *[2]float64 // lowest and highest score that people could give; nil: unknown
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// line converts a row to a line of a format; nil if the row is left out.
func (t *mapper) line(row rows.Row) ([]byte, error) {
	var cells map[string]json.RawMessage
	if err := decode(row.Text, &cells); err != nil {
		return nil, err
	}
	r := tableRow{mapper: t, cells: cells, partTexts: map[string]string{}, lists: map[string][]string{}}
	var err error
	for _, p := range itemParts {
		texts, bad := r.texts(p)
		err = cmp.Or(err, bad)
		r.lists[p.Name] = texts
		r.partTexts[p.Name] = strings.Join(texts, p.Separator)
	}
	if err != nil {
		return nil, err
	}
	r.partTexts[partID] = cmp.Or(r.partTexts[partID], strconv.Itoa(row.Line))
	item, err := r.item()
	if err != nil || item.Shape == "" {
		return nil, err
	}
	f := &QuestionsFormat
	switch item.Shape {
	case ShapePair:
		f = &JudgeBenchFormat
		item.Source = cmp.Or(item.Group, item.Source)
	case ShapeOptions:
		f = &OptionsFormat
	case ShapeResponse:
		f = &ScoresFormat
	}
	if t.format == nil {
		t.format = f
	}
	if t.format != f {
		return nil, fmt.Errorf("a row of format %s in a file of format %s: split the file", f.Name, t.format.Name)
	}
	line, err := item.encodeLine()
	if err == nil {
		_, err = f.Parse(line)
	}
	if err != nil {
		return nil, err
	}
	t.rows++
	return line, nil
}

// tableRow holds the values of one row of a file with mapped columns.
type tableRow struct {
	*mapper
	cells     map[string]json.RawMessage // values by column
	partTexts map[string]string          // the text of each part of an item, joined from its columns
	lists     map[string][]string        // the texts of each part, not joined
	outputs   []json.RawMessage          // the values whose texts are the outputs
}

// columnValue returns the value of a column, given by its name or by a path of keys and indexes with dots between them;
// nil if it is absent or null.
func (r tableRow) columnValue(path string) json.RawMessage {
	value, has := r.cells[path]
	if !has {
		name, rest, _ := strings.Cut(path, ".")
		for value = r.cells[name]; rest != "" && value != nil; {
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

// textOf returns the value of a column as a text: a number or boolean in its original notation, an object by its text.
// A list, or an object without a text, is an error.
func textOf(column string, value json.RawMessage) (string, error) {
	switch value[0] {
	case '"':
		var s string
		return s, json.Unmarshal(value, &s)
	case '{':
		var o output
		if json.Unmarshal(value, &o) == nil {
			return *o.Text, nil
		}
		fallthrough
	case '[':
		return "", fmt.Errorf("column %q is %s: name a value in it, such as %s.0 or %s.content",
			column, rows.JSONType(value), column, column)
	}
	return string(value), nil
}

// texts returns the texts of a part's columns. A column of a list part may itself hold a list. Empty texts at the end
// of a list are dropped.
func (r *tableRow) texts(p part) (texts []string, err error) {
	for _, c := range r.columnsByPart[p.Name] {
		value := r.columnValue(c)
		if value == nil {
			continue
		}
		r.nonempty[c] = true
		items := []json.RawMessage{value}
		if p.List {
			items = elements(value)
		}
		for _, item := range items {
			text, bad := textOf(c, item)
			err = cmp.Or(err, bad)
			texts = append(texts, text)
			if p.Name == partOutputs {
				r.outputs = append(r.outputs, item)
			}
		}
	}
	for p.List && len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	if p.Needed && texts == nil && r.columnsByPart[p.Name] != nil {
		err = fmt.Errorf("column %q has no text", r.columnsByPart[p.Name][0])
	}
	return texts, err
}

// elements returns the elements of a list, or of a list encoded in a string; any other value is the only element.
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

// item converts the row to an item; one without a shape is left out.
func (r tableRow) item() (item Item, err error) {
	item = Item{
		ID:        r.partTexts[partID],
		Question:  r.partTexts[partQuestion],
		Group:     r.partTexts[partGroup],
		Source:    r.partTexts[partSource],
		Gold:      NoGold,
		Reference: r.partTexts[partReference],
	}
	switch {
	case r.columnsByPart[partChosen] != nil:
		err = r.setChosen(&item)
	case r.columnsByPart[partResponseA] != nil:
		err = r.setPair(&item)
	case r.columnsByPart[partOptions] != nil:
		item.Shape = ShapeChoice
		item.Gold, err = r.responseIndex(r.partTexts[partLabel], len(r.lists[partOptions]), r.lists[partOptions])
		item.Candidates = lettered(r.lists[partOptions]...)
	case r.columnsByPart[partOutputs] != nil:
		err = r.setOptions(&item)
	case r.columnsByPart[partResponse] != nil:
		item.Shape = ShapeResponse
		item.Candidates = lettered(r.partTexts[partResponse])
		item.People = &PeopleScores{Scale: r.scale}
		item.People.Scores, err = r.scores()
	default:
		item.Shape = ShapeNumber
		item.Answer = strings.TrimSpace(r.partTexts[partLabel])
	}
	return item, err
}

// setPair fills in two responses and the one that the label, or people's preference, names by position or by model.
func (r tableRow) setPair(item *Item) error {
	item.Shape = ShapePair
	label := r.partTexts[partLabel]
	if r.columnsByPart[partPreference] != nil {
		item.Shape = ShapePreference
		label = r.partTexts[partPreference]
	}
	side, err := r.responseIndex(label, 2, []string{r.partTexts[partModelA], r.partTexts[partModelB]})
	item.Candidates = preferenceCandidates(
		r.partTexts[partModelA], r.partTexts[partResponseA],
		r.partTexts[partModelB], r.partTexts[partResponseB],
	)
	item.Gold = side
	switch {
	case err != nil:
	case item.Shape == ShapePreference && side == sideTie:
		item.Gold = 2
	case item.Shape == ShapePair && side < 0:
		r.unlabelled++
		if side == sideTie {
			r.tieCount++
		}
	}
	return err
}

// setOptions fills in options, texts or objects as in [OptionsFormat], ranked by a list of ranks; without one, the
// labelled option is the best.
func (r tableRow) setOptions(item *Item) error {
	texts := r.lists[partOutputs]
	best, err := r.responseIndex(r.partTexts[partLabel], len(texts), texts)
	var l optionsLine
	for _, text := range r.lists[partRanks] {
		var rank jsonRank
		err = cmp.Or(err, rank.UnmarshalJSON([]byte(text)))
		l.Ranks = append(l.Ranks, rank)
	}
	for i := range texts {
		var o output
		json.Unmarshal(r.outputs[i], &o) // fails for a number
		o.Text = &texts[i]
		if i == best && l.Ranks == nil {
			o.Rank.rank = new(0)
		}
		l.Outputs = append(l.Outputs, o)
	}
	candidates, bad := l.candidates()
	if err := cmp.Or(err, bad); err != nil {
		return err
	}
	return item.setRankedOptions(candidates)
}

// setRankedOptions turns the item into one of ranked options, with these candidates.
func (item *Item) setRankedOptions(candidates []Candidate) error {
	err := assignOptionIDs(candidates)
	ranked := optionsItem(item.ID, item.Question, candidates)
	ranked.Source, ranked.Reference = item.Source, item.Reference
	ranked.Group = cmp.Or(item.Group, ranked.Group)
	*item = ranked
	return err
}

// drawChosenPosition draws the position of the chosen response among n by the item's id, since it comes first in every
// row of the file.
func drawChosenPosition(id string, n int) int { return int(drawKey("chosen", 0, id) % uint64(n)) }

// setChosen makes a pair of the chosen and one rejected response, or ranked options if several were rejected.
func (r tableRow) setChosen(item *Item) error {
	chosen := r.lists[partChosen]
	rejected := r.lists[partRejected]
	switch {
	case len(chosen) == 0 || len(rejected) == 0:
		return fmt.Errorf("%d chosen and %d rejected responses: there is nothing to choose", len(chosen), len(rejected))
	case len(chosen) > 1:
		r.multiChosenRows++
		return nil
	}
	candidates := []Candidate{{Text: chosen[0], Rank: new(0)}}
	for _, text := range rejected {
		candidates = append(candidates, Candidate{Text: text, Rank: new(1)})
	}
	place := drawChosenPosition(item.ID, len(candidates))
	candidates[0], candidates[place] = candidates[place], candidates[0]
	if len(rejected) > 1 {
		return item.setRankedOptions(candidates)
	}
	item.Shape = ShapePair
	item.Candidates = candidates
	item.Gold = place
	return nil
}
