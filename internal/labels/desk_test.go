package labels_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/scoring/stats"
)

// pairsFile writes a file of n pairs, p001 and so on; the first response is better in every other pair.
func pairsFile(t *testing.T, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"p%03d","question":"q%d","response_a":"first of %d","response_b":"second of %d","label":"%s"}`+"\n",
			i+1, i, i, i, []string{"A>B", "B>A"}[i%2])
	}
	return file(t, "pairs.jsonl", b.String())
}

// table holds a desk in a test, with its dataset and its file of labels.
type table struct {
	*labels.Desk
	t          *testing.T
	data, path string
	o          labels.DeskOptions
}

// deskOf opens a desk over a dataset, with a new file of labels.
func deskOf(t *testing.T, data string, o labels.DeskOptions) *table {
	t.Helper()
	o.DatasetName, o.Now, o.Path = "pairs", time.Now, filepath.Join(t.TempDir(), "l.jsonl")
	d := &table{t: t, data: data, path: o.Path, o: o}
	d.reopen()
	t.Cleanup(func() { d.Close() })
	return d
}

// reopen opens the desk again, over what is in its files now.
func (d *table) reopen() {
	d.t.Helper()
	if d.Desk != nil {
		assert.NilError(d.t, d.Close())
	}
	set, err := datasets.OpenFile(d.data)
	assert.NilError(d.t, err)
	d.t.Cleanup(func() { set.Close() })
	d.Desk, err = labels.OpenDesk(set, d.o)
	assert.NilError(d.t, err)
}

// next returns what a person is shown next.
func (d *table) next(name string) labels.Turn {
	d.t.Helper()
	turn, err := d.Next(name)
	assert.NilError(d.t, err)
	return turn
}

// answer has a person choose, of what is shown next, what begins with a word.
func (d *table) answer(name, word string) labels.Turn {
	d.t.Helper()
	turn := d.next(name)
	assert.Assert(d.t, !turn.Finished)
	index := slices.IndexFunc(turn.Shown, func(text string) bool { return strings.HasPrefix(text, word) })
	assert.NilError(d.t, d.Submit(name, choice(turn, fmt.Sprint(index+1))))
	return turn
}

// stored returns the labels in the file.
func (d *table) stored() *labels.LabelFile {
	d.t.Helper()
	f, err := labels.Read(d.path)
	assert.NilError(d.t, err)
	return f
}

func choice(turn labels.Turn, word string) labels.PersonLabel {
	return labels.PersonLabel{ItemIndex: turn.At, ItemSHA256: turn.Sum, Repeat: turn.Again, Choice: word}
}

func id(turn labels.Turn) string { return fmt.Sprintf("p%03d", turn.At+1) }

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	return string(text)
}

func rewrite(t *testing.T, path, text string) {
	t.Helper()
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
}

// change gives an item of the dataset another question.
func (d *table) change(id string) {
	d.t.Helper()
	rewrite(d.t, d.data, strings.Replace(textOf(d.t, d.data), `"`+id+`","question":"q`, `"`+id+`","question":"other q`, 1))
}

// TestDesk: two people label all items and some twice. Each has an order and sides of their own; what comes again comes
// later, with the sides exchanged; a label names the response and not its side.
func TestDesk(t *testing.T) {
	d := deskOf(t, pairsFile(t, 30), labels.DeskOptions{Sample: 20, RepeatShare: 0.3})
	sides, orders := map[string][2]string{}, map[string][]string{}
	for _, name := range []string{"ann", "bob"} {
		var turns []labels.Turn
		for {
			turn := d.next(name)
			assert.Equal(t, turn.Done, len(turns))
			if turn.Finished {
				break
			}
			if was, before := sides[name+id(turn)]; turn.Again {
				assert.DeepEqual(t, [2]string{was[1], was[0]}, [2]string(turn.Shown)) // the sides are exchanged
				index := slices.IndexFunc(turns, func(x labels.Turn) bool { return x.At == turn.At })
				assert.Assert(t, len(turns)-index > 10, "%s comes again after %d others", id(turn), len(turns)-index)
			} else {
				assert.Assert(t, !before)
				sides[name+id(turn)] = [2]string(turn.Shown)
				orders[name] = append(orders[name], id(turn))
			}
			turns = append(turns, d.answer(name, "first"))
		}
		assert.Equal(t, len(turns), 26) // 30 % of 20 come again
	}
	assert.Assert(t, !slices.Equal(orders["ann"], orders["bob"]), "each has an order of their own")
	assert.DeepEqual(t, slices.Sorted(slices.Values(orders["ann"])), slices.Sorted(slices.Values(orders["bob"]))) // of the same items
	repeated := 0
	for _, of := range sides {
		if strings.HasPrefix(of[0], "first") {
			repeated++
		}
	}
	assert.Assert(t, repeated > 8 && repeated < 32, "A is on the left %d of 40 times", repeated)
	f := d.stored()
	assert.Equal(t, len(f.Labels), 40)
	for _, l := range slices.Concat(f.Labels, f.RepeatLabels) {
		assert.Equal(t, l.Label, "A") // whatever the side it was shown on
	}
}

func TestDeskUndoAndSkip(t *testing.T) {
	d := deskOf(t, pairsFile(t, 3), labels.DeskOptions{})
	assert.ErrorIs(t, d.Undo("ann", ""), labels.ErrAnswer)
	zero, first := d.answer("ann", "first"), d.answer("ann", "first")
	last := d.next("ann").Undo
	assert.NilError(t, d.Undo("ann", last))
	assert.NilError(t, d.Undo("ann", last)) // the button was pressed twice
	turn := d.next("ann")
	assert.Equal(t, id(turn), id(first))
	assert.NilError(t, d.Submit("ann", labels.PersonLabel{ItemIndex: turn.At, ItemSHA256: turn.Sum, Skip: true, Note: "both are bad"}))
	two := d.next("ann")
	assert.NilError(t, d.Submit("ann", labels.PersonLabel{ItemIndex: two.At, ItemSHA256: two.Sum, Tie: true}))
	assert.ErrorIs(t, d.Submit("ann", choice(two, "3")), labels.ErrAnswer)
	assert.ErrorIs(t, d.Submit("ann", labels.PersonLabel{ItemIndex: 77, Choice: "1"}), labels.ErrAnswer)
	assert.ErrorIs(t, d.Submit("ann", labels.PersonLabel{ItemIndex: two.At, ItemSHA256: "other", Choice: "1"}), labels.ErrAnswer)
	assert.ErrorIs(t, d.Submit("../ann", choice(two, "1")), labels.ErrName)
	assert.DeepEqual(t, d.Progress(), []labels.LabelProgress{{Labeller: "ann", Labelled: 2, Skipped: 1, Total: 3}})
	assert.DeepEqual(t, d.stored().Majority(), map[string]string{id(zero): "A", id(two): labels.Tie})
}

func TestDeskGoesOn(t *testing.T) {
	d := deskOf(t, pairsFile(t, 5), labels.DeskOptions{})
	d.answer("ann", "first")
	d.answer("ann", "second")
	_, err := labels.OpenDesk(nil, labels.DeskOptions{Path: d.path})
	assert.ErrorContains(t, err, "another gavel label writes to it")
	text := textOf(t, d.path)
	rewrite(t, d.path, text[:len(text)-20])
	d.reopen()
	assert.Assert(t, len(d.FileMessages) == 1 && strings.Contains(d.FileMessages[0], "was incomplete"), "%v", d.FileMessages)
	assert.DeepEqual(t, d.Progress(), []labels.LabelProgress{{Labeller: "ann", Labelled: 1, Total: 5}})
	d.answer("ann", "second")
	assert.Equal(t, len(d.stored().Labels), 2)
}

// TestDeskOfAnotherDataset: an item that was changed since is asked for again, and its label is not exported; labels of
// another dataset are refused.
func TestDeskOfAnotherDataset(t *testing.T) {
	d := deskOf(t, pairsFile(t, 3), labels.DeskOptions{})
	changed := d.answer("ann", "first")
	d.answer("ann", "first")
	d.change(id(changed))
	d.reopen()
	assert.Assert(t, len(d.FileMessages) == 1 && strings.Contains(d.FileMessages[0], "1 labels belong to items that have changed since, such as "+id(changed)), "%v", d.FileMessages)
	assert.Equal(t, d.Progress()[0].Labelled, 1)
	set, err := datasets.OpenFile(d.data)
	assert.NilError(t, err)
	defer set.Close()
	n, notes, err := labels.ExportDataset(set, d.path, filepath.Join(t.TempDir(), "out.jsonl"))
	assert.NilError(t, err)
	assert.Equal(t, n, 1)
	assert.DeepEqual(t, notes, []string{"1 labels left out: their items have changed since"})

	assert.NilError(t, d.Close())
	other, err := datasets.OpenFile(file(t, "other.jsonl", `{"id":"x","question":"q","response_a":"1","response_b":"2","label":"A>B"}`+"\n"))
	assert.NilError(t, err)
	defer other.Close()
	d.o.DatasetName = "other"
	_, err = labels.OpenDesk(other, d.o)
	assert.ErrorContains(t, err, "none of its 2 labels belongs to an item of other")
}

// TestLabelsDrawnByDisagreement: agree warns of them, and the others refuse them.
func TestLabelsDrawnByDisagreement(t *testing.T) {
	bad := judge(t, "bad", 100, func(i int) bool { return i < 60 })
	var lines strings.Builder
	for i := 50; i < 75; i++ {
		fmt.Fprintf(&lines, `{"item":"p%03d","labeller":"ann","label":"%s","drawn":"disagreement","probability":0.5,"sample":38}`+"\n",
			i+1, "AB"[i%2:i%2+1])
	}
	f, err := labels.Read(file(t, "l.jsonl", lines.String()))
	assert.NilError(t, err)
	a := agreed(t, f, bad)
	assert.Equal(t, *a.Judges[0].Agreement.Value, 40.0)
	assert.Assert(t, len(a.Warnings) == 1 && strings.Contains(a.Warnings[0], "chosen by disagreement"), "%v", a.Warnings)
	_, err = labels.Estimate(bad, f, "A", sideOf("A"), nil, reading, stats.DefaultBootstrap.Level)
	assert.ErrorContains(t, err, "chosen by disagreement")
	_, err = labels.SelectThresholds([]string{bad}, f, 0.1, 0.1, reading)
	assert.ErrorContains(t, err, "chosen by disagreement")
}

// TestDeskRefuses: a file that gavel label did not write is refused, and left as it is.
func TestDeskRefuses(t *testing.T) {
	const line = `{"item":"p001","labeller":"a","label":"A"}`
	d := deskOf(t, pairsFile(t, 12), labels.DeskOptions{Seed: 3})
	d.answer("ann", "first")
	assert.NilError(t, d.Close())
	set, err := datasets.OpenFile(d.data)
	assert.NilError(t, err)
	defer set.Close()
	for text, want := range map[string]string{
		"p,a,b\nx,1,2":                                  ":1 was not written by gavel label",
		"[" + line + "]":                                ":1 was not written",
		"{\"id\":\"p001\",\"winner\":\"A\"}\n":          ":1 was not written",
		line + "\n{broken\n" + line + "\n":              ":2 was not written",
		line[:len(line)-1] + `,"drawn":"disagreement"}`: "cannot take items drawn at random: name another file with --labels",
	} {
		path := file(t, "l.jsonl", text)
		_, err := labels.OpenDesk(set, labels.DeskOptions{DatasetName: "pairs", Path: path})
		assert.ErrorContains(t, err, want, text)
		assert.Equal(t, textOf(t, path), text)
	}
	_, err = labels.OpenDesk(set, labels.DeskOptions{Path: t.TempDir()})
	assert.Assert(t, err != nil)
	d.o.Seed = 4
	_, err = labels.OpenDesk(set, d.o)
	assert.ErrorContains(t, err, "was started with --seed 3")
}

func TestNumbersAndOptions(t *testing.T) {
	d := deskOf(t, file(t, "n.jsonl", `{"id":"n1","question":"q","gold":"7"}`+"\n"), labels.DeskOptions{})
	turn := d.next("ann")
	for _, no := range []string{"NaN", "1,5", "seven", "", "Inf"} {
		assert.ErrorIs(t, d.Submit("ann", choice(turn, no)), labels.ErrAnswer, no)
	}
	assert.NilError(t, d.Submit("ann", choice(turn, " 1,007.0 ")))
	assert.Equal(t, d.stored().Labels[0].Label, "1007")

	d = deskOf(t, file(t, "o.jsonl", `{"id":" lead","prompt":"q","outputs":[{"id":"model_a","text":"x"},{"id":"same","text":"y"}]}`+"\n"), labels.DeskOptions{})
	d.answer("ann", "x")
	assert.DeepEqual(t, d.stored().Majority(), map[string]string{" lead": "model_a"})
}

// TestResponses: people score a single response on the dataset's scale. The export has the score of each in place of
// those of the dataset, also if they differ, and is a dataset of responses again.
func TestResponses(t *testing.T) {
	d := deskOf(t, file(t, "s.jsonl", `{"id":"r1","question":"q","response":"x","scores":{"bob":2},"scale":[1,5]}`+"\n"+
		`{"id":"r2","question":"q","response":"y","scores":{"bob":2},"scale":[1,5]}`+"\n"), labels.DeskOptions{})
	turn := d.next("ann")
	assert.DeepEqual(t, *turn.People.Scale, [2]float64{1, 5})
	assert.Assert(t, len(turn.Shown) == 1 && !turn.Ties)
	assert.ErrorIs(t, d.Submit("ann", choice(turn, "good")), labels.ErrAnswer)
	assert.ErrorIs(t, d.Submit("ann", labels.PersonLabel{ItemIndex: turn.At, ItemSHA256: turn.Sum, Tie: true}), labels.ErrAnswer)
	assert.NilError(t, d.Submit("ann", choice(turn, "4.5")))
	assert.NilError(t, d.Submit("bea", choice(turn, "3")))
	set, err := datasets.OpenFile(d.data)
	assert.NilError(t, err)
	defer set.Close()
	out := filepath.Join(t.TempDir(), "out.jsonl")
	n, _, err := labels.ExportDataset(set, d.path, out)
	assert.Assert(t, err == nil && n == 1, err)
	back, err := datasets.OpenFile(out)
	assert.NilError(t, err)
	defer back.Close()
	item, err := back.Item(0)
	assert.NilError(t, err)
	assert.DeepEqual(t, item.People, &datasets.PeopleScores{Scores: map[string]float64{"ann": 4.5, "bea": 3}, Scale: &[2]float64{1, 5}})
	_, _, err = labels.ExportDataset(set, file(t, "l.jsonl", `{"item":"r1","labeller":"ann","label":"A"}`+"\n"), out+"2")
	assert.ErrorContains(t, err, `label "A" of r1 is no score`)
}

// TestDeskAtOnce: six people label at once.
func TestDeskAtOnce(t *testing.T) {
	d := deskOf(t, pairsFile(t, 30), labels.DeskOptions{})
	words := map[string]string{"p0": "first", "p1": "second", "p2": "first", "p3": "second", "p4": "first", "p5": "second"}
	var all sync.WaitGroup
	for name, word := range words {
		all.Go(func() {
			for !d.next(name).Finished {
				d.answer(name, word)
				d.Progress()
			}
		})
	}
	all.Wait()
	f := d.stored()
	assert.Equal(t, len(f.Labels), 6*30)
	for _, l := range f.Labels {
		assert.Equal(t, l.Label, map[string]string{"first": "A", "second": "B"}[words[l.Labeller]])
	}
}

// TestLabelsOfAFileThatSomebodyReplaced: lines that are gone are written again; a file with lines of somebody else is
// left alone, and the label is refused.
func TestLabelsOfAFileThatSomebodyReplaced(t *testing.T) {
	const other = `{"item":"p030","labeller":"zoe","label":"A","sha256":"SUM","drawn":"random"}` + "\n"
	const removed, folder = "removed", "a folder"
	for name, c := range map[string]struct {
		change  func(text string) string
		refused bool
	}{
		"the same, renamed":            {change: func(text string) string { return text }},
		"without its last newline":     {change: func(text string) string { return strings.TrimSuffix(text, "\n") }},
		"an earlier state":             {change: func(text string) string { return text[:strings.Index(text, "\n")+1] }},
		"cut off":                      {change: func(string) string { return "" }},
		"cut off within a line":        {change: func(text string) string { return text[:len(text)-5] }},
		removed:                        {},
		folder:                         {refused: true},
		"with labels of somebody else": {change: func(text string) string { return text + other }, refused: true},
		"another content":              {change: func(string) string { return "notes\n" }, refused: true},
		"only labels of somebody else": {change: func(string) string { return other }, refused: true},
		"an edited label":              {change: func(text string) string { return strings.Replace(text, `"label":"A"`, `"label":"B"`, 1) }, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			d := deskOf(t, pairsFile(t, 30), labels.DeskOptions{})
			ids := map[string]bool{}
			for range 3 {
				ids[id(d.answer("ann", "first"))] = true
			}
			if text := textOf(t, d.path); c.change != nil { // as an editor writes a file
				rewrite(t, d.path+".new", c.change(text))
				assert.NilError(t, os.Rename(d.path+".new", d.path))
			} else {
				assert.NilError(t, os.Remove(d.path))
			}
			if name == folder {
				assert.NilError(t, os.Mkdir(d.path, 0o755))
			}
			changed, _ := os.ReadFile(d.path)
			for range 5 {
				turn := d.next("ann")
				err := d.Submit("ann", choice(turn, "1"))
				if c.refused {
					assert.ErrorContains(t, err, "this label was not saved")
					continue
				}
				assert.NilError(t, err)
				ids[id(turn)] = true
			}
			if c.refused {
				now, _ := os.ReadFile(d.path)
				assert.Equal(t, string(now), string(changed)) // it was left alone
				return
			}
			items := map[string]bool{}
			for _, l := range d.stored().Labels {
				items[l.Item] = true
			}
			assert.Equal(t, len(items), 8)
			assert.Assert(t, maps.Equal(items, ids))
			d.reopen() // the next start takes it
		})
	}
}

func TestTheSameLabelTwiceOfAFileThatIsGone(t *testing.T) {
	d := deskOf(t, pairsFile(t, 3), labels.DeskOptions{})
	reply := choice(d.next("ann"), "1")
	assert.NilError(t, d.Submit("ann", reply))
	assert.NilError(t, os.Remove(d.path))
	assert.NilError(t, d.Submit("ann", reply))
	assert.Equal(t, len(d.stored().Labels), 1)
}
