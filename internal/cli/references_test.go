package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// TestReferences: published judges are listed; beside a run of a sample of their pairs each is on the very pairs, and
// the runs that are made of them meet that run.
func TestReferences(t *testing.T) {
	home(t)
	out := mustCall(t, "references")
	for _, words := range []string{"GPT-4 ", "81 [77, 84]    419", "Deepseek-R1", "none, a reward model"} {
		if !strings.Contains(out, words) {
			t.Errorf("the list lacks %q:\n%s", words, out)
		}
	}
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.8", "--dataset", "sample", "--out", "runs/other")
	for args, want := range map[string]string{
		"references runs/other":      "nothing published is known",
		"references --out x":         "--out needs a run",
		"references a b":             "one run at a time",
		"references runs/none":       "no run at",
		"references --outt x runs/o": "unknown flag --outt",
	} {
		ends(t, anyFailure, want, strings.Fields(args)...)
	}
	file := filepath.Join(llmBarData(t), "Dataset/LLMBar/Natural/dataset.json")
	mustCall(t, "datasets", "import", file)
	shows(t, "published  below  … gavel references runs/mine", "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.1,first=0", "--dataset",
		"llmbar-natural", "--sample", "40", "--out", "runs/mine")
	out, errs, code := call(t, "references", "--out", "runs/published", "runs/mine")
	if code != 0 || !strings.Contains(errs, "13 runs written to runs/published") || !strings.Contains(out, "this run: sim:") {
		t.Fatalf("exit %d: %s%s", code, errs, out)
	}
	var all []scoring.Reference
	if err := json.Unmarshal([]byte(mustCall(t, "references", "--json", "runs/mine")), &all); err != nil || len(all) != 13 {
		t.Fatalf("%v, %d references", err, len(all))
	}
	mine, err := judging.ReadManifest("runs/mine")
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := judging.ReadManifest("runs/published/gpt-4")
	if err != nil || mine.Files[judging.ItemsFile] != theirs.Files[judging.ItemsFile] {
		t.Errorf("%v: the run of GPT-4 has other items", err)
	}
	var found bool
	for _, x := range all {
		if x.Judge != "GPT-4" {
			continue
		}
		found = true
		var compared struct {
			Comparisons []struct{ Differences []scoring.Difference }
		}
		text := mustCall(t, "compare", "--json", "runs/mine", "runs/published/gpt-4")
		if err := json.Unmarshal([]byte(text), &compared); err != nil || len(compared.Comparisons) == 0 {
			t.Fatal(err, text)
		}
		d := compared.Comparisons[0].Differences[0]
		if d.Metric != "strict" || *d.B != x.Value || d.Table.OnlyA != x.OnlyRun || d.Table.OnlyB != x.OnlyReference {
			t.Errorf("compare says %+v %+v of GPT-4, references %+v", d, d.Table, x)
		}
	}
	if !found {
		t.Error("GPT-4 is missing")
	}
}
