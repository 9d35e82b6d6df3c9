package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// Pairs without a label are judged and count for consistency and position; what needs a label is as if they were not
// there.
func TestUnlabelledPairs(t *testing.T) {
	dir := t.TempDir()
	maker := newMaker(dir)
	run := func(name string, labels func(i int) string, more ...string) *scoring.Report {
		t.Helper()
		var csv strings.Builder
		csv.WriteString("id,prompt,out_1,out_2,winner\n")
		for i := range 80 {
			if label := labels(i); label != "-" {
				fmt.Fprintf(&csv, "p%d,Q%d?,one,two,%s\n", i, i, label)
			}
		}
		path := filepath.Join(dir, "own.csv")
		assert.NilError(t, os.WriteFile(path, []byte(csv.String()), 0o644))
		r, _ := read(t, "pairwise --backend sim --model accuracy=0.8,first=0.3 --no-cache --dataset "+path+" --out "+filepath.Join(dir, name)+strings.Join(more, ""))
		rep, err := maker.Run(t.Context(), r)
		assert.NilError(t, err)
		return &rep[0]
	}
	labelled := func(i int) string { return []string{"out_1", "out_2"}[i%2] }
	all := run("all", labelled)
	some := run("some", func(i int) string {
		if i < 30 {
			return labelled(i)
		}
		return []string{"", "tie"}[i%2]
	})
	unlabelled := run("few", func(i int) string {
		if i < 30 {
			return labelled(i)
		}
		return "-"
	})
	none := run("none", func(int) string { return "" }, " --field id=id,question=prompt,response_a=out_1,response_b=out_2")
	if all.Unlabelled != 0 || some.Unlabelled != 50 || some.Items != 80 || none.Unlabelled != 80 {
		t.Errorf("%d of %d, %d and %d pairs have no label", some.Unlabelled, some.Items, all.Unlabelled, none.Unlabelled)
	}
	for _, m := range []string{"strict", "counter", "first-order", "second-order", "half-tie", "drop"} {
		a, b := some.Overall(m), unlabelled.Overall(m)
		if a.N != 30 || *a.Value != *b.Value || *a.Low != *b.Low || *a.High != *b.High {
			t.Errorf("%s is %v of %d with pairs without a label beside, %v of %d without", m, *a.Value, a.N, *b.Value, b.N)
		}
		if x := none.Overall(m); x.Value != nil || x.N != 0 {
			t.Errorf("%s of no labels is %+v", m, x)
		}
	}
	for m, n := range map[string]int{"consistency": 80, "first-position": 160} {
		if got := some.Overall(m).N; got != n {
			t.Errorf("%s is of %d", m, got)
		}
	}
	if note := "50 of 80 pairs have no label: they count for consistency and position, and are left out of metrics that need a label"; !slices.Contains(some.Warnings, note) {
		t.Errorf("%q", some.Warnings)
	}
	if d := none.Diagnosis; !strings.HasPrefix(d.Text, "The accuracy is unknown: no judged pair has a label") {
		t.Errorf("%+v", d)
	}
}

// A mapping is part of what a run is, and of its dataset's hash; the run's folder tells it.
func TestMappingIsPartOfTheRun(t *testing.T) {
	dir := t.TempDir()
	maker := newMaker(dir)
	path := filepath.Join(dir, "own.csv")
	assert.NilError(t, os.WriteFile(path, []byte("prompt,out_1,out_2,winner\nQ,x,y,1\nR,x,y,2\n"), 0o644))
	ids := map[string]string{}
	for how, flags := range map[string]string{
		"guessed": "", "the same": " --field label=winner,question=prompt --field response_b=out_2,response_a=out_1",
		"turned": " --field question=prompt,response_a=out_2,response_b=out_1,label=winner", "labels": " --label-values B>A=1,A>B=2",
	} {
		r, _ := read(t, "pairwise --backend sim --model right --no-cache --dataset "+path+flags)
		plan, err := maker.Plan(t.Context(), r)
		assert.NilError(t, err)
		m := plan.Runs[0].Manifest
		ids[how] = m.ID
		rebuilt, _ := eval.RequestOf(m)
		rebuilt.Dataset, rebuilt.NoCache = path, true
		if plan, err := maker.Plan(t.Context(), rebuilt); err != nil || plan.Runs[0].Manifest.ID != m.ID {
			t.Errorf("%s: %s is another run, %v", how, rebuilt.Command(), err)
		}
	}
	if ids["guessed"] != ids["the same"] || ids["turned"] == ids["guessed"] || ids["labels"] == ids["guessed"] || ids["labels"] == ids["turned"] {
		t.Errorf("%v", ids)
	}
	if _, err := eval.ParseRequest(mustProtocol(t), map[string][]string{"dataset": {"x.csv"}, "field": {"question=a,response_a=b"}}); err == nil || err.Error() != "--field response_a and response_b go together" {
		t.Error(err)
	}
}

func mustProtocol(t *testing.T) judging.Protocol {
	t.Helper()
	p, err := judging.ProtocolNamed("pairwise")
	assert.NilError(t, err)
	return p
}

// Of RM-Bench's pairs the table says how often the judge is right by how the responses look, and style-bias is the gap;
// the numbers are those counted from the records.
func TestStyleBias(t *testing.T) {
	dir := t.TempDir()
	maker := newMaker(dir)
	var rows []string
	for i := range 40 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"subset":"s","prompt":"Q%d","chosen":["a","b","c"],"rejected":["d","e","f"]}`, i, i))
	}
	path, out := filepath.Join(dir, "chat_filtered.json"), filepath.Join(dir, "run")
	assert.NilError(t, os.WriteFile(path, []byte("["+strings.Join(rows, ",")+"]"), 0o644))
	r, _ := read(t, "pairwise --backend sim --model accuracy=0.7,first=0.2,seed=3 --no-cache --dataset "+path+" --out "+out)
	reps, err := maker.Run(t.Context(), r)
	assert.NilError(t, err)
	rep := reps[0]
	right := map[string]int{}
	if err := judging.ReadRecords(filepath.Join(out, judging.RecordsFile), func(r *judging.Record) error {
		if r.Choice == r.Gold {
			right[r.Item]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	strict := map[string]float64{}
	for item, n := range right {
		styles := item[len(item)-3:]
		level := "normal"
		if styles[0] > styles[2] {
			level = "easy"
		} else if styles[0] < styles[2] {
			level = "hard"
		}
		if n == 2 {
			strict[level] += 100.0 / 120
		}
	}
	near := func(x *float64, want float64) bool { return x != nil && *x > want-1e-3 && *x < want+1e-3 }
	for level, want := range strict {
		x := rep.Result("strict", level, "")
		if !near(x.Value, want) || x.N != 120 || x.Clusters != 40 || x.Low == nil {
			t.Errorf("%s is %+v, counted %g", level, x, want)
		}
	}
	bias := rep.Overall("style-bias")
	if want := strict["easy"] - strict["hard"]; !near(bias.Value, want) || bias.Clusters != 40 || bias.N != 120 || *bias.Low >= want || *bias.High <= want || want == 0 {
		t.Errorf("style-bias is %+v, counted %g", bias, want)
	}
}
