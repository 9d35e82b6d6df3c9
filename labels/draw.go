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
	"gavel/judging"
	"gavel/scoring/stats"
)

// draw chooses the items. By disagreement they are drawn from those that no label was made of before the first that was
// chosen so: these count for themselves.
func (d *Desk) draw(sure map[string]bool) error {
	n := d.set.Len()
	for i := range n {
		it, err := d.set.Item(i)
		if err != nil {
			return err
		}
		if it.Shape == datasets.Judgment || it.Shape == datasets.Open {
			return fmt.Errorf("%s: items of the shape %q cannot be labelled here: pairs, preferences, options, choices and numbers can", d.o.Name, it.Shape)
		}
	}
	want := d.o.Sample
	if want == 0 || want > n {
		want = n
	}
	if d.o.By != ByDisagreement {
		d.items = datasets.Order(n, d.set.ID, d.o.Seed)[:want]
		return nil
	}
	differ, err := disagreement(d.o.Runs, d.o.How)
	if err != nil {
		return err
	}
	var from []int
	var sizes, draws []float64
	known := false
	for i := range n {
		id := d.set.ID(i)
		if sure[id] {
			continue
		}
		share, judged := differ[id]
		known = known || judged
		from, sizes, draws = append(from, i), append(sizes, leastSize+share), append(draws, d.uniform("draw", id))
	}
	if !known {
		return fmt.Errorf("no two of the %d runs at hand have judged the same items of %s: there is no disagreement to choose by; leave --by disagreement out", len(d.o.Runs), d.o.Name)
	}
	want = min(want, len(from))
	chances := stats.Inclusion(sizes, want)
	for _, k := range stats.ParetoSample(chances, draws, want) {
		d.items = append(d.items, from[k])
		d.chances[d.set.ID(from[k])] = math.Round(1e9*chances[k]) / 1e9
	}
	d.Notes = append(d.Notes, fmt.Sprintf("%d of %d items were drawn by how far %d runs disagree on them; scores weigh each by how likely that was", want, len(from), len(d.o.Runs)))
	return nil
}

// Judges are those of the runs of a folder that have judged an item with a label.
func Judges(folder string, runs []string, file *File) (dirs []string, err error) {
	for _, name := range runs {
		dir := filepath.Join(folder, filepath.FromSlash(name))
		ids, err := judging.ItemIDs(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // an import may have no items
		}
		if err != nil {
			return nil, err
		}
		known := map[string]bool{}
		for _, id := range ids {
			known[id] = true
		}
		if slices.ContainsFunc(file.Labels, func(l Label) bool { return known[l.Item] }) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, errors.New("no run at hand has judged an item with a label")
	}
	return dirs, nil
}

// leastSize is what an item on which no two judges disagree counts, where one on which all do counts 1 more: it must be
// possible to draw any item.
const leastSize = 0.1

// disagreement is the share of every two runs that say different things of an item, of items that two have judged.
func disagreement(dirs []string, how judging.Reading) (map[string]float64, error) {
	said := map[string][]string{}
	for _, dir := range dirs {
		j, err := ReadJudge(dir, how)
		if err != nil {
			return nil, err
		}
		for item, verdict := range j.Of {
			said[item] = append(said[item], verdict)
		}
	}
	shares := map[string]float64{}
	for item, of := range said {
		pairs, differ := 0, 0
		for i, x := range of {
			for _, y := range of[i+1:] {
				if pairs++; x != y {
					differ++
				}
			}
		}
		if pairs > 0 {
			shares[item] = float64(differ) / float64(pairs)
		}
	}
	return shares, nil
}

// uniform is a number from 0 to below 1 that depends on the seed and the words alone.
func (d *Desk) uniform(words ...string) float64 {
	sum := sha256.Sum256([]byte(strconv.FormatInt(d.o.Seed, 10) + "\x00" + strings.Join(words, "\x00")))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// turns are what a person is shown: the items in an order of their own, or that in which they were drawn by disagreement, and
// some of them again.
func (d *Desk) turns(who string) (turns []turn) {
	items := slices.Clone(d.items)
	if d.o.By != ByDisagreement {
		slices.SortStableFunc(items, func(a, b int) int {
			return cmp.Compare(d.uniform("order", who, d.set.ID(a)), d.uniform("order", who, d.set.ID(b)))
		})
	}
	twice := slices.Clone(items[:max(0, len(items)-againAfter)])
	slices.SortStableFunc(twice, func(a, b int) int {
		return cmp.Compare(d.uniform("again", who, d.set.ID(a)), d.uniform("again", who, d.set.ID(b)))
	})
	twice = twice[:min(len(twice), int(math.Round(d.o.Again*float64(len(items)))))]
	var later []int
	for k, i := range items {
		turns = append(turns, turn{item: i})
		if slices.Contains(twice, i) {
			later = append(later, k)
		}
		if len(later) > 0 && k-later[0] >= againAfter {
			turns = append(turns, turn{items[later[0]], true})
			later = later[1:]
		}
	}
	for _, k := range later {
		turns = append(turns, turn{items[k], true})
	}
	return turns
}

func isPair(it datasets.Item) bool {
	return it.Shape == datasets.Pair || it.Shape == datasets.Preference
}

// order is that in which a person is shown the candidates: drawn by seed, the other way round the second time. The options of
// a question stand as they are.
func (d *Desk) order(who string, it datasets.Item, again bool) []int {
	var order []int
	for k, c := range it.Candidates {
		if c.Text != "" && !c.Unrelated && (!isPair(it) || k < 2) || it.Shape == datasets.Pair {
			order = append(order, k)
		}
	}
	if it.Shape == datasets.Choice {
		return order
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(d.uniform("side", who, it.ID, it.Candidates[a].ID), d.uniform("side", who, it.ID, it.Candidates[b].ID))
	})
	if again {
		slices.Reverse(order)
	}
	return order
}

// Export writes the items of a dataset with what most people said, as a dataset. Items of more than two answers on which
// as many say another thing are left out.
func Export(set *datasets.Set, path, out string) (n int, notes []string, err error) {
	f, err := Read(path)
	if err != nil {
		return 0, nil, err
	}
	label, split := f.Majority(), 0
	for item, said := range label {
		i, is := set.IDs().Find(item)
		if !is {
			delete(label, item)
			continue
		}
		it, err := set.Item(i)
		if err != nil {
			return 0, nil, err
		}
		if said == Tie && !isPair(it) {
			split++
			delete(label, item)
		}
	}
	n, notes, err = datasets.WriteLabelled(set, label, out)
	if split > 0 {
		notes = append(notes, fmt.Sprintf("%d items left out: as many people say another thing", split))
	}
	return n, notes, err
}

// PathFor is where the labels of a dataset are kept: beside its file, or here where it has none of somebody's own.
func PathFor(name string) string {
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)) + ".labels.jsonl"
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return base
	}
	return filepath.Join(filepath.Dir(name), base)
}
