package datasets

import (
	"bytes"
	"fmt"
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
		said, is := label[set.ID(i)]
		if !is {
			continue
		}
		it, err := set.Item(i)
		if err != nil {
			return 0, nil, err
		}
		if it.Shape == Pair && said == "tie" {
			ties++
		}
		line, err := it.labelled(said)
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

// labelled is the item as a line of a format of gavel's, with another label.
func (it Item) labelled(said string) ([]byte, error) {
	at := slices.IndexFunc(it.Candidates, func(c Candidate) bool { return c.ID == said })
	if at < 0 && it.Shape != Number && said != "tie" {
		return nil, fmt.Errorf("%q of %s is none of its answers", said, it.ID)
	}
	q := mappedQuestion{ID: it.ID, Category: it.Group, Source: it.Source, Question: it.Question, Gold: &said}
	switch it.Shape {
	case Pair:
		p := pairLine{
			PairID:    &it.ID,
			Source:    it.Source,
			Question:  &it.Question,
			ModelA:    it.Candidates[0].Model,
			ModelB:    it.Candidates[1].Model,
			ResponseA: &it.Candidates[0].Text,
			ResponseB: &it.Candidates[1].Text,
			Label:     new(noLabel),
		}
		if at >= 0 {
			p.Label = &pairLabels[at]
		}
		return codec.Marshal(p)
	case Preference:
		if at < 0 {
			q.Gold = new("C")
		}
		q.ResponseA = &it.Candidates[0].Text
		q.ResponseB = &it.Candidates[1].Text
		q.ModelA = it.Candidates[0].Model
		q.ModelB = it.Candidates[1].Model
	case Choice:
		for _, c := range it.Candidates {
			q.Options = append(q.Options, c.Text)
		}
	case Options:
		it.Candidates = slices.Clone(it.Candidates)
		for k := range it.Candidates {
			it.Candidates[k].Rank = nil
		}
		if at >= 0 {
			it.Candidates[at].Rank = new(0)
		}
		return OptionsLine(it)
	}
	return codec.Marshal(q)
}
