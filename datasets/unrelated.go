package datasets

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Unrelated draws options for items of the set they come from: one of another
// item with another instruction, put first, to see whether a judge falls for it.
//
// What an item is given depends on the seed, its id and the items of the set, and on nothing else: not on their order
// in the file, nor on which of them are judged, nor on who asks first. All items with another instruction are as likely
// as each other, then all options of the one drawn.
type Unrelated struct {
	set  *Set
	seed int64
	rows []questionRow // by question, then id: those of one question stand together
}

// questionRow is an item, known by its question.
type questionRow struct {
	question uint64
	row      int32
}

// NewUnrelated reads the set once. A set in which all items have the same instruction is an error.
func NewUnrelated(set *Set, seed int64) (*Unrelated, error) {
	u := &Unrelated{set: set, seed: seed, rows: make([]questionRow, set.Len())}
	for i := range u.rows {
		it, err := set.Item(i)
		if err != nil {
			return nil, err
		}
		u.rows[i] = questionRow{question: questionKey(it.Question), row: int32(i)}
	}
	slices.SortFunc(u.rows, func(a, b questionRow) int {
		return cmp.Or(cmp.Compare(a.question, b.question), strings.Compare(set.ID(int(a.row)), set.ID(int(b.row))))
	})
	if n := len(u.rows); n == 0 || u.rows[0].question == u.rows[n-1].question {
		return nil, fmt.Errorf("%s: an unrelated option is one of another instruction, "+
			"and all %d items have the same", set.label(), n)
	}
	return u, nil
}

// maxDraws limits the draws of options that cannot be told from the item's own.
const maxDraws = 64

// Add puts an unrelated option before those of an item. An empty option, or one that says what one of the item's own
// says, is drawn again. It may be called from many goroutines.
func (u *Unrelated) Add(it Item) (Item, error) {
	if slices.ContainsFunc(it.Candidates, func(c Candidate) bool { return c.Unrelated }) {
		return Item{}, fmt.Errorf("item %q has an unrelated option already", it.ID)
	}
	key := questionKey(it.Question)
	order := func(a questionRow, key uint64) int { return cmp.Compare(a.question, key) }
	first, _ := slices.BinarySearchFunc(u.rows, key, order)
	end := first
	for end < len(u.rows) && u.rows[end].question == key {
		end++
	}
	others := len(u.rows) - (end - first)
	if others == 0 { // of an item of another set
		return Item{}, fmt.Errorf("%s: no item has another instruction than item %q", u.set.label(), it.ID)
	}
	for n := range maxDraws {
		at := int(drawKey(fmt.Sprintf("unrelated item %d", n), u.seed, it.ID) % uint64(others))
		if at >= first {
			at += end - first
		}
		from, err := u.set.Item(int(u.rows[at].row))
		if err != nil {
			return Item{}, err
		}
		options := slices.DeleteFunc(slices.Clone(from.Candidates), func(c Candidate) bool { return c.Unrelated })
		c := options[drawKey(fmt.Sprintf("unrelated option %d", n), u.seed, it.ID)%uint64(len(options))]
		if !says(it, c.Text) {
			return withUnrelated(it, c), nil
		}
	}
	return Item{}, fmt.Errorf("item %q: no unrelated option was found: "+
		"those of the other items are empty, or the same as its own", it.ID)
}

// says tells whether an item has an option with this text, or the text is none.
func says(it Item, text string) bool {
	text = strings.TrimSpace(text)
	return text == "" ||
		slices.ContainsFunc(it.Candidates, func(c Candidate) bool { return strings.TrimSpace(c.Text) == text })
}

func withUnrelated(it Item, c Candidate) Item {
	it.Candidates = slices.Insert(slices.Clone(it.Candidates), 0,
		Candidate{ID: unrelatedID, Model: c.Model, Text: c.Text, Unrelated: true})
	it.Raw = nil // the line it was read from says nothing of this option
	if it.Gold != NoGold {
		it.Gold++
	}
	return it
}

// questionKey stands for a question, white space around it aside. Two questions
// that share one would keep each other's options from being drawn, no more.
func questionKey(question string) uint64 {
	return hash("%s", strings.TrimSpace(question))
}

// drawKey is a number that only these decide.
func drawKey(what string, seed int64, ids ...string) uint64 {
	return hash("%s\x00%d\x00%s", what, seed, strings.Join(ids, "\x00"))
}
