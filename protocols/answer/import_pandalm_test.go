package answer

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestImportPandaLM(t *testing.T) {
	testset := file(t, "testset-v1.json", `[
		{"idx": 0, "cmp_key": "bloom-7b_llama-7b", "instruction": "Shorten.", "input": "It is so.", "response1": "So.", "response2": "It.", "annotator1": 2, "annotator2": 2, "annotator3": 1},
		{"idx": 1, "cmp_key": "bloom-7b_opt-7b", "instruction": "Is it?", "input": "", "response1": true, "response2": "no", "annotator1": 0, "annotator2": 0, "annotator3": 0},
		{"idx": 2, "cmp_key": "bloom-7b_opt-7b", "instruction": "Is it?", "input": "", "response1": "I", "response2": "you", "annotator1": 0, "annotator2": 1, "annotator3": 2}]`)
	results := file(t, "judge.json", `[
		{"idx": 0, "gpt_result": "2", "gpt_reason": "shorter", "gpt_reference": "So."},
		{"idx": 1, "gpt_result": "Tie", "gpt_reason": "alike"},
		{"idx": 2, "gpt_result": "garbage", "gpt_reason": null}]`)
	out := filepath.Join(t.TempDir(), "run")
	im, err := importPandaLM(results, testset, out, "judge", "test")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "verdicts", importedIn(t, out), []string{"1:0 decided B", "2:1 decided C", "2:2 no-verdict"})
	checkRun(t, out)
	r := recordsOf(t, out)
	if of, what := r[2].Cluster(); what != "question" || of(r[2].Item) != of(r[1].Item) || of(r[0].Item) == of(r[1].Item) {
		t.Errorf("%s and %s are of one question, %s is not", r[1].Item, r[2].Item, r[0].Item)
	}
	if r[0].Gold != "B" || r[1].Gold != "C" || r[2].Gold != "" || !strings.Contains(strings.Join(im.Said, "\n"), "one order alone") {
		t.Errorf("%q %q %q, %q", r[0].Gold, r[1].Gold, r[2].Gold, im.Said)
	}
	for name, c := range map[string]struct{ results, testset, err string }{
		"another file":   {testset, testset, "no idx or no …_result"},
		"not the set":    {results, results, "this is not PandaLM's testset-v1.json"},
		"an unknown row": {file(t, "more.json", `[{"idx": 7, "x_result": 1}]`), testset, "idx 7 is not in"},
	} {
		if _, err := importPandaLM(c.results, c.testset, filepath.Join(t.TempDir(), "no"), "judge", "test"); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
