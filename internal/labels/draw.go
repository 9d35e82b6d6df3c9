package labels

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/scoring/stats"
)

// draw chooses the items. By disagreement they are drawn from those that had no label before the first that was
// chosen so: these count for themselves.
func (d *Desk) draw(sure map[string]bool) error {
	n := d.set.Len()
	for i := range n {
		it, err := d.set.Item(i)
		if err != nil {
			return err
		}
		if it.Shape == datasets.Judgment || it.Shape == datasets.Open {
			return fmt.Errorf("%s: items of the shape %q cannot be labelled here: "+
				"pairs, preferences, options, choices and numbers can", d.o.Name, it.Shape)
		}
	}
	want := d.o.Sample
	if want == 0 || want > n {
		want = n
	}
	before, err := d.drawnBefore()
	switch {
	case err != nil:
		return err
	case before != nil && d.o.By != ByDisagreement:
		return fmt.Errorf("%s has items drawn by disagreement, and cannot take items chosen in another way: "+
			"give --by disagreement --sample %d, or name another file with --labels", d.o.Path, before.Sample)
	case d.o.By != ByDisagreement:
		d.items = datasets.Order(n, d.set.ID, d.o.Seed)[:want]
		return nil
	case before != nil && (before.Sample != d.o.Sample || before.Seed != d.o.Seed):
		return fmt.Errorf("%s: %d items were drawn with --seed %d: "+
			"give --sample %d --seed %d to go on, or name another file with --labels",
			d.drawPath(), before.Sample, before.Seed, before.Sample, before.Seed)
	case before != nil && before.Labelled != len(sure):
		return fmt.Errorf("%s: the items were drawn when %d others had labels, and %d have: "+
			"put %s back as it was, or name another file with --labels",
			d.drawPath(), before.Labelled, len(sure), d.o.Path)
	}
	if before != nil {
		d.Notes = append(d.Notes,
			fmt.Sprintf("going on with %d items that were drawn by how far %d runs disagreed (%s)",
				len(before.Items), before.Runs, d.drawPath()))
	}
	if before == nil {
		before, err = d.drawNew(want, sure)
		if err != nil {
			return err
		}
		if err := disk.Write(d.drawPath(), func(w io.Writer) error { return json.NewEncoder(w).Encode(before) }); err != nil {
			return err
		}
	}
	for _, x := range before.Items {
		i, is := d.set.IDs().Find(x.Item)
		if !is {
			return fmt.Errorf("%s: %s is not in %s now: remove the file to draw anew, "+
				"and name another file with --labels", d.drawPath(), x.Item, d.o.Name)
		}
		d.items = append(d.items, i)
		d.chances[x.Item] = x.Probability
	}
	return nil
}

// drawing is what was drawn by disagreement, in an order that has nothing to do with it: so whoever stops has
// labelled a random part of it.
type drawing struct {
	Sample   int     `json:"sample"` // as it was asked for
	Seed     int64   `json:"seed"`
	Runs     int     `json:"runs"`     // that it was drawn by
	Labelled int     `json:"labelled"` // items that had a label before, and were not drawn from
	Items    []inOne `json:"items"`
}

// inOne is an item that was drawn.
type inOne struct {
	Item        string  `json:"item"`
	Probability float64 `json:"probability"`
}

func (d *Desk) drawPath() string { return strings.TrimSuffix(d.o.Path, ".jsonl") + ".draw.json" }

// drawnBefore is what was drawn when the file was begun; nil for nothing.
func (d *Desk) drawnBefore() (*drawing, error) {
	text, err := os.ReadFile(d.drawPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	x := new(drawing)
	if err := json.Unmarshal(text, x); err != nil {
		return nil, fmt.Errorf("%s: %w: remove the file, and name another with --labels", d.drawPath(), err)
	}
	return x, nil
}

func (d *Desk) drawNew(want int, sure map[string]bool) (*drawing, error) {
	differ, runs, err := d.disagreement()
	if err != nil {
		return nil, err
	}
	var from []int
	var sizes, draws []float64
	known := false
	for i := range d.set.Len() {
		id := d.set.ID(i)
		if sure[id] {
			continue
		}
		share, judged := differ[id]
		known = known || judged
		from = append(from, i)
		sizes = append(sizes, leastSize+share)
		draws = append(draws, d.uniform("draw", id))
	}
	switch {
	case len(from) == 0:
		return nil, fmt.Errorf("every item of %s has a label: there is nothing left to draw", d.o.Name)
	case !known:
		return nil, fmt.Errorf("no two of the runs in --runs have judged the same items of %s: "+
			"there is no disagreement to choose by; leave --by disagreement out", d.o.Name)
	}
	want = min(want, len(from))
	chances := stats.Inclusion(sizes, want)
	x := &drawing{Sample: d.o.Sample, Seed: d.o.Seed, Runs: runs, Labelled: len(sure)}
	for _, k := range stats.ParetoSample(chances, draws, want) {
		x.Items = append(x.Items, inOne{d.set.ID(from[k]), math.Round(1e9*chances[k]) / 1e9})
	}
	slices.SortFunc(x.Items, func(a, b inOne) int {
		return cmp.Compare(d.uniform("show", a.Item), d.uniform("show", b.Item))
	})
	d.Notes = append(d.Notes, fmt.Sprintf("%d of %d items were drawn by how far %d runs disagree on them; "+
		"scores weigh each by how likely that was", want, len(from), runs))
	return x, nil
}

// leastSize is what an item on which no two judges disagree counts, where one on which all do counts 1 more: it must be
// possible to draw any item.
const leastSize = 0.1

// disagreement is the share of every two runs that say different things of an item, of items that two have judged;
// and by how many runs. Runs of other datasets, and of agents' answers, are passed over.
func (d *Desk) disagreement() (map[string]float64, int, error) {
	said, runs := map[string][]string{}, 0
	for _, dir := range d.o.Runs {
		j, err := ReadJudge(dir, d.o.How)
		if errors.Is(err, ErrAgents) {
			d.Notes = append(d.Notes, fmt.Sprintf("%s passed over: it judges answers of agents", dir))
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		some := false
		for item, verdict := range j.Of {
			i, is := d.set.IDs().Find(item)
			if !is {
				continue
			}
			sum, err := d.sum(i)
			if err != nil {
				return nil, 0, err
			}
			if of := j.sums[item]; of == "" || of == sum {
				said[item], some = append(said[item], verdict), true
			}
		}
		if some {
			runs++
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
	return shares, runs, nil
}

// uniform is a number from 0 to below 1 that depends on the seed and the words alone.
func (d *Desk) uniform(words ...string) float64 {
	sum := sha256.Sum256([]byte(strconv.FormatInt(d.o.Seed, 10) + "\x00" + strings.Join(words, "\x00")))
	return float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
}

// turns are what a person is shown: the items in an order of their own, or that in which they were drawn by
// disagreement, and some of them again.
func (d *Desk) turns(who string) (turns []turn) {
	items := slices.Clone(d.items)
	if d.o.By != ByDisagreement {
		items = d.sorted("order", who, items)
	}
	chosen := d.sorted("again", who, items[:max(0, len(items)-againAfter)])
	twice := map[int]bool{}
	for _, i := range chosen[:min(len(chosen), int(math.Round(d.o.Again*float64(len(items)))))] {
		twice[i] = true
	}
	var later []int
	for k, i := range items {
		turns = append(turns, turn{item: i})
		if twice[i] {
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

// sorted are items in an order that a word and a person draw.
func (d *Desk) sorted(word, who string, items []int) []int {
	at := make(map[int]float64, len(items))
	for _, i := range items {
		at[i] = d.uniform(word, who, d.set.ID(i))
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b int) int { return cmp.Compare(at[a], at[b]) })
}

func isPair(it datasets.Item) bool {
	return it.Shape == datasets.Pair || it.Shape == datasets.Preference
}

// order is that in which a person is shown the candidates: drawn by seed, the other way round the second time. The
// options of a question stand as they are.
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
		return cmp.Compare(d.uniform("side", who, it.ID, it.Candidates[a].ID),
			d.uniform("side", who, it.ID, it.Candidates[b].ID))
	})
	if again {
		slices.Reverse(order)
	}
	return order
}

// Export writes the items of a dataset with what most people said, as a dataset. Items of more than two answers on
// which as many say another thing are left out.
func Export(set *datasets.Set, path, out string) (n int, notes []string, err error) {
	f, err := Read(path)
	if err != nil {
		return 0, nil, err
	}
	changed := 0
	f.Labels = slices.DeleteFunc(f.Labels, func(l Label) bool {
		i, is := set.IDs().Find(l.Item)
		if !is || l.SHA256 == "" {
			return !is
		}
		raw, err := set.Raw(i)
		if err == nil && Sum(raw) == l.SHA256 {
			return false
		}
		changed++
		return true
	})
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
	if changed > 0 {
		notes = append(notes, fmt.Sprintf("%d labels left out: their items were changed since", changed))
	}
	if split > 0 {
		notes = append(notes, fmt.Sprintf("%d items left out: as many people say another thing", split))
	}
	return n, notes, err
}

// PathFor is where the labels of a dataset are kept: beside its file, or here where it has none of somebody's own.
func PathFor(name string) string {
	base := filepath.Base(name) + ".labels.jsonl"
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return base
	}
	return filepath.Join(filepath.Dir(name), base)
}
