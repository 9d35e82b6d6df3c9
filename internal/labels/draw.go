package labels

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
)

// draw chooses the items.
func (d *Desk) draw() error {
	n := d.set.Len()
	for i := range n {
		it, err := d.set.Item(i)
		if err != nil {
			return err
		}
		if it.Shape.Info().Asks == "" {
			return fmt.Errorf("%s: items of the shape %q cannot be labelled here: "+
				"pairs, preferences, options, choices and numbers can", d.o.Name, it.Shape)
		}
	}
	want := d.o.Sample
	if want == 0 || want > n {
		want = n
	}
	d.items = datasets.Order(n, d.set.ID, d.o.Seed)[:want]
	return nil
}

// uniform returns a number from 0 to below 1 that depends on the seed and the words alone.
func (d *Desk) uniform(words ...string) float64 {
	sum := sha256.Sum256([]byte(strconv.FormatInt(d.o.Seed, 10) + "\x00" + strings.Join(words, "\x00")))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// turns returns what a person is shown: the items in an order of their own, and some of them again.
func (d *Desk) turns(who string) (turns []turn) {
	items := d.sorted("order", who, d.items)
	twice := d.sorted("again", who, items[:max(0, len(items)-againAfter)])
	twice = twice[:min(len(twice), int(math.Round(d.o.Again*float64(len(items)))))]
	for k, i := range items {
		turns = append(turns, turn{item: i})
		if k >= againAfter && slices.Contains(twice, items[k-againAfter]) {
			turns = append(turns, turn{item: items[k-againAfter], again: true})
		}
	}
	return turns
}

// sorted returns items in an order that a word and a person draw.
func (d *Desk) sorted(word, who string, items []int) []int {
	at := make(map[int]float64, len(items))
	for _, i := range items {
		at[i] = d.uniform(word, who, d.set.ID(i))
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b int) int { return cmp.Compare(at[a], at[b]) })
}

// order returns the candidates in the order that a person is shown: drawn by seed, the other way round the second time.
// The options of a question stand as they are.
func (d *Desk) order(who string, it datasets.Item, again bool) []int {
	var order []int
	for k, c := range it.Candidates {
		if c.Text != "" && !c.Unrelated && (!it.Shape.Info().Two || k < 2) || it.Shape == datasets.Pair {
			order = append(order, k)
		}
	}
	if it.Shape.Info().Ordered {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(d.uniform("side", who, it.ID, it.Candidates[a].ID),
			d.uniform("side", who, it.ID, it.Candidates[b].ID))
	})
	if again {
		slices.Reverse(order)
	}
	return order
}

// Export writes the items of a dataset with what most people said, as a dataset. Items on which people are evenly split
// are left out.
func Export(set *datasets.Set, path, out string) (n int, notes []string, err error) {
	f, err := Read(path)
	if err != nil {
		return 0, nil, err
	}
	changed := 0
	f.Labels = slices.DeleteFunc(f.Labels, func(l Label) bool {
		i, is := set.Find(l.Item)
		if !is || l.SHA256 == "" {
			return !is
		}
		line, err := sum(set, i)
		if err == nil && line == l.SHA256 {
			return false
		}
		changed++
		return true
	})
	label, split := f.Majority(), 0
	for item, said := range label {
		_, is := set.Find(item)
		if is && said == "" {
			split++
		}
		if !is || said == "" {
			delete(label, item)
		}
	}
	n, notes, err = datasets.WriteLabelled(set, label, out)
	if changed > 0 {
		notes = append(notes, fmt.Sprintf("%d labels left out: their items were changed since", changed))
	}
	if split > 0 {
		notes = append(notes, fmt.Sprintf("%d items left out: people are evenly split on them", split))
	}
	return n, notes, err
}

// PathFor returns the path of a dataset's labels: beside its file, or here where it has none of somebody's own.
func PathFor(name string) string {
	base := filepath.Base(name) + ".labels.jsonl"
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return base
	}
	return filepath.Join(filepath.Dir(name), base)
}
