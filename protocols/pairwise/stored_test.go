package pairwise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/datasets/references"
	"gavel/judging"
	"gavel/scoring"
)

// scored is what a run comes to by a metric, in percent, and of how many.
func scored(t *testing.T, dir, metric string) string {
	t.Helper()
	scoring.Register("pairwise", NewScorer)
	run, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
	if err != nil {
		t.Fatal(err)
	}
	o := scoring.DefaultOptions.Bootstrap
	o.Rounds = 100
	rep := run.Score(o)
	x := rep.Overall(metric)
	if x.Value == nil {
		return "n/a"
	}
	return fmt.Sprintf("%.1f of %d", *x.Value, x.N)
}

func written(t *testing.T, path string, lines ...any) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, line := range lines {
		raw, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(raw, '\n'))
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// reifeFiles writes files as ReIFE would of a judge's verdicts on a subset file of LLMBar.
func reifeFiles(t *testing.T, dir, set string, judge references.Judge) string {
	t.Helper()
	known := references.LLMBar()
	var first, second []any
	for _, subset := range reifeSubsets[set] {
		for i := 0; ; i++ {
			at, is := known.Index(datasets.LLMBarID(subset, i))
			if !is {
				break
			}
			row := func(verdict byte) map[string]any {
				winner, tie := 1, 0
				switch verdict {
				case '1', '2':
					winner = int(verdict - '0')
				case references.Tie:
					tie = 1
				}
				return map[string]any{
					"instruction": fmt.Sprint(subset, i),
					"output_1":    "one",
					"output_2":    "two",
					"response":    []any{map[string]any{"text": "Output (a)"}},
					"winner":      winner,
					"result":      map[string]any{"winner": winner, "tie": tie, "fail": verdict == references.NoVerdict},
				}
			}
			first = append(first, row(judge.First[at]))
			second = append(second, row(judge.Second[at]))
		}
	}
	name := filepath.Join(dir, set+".a.b-1.5.base_pairwise.pairwise_vanilla")
	written(t, name+".jsonl", first...)
	written(t, name+"_swap.jsonl", second...)
	return name + ".jsonl"
}

// TestImportReIFE: files made of published verdicts come to what those come to, in both orders of the pairs.
func TestImportReIFE(t *testing.T) {
	known := references.LLMBar()
	for _, judge := range known.Judges {
		if !judge.LabelsStay || !known.Whole(judge) {
			continue
		}
		dir := t.TempDir()
		natural := reifeFiles(t, dir, "llmbar_natural", judge)
		adversarial := reifeFiles(t, dir, "llmbar_adversarial", judge)
		out := filepath.Join(dir, "run")
		im, err := importReIFE([]string{adversarial, natural}, out, "", "test")
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i := range known.Gold {
			if known.Right(judge, i) {
				right++
			}
		}
		want := fmt.Sprintf("%.1f of 419", 100*float64(right)/419)
		if got := scored(t, out, "strict"); got != want {
			t.Errorf("%s: strict %s, want %s", judge.Name, got, want)
		}
		m, err := judging.ReadManifest(out)
		if err != nil || !m.LabelsStay || m.Spec.Model.Name != "a.b-1.5" || m.Dataset.Name != "llmbar" || im.Games != 838 {
			t.Errorf("%+v, %v", m, err)
		}
		if _, err := importReIFE([]string{natural, natural}, filepath.Join(dir, "no"), "", "test"); err == nil ||
			!strings.Contains(err.Error(), "give each once") {
			t.Errorf("one file twice: %v", err)
		}
		for path, want := range map[string]string{
			strings.Replace(natural, ".jsonl", "_swap.jsonl", 1): "give the file of the first order",
			filepath.Join(dir, "mtbench.a.b.c.jsonl"):            "ReIFE's results have none",
			filepath.Join(dir, "llmbar_natural.x.b.c.jsonl"):     "no such file",
		} {
			if _, err := importReIFE([]string{path}, filepath.Join(dir, "no"), "", "test"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", path, err)
			}
		}
		return
	}
	t.Error("no judge to try")
}

// TestImportPRD: both orders of a review are one pair, people in either order make the label, and the second spelling of
// a file is passed over.
func TestImportPRD(t *testing.T) {
	dir := t.TempDir()
	answer := func(model string, question int) any {
		return map[string]any{"question_id": question, "text": model + " says", "model_id": model + ":1"}
	}
	review := func(question, score int) any {
		return map[string]any{"question_id": question, "text": "because", "score": score}
	}
	written(t, filepath.Join(dir, "prompts", "vicuna_questions.jsonl"),
		map[string]any{"question_id": 1, "text": "Why?", "category": "generic"},
		map[string]any{"question_id": 2, "text": "How?", "category": "math"},
		map[string]any{"question_id": 3, "text": "Who?", "category": "math"})
	for _, model := range []string{"gpt4", "vicuna-13b"} {
		written(t, filepath.Join(dir, "generations", "answer_"+model+".jsonl"), answer(model, 1), answer(model, 2), answer(model, 3))
	}
	ratings := func(reviewer, name string, scores ...int) {
		var rows []any
		for i, s := range scores {
			rows = append(rows, review(i+1, s))
		}
		written(t, filepath.Join(dir, "ratings-"+reviewer, name), rows...)
	}
	ratings("human", "answer_vicuna-13b-vs-answer_gpt4-human-reviewer_threeclass.jsonl", 2, 1, 3) // gpt4, vicuna, tie
	ratings("gpt4", "answer_gpt4-vs-answer_vicuna-13b-gpt4-reviewer-threeclass.jsonl", 1, 1, 3)
	ratings("gpt4", "answer_vicuna-13b-vs-answer_gpt4-gpt4-reviewer-threeclass.jsonl", 2, 1, 0)
	ratings("gpt4", "answer-gpt4-vs-answer-vicuna-13b-gpt4-reviewer-threeclass.jsonl", 2, 2, 2)
	out := filepath.Join(dir, "run")
	if _, err := importPRD(dir, "gpt4", out, "test"); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"vicuna-1:gpt4:vicuna-13b/0 decided A", "vicuna-1:gpt4:vicuna-13b/1 decided A",
		"vicuna-2:gpt4:vicuna-13b/0 decided A", "vicuna-2:gpt4:vicuna-13b/1 decided B",
		"vicuna-3:gpt4:vicuna-13b/0 tie", "vicuna-3:gpt4:vicuna-13b/1 no-verdict",
	}
	if got := verdicts(t, out); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	if got := scored(t, out, "strict"); got != "50.0 of 2" {
		t.Errorf("strict %s", got)
	}
	if _, err := importPRD(dir, "gpt4", out, "test"); err != nil {
		t.Errorf("the same into the same folder: %v", err)
	}
	if m, err := judging.ReadManifest(out); err != nil || m.Spec.Model.Name != "gpt4:1" {
		t.Errorf("%+v, %v", m, err)
	}
	err := judging.ReadRecords(filepath.Join(out, judging.RecordsFile), func(r *judging.Record) error {
		of, what := r.Cluster()
		if question, _, _ := strings.Cut(r.Item, ":"); what != "question" || of(r.Item) != question {
			t.Errorf("%s belongs to no question", r.Item)
		}
		if r.Group != "generic" && r.Group != "math" {
			t.Errorf("%s is in %q", r.Item, r.Group)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	ratings("bard", "answer_vicuna-13b-vs-answer_gpt4-bard-reviewer.jsonl", 1, 2, 3)
	out = filepath.Join(dir, "one order")
	if im, err := importPRD(dir, "bard", out, "test"); err != nil || im.Games != 6 || im.Null != 3 {
		t.Errorf("one order alone: %+v, %v", im, err)
	}
	written(t, filepath.Join(dir, "ratings-twice", "answer_vicuna-13b-vs-answer_gpt4-twice-reviewer.jsonl"), review(1, 1), review(1, 1), review(1, 2))
	ratings("again", "answer_vicuna-13b-vs-answer_gpt4-again-reviewer.jsonl", 1, 2, 3)
	ratings("again", "answer_vicuna-13b-vs-answer_gpt4-again-reviewer-old.jsonl", 1, 2, 1)
	for reviewer, want := range map[string]string{
		"twice": "twice-reviewer.jsonl: row 3: question 1 stands in ",
		"again": "again-reviewer-old.jsonl row 3: question 3 stands in ",
	} {
		_, err := importPRD(dir, reviewer, filepath.Join(dir, "no"), "test")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "reviewer.jsonl row ") {
			t.Errorf("two reviews that differ: %v", err)
		}
	}
	if _, err := importPRD(dir, "claude", filepath.Join(dir, "no"), "test"); err == nil ||
		!strings.Contains(err.Error(), `there are ["again" "bard" "gpt4" "human" "twice"]`) {
		t.Errorf("%v", err)
	}
}
