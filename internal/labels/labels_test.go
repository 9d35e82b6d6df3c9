package labels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"gotest.tools/v3/assert"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/judging"
	_ "gavel/protocols"
	"gavel/protocols/protocoltest"
	"gavel/scoring/stats"
)

// altTestEpsilon is the default of --epsilon.
const altTestEpsilon = 0.2

var reading = judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestRead(t *testing.T) {
	f, err := labels.Read(file(t, "labels.jsonl", `{"item":"p1","labeller":"ann","label":"A"}
{"item":"p1","labeller":"ann","label":"B","note":"on second thought"}
{"item":"p1","labeller":"bob","label":"tie"}
{"item":"p2","labeller":"ann","label":"A"}
{"item":"p2","labeller":"ann","undo":true}
{"item":"p3","labeller":"ann","label":"A"}
{"item":"p3","labeller":"ann","label":"B","again":true}
`))
	assert.NilError(t, err)
	var texts []string
	for _, l := range f.Labels {
		texts = append(texts, l.Item+" "+l.Labeller+" "+l.Label)
	}
	assert.Equal(t, strings.Join(texts, ", "), "p1 ann B, p1 bob tie, p3 ann A")
	assert.Equal(t, len(f.RepeatLabels), 1)
	assert.DeepEqual(t, f.Majority(), map[string]string{"p1": "", "p3": "A"}) // one each: evenly split

	f, err = labels.Read(file(t, "anybody.json", `[{"id": 7, "annotator": "x", "winner": "A>B"}, {"id": 7, "annotator": "y", "winner": "A=B"}]`))
	assert.NilError(t, err)
	assert.DeepEqual(t, f.Labels, []labels.Label{{Item: "7", Labeller: "x", Label: "A"}, {Item: "7", Labeller: "y", Label: "tie"}})

	f, err = labels.Read(file(t, "table.jsonl", `{"item": 7, "labeller": "x", "label": "model_b", "again": "", "note": ""}`+"\n"))
	assert.NilError(t, err)
	assert.DeepEqual(t, f.Labels, []labels.Label{{Item: "7", Labeller: "x", Label: "B"}})

	_, err = labels.Read(file(t, "bad.jsonl", "{\"item\":\"p1\",\"label\":\"A\"}\n{\"item\":\"p2\"}\n"))
	assert.ErrorContains(t, err, "bad.jsonl:2: column label is missing")
	for range 20 { // of two columns that are missing, always the same is named
		_, err = labels.Read(file(t, "neither.jsonl", `{"text":"a reply"}`+"\n"))
		assert.ErrorContains(t, err, "neither.jsonl:1: column item is missing")
	}
	_, err = labels.Read(filepath.Join(t.TempDir(), "gone.jsonl"))
	assert.ErrorContains(t, err, "no such file of labels")
}

// labelled returns labels of the first n items p001 and so on. right says whether they equal those of the dataset.
func labelled(n int, labeller string, right func(int) bool) (all []labels.Label) {
	for i := range n {
		label := "AB"[i%2 : i%2+1]
		if !right(i) {
			label = "BA"[i%2 : i%2+1]
		}
		all = append(all, labels.Label{Item: fmt.Sprintf("p%03d", i+1), Labeller: labeller, Label: label})
	}
	return all
}

// judge says what is right of pairs where right is so, the same in both orders.
func judge(t *testing.T, name string, n int, right func(int) bool, edit ...func(int, *judging.Record)) string {
	return protocoltest.PairsRun(t, name, n, func(item, _ int) string {
		if right(item) {
			return "AB"[item%2 : item%2+1]
		}
		return "BA"[item%2 : item%2+1]
	}, edit...)
}

// agreed compares runs of judges with labels.
func agreed(t *testing.T, f *labels.LabelFile, dirs ...string) *labels.Agreement {
	t.Helper()
	a, err := labels.Agree(dirs, f, altTestEpsilon, reading, stats.DefaultBootstrap)
	assert.NilError(t, err)
	return a
}

func TestAgree(t *testing.T) {
	const n = 40
	good := judge(t, "good", n, func(i int) bool { return i%10 != 0 }) // 36 of 40
	bad := judge(t, "bad", n, func(i int) bool { return i%2 == 0 })    // says A of all
	mute := protocoltest.PairsRun(t, "mute", n, func(int, int) string { return "" })
	f := &labels.LabelFile{Path: "labels"}
	for _, labeller := range []string{"ann", "bob", "cy"} {
		f.Labels = append(f.Labels, labelled(n, labeller, func(i int) bool { return labeller != "cy" || i != 3 })...)
	}
	a := agreed(t, f, bad, good, mute)
	assert.Equal(t, a.Judges[0].Run, good)
	assert.Equal(t, *a.Judges[0].Agreement.Value, 90.0)
	assert.Equal(t, a.Judges[0].Clusters, 0) // each item is by itself
	assert.Equal(t, *a.Judges[1].Agreement.Value, 50.0)
	assert.Equal(t, *a.Judges[2].Agreement.Value, 0.0) // a judge that is silent agrees with nobody
	assert.Equal(t, a.Judges[2].NoVerdict, n)
	assert.Equal(t, a.Judges[0].Letters+a.Judges[1].Letters+a.Judges[2].Letters, "abc")
	assert.Equal(t, *a.Judges[0].Kappa.Value, 0.8) // 36 of 40, both name A and B as often
	assert.Equal(t, *a.Judges[1].Kappa.Value, 0.0)
	assert.Equal(t, a.PeopleAgreement.N, n)
	assert.Equal(t, len(a.AltTests), 3)
	for _, s := range a.AltTests {
		if s.Run == good {
			assert.Equal(t, *s.Winning, 1.0)
		}
	}
	repeated := agreed(t, f, bad, good, mute)
	assert.Assert(t, reflect.DeepEqual(a, repeated)) // the same records, the same numbers

	turned := protocoltest.PairsRun(t, "turned", n, func(int, int) string { return "A" }, func(_ int, r *judging.Record) { r.Gold = map[string]string{"A": "B", "B": "A"}[r.Gold] })
	fileOf := func(l labels.Label) *labels.LabelFile {
		l.Labeller = "ann"
		return &labels.LabelFile{Path: "x", Labels: []labels.Label{l}}
	}
	for want, c := range map[string]struct {
		dirs []string
		file *labels.LabelFile
	}{
		"to another dataset":         {[]string{good}, fileOf(labels.Label{Item: "elsewhere", Label: "A"})},
		`label "AA" of p001`:         {[]string{good}, fileOf(labels.Label{Item: "p001", Label: "AA"})},
		"have different gold labels": {[]string{good, turned}, f},
		"changed since (p001":        {[]string{good}, fileOf(labels.Label{Item: "p001", Label: "A", SHA256: datasets.HexSum([]byte("another line"))})},
	} {
		_, err := labels.Agree(c.dirs, c.file, altTestEpsilon, reading, stats.DefaultBootstrap)
		assert.ErrorContains(t, err, want)
	}
}

// TestEvenlySplitPeople: items on which people are evenly split are left out and counted, or count as ties. Ann and Bob
// differ on 4 of 40 pairs, of one of which the judge says that both are equal; it is right on 27 of the other 36.
func TestEvenlySplitPeople(t *testing.T) {
	const n = 40
	run := protocoltest.PairsRun(t, "judge", n, func(item, position int) string {
		switch {
		case item == 0:
			return "AB"[position : position+1] // another response in another order
		case item%4 == 1 && item > 1:
			return "BA"[item%2 : item%2+1]
		}
		return "AB"[item%2 : item%2+1]
	})
	file := func(asTie bool) *labels.LabelFile {
		return &labels.LabelFile{Path: "labels", SplitAsTie: asTie, Labels: slices.Concat(
			labelled(n, "ann", func(int) bool { return true }), labelled(n, "bob", func(i int) bool { return i%10 != 0 }))}
	}
	a := agreed(t, file(false), run)
	assert.DeepEqual(t, []int{a.Items, a.Judges[0].N, a.SplitItems}, []int{36, 36, 4})
	assert.Equal(t, *a.Judges[0].Agreement.Value, 75.0)
	assert.DeepEqual(t, a.Warnings, []string{"people are evenly split on 4 of 40 items, which are left out"})
	a = agreed(t, file(true), run)
	assert.DeepEqual(t, []int{a.Items, a.Judges[0].N, a.SplitItems}, []int{40, 40, 4})
	assert.Equal(t, *a.Judges[0].Agreement.Value, 70.0) // 27 and the tie
	assert.DeepEqual(t, a.Warnings, []string{"people are evenly split on 4 of 40 items, which count as ties"})
}

// TestAC1OfPairsWithoutTies: 36 of 40 pairs alike, A and B as often, is an AC1 of .8: a tie that nobody says is no
// category.
func TestAC1OfPairsWithoutTies(t *testing.T) {
	const n = 40
	good := judge(t, "good", n, func(i int) bool { return i%20 > 1 }) // 36 of 40
	f := &labels.LabelFile{Path: "labels", Labels: labelled(n, "ann", func(int) bool { return true })}
	a := agreed(t, f, good)
	assert.DeepEqual(t, a.Categories, []string{"A", "tie", "B"})
	assert.Equal(t, *a.Pairs[0].AC1.Value, 0.8)
	assert.Equal(t, *a.Pairs[0].Kappa.Value, 0.8)
}

// TestStandInKeepsSmallP: a p of the alternative annotator test has all its digits, however small it is.
func TestStandInKeepsSmallP(t *testing.T) {
	const n = 200
	good := judge(t, "good", n, func(int) bool { return true })
	f := &labels.LabelFile{Path: "labels"}
	for labeller, name := range []string{"ann", "bob", "cy"} {
		f.Labels = append(f.Labels, labelled(n, name, func(i int) bool { return i%3 != labeller })...)
	}
	a := agreed(t, f, good)
	// One of three people is wrong on an item. Beside it the judge is better there, with both others. Elsewhere one
	// other is right: the same. So of 200 differences 67 or 66 are −1, and the others 0.
	for i, wrong := range []float64{67, 67, 66} {
		mean := -wrong / n
		deviation := math.Sqrt(n * (wrong/n - mean*mean) / (n - 1))
		want := distuv.StudentsT{Sigma: 1, Nu: n - 1}.CDF((mean - altTestEpsilon) / deviation * math.Sqrt(n))
		got := *a.AltTests[0].People[i].P
		assert.Assert(t, want < 1e-20 && math.Abs(got/want-1) < 1e-9, "p is %v, want %v", got, want)
	}
	blocks := a.Document().Blocks
	assert.Equal(t, blocks[len(blocks)-1].Table.Rows[1].Cells[3].Text, "<0.0001")
}

// TestAgreeOfParts: an item of which not all orders are judged is no verdict of that judge, and a judge of none of the
// labelled items is refused by name.
func TestAgreeOfParts(t *testing.T) {
	whole, part := judge(t, "whole", 40, func(int) bool { return true }), judge(t, "part", 40, func(int) bool { return true })
	records := filepath.Join(part, judging.RecordsFile)
	text, err := os.ReadFile(records)
	assert.NilError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	assert.NilError(t, os.WriteFile(records, []byte(strings.Join(lines[1:], "")), 0o644))
	f := &labels.LabelFile{Path: "labels", Labels: labelled(40, "ann", func(int) bool { return true })}
	a := agreed(t, f, whole, part)
	n := map[string]int{}
	for _, j := range a.Judges {
		n[j.Run] = j.N
	}
	assert.DeepEqual(t, n, map[string]int{whole: 40, part: 39})
	partial := judge(t, "few", 10, func(int) bool { return true })
	_, err = labels.Agree([]string{whole, partial}, &labels.LabelFile{Path: "x", Labels: f.Labels[20:]}, altTestEpsilon, reading, stats.DefaultBootstrap)
	assert.ErrorContains(t, err, "none of the 20 labels belongs to an item that "+partial+" has judged")
}

// FuzzRead: no file of labels makes the reader panic, and what it takes has an item.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"item":"p","labeller":"a","label":"A"}`, `{"id":7,"winner":"A>B","annotator":null}`, `{"item":"p","labeller":"","undo":true,"again":true}`, "item,label\np,A\n", `[{"item":"p","label":"tie","probability":0}]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "l")
		assert.NilError(t, os.WriteFile(path, text, 0o644))
		got, err := labels.Read(path)
		if err == nil {
			got.Majority()
		}
	})
}

// inClusters returns labels of items in clusters of ten.
func inClusters(all []labels.Label) []labels.Label {
	for i := range all {
		all[i].Item = "q" + all[i].Item[:3] + ":" + all[i].Item
	}
	return all
}

// TestEstimate: a judge that says A too often is corrected.
// sideOf returns a function that returns the same response for each item.
func sideOf(response string) func(string) string { return func(string) string { return response } }

func TestEstimate(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(1, 1))
	dir := judge(t, "biased", n, func(i int) bool { return i%2 == 0 || rng.Float64() < 0.5 }) // B is called A half of the time
	f := &labels.LabelFile{Path: "labels", Labels: labelled(100, "ann", func(int) bool { return true })}
	e, err := labels.Estimate(dir, f, "A", sideOf("A"), []float64{10}, reading, 0.95)
	assert.NilError(t, err)
	assert.Assert(t, *e.JudgeAlone.Low > 60, "the judge alone says %v", e.JudgeAlone)
	assert.Assert(t, *e.Share.Low < 50 && *e.Share.High > 50, "%v [%v, %v]", *e.Share.Value, *e.Share.Low, *e.Share.High)
	assert.Assert(t, *e.Share.High-*e.Share.Low < *e.LabelsAlone.High-*e.LabelsAlone.Low, "the judge adds nothing")
	assert.Assert(t, *e.RoganGladen.Low < 50 && *e.RoganGladen.High > 50)
	other, err := labels.Estimate(dir, f, "B", sideOf("B"), []float64{10}, reading, 0.95)
	assert.NilError(t, err)
	assert.Assert(t, *e.Share.Value+*other.Share.Value > 99.99 && *e.Share.Value+*other.Share.Value < 100.01, "shares of A and B are %v and %v", *e.Share.Value, *other.Share.Value)
	alone, err := labels.Estimate(judge(t, "clusters", n, func(int) bool { return true }, func(_ int, r *judging.Record) {
		r.Source = datasets.MTBenchFormat.Name
		r.Item = "q" + r.Item[:3] + ":" + r.Item
	}), &labels.LabelFile{Path: "labels", Labels: inClusters(labelled(100, "ann", func(int) bool { return true }))}, "A", sideOf("A"), nil, reading, 0.95)
	assert.NilError(t, err)
	assert.Equal(t, alone.Clusters, 41) // p00x to p40x
	assert.Assert(t, alone.RoganGladen == nil)
	assert.Equal(t, *alone.Share.Value, 50.0)
	f.Labels[0].DrawMethod = labels.DrawnByDisagreement
	_, err = labels.Estimate(dir, f, "A", sideOf("A"), nil, reading, 0.95)
	assert.ErrorContains(t, err, "chosen by disagreement")
}

func TestSelect(t *testing.T) {
	const n = 60
	wrong := func(i int) bool { return i%6 == 5 } // and not sure of it
	sure := func(i int, r *judging.Record) {
		p := 0.9
		if wrong(i) {
			p = 0.6
		}
		r.Probabilities = []judging.Probability{{Label: "[[A>B]]", P: p}, {Label: "[[B>A]]", P: 1 - p}}
		if r.Label == "B>A" {
			r.Probabilities[0].P, r.Probabilities[1].P = 1-p, p
		}
	}
	dir := judge(t, "sure", n, func(i int) bool { return !wrong(i) }, sure)
	f := &labels.LabelFile{Path: "labels", Labels: labelled(40, "ann", func(int) bool { return true })}
	s, err := labels.SelectThresholds([]string{dir}, f, 0.1, 0.1, reading)
	assert.NilError(t, err)
	assert.Equal(t, *s.Judges[0].Threshold, 0.9)
	assert.Equal(t, s.Judges[0].Labelled, 34) // of 40, without the six that it is wrong on
	assert.Equal(t, s.CoveredItems, 50)
	assert.Equal(t, s.Calls, 2*n)
	_, err = labels.SelectThresholds([]string{judge(t, "mute", 4, func(int) bool { return true })}, f, 0.1, 0.1, reading)
	assert.ErrorContains(t, err, "no label probabilities")
}
