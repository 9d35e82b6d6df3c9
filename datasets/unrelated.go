package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// UnrelatedOptions adds to an item, in first place, an option drawn from another item with another instruction, to test
// whether a judge falls for it.
//
// The draw depends only on the seed, the item's id and the items of the set: not on their order in the file, on the
// selection of judged items, or on the order of calls. Every item with another instruction is equally likely, then
// every option of the item drawn.
type UnrelatedOptions struct {
	set  *Set
	seed int64
	rows []questionRow // sorted by question, then id: equal questions are adjacent
}

// questionRow names an item of a set and its question.
type questionRow struct {
	questionHash uint64 // hash; see questionKey
	index        int32  // index in the set
}

// NewUnrelatedOptions reads the set once. It fails if all items have the same instruction.
func NewUnrelatedOptions(set *Set, seed int64) (*UnrelatedOptions, error) {
	u := &UnrelatedOptions{set: set, seed: seed, rows: make([]questionRow, set.Len())}
	for i := range u.rows {
		item, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		u.rows[i] = questionRow{questionHash: questionKey(item.Question), index: int32(i)}
	}
	slices.SortFunc(u.rows, func(a, b questionRow) int {
		return cmp.Or(
			cmp.Compare(a.questionHash, b.questionHash),
			strings.Compare(set.ItemID(int(a.index)), set.ItemID(int(b.index))),
		)
	})
	if n := len(u.rows); n == 0 || u.rows[0].questionHash == u.rows[n-1].questionHash {
		return nil, fmt.Errorf("%s: an unrelated option needs another instruction, "+
			"but all %d items have the same", set.displayName(), n)
	}
	return u, nil
}

// maxDraws limits the repeated draws of options that equal one of the item's own.
const maxDraws = 64

// InsertInto inserts an unrelated option before the item's own. An option that is empty, or equals one of the item's
// own, is drawn again. InsertInto may be called from many goroutines.
func (u *UnrelatedOptions) InsertInto(item Item) (Item, error) {
	if slices.ContainsFunc(item.Candidates, func(c Candidate) bool { return c.Unrelated }) {
		return Item{}, fmt.Errorf("item %q already has an unrelated option", item.ID)
	}
	key := questionKey(item.Question)
	order := func(a questionRow, key uint64) int { return cmp.Compare(a.questionHash, key) }
	first, _ := slices.BinarySearchFunc(u.rows, key, order)
	end := first
	for end < len(u.rows) && u.rows[end].questionHash == key {
		end++
	}
	others := len(u.rows) - (end - first)
	if others == 0 { // the item comes from another set
		return Item{}, fmt.Errorf("%s: no item has another instruction than item %q", u.set.displayName(), item.ID)
	}
	for n := range maxDraws {
		i := int(drawKey(fmt.Sprintf("unrelated item %d", n), u.seed, item.ID) % uint64(others))
		if i >= first {
			i += end - first
		}
		from, err := u.set.Item(int(u.rows[i].index))
		if err != nil {
			return Item{}, err
		}
		options := slices.DeleteFunc(slices.Clone(from.Candidates), func(c Candidate) bool { return c.Unrelated })
		c := options[drawKey(fmt.Sprintf("unrelated option %d", n), u.seed, item.ID)%uint64(len(options))]
		if !isEmptyOrRepeated(item, c.Text) {
			return withUnrelated(item, c), nil
		}
	}
	return Item{}, fmt.Errorf("item %q: no unrelated option was found: "+
		"those of the other items are empty, or the same as its own", item.ID)
}

// isEmptyOrRepeated reports whether a text is empty or equals that of one of the item's options.
func isEmptyOrRepeated(item Item, text string) bool {
	text = strings.TrimSpace(text)
	return text == "" ||
		slices.ContainsFunc(item.Candidates, func(c Candidate) bool { return strings.TrimSpace(c.Text) == text })
}

// withUnrelated returns the item with c as an unrelated option before its own.
func withUnrelated(item Item, c Candidate) Item {
	item.Candidates = slices.Insert(slices.Clone(item.Candidates), 0,
		Candidate{ID: unrelatedID, Model: c.Model, Text: c.Text, Unrelated: true})
	item.Raw = nil // the original line lacks this option
	if item.Gold != NoGold {
		item.Gold++
	}
	return item
}

// questionKey hashes a question without surrounding white space. A collision would only keep two questions from
// getting each other's options.
func questionKey(question string) uint64 {
	return hash("%s", strings.TrimSpace(question))
}

// drawKey returns a number for a random choice, which depends only on the arguments. Other purposes give other numbers.
func drawKey(purpose string, seed int64, ids ...string) uint64 {
	return hash("%s\x00%d\x00%s", purpose, seed, strings.Join(ids, "\x00"))
}
