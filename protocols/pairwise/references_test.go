package pairwise

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// TestReferencesAreAsGathered compares gavel's counts of verdicts, by item and by subset, and the registry's figures
// with independently gathered ones.
func TestReferencesAreAsGathered(t *testing.T) {
	const gathered = "../../../shared/data/references/embed.csv"
	file, err := os.Open(gathered)
	if err != nil {
		t.Skip(gathered + " is not there")
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ dataset, judge, metric string }
	want := map[key]float64{}
	n := map[key]string{}
	for _, row := range rows[1:] { // gavel_dataset judge open_weights size protocol prompt same_prompt metric value n …
		if _, name, owned := strings.Cut(row[1], "_"); owned && row[5] == "reward_model" {
			row[1] = name
		}
		k := key{dataset: row[0], judge: row[1], metric: row[7]}
		if row[5] == "CoT" {
			continue
		}
		v, err := strconv.ParseFloat(row[8], 64)
		if err != nil {
			t.Fatal(row)
		}
		want[k] = v
		n[k] = row[9]
	}
	checked := 0
	check := func(k key, x scoring.Reference) {
		v, ok := want[k]
		if !ok {
			return
		}
		checked++
		if math.Abs(v-x.Value) > 0.006 || n[k] != strconv.Itoa(x.N) || x.Low > x.Value || x.High < x.Value {
			t.Errorf("%+v: %.4f of %d, gathered %.2f of %s", k, x.Value, x.N, v, n[k])
		}
	}
	set := references.LLMBar()
	indexes := map[string][]int{}
	set.EachItem(func(i int, _, group string) {
		name := "llmbar-" + strings.ToLower(strings.TrimPrefix(group, "Adversarial/"))
		indexes[name] = append(indexes[name], i)
	})
	for name, items := range indexes {
		for _, judge := range set.Judges {
			if items[len(items)-1] < len(judge.FirstOrderVerdicts) {
				check(key{dataset: name, judge: judge.SourceName, metric: "strict"}, publishedReference(set, judge, items, 0.95))
			}
		}
	}
	fullNames := map[string]string{"o1-mini": "o1-mini-2024-09-12"}
	for _, x := range References(0.95) {
		k := key{dataset: x.Dataset, judge: x.Judge, metric: x.Metric}
		if other, ok := fullNames[x.Judge]; ok {
			k.judge = other
		}
		if x.Dataset == "judgebench-claude" {
			k.judge = "claude-3-haiku-20240307"
		}
		before := checked
		check(k, x)
		if checked == before && x.Dataset != "llmbar" {
			t.Errorf("%+v was not gathered", k)
		}
	}
	if checked < 80 {
		t.Errorf("%d figures were compared", checked)
	}
}

// TestReferencesOfARun checks that references are over exactly the pairs of a run, also of a sample. Runs over other
// pairs, or with the reversed goal, have none, and figures without verdicts are only for whole files.
func TestReferencesOfARun(t *testing.T) {
	dataset, _ := datasets.Lookup("llmbar-natural")
	set := references.LLMBar()
	pairsOf := func(protocol judging.Protocol, sha string, n int) *pairScorer {
		f := &pairScorer{manifest: &judging.Manifest{}}
		f.manifest.Spec.Protocol = protocol.Name
		f.manifest.Spec.Goal = protocol.Goal
		f.manifest.Spec.Dataset.SHA256 = sha
		set.EachItem(func(i int, id, _ string) {
			if i >= n {
				return
			}
			gold := int8(set.GoldByItem[i] - '1')
			u := &pair{item: id, gold: gold}
			for k := range u.judgments { // right on every second pair
				u.judgments[k] = judgment{present: true, outcome: judging.Decided, choice: (gold + int8(i%2)) % 2}
			}
			f.rows = append(f.rows, u)
		})
		return f
	}
	all := pairsOf(Protocol, dataset.SHA256, 40).publishedScores(0.95)
	if len(all) != 13 {
		t.Fatalf("%d references", len(all))
	}
	var p []float64
	for i, x := range all {
		both, right := 0, 0
		judge := set.Judges[0]
		for _, j := range set.Judges {
			if j.Name == x.Judge {
				judge = j
			}
		}
		for k := range 40 {
			if set.IsCorrectInBothOrders(judge, k) {
				right++
				if k%2 == 0 {
					both++
				}
			}
		}
		if x.N != 40 || x.OnlyReferenceRight != right-both || x.OnlyRunRight != 20-both || i > 0 && x.Value > all[i-1].Value {
			t.Errorf("%+v, %d right, %d with the run", x, right, both)
		}
		p = append(p, stats.McNemar(20-both, right-both))
	}
	for i, adjusted := range stats.Holm(p) {
		if math.Abs(*all[i].P-adjusted) > 1e-12 {
			t.Errorf("%s: p %g, by Holm %g", all[i].Judge, *all[i].P, adjusted)
		}
	}
	if all := pairsOf(Protocol, dataset.SHA256, 150).publishedScores(0.95); len(all) != 11 {
		t.Errorf("%d judges decided the first 150 pairs", len(all))
	}
	judgeBench, _ := datasets.Lookup("judgebench-gpt4o")
	for name, f := range map[string]*pairScorer{
		"another file":              pairsOf(Protocol, "0", 40),
		"asked for the worse":       pairsOf(Reversed, dataset.SHA256, 40),
		"no pair":                   pairsOf(Protocol, dataset.SHA256, 0),
		"a sample, by figures only": pairsOf(Protocol, judgeBench.SHA256, 40),
	} {
		if all := f.publishedScores(0.95); all != nil {
			t.Errorf("%s: %d references", name, len(all))
		}
	}
	imported := pairsOf(Protocol, "0", judgeBench.Rows)
	imported.manifest.Imported = "outputs.jsonl"
	imported.manifest.Files = map[string]string{judging.ItemsFile: judgeBench.SHA256}
	imported.manifest.Spec.Model.Name = "openai/o1-mini-2024-09-12"
	isItself := func(x scoring.Reference) bool { return x.Judge == "o1-mini" }
	if all := imported.publishedScores(0.95); len(all) < 30 || slices.ContainsFunc(all, isItself) {
		t.Errorf("%d references of an imported run of all pairs", len(all))
	}
	whole := pairsOf(Protocol, judgeBench.SHA256, judgeBench.Rows).publishedScores(0.95)
	if len(whole) < 30 || whole[0].P != nil || whole[0].Metric != "strict" {
		t.Errorf("%d references of JudgeBench, first %+v", len(whole), whole[:min(1, len(whole))])
	}
}
