package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"gavel/internal/codec"
)

// WriteLabelled writes the items of a set that have a label, by their ids, with that as the right answer: the id of a
// candidate, a number, or "tie" of two responses. They are lines of gavel's formats. A pair on which people say tie
// is written without a label, a preference with C.
func WriteLabelled(set *Set, label map[string]string, out string) (n int, notes []string, err error) {
	var lines bytes.Buffer
	ties := 0
	for i := range set.Len() {
		best, is := label[set.ID(i)]
		if !is {
			continue
		}
		it, err := set.Item(i)
		if err != nil {
			return 0, nil, err
		}
		if it.Shape == Pair && best == "tie" {
			ties++
		}
		line, err := it.labelled(best)
		if err != nil {
			return 0, nil, err
		}
		lines.Write(append(line, '\n'))
		n++
	}
	if n == 0 {
		return 0, nil, fmt.Errorf("no item of %s has a label", set.Name)
	}
	if ties > 0 {
		notes = append(notes, fmt.Sprintf("%d pairs are a tie, and have no label in the file: "+
			"they count for consistency and position", ties))
	}
	return n, notes, writeNew(out, lines.Bytes())
}

// labelled is the item as a line with another label.
func (it Item) labelled(best string) ([]byte, error) {
	it.Candidates = slices.Clone(it.Candidates)
	it.Gold = it.candidate(best)
	if it.Gold < 0 && it.Shape != Number && best != "tie" {
		return nil, fmt.Errorf("%q of %s is none of its answers", best, it.ID)
	}
	switch {
	case it.Shape == Number:
		it.Answer = best
	case it.Shape == Options:
		for k := range it.Candidates {
			it.Candidates[k].Rank = nil
		}
		if it.Gold >= 0 {
			it.Candidates[it.Gold].Rank = new(0)
		}
	case it.Shape == Preference && it.Gold < 0:
		it.Gold = 2
	}
	return it.line()
}

// line is the item as a line of the format that gavel writes for its shape: [JudgeBench] for pairs, [OptionLines],
// else [Questions].
func (it Item) line() ([]byte, error) {
	c := it.Candidates
	q := questionLine{
		ID:       quoted(it.ID),
		Category: it.Group,
		Source:   it.Source,
		Question: &it.Question,
	}
	if gold := it.GoldID(); gold != "" {
		q.Gold = quoted(gold)
	}
	switch it.Shape {
	case Options:
		return OptionsLine(it)
	case Pair:
		p := pairLine{
			PairID:    &it.ID,
			Source:    it.Source,
			Question:  &it.Question,
			ModelA:    c[0].Model,
			ModelB:    c[1].Model,
			ResponseA: &c[0].Text,
			ResponseB: &c[1].Text,
			Label:     new(noLabel),
		}
		if it.Gold >= 0 {
			p.Label = &pairLabels[it.Gold]
		}
		return codec.Marshal(p)
	case Preference:
		q.ResponseA = &c[0].Text
		q.ResponseB = &c[1].Text
		q.ModelA = c[0].Model
		q.ModelB = c[1].Model
	case Choice:
		for _, option := range c {
			q.Options = append(q.Options, option.Text)
		}
	}
	return codec.Marshal(q)
}

func quoted(text string) json.RawMessage {
	raw, _ := codec.Marshal(text) // cannot fail
	return raw
}

// writeNew writes lines to a new file, after a check that they are readable items with different ids.
func writeNew(path string, text []byte) error {
	if _, err := openBytes(path, text, OpenOptions{}); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: name another --out, or remove it", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Close())
	if err != nil {
		os.Remove(path)
	}
	return err
}
