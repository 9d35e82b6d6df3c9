package datasets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"gavel/internal/codec"
)

// WriteLabelled writes those items of a set whose id is in label to the new file out, in gavel's formats, with the
// value in label as gold: a candidate's id, a number, or "tie" for two responses. A pair labelled tie is written
// without a label, a preference with C, and a response with the scores in people, by item and person. n is the number
// of items written; notes are sentences about the ties.
func WriteLabelled(
	set *Set, label map[string]string, people map[string]map[string]string, out string,
) (n int, notes []string, err error) {
	var lines bytes.Buffer
	ties := 0
	for i := range set.Len() {
		best, ok := label[set.ItemID(i)]
		if !ok {
			continue
		}
		item, err := set.Item(i)
		if err != nil {
			return 0, nil, err
		}
		if item.Shape == ShapePair && best == "tie" {
			ties++
		}
		line, err := item.labelledLine(best, people[item.ID])
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
		notes = append(notes, fmt.Sprintf("%d pairs are ties and have no label in the file: "+
			"they count for consistency and position bias", ties))
	}
	return n, notes, writeNew(out, lines.Bytes())
}

// labelledLine returns the item as a line with the label best: a candidate's id, a number, or "tie". A response gets
// the scores in people, by person.
func (item Item) labelledLine(best string, people map[string]string) ([]byte, error) {
	item.Candidates = slices.Clone(item.Candidates)
	item.Gold = item.candidateIndex(best)
	if item.Gold < 0 && !item.Shape.Info().Numeric && best != "tie" {
		return nil, fmt.Errorf("label %q of %s is not one of its answers", best, item.ID)
	}
	switch {
	case item.Shape == ShapeResponse:
		p := *cmp.Or(item.People, &PeopleScores{})
		p.Scores = map[string]float64{}
		item.People = &p
		for name, label := range people {
			score, err := strconv.ParseFloat(label, 64)
			if err != nil {
				return nil, fmt.Errorf("label %q of %s is no score", label, item.ID)
			}
			p.Scores[name] = score
		}
	case item.Shape == ShapeNumber:
		item.Answer = best
	case item.Shape == ShapeOptions:
		for k := range item.Candidates {
			item.Candidates[k].Rank = nil
		}
		if item.Gold >= 0 {
			item.Candidates[item.Gold].Rank = new(0)
		}
	case item.Shape == ShapePreference && item.Gold < 0:
		item.Gold = 2
	}
	return item.encodeLine()
}

// encodeLine returns the item as a line of the format that gavel writes for its shape: [JudgeBenchFormat] for pairs,
// [OptionsFormat] for options, [ScoresFormat] for responses, else [QuestionsFormat].
func (item Item) encodeLine() ([]byte, error) {
	c := item.Candidates
	q := questionLine{
		ID:       quoted(item.ID),
		Category: item.Group,
		Source:   item.Source,
		Question: &item.Question,
	}
	if gold := item.GoldID(); gold != "" {
		q.Gold = quoted(gold)
	}
	switch item.Shape {
	case ShapeOptions:
		return EncodeOptions(item)
	case ShapeResponse:
		return codec.Marshal(responseLine{
			ID:           new(textOrNumber(item.ID)),
			Source:       item.Source,
			Group:        item.Group,
			Question:     &item.Question,
			Response:     &c[0].Text,
			Reference:    item.Reference,
			PeopleScores: *item.People,
		})
	case ShapePair:
		p := pairLine{
			PairID:    &item.ID,
			Source:    item.Source,
			Question:  &item.Question,
			ModelA:    c[0].Model,
			ModelB:    c[1].Model,
			ResponseA: &c[0].Text,
			ResponseB: &c[1].Text,
			Label:     new(noLabel),
			Reference: item.Reference,
		}
		if item.Gold >= 0 {
			p.Label = &pairLabels[item.Gold]
		}
		return codec.Marshal(p)
	case ShapePreference:
		q.ResponseA = &c[0].Text
		q.ResponseB = &c[1].Text
		q.ModelA = c[0].Model
		q.ModelB = c[1].Model
	case ShapeChoice:
		for _, option := range c {
			q.Options = append(q.Options, option.Text)
		}
	}
	return codec.Marshal(q)
}

// quoted returns a text as a JSON string.
func quoted(text string) json.RawMessage {
	raw, _ := codec.Marshal(text) // cannot fail
	return raw
}

// writeNew writes lines to a new file, after checking that they are readable items with distinct ids.
func writeNew(path string, text []byte) error {
	if _, err := openBytes(path, text, OpenOptions{}); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: name another file, or remove it", path)
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
