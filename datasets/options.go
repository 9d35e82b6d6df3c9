package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/codec"
)

// OptionsFormat reads an instruction and its options, one JSON object per line, in the form of GradeLab
// (arXiv 2406.12043): a prompt and a list of outputs.
//
// An output is a string, or an object with text and optionally rank and model. Ranks may instead be in a list of their
// own. The lowest rank is the best; null means unknown. The item's id is the key id or, without one, the row number:
// then its position is part of its identity.
//
// [EncodeOptions] writes items in this form too, with the ids of the options and the mark of an unrelated one.
var OptionsFormat = newFormat(optionsName, Format{
	Parse:    parseOptions,
	Assemble: addRowNumbers,
})

// addRowNumbers gives rows without an id their number, and leaves out rows with fewer than two options.
func addRowNumbers(rows FileRows) ([]string, error) {
	tooFew := 0
	for row := range rows.Rows {
		item, err := parseOptions(row.Text)
		text := row.Text
		if err == nil && item.ID == "" {
			item.ID = strconv.Itoa(row.Line)
			text, err = EncodeOptions(item)
		}
		switch {
		case errors.Is(err, errFewOptions):
			tooFew++
		case err != nil:
			rows.Reject(row.Line, err)
		default:
			rows.EmitLine(row.Line, text)
		}
	}
	if tooFew == 0 {
		return nil, nil
	}
	return []string{fmt.Sprintf("%s with fewer than 2 outputs left out: "+
		"there is nothing to choose, and no entropy.", countWithNoun(tooFew, "row"))}, nil
}

const optionsName = "options"

// unrelatedID is the candidate id of an option added from another item.
const unrelatedID = "00"

// optionsLine is a line of the format OptionsFormat.
type optionsLine struct {
	ID        *textOrNumber `json:"id,omitempty"`
	Source    string        `json:"source,omitempty"`
	Group     string        `json:"group,omitempty"`
	Reference string        `json:"reference,omitempty"`
	Prompt    *string       `json:"prompt" must:"be"`
	Outputs   []output      `json:"outputs" must:"be"`
	Ranks     []jsonRank    `json:"ranks,omitempty"`
}

// output is one option of a line.
type output struct {
	ID        string   `json:"id,omitempty"`
	Text      *string  `json:"text"`
	Model     string   `json:"model,omitempty"`
	Rank      jsonRank `json:"rank,omitzero"`
	Unrelated bool     `json:"unrelated,omitempty"`
}

func (o *output) UnmarshalJSON(data []byte) (err error) {
	type object output // without this method
	*o = output{}
	switch data[0] {
	case '"':
		return json.Unmarshal(data, &o.Text)
	case '{':
		err = json.Unmarshal(data, (*object)(o))
	}
	if err == nil && o.Text == nil {
		err = errors.New(`an output is neither a string nor an object with "text"`)
	}
	return err
}

// jsonRank holds a rank, or nil for null. Tools without nullable integers write ranks as floats, so 2.0 reads as 2.
type jsonRank struct{ rank *int }

func (r jsonRank) IsZero() bool { return r.rank == nil }

func (r jsonRank) MarshalJSON() ([]byte, error) { return json.Marshal(r.rank) }

func (r *jsonRank) UnmarshalJSON(data []byte) error {
	r.rank = nil
	if string(data) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > math.MaxInt32 {
		return fmt.Errorf("rank %s is not a whole number from 0", clip(string(data)))
	}
	rank := int(f)
	r.rank = &rank
	return nil
}

// clip returns a text on one line, cut after 40 bytes, for messages.
func clip(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) > 40 {
		text = strings.ToValidUTF8(text[:40], "") + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// errFewOptions is the error for an item with nothing to choose from.
var errFewOptions = errors.New("fewer than 2 options: there is nothing to choose, and no entropy")

var parseOptions = parser((*optionsLine).item)

func (l *optionsLine) item() (Item, error) {
	if l.ID != nil && *l.ID == "" {
		return Item{}, errors.New(`"id" is empty`)
	}
	candidates, err := l.candidates()
	if err != nil {
		return Item{}, err
	}
	id := cmp.Or(l.ID, new(textOrNumber))
	item := optionsItem(string(*id), *l.Prompt, candidates)
	item.Source, item.Group = l.Source, cmp.Or(l.Group, item.Group)
	item.Reference = l.Reference
	return item, nil
}

// candidates returns the outputs of the line as candidates with ids and ranks.
func (l *optionsLine) candidates() ([]Candidate, error) {
	if l.Ranks != nil && len(l.Ranks) != len(l.Outputs) {
		return nil, fmt.Errorf(`"ranks" has %d entries for %d outputs`, len(l.Ranks), len(l.Outputs))
	}
	related := 0
	candidates := make([]Candidate, len(l.Outputs))
	for i, o := range l.Outputs {
		c := Candidate{ID: o.ID, Model: o.Model, Text: *o.Text, Rank: o.Rank.rank, Unrelated: o.Unrelated}
		if l.Ranks != nil && l.Ranks[i].rank != nil {
			if c.Rank != nil {
				return nil, fmt.Errorf(`output %d has a rank of its own and one in "ranks"`, i+1)
			}
			c.Rank = l.Ranks[i].rank
		}
		switch {
		case c.Unrelated && (i > 0 || c.ID != unrelatedID):
			return nil, fmt.Errorf("output %d is marked as unrelated; only the first may be, with id %q", i+1, unrelatedID)
		case c.Unrelated && c.Rank != nil:
			return nil, errors.New("the unrelated output has a rank")
		case !c.Unrelated:
			related++
		}
		candidates[i] = c
	}
	if related < 2 {
		return nil, errFewOptions
	}
	return candidates, assignOptionIDs(candidates)
}

// assignOptionIDs gives options without ids the ids 01, 02, … in order. Existing ids must be in ascending order; gaps
// are allowed, since options may have been left out.
func assignOptionIDs(candidates []Candidate) error {
	related := candidates
	if related[0].Unrelated {
		related = related[1:]
	}
	if !slices.ContainsFunc(related, func(c Candidate) bool { return c.ID != "" }) {
		width := max(2, len(strconv.Itoa(len(related))))
		for i := range related {
			related[i].ID = fmt.Sprintf("%0*d", width, i+1)
		}
		return nil
	}
	last := unrelatedID
	for i, c := range related {
		if c.ID <= last {
			return fmt.Errorf("id %q of output %d is out of order: "+
				"give all outputs ids that sort after %q and in their order, or none",
				c.ID, i+1+len(candidates)-len(related), unrelatedID)
		}
		last = c.ID
	}
	return nil
}

// optionsItem returns an item of shape Options. Its group is the number of options, which determines chance and the
// maximum entropy.
func optionsItem(id, question string, candidates []Candidate) Item {
	return Item{
		ID: id, Shape: ShapeOptions, Question: question, Candidates: candidates,
		Gold: bestRanked(candidates), Group: optionsGroup(candidates),
	}
}

// optionsGroup returns the group of an item with these options, such as "4 options"; an unrelated one does not count.
func optionsGroup(candidates []Candidate) string {
	n := 0
	for _, c := range candidates {
		if !c.Unrelated {
			n++
		}
	}
	return fmt.Sprintf("%d options", n)
}

// bestRanked returns the index of the option with the lowest rank, or NoGold if two share it or an option without a
// rank might be better. With unranked options only rank 0 is certainly the best.
func bestRanked(candidates []Candidate) int {
	best := NoGold
	shared := false
	unknown := false
	for i, c := range candidates {
		switch {
		case c.Unrelated:
		case c.Rank == nil:
			unknown = true
		case best == NoGold || *c.Rank < *candidates[best].Rank:
			best, shared = i, false
		case *c.Rank == *candidates[best].Rank:
			shared = true
		}
	}
	if shared || best != NoGold && unknown && *candidates[best].Rank > 0 {
		return NoGold
	}
	return best
}

// EncodeOptions encodes the item as a line of [OptionsFormat] that reads as the same item: the items of a run are
// complete in themselves, wherever they came from and however they were changed.
func EncodeOptions(item Item) ([]byte, error) {
	id := textOrNumber(item.ID)
	l := optionsLine{ID: &id, Source: item.Source, Prompt: &item.Question, Reference: item.Reference}
	if item.Group != optionsGroup(item.Candidates) {
		l.Group = item.Group
	}
	for _, c := range item.Candidates {
		l.Outputs = append(l.Outputs, output{
			ID:        c.ID,
			Text:      &c.Text,
			Model:     c.Model,
			Rank:      jsonRank{c.Rank},
			Unrelated: c.Unrelated,
		})
	}
	line, _ := codec.Marshal(l) // only texts and numbers: cannot fail
	back, err := parseOptions(line)
	if err == nil && !sameItem(item, back) {
		err = errors.New("it reads as another item")
	}
	if err != nil {
		return nil, fmt.Errorf("item %q has no line of format %q: %w", item.ID, optionsName, err)
	}
	return line, nil
}

// PairLines returns all pairs of the item's options as lines of [JudgeBenchFormat] without a label. An option without a
// model gets its id as the model's name.
func (item Item) PairLines() (lines [][]byte) {
	pair := item
	pair.Shape = ShapePair
	pair.Source = item.Group
	pair.Gold = NoGold
	for j, b := range item.Candidates {
		b.Model = cmp.Or(b.Model, b.ID)
		for _, a := range item.Candidates[:j] {
			a.Model = cmp.Or(a.Model, a.ID)
			pair.ID = item.ID + "#" + a.ID + "-" + b.ID
			pair.Candidates = []Candidate{a, b}
			line, _ := pair.encodeLine() // only texts: cannot fail
			lines = append(lines, line)
		}
	}
	return lines
}

// sameItem reports whether two items are equal in all that a line holds: it ignores Line, Note and Raw.
func sameItem(a, b Item) bool {
	b.Line = a.Line
	b.Note = a.Note
	b.Raw = a.Raw
	return reflect.DeepEqual(a, b)
}

// ReduceOptions reduces an item to at most n options. A best-ranked one always stays. The others are drawn by seed,
// item and option alone, so that a larger n keeps all options of a smaller one. Order and ids stay, and an unrelated
// option does not count. An n below 2 means no limit.
func ReduceOptions(item Item, n int, seed int64) Item {
	var related []int
	for i, c := range item.Candidates {
		if !c.Unrelated {
			related = append(related, i)
		}
	}
	if n < 2 || len(related) <= n {
		return item
	}
	lowest := math.MaxInt // rank
	for _, i := range related {
		if r := item.Candidates[i].Rank; r != nil {
			lowest = min(lowest, *r)
		}
	}
	draw := func(i int) uint64 { return drawKey("options", seed, item.ID, item.Candidates[i].ID) }
	slices.SortStableFunc(related, func(a, b int) int { return cmp.Compare(draw(a), draw(b)) })
	best := slices.IndexFunc(related, func(i int) bool { r := item.Candidates[i].Rank; return r != nil && *r == lowest })
	keep := related[:n]
	if best >= n {
		keep = append(related[:n-1:n-1], related[best])
	}
	cut := item
	cut.Candidates, cut.Raw = nil, nil
	for i, c := range item.Candidates {
		if c.Unrelated || slices.Contains(keep, i) {
			cut.Candidates = append(cut.Candidates, c)
		}
	}
	cut.Gold = bestRanked(cut.Candidates)
	if item.Group == optionsGroup(item.Candidates) {
		cut.Group = optionsGroup(cut.Candidates)
	}
	return cut
}
