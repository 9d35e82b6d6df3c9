package store

import (
	"context"
	"slices"
	"strings"

	"gavel/internal/server/memo"
	"gavel/judging"
)

// Search finds the items that contain a text: in their id, question or candidates, or in the judge's replies. It
// returns a function that reports whether the item with a number is one of them.
func (x *Index) Search(ctx context.Context, text string) (func(int) bool, error) {
	name := x.Run + "\x00" + text
	has, err := memo.Get(ctx, x.store.searchMemo, name, x.stamps, func() ([]bool, error) { return x.searchText(text) })
	return func(i int) bool { return has[i] }, err
}

// searchText searches the run's files for a text, ignoring case. It returns for each item whether it contains the text.
func (x *Index) searchText(text string) ([]bool, error) {
	matches := make([]bool, len(x.items))
	want := strings.ToLower(text)
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), want) }
	for i := range x.items {
		matches[i] = has(x.ItemID(i))
	}
	each := func(file string, texts func(line []byte) (id string, texts []string)) error {
		f, info, err := x.store.OpenRunFile(x.Run, file)
		if err != nil {
			return nil // a run without the file has no such texts
		}
		defer f.Close()
		decode := func(line []byte) (string, error) {
			if id, texts := texts(line); slices.ContainsFunc(texts, has) {
				return id, nil
			}
			return "", nil
		}
		return judging.EachStored(x.store.reader(f, 0, info), decode, func(l judging.StoredLine[string]) error {
			if i, ok := x.FindItem(l.Value); ok && l.Value != "" {
				matches[i] = true
			}
			return nil
		})
	}
	err := each(judging.ItemsFile, func(line []byte) (string, []string) {
		item, err := x.Manifest.DecodeItem(line)
		if err != nil {
			return "", nil
		}
		texts := []string{item.Question}
		if item.Answered != nil {
			texts = append(texts, item.Answered.Text)
		}
		for _, c := range item.Candidates {
			texts = append(texts, c.Text)
		}
		return item.ID, texts
	})
	if err == nil {
		err = each(judging.RecordsFile, func(line []byte) (string, []string) {
			r, err := judging.DecodeRecord(line)
			if err != nil {
				return "", nil
			}
			var texts []string
			for _, reply := range r.Replies {
				texts = append(texts, reply.Text, reply.Thinking)
			}
			return r.Item, texts
		})
	}
	return matches, err
}
