package labels

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/phrases"
)

// drawItems chooses the items to label, at random by seed. It returns an error for items that people cannot label.
func (d *Desk) drawItems() error {
	n := d.set.Len()
	for i := range n {
		item, err := d.set.Item(i)
		if err != nil {
			return err
		}
		if item.Shape.Info().LabelQuestion == "" {
			return fmt.Errorf("%s: items of the shape %q cannot be labelled here: "+
				"pairs, preferences, options, choices, numbers and responses with scores can", d.DatasetName, item.Shape)
		}
	}
	d.items = datasets.DrawOrder(n, d.set.ItemID, d.Seed)[:min(n, cmp.Or(d.Sample, n))]
	return nil
}

// randomNumber returns a number from 0 to below 1 that depends on the seed and the words alone.
func (d *Desk) randomNumber(words ...string) float64 {
	sum := sha256.Sum256([]byte(strconv.FormatInt(d.Seed, 10) + "\x00" + strings.Join(words, "\x00")))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// turns returns the items that a person is shown: all drawn items in an order of the person's own, and some of them
// again after repeatAfter others.
func (d *Desk) turns(name string) (turns []turn) {
	items := d.shuffle("order", name, d.items)
	repeated := d.shuffle("again", name, items[:max(0, len(items)-repeatAfter)])
	repeated = repeated[:min(len(repeated), int(math.Round(d.RepeatShare*float64(len(items)))))]
	for k, i := range items {
		turns = append(turns, turn{item: i})
		if k >= repeatAfter && slices.Contains(repeated, items[k-repeatAfter]) {
			turns = append(turns, turn{item: items[k-repeatAfter], repeat: true})
		}
	}
	return turns
}

// shuffle returns items in a random order that depends on the seed, a word and a person's name.
func (d *Desk) shuffle(word, name string, items []int) []int {
	keys := make(map[int]float64, len(items))
	for _, i := range items {
		keys[i] = d.randomNumber(word, name, d.set.ItemID(i))
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
}

// candidateOrder returns the indexes of an item's candidates in the order in which a person is shown them: drawn by
// seed, and reversed when the item is shown again. The options of a question keep the dataset's order.
func (d *Desk) candidateOrder(name string, item datasets.Item, repeat bool) []int {
	var order []int
	for k, c := range item.Candidates {
		if c.Text != "" && !c.Unrelated && (!item.Shape.Info().SideBySide || k < 2) || item.Shape == datasets.ShapePair {
			order = append(order, k)
		}
	}
	if item.Shape.Info().Ordered {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(d.randomNumber("side", name, item.ID, item.Candidates[a].ID),
			d.randomNumber("side", name, item.ID, item.Candidates[b].ID))
	})
	if repeat {
		slices.Reverse(order)
	}
	return order
}

// ExportDataset writes the items of the dataset that have a label of the majority in the file at path, with these
// labels, as a dataset to out. It leaves out items on which people are evenly split; a response gets the score of each
// person. n is the number of items written.
func ExportDataset(set *datasets.Set, path, out string) (n int, notes []string, err error) {
	f, err := Read(path)
	if err != nil {
		return 0, nil, err
	}
	changed := 0
	f.Labels = slices.DeleteFunc(f.Labels, func(l Label) bool {
		i, ok := set.Find(l.Item)
		if !ok || l.SHA256 == "" {
			return !ok
		}
		line, err := itemSHA256(set, i)
		if err == nil && line == l.SHA256 {
			return false
		}
		changed++
		return true
	})
	label := f.Majority()
	split := len(label)
	if set.Format != datasets.ScoresFormat.Name {
		maps.DeleteFunc(label, func(_, majority string) bool { return majority == "" })
	}
	split -= len(label)
	n, notes, err = datasets.WriteLabelled(set, label, f.byItem(), out)
	if changed > 0 {
		notes = append(notes, phrases.Sentence("labels.changed", changed))
	}
	if split > 0 {
		notes = append(notes, phrases.Sentence("labels.split", split))
	}
	return n, notes, err
}

// DefaultPath returns the path of the file of labels of a dataset, given by name or path: next to the dataset's file,
// or in the current folder if it is not a file.
func DefaultPath(name string) string {
	base := filepath.Base(name) + ".labels.jsonl"
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return base
	}
	return filepath.Join(filepath.Dir(name), base)
}
