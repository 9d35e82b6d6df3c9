package pairwise

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"gavel/datasets/references"
	"gavel/judging"
	"gavel/protocols/imports"
)

// storedVanilla returns a judge's files in a clone of LLMBar.
func storedVanilla(t *testing.T, judge string) (files []string) {
	t.Helper()
	clone := cmp.Or(os.Getenv("GAVEL_LLMBAR"), "../../../shared/data/llmbar")
	for _, subset := range []string{"Natural", "Adversarial/*"} {
		paths, err := filepath.Glob(filepath.Join(clone, "Dataset/LLMBar", subset, "evaluators", judge, "Vanilla/result.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, paths...)
	}
	if len(files) != 5 {
		t.Skipf("%s has stored replies of %s to %d of LLMBar's subsets, not all 5; a clone is named by GAVEL_LLMBAR",
			clone, judge, len(files))
	}
	return files
}

// TestPublishedIsWhatTheRepliesSay checks that gavel's verdicts are those that it reads from LLMBar's stored replies.
func TestPublishedIsWhatTheRepliesSay(t *testing.T) {
	folder := map[string]string{"Falcon-180B-chat": "Falcon", "Llama-2-70B-chat": "LLaMA2"}
	set := references.LLMBar()
	for _, judge := range set.Judges {
		if judge.LabelsFollowResponses {
			continue // ReIFE's
		}
		t.Run(judge.Name, func(t *testing.T) {
			files := storedVanilla(t, cmp.Or(folder[judge.SourceName], judge.SourceName))
			dir := filepath.Join(t.TempDir(), "run")
			if _, err := importLLMBar(imports.Input{Files: files, Out: dir, Option: func(string) string { return judge.Name }}); err != nil {
				t.Fatal(err)
			}
			type key struct {
				item         string
				presentation int
			}
			want := map[key]*judging.Record{}
			err := judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
				want[key{item: r.Item, presentation: r.Presentation}] = r
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			run, err := PublishedRun(set, judge, "test")
			if err != nil {
				t.Fatal(err)
			}
			if len(run.Records) != 838 || len(want) != 838 {
				t.Fatalf("%d records, and %d of the replies", len(run.Records), len(want))
			}
			for _, got := range run.Records {
				w := want[key{item: got.Item, presentation: got.Presentation}]
				if w == nil || w.Outcome == judging.Failed && got.Outcome != judging.NoVerdict ||
					w.Outcome != judging.Failed && w.Outcome != got.Outcome || w.Choice != got.Choice || w.Gold != got.Gold ||
					w.Group != got.Group || w.Order[0] != got.Order[0] {
					t.Fatalf("%s %d: %s %s of %v (gold %s), the replies say %+v", got.Item, got.Presentation, got.Outcome,
						got.Choice, got.Order, got.Gold, w)
				}
			}
		})
	}
}

// TestPublishedRun checks that the folder is a readable run over the items that were judged.
func TestPublishedRun(t *testing.T) {
	set := references.LLMBar()
	for _, judge := range set.Judges {
		run, err := PublishedRun(set, judge, "test")
		if err != nil {
			t.Fatal(err)
		}
		n := len(judge.FirstOrderVerdicts)
		if len(run.Records) != 2*n || run.Manifest.Spec.Dataset.Items != n || run.Manifest.Judgments != 2*n {
			t.Errorf("%s: %d records, %+v", judge.Name, len(run.Records), run.Manifest.Spec.Dataset)
		}
		if set.Complete(judge) {
			continue
		}
		dir := filepath.Join(t.TempDir(), "run")
		if err := run.Write(dir); err != nil {
			t.Fatal(err)
		}
		var choice string
		m, err := judging.EachVerdict(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel},
			func(r *judging.Record, _ judging.Asker, v judging.Verdict) error {
				if r.Presentation == 0 {
					choice += string("12"[v.Choice])
				}
				return nil
			})
		if err != nil || choice != judge.FirstOrderVerdicts || m.Status != judging.Complete {
			t.Errorf("%s: %v, %s, want %s", judge.Name, err, choice, judge.FirstOrderVerdicts)
		}
	}
}
