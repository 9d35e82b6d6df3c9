package labels_test

import (
	"fmt"
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

// pairsFile has n pairs p001 …; the longer response is the better one.
func pairsFile(t *testing.T, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"p%03d","question":"q%d","response_a":"first of %d","response_b":"second of %d","label":"%s"}`+"\n", i+1, i, i, i, []string{"A>B", "B>A"}[i%2])
	}
	return file(t, "pairs.jsonl", b.String())
}

func openDesk(t *testing.T, path string, o labels.DeskOptions) *labels.Desk {
	t.Helper()
	set, err := datasets.OpenFile(path)
	assert.NilError(t, err)
	t.Cleanup(func() { set.Close() })
	o.Name, o.Now = "pairs", time.Now
	d, err := labels.OpenDesk(set, o)
	assert.NilError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// id is that of the item: they are numbered.
func id(turn labels.Turn) string { return fmt.Sprintf("p%03d", turn.At+1) }

// answer says what the person thinks of what is shown: that the response whose text has the word is better.
func answer(t *testing.T, d *labels.Desk, who, word string) labels.Turn {
	t.Helper()
	turn, err := d.Next(who)
	assert.NilError(t, err)
	assert.Assert(t, !turn.Finished)
	at := slices.IndexFunc(turn.Shown, func(text string) bool { return strings.HasPrefix(text, word) })
	assert.NilError(t, d.Say(who, labels.Answer{At: turn.At, Sum: turn.Sum, Again: turn.Again, Choice: fmt.Sprint(at + 1)}))
	return turn
}

func TestDesk(t *testing.T) {
	data, path := pairsFile(t, 30), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path, Sample: 20, Again: 0.3})
	sides, orders := map[string][2]string{}, map[string][]string{}
	for _, who := range []string{"ann", "bob"} {
		var shown []labels.Turn
		for {
			turn, err := d.Next(who)
			assert.NilError(t, err)
			if turn.Finished {
				assert.Equal(t, turn.Done, len(shown))
				break
			}
			assert.Equal(t, turn.Done, len(shown))
			if was, before := sides[who+id(turn)]; turn.Again {
				assert.DeepEqual(t, [2]string{was[1], was[0]}, [2]string(turn.Shown)) // the sides are exchanged
				at := slices.IndexFunc(shown, func(x labels.Turn) bool { return x.At == turn.At })
				assert.Assert(t, len(shown)-at > 10, "%s comes again after %d others", id(turn), len(shown)-at)
			} else {
				assert.Assert(t, !before)
				sides[who+id(turn)] = [2]string(turn.Shown)
				orders[who] = append(orders[who], id(turn))
			}
			shown = append(shown, answer(t, d, who, "first"))
		}
		assert.Equal(t, len(shown), 26) // 30 % of 20 come again
	}
	assert.Assert(t, !slices.Equal(orders["ann"], orders["bob"]), "each has an order of their own")
	assert.DeepEqual(t, slices.Sorted(slices.Values(orders["ann"])), slices.Sorted(slices.Values(orders["bob"]))) // of the same items
	left := 0
	for _, of := range sides {
		if strings.HasPrefix(of[0], "first") {
			left++
		}
	}
	assert.Assert(t, left > 8 && left < 32, "A is on the left %d of 40 times", left)
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 40)
	for _, l := range slices.Concat(f.Labels, f.Again) {
		assert.Equal(t, l.Label, "A") // whatever the side it was shown on
	}
}

func TestDeskUndoAndSkip(t *testing.T) {
	data, path := pairsFile(t, 3), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	assert.ErrorIs(t, d.Undo("ann", ""), labels.ErrAnswer)
	zero := answer(t, d, "ann", "first")
	one := answer(t, d, "ann", "first")
	turn, err := d.Next("ann")
	assert.NilError(t, err)
	assert.NilError(t, d.Undo("ann", turn.Undo))
	assert.NilError(t, d.Undo("ann", turn.Undo)) // the button was pressed twice
	turn, err = d.Next("ann")
	assert.NilError(t, err)
	assert.Equal(t, id(turn), id(one))
	assert.NilError(t, d.Say("ann", labels.Answer{At: turn.At, Sum: turn.Sum, Skip: true, Note: "both are bad"}))
	two, err := d.Next("ann")
	assert.NilError(t, err)
	assert.NilError(t, d.Say("ann", labels.Answer{At: two.At, Sum: two.Sum, Tie: true}))
	assert.ErrorIs(t, d.Say("ann", labels.Answer{At: two.At, Sum: two.Sum, Choice: "3"}), labels.ErrAnswer)
	assert.ErrorIs(t, d.Say("ann", labels.Answer{At: 77, Choice: "1"}), labels.ErrAnswer)
	assert.ErrorIs(t, d.Say("ann", labels.Answer{At: two.At, Sum: "other", Choice: "1"}), labels.ErrAnswer)
	assert.ErrorIs(t, d.Say("../ann", labels.Answer{At: two.At, Sum: "other", Choice: "1"}), labels.ErrWho)
	assert.DeepEqual(t, d.Done(), []labels.Progress{{Labeller: "ann", Labelled: 2, Skipped: 1, Total: 3}})
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.DeepEqual(t, f.Majority(), map[string]string{id(zero): "A", id(two): labels.Tie})
}

// TestDeskGoesOn: after a kill in the middle of a line all that was kept is there, and that item is asked for again.
func TestDeskGoesOn(t *testing.T) {
	data, path := pairsFile(t, 5), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	answer(t, d, "ann", "first")
	answer(t, d, "ann", "second")
	_, err := labels.OpenDesk(nil, labels.DeskOptions{Path: path})
	assert.ErrorContains(t, err, "another gavel label writes to it")
	assert.NilError(t, d.Close())
	text, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(path, text[:len(text)-20], 0o644))
	d = openDesk(t, data, labels.DeskOptions{Path: path})
	assert.Assert(t, len(d.Notes) == 1 && strings.Contains(d.Notes[0], "was not finished"), "%v", d.Notes)
	assert.DeepEqual(t, d.Done(), []labels.Progress{{Labeller: "ann", Labelled: 1, Total: 5}})
	answer(t, d, "ann", "second")
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 2)
}

// TestDeskOfAnotherDataset: labels of items that were changed are asked for again; those of another dataset are refused.
func TestDeskOfAnotherDataset(t *testing.T) {
	data, path := pairsFile(t, 3), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	turn := answer(t, d, "ann", "first")
	answer(t, d, "ann", "first")
	assert.NilError(t, d.Close())
	text, err := os.ReadFile(data)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(data, []byte(strings.Replace(string(text), `"`+id(turn)+`","question":"q`, `"`+id(turn)+`","question":"other q`, 1)), 0o644))
	d = openDesk(t, data, labels.DeskOptions{Path: path})
	assert.Assert(t, len(d.Notes) == 1 && strings.Contains(d.Notes[0], "1 labels are of items that were changed since, such as "+id(turn)), "%v", d.Notes)
	assert.Equal(t, d.Done()[0].Labelled, 1)
	assert.NilError(t, d.Close())
	set, err := datasets.OpenFile(file(t, "other.jsonl", `{"id":"x","question":"q","response_a":"1","response_b":"2","label":"A>B"}`+"\n"))
	assert.NilError(t, err)
	defer set.Close()
	_, err = labels.OpenDesk(set, labels.DeskOptions{Name: "other", Path: path, Now: time.Now})
	assert.ErrorContains(t, err, "none of its 2 labels is of an item of other")
}

// TestLabelsDrawnByDisagreement: files of labels that were drawn so once are read. What a judge is worth by them is said
// with a warning, and nothing is estimated from them.
func TestLabelsDrawnByDisagreement(t *testing.T) {
	bad := judge(t, "bad", 100, func(i int) bool { return i < 60 })
	var lines strings.Builder
	for i := 50; i < 75; i++ {
		fmt.Fprintf(&lines, `{"item":"p%03d","labeller":"ann","label":"%s","drawn":"disagreement","probability":0.5,"sample":38}`+"\n",
			i+1, "AB"[i%2:i%2+1])
	}
	f, err := labels.Read(file(t, "l.jsonl", lines.String()))
	assert.NilError(t, err)
	a, err := labels.Agree([]string{bad}, f, 0.2, reading, stats.Default)
	assert.NilError(t, err)
	assert.Equal(t, *a.Judges[0].Agreement.Value, 40.0)
	assert.Assert(t, len(a.Warnings) == 1 && strings.Contains(a.Warnings[0], "chosen by disagreement"), "%v", a.Warnings)
	_, err = labels.Estimate(bad, f, "A", nil, reading, 0.95)
	assert.ErrorContains(t, err, "chosen by disagreement")
	_, err = labels.Select([]string{bad}, f, 0.1, 0.1, reading)
	assert.ErrorContains(t, err, "chosen by disagreement")
}

// TestDeskRefuses: what cannot be is one clear line, and leaves every file as it was.
func TestDeskRefuses(t *testing.T) {
	data := pairsFile(t, 12)
	set, err := datasets.OpenFile(data)
	assert.NilError(t, err)
	defer set.Close()
	for name, c := range map[string]struct {
		text, want string
		o          labels.DeskOptions
	}{
		"the dataset":           {"p,a,b\nx,1,2", ":1 is no line that gavel label wrote", labels.DeskOptions{}},
		"an array":              {`[{"item":"p001","labeller":"a","label":"A"}]`, ":1 is no line", labels.DeskOptions{}},
		"another's":             {"{\"id\":\"p001\",\"winner\":\"A\"}\n", ":1 is no line", labels.DeskOptions{}},
		"a broken line":         {"{\"item\":\"p001\",\"labeller\":\"a\",\"label\":\"A\"}\n{broken\n{\"item\":\"p002\",\"labeller\":\"a\",\"label\":\"A\"}\n", ":2 is no line", labels.DeskOptions{}},
		"drawn by disagreement": {"{\"item\":\"p001\",\"labeller\":\"a\",\"label\":\"A\",\"drawn\":\"disagreement\"}\n", "cannot take items drawn at random: name another file with --labels", labels.DeskOptions{}},
	} {
		path := file(t, "l.jsonl", c.text)
		c.o.Name, c.o.Path, c.o.Now = "pairs", path, time.Now
		_, err := labels.OpenDesk(set, c.o)
		assert.ErrorContains(t, err, c.want, name)
		text, err := os.ReadFile(path)
		assert.NilError(t, err)
		assert.Equal(t, string(text), c.text, name)
	}
	_, err = labels.OpenDesk(set, labels.DeskOptions{Name: "pairs", Path: t.TempDir(), Now: time.Now})
	assert.Assert(t, err != nil)

	o := labels.DeskOptions{Path: filepath.Join(t.TempDir(), "l.jsonl"), Seed: 3}
	d := openDesk(t, data, o)
	answer(t, d, "ann", "first")
	assert.NilError(t, d.Close())
	o.Name, o.Now, o.Seed = "pairs", time.Now, 4
	_, err = labels.OpenDesk(set, o)
	assert.ErrorContains(t, err, "was begun with --seed 3")
}

// TestExportOfChanged: a label is not written onto another text.
func TestExportOfChanged(t *testing.T) {
	data, path := pairsFile(t, 4), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	changed := answer(t, d, "ann", "first")
	answer(t, d, "ann", "first")
	assert.NilError(t, d.Close())
	text, err := os.ReadFile(data)
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(data, []byte(strings.Replace(string(text), `"`+id(changed)+`","question":"q`, `"`+id(changed)+`","question":"other q`, 1)), 0o644))
	set, err := datasets.OpenFile(data)
	assert.NilError(t, err)
	defer set.Close()
	n, notes, err := labels.Export(set, path, filepath.Join(t.TempDir(), "out.jsonl"))
	assert.NilError(t, err)
	assert.Equal(t, n, 1)
	assert.DeepEqual(t, notes, []string{"1 labels left out: their items were changed since"})
}

// TestNumbersAndOptions: numbers are compared as numbers, and options keep their names.
func TestNumbersAndOptions(t *testing.T) {
	data := file(t, "n.jsonl", `{"id":"n1","question":"q","gold":"7"}`+"\n")
	path := filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	turn, err := d.Next("ann")
	assert.NilError(t, err)
	for _, no := range []string{"NaN", "1,5", "seven", "", "Inf"} {
		assert.ErrorIs(t, d.Say("ann", labels.Answer{At: turn.At, Sum: turn.Sum, Choice: no}), labels.ErrAnswer, no)
	}
	assert.NilError(t, d.Say("ann", labels.Answer{At: turn.At, Sum: turn.Sum, Choice: " 1,007.0 "}))
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.Equal(t, f.Labels[0].Label, "1007")

	data = file(t, "o.jsonl", `{"id":" lead","prompt":"q","outputs":[{"id":"model_a","text":"x"},{"id":"same","text":"y"}]}`+"\n")
	path = filepath.Join(t.TempDir(), "l.jsonl")
	d = openDesk(t, data, labels.DeskOptions{Path: path})
	answer(t, d, "ann", "x")
	f, err = labels.Read(path)
	assert.NilError(t, err)
	assert.DeepEqual(t, f.Majority(), map[string]string{" lead": "model_a"})
}

// TestDeskAtOnce: people who label at the same time lose nothing, and nobody says another's.
func TestDeskAtOnce(t *testing.T) {
	data, path := pairsFile(t, 30), filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, data, labels.DeskOptions{Path: path})
	var all sync.WaitGroup
	for k := range 6 {
		all.Go(func() {
			who := fmt.Sprintf("p%d", k)
			for {
				turn, err := d.Next(who)
				if err != nil || turn.Finished {
					assert.Check(t, err)
					return
				}
				at := slices.IndexFunc(turn.Shown, func(text string) bool { return strings.HasPrefix(text, []string{"first", "second"}[k%2]) })
				assert.Check(t, d.Say(who, labels.Answer{At: turn.At, Sum: turn.Sum, Choice: fmt.Sprint(at + 1)}))
				d.Done()
			}
		})
	}
	all.Wait()
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 6*30)
	for _, l := range f.Labels {
		assert.Equal(t, l.Label, map[bool]string{true: "A", false: "B"}[l.Labeller[1]%2 == 0])
	}
}

// TestLabelsOfAFileThatSomebodyReplaced: an editor, git and a program that syncs put another file in the place of the labels,
// or cut them off, while the page is open. What was answered "kept" is in the file that has the path.
func TestLabelsOfAFileThatSomebodyReplaced(t *testing.T) {
	put := func(t *testing.T, path, text string) { // as an editor writes a file
		assert.NilError(t, os.WriteFile(path+".new", []byte(text), 0o644))
		assert.NilError(t, os.Rename(path+".new", path))
	}
	other := `{"item":"p030","labeller":"zoe","label":"A","sha256":"SUM","drawn":"random"}` + "\n"
	for name, c := range map[string]struct {
		damage  func(t *testing.T, path, text string)
		refused bool
	}{
		"the same, renamed":            {damage: put},
		"without its last newline":     {damage: func(t *testing.T, path, text string) { put(t, path, strings.TrimSuffix(text, "\n")) }},
		"an earlier state":             {damage: func(t *testing.T, path, text string) { put(t, path, text[:strings.Index(text, "\n")+1]) }},
		"removed":                      {damage: func(t *testing.T, path, _ string) { assert.NilError(t, os.Remove(path)) }},
		"cut off":                      {damage: func(t *testing.T, path, _ string) { assert.NilError(t, os.Truncate(path, 0)) }},
		"cut off within a line":        {damage: func(t *testing.T, path, text string) { assert.NilError(t, os.Truncate(path, int64(len(text)-5))) }},
		"with labels of somebody else": {damage: func(t *testing.T, path, text string) { put(t, path, text+other) }, refused: true},
		"another content":              {damage: func(t *testing.T, path, _ string) { put(t, path, "notes\n") }, refused: true},
		"only labels of somebody else": {damage: func(t *testing.T, path, _ string) { put(t, path, other) }, refused: true},
		"an edited label": {damage: func(t *testing.T, path, text string) {
			put(t, path, strings.Replace(text, `"label":"A"`, `"label":"B"`, 1))
		}, refused: true},
		"another draw": {damage: func(t *testing.T, path, text string) {
			put(t, path, text+strings.Replace(other, `"drawn"`, `"seed":7,"drawn"`, 1))
		}, refused: true},
		"a folder": {damage: func(t *testing.T, path, _ string) {
			assert.NilError(t, os.Remove(path))
			assert.NilError(t, os.Mkdir(path, 0o755))
		}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			data, path := pairsFile(t, 30), filepath.Join(t.TempDir(), "l.jsonl")
			d := openDesk(t, data, labels.DeskOptions{Path: path})
			kept := map[string]bool{}
			for range 3 {
				kept[id(answer(t, d, "ann", "first"))] = true
			}
			text, err := os.ReadFile(path)
			assert.NilError(t, err)
			c.damage(t, path, string(text))
			damaged, _ := os.ReadFile(path)
			for range 5 {
				turn, err := d.Next("ann")
				assert.NilError(t, err)
				err = d.Say("ann", labels.Answer{At: turn.At, Sum: turn.Sum, Again: turn.Again, Choice: "1"})
				if c.refused {
					assert.ErrorContains(t, err, "this label was not saved")
					continue
				}
				assert.NilError(t, err)
				kept[id(turn)] = true
			}
			if c.refused {
				now, _ := os.ReadFile(path)
				assert.Equal(t, string(now), string(damaged)) // it was left alone
				return
			}
			assert.Equal(t, len(kept), 8)
			assert.NilError(t, d.Close())
			f, err := labels.Read(path)
			assert.NilError(t, err)
			assert.Equal(t, len(f.Labels), len(kept))
			for _, l := range f.Labels {
				delete(kept, l.Item)
			}
			assert.Equal(t, len(kept), 0)
			openDesk(t, data, labels.DeskOptions{Path: path}) // the next start takes it
		})
	}
}

// TestTheSameLabelTwiceOfAFileThatIsGone: what is not written again, since it was said before, is in the file too.
func TestTheSameLabelTwiceOfAFileThatIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l.jsonl")
	d := openDesk(t, pairsFile(t, 3), labels.DeskOptions{Path: path})
	turn, err := d.Next("ann")
	assert.NilError(t, err)
	said := labels.Answer{At: turn.At, Sum: turn.Sum, Choice: "1"}
	assert.NilError(t, d.Say("ann", said))
	assert.NilError(t, os.Remove(path))
	assert.NilError(t, d.Say("ann", said))
	f, err := labels.Read(path)
	assert.NilError(t, err)
	assert.Equal(t, len(f.Labels), 1)
}
