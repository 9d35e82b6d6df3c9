package pairwise

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
)

// reifeRows returns ReIFE's rows for a judge's verdicts on subsets of LLMBar.
func reifeRows(t *testing.T, subsets []string, verdicts string) string {
	var rows strings.Builder
	set := references.LLMBar()
	for _, subset := range subsets {
		set.EachItem(func(i int, id, group string) {
			if group != subset {
				return
			}
			result := map[string]any{"winner": 1, "tie": 0, "fail": verdicts[i] == references.NoVerdict}
			switch verdicts[i] {
			case '2':
				result["winner"] = 2
			case references.Tie:
				result["tie"] = 1
			}
			row, err := json.Marshal(map[string]any{
				"instruction": id, "output_1": "one", "output_2": "two", "result": result,
				"response": []any{map[string]any{"text": "Output (a)"}},
			})
			assert.NilError(t, err)
			rows.Write(append(row, '\n'))
		})
	}
	return rows.String()
}

// TestImportReIFE imports files made of published verdicts and expects the same verdicts, in both orders of the pairs.
func TestImportReIFE(t *testing.T) {
	set := references.LLMBar()
	index := slices.IndexFunc(set.Judges, func(j references.PublishedJudge) bool { return j.LabelsFollowResponses && set.Complete(j) })
	judge := set.Judges[index]
	dir := t.TempDir()
	name := func(set, order string) string {
		return filepath.Join(dir, set+".a.b-1.5.base_pairwise.pairwise_vanilla"+order+".jsonl")
	}
	for file, subsets := range reifeSubsets {
		for order, verdicts := range map[string]string{"": judge.FirstOrderVerdicts, "_swap": judge.SecondOrderVerdicts} {
			assert.NilError(t, os.WriteFile(name(file, order), []byte(reifeRows(t, subsets, verdicts)), 0o666))
		}
	}
	natural := name("llmbar_natural", "")
	run := filepath.Join(dir, "run")
	take := func(out string, files ...string) ([]*imports.ImportedRun, error) {
		return importReIFE(imports.Input{Files: files, Out: out, Option: func(string) string { return "" }})
	}
	runs, err := take(run, name("llmbar_adversarial", ""), natural)
	assert.NilError(t, err)
	m := runs[0].Manifest
	assert.Assert(t, m.LabelsFollowResponses && m.Spec.Model.Name == "a.b-1.5" && m.Dataset.Name == "llmbar" && m.Judgments == 838)
	published, err := PublishedRun(set, judge, "test")
	assert.NilError(t, err)
	want := map[string]judging.Outcome{}
	key := func(r *judging.Record) string { return fmt.Sprint(r.Item, r.Presentation, r.Choice, r.Gold, r.Order) }
	for _, r := range published.Records {
		want[key(r)] = r.Outcome
	}
	err = judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
		assert.Equal(t, r.Outcome, want[key(r)], key(r))
		return nil
	})
	assert.NilError(t, err)

	for message, paths := range map[string][]string{
		"give each once":                   {natural, natural},
		"give the file of the first order": {name("llmbar_natural", "_swap")},
		"ReIFE's results have none":        {filepath.Join(dir, "mtbench.a.b.c.jsonl")},
		"no such file":                     {filepath.Join(dir, "llmbar_natural.x.b.c.jsonl")},
		"one judge and one prompt a run":   {natural, name("llmbar_natural", "x")},
	} {
		_, err := take(filepath.Join(dir, "new"), paths...)
		assert.ErrorContains(t, err, message)
	}
}
