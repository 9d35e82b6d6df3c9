package judging

import (
	"io"
	"path/filepath"

	"gavel/datasets"
)

// ShuffleIDs returns ids in the random order that a seed gives. The order depends on the ids and the seed alone: it is
// the same for every order of the dataset's file, and for every judge.
func ShuffleIDs(ids []string, seed int64) []string {
	out := make([]string, len(ids))
	for k, i := range datasets.DrawOrder(len(ids), func(i int) string { return ids[i] }, seed) {
		out[k] = ids[i]
	}
	return out
}

// DrawOrder returns the ids of an unfinished run's items in the order in which it asks about them.
func (m *Manifest) DrawOrder(ids []string) []string {
	var first, last []string
	for _, id := range ShuffleIDs(ids, *m.OrderSeed) {
		if m.HeldOut != nil && m.HeldOut.Contains(id) {
			last = append(last, id)
		} else {
			first = append(first, id)
		}
	}
	return append(first, last...)
}

// ItemIDs returns the ids of the items in a run's folder.
func ItemIDs(dir string) (ids []string, err error) {
	err = EachItem(dir, func(item datasets.Item) { ids = append(ids, item.ID) })
	return ids, err
}

// Candidate is a candidate of an item, for packages that do not know datasets.
type Candidate = datasets.Candidate

// EachResponse reads the lines of a run's items.jsonl from in, and calls use with the id of each item and its
// candidates. It skips invalid lines.
func EachResponse(m *Manifest, in io.Reader, use func(id string, responses []Candidate)) error {
	return EachStored(in, m.DecodeItem, func(line StoredLine[datasets.Item]) error {
		if line.Err == nil {
			use(line.Value.ID, line.Value.Candidates)
		}
		return nil
	})
}

// EachItem calls use for the items in a run's folder, in order.
func EachItem(dir string, use func(datasets.Item)) error {
	set, err := datasets.OpenFile(filepath.Join(dir, ItemsFile))
	if err != nil {
		return err
	}
	defer set.Close()
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return err
		}
		use(item)
	}
	return nil
}
