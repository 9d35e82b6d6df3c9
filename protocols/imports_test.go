package protocols_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// TestImports runs the arguments of "gavel import" in the comment of each archive, a line each, and compares the output
// and the records with the golden file. A member "zip A B" is the file B in the archive A.
func TestImports(t *testing.T) {
	archives, err := filepath.Glob("testdata/imports/*.txtar")
	assert.Assert(t, err == nil && len(archives) > 0)
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			assert.NilError(t, err)
			want, err := filepath.Abs("testdata/imports/" + name + ".golden")
			assert.NilError(t, err)
			t.Chdir(t.TempDir())
			unpack(t, archive.Files)
			var out strings.Builder
			for line := range strings.Lines(string(archive.Comment)) {
				runs, err := imported(t, strings.Fields(line))
				fmt.Fprintf(&out, "=== %s", line)
				for _, r := range runs {
					out.WriteString(strings.Join(slices.Concat(r.Summary, r.ReadingDifferences, recordsOf(t, r)), "\n") + "\n")
				}
				if err != nil {
					fmt.Fprintln(&out, err)
				}
			}
			assert.Assert(t, golden.String(out.String(), want))
		})
	}
}

// unpack writes the files of an archive into the working directory.
func unpack(t *testing.T, files []txtar.File) {
	zips := map[string][]string{}
	for _, f := range files {
		if member, ok := strings.CutPrefix(f.Name, "zip "); ok {
			archive, name, _ := strings.Cut(member, " ")
			zips[archive] = append(zips[archive], name, string(f.Data))
			continue
		}
		assert.NilError(t, os.MkdirAll(filepath.Dir(f.Name), 0o777))
		assert.NilError(t, os.WriteFile(f.Name, f.Data, 0o666))
	}
	for name, members := range zips {
		if members[0] == "" {
			members = nil
		}
		assert.NilError(t, os.WriteFile(name, []byte(zipped(t, members...)), 0o666))
	}
}

// zipped returns an archive of files, given as name and text in turn.
func zipped(t testing.TB, namesAndTexts ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w, err := z.Create(namesAndTexts[i])
		assert.NilError(t, err)
		w.Write([]byte(namesAndTexts[i+1]))
	}
	assert.NilError(t, z.Close())
	return b.String()
}

// imported returns the runs of a command.
func imported(t *testing.T, words []string) ([]*imports.ImportedRun, error) {
	options := map[string]string{}
	var files []string
	for i := 1; i < len(words); i++ {
		if name, ok := strings.CutPrefix(words[i], "--"); ok {
			options[name] = words[i+1]
			i++
		} else {
			files = append(files, words[i])
		}
	}
	for _, p := range protocols.All {
		for _, im := range p.Imports {
			if im.Name != words[0] {
				continue
			}
			_, missing := os.Stat(options["out"])
			runs, err := im.Import(imports.Input{
				Files: files, Out: options["out"], Gavel: "test",
				Option:      func(name string) string { return options[name] },
				OpenDataset: opened,
			})
			if _, statErr := os.Stat(options["out"]); err != nil && missing != nil && statErr == nil {
				t.Errorf("%q: a folder is left behind", words)
			}
			for _, r := range runs {
				checkRun(t, r.Dir)
				if im.Name == "judgebench" { // which is written back to the byte
					var back bytes.Buffer
					_, _, err := pairwise.Export(r.Dir, "", &back)
					assert.NilError(t, err)
					file, err := os.ReadFile(files[0])
					assert.Assert(t, err == nil && back.String() == string(file), "%s: written back are\n%s", files[0], &back)
				}
			}
			return runs, err
		}
	}
	return nil, errors.New("no such importer")
}

func opened(path string) (*datasets.Set, judging.DatasetInfo, error) {
	set, err := datasets.OpenFile(path)
	if err != nil {
		return nil, judging.DatasetInfo{}, err
	}
	return set, judging.DatasetInfo{Name: set.Name, Format: set.Format, Rows: set.Len()}, nil
}

// recordsOf lists the records of a run: item, presentation, outcome and label.
func recordsOf(t *testing.T, run *imports.ImportedRun) []string {
	manifest := run.Manifest
	lines := []string{fmt.Sprintf("model %s, %s of %s: %d items of %s, format %s, from %s, judge name %q, order kept %t",
		manifest.Spec.Model.Name, manifest.Spec.Prompt.Name, manifest.Spec.Prompt.Origin, manifest.Spec.Dataset.Items, manifest.Dataset.Name,
		manifest.Dataset.Format, manifest.Imported, manifest.JudgeName, manifest.LabelsFollowResponses)}
	err := judging.ReadRecords(filepath.Join(run.Dir, judging.RecordsFile), func(r *judging.Record) error {
		facts := []string{fmt.Sprintf("%s/%d %s", r.Item, r.Presentation, r.Outcome), r.Choice + r.Answer, r.Rule}
		if decision := r.Imported.Decision; decision != nil {
			facts = append(facts, "file: "+*decision)
		}
		if cluster, kind := r.ClusterKeyFunc(); kind != "" {
			facts = append(facts, kind+" "+cluster(r.Item))
		}
		facts = append(facts, "gold "+cmp.Or(r.Gold, "unknown"), r.Group, fmt.Sprint(len(r.Replies), " replies"))
		lines = append(lines, strings.Join(slices.DeleteFunc(facts, func(s string) bool { return s == "" }), ", "))
		return nil
	})
	assert.NilError(t, err)
	return lines
}

// checkRun checks that the written items read as a dataset, that they are the records' items, and that replies read
// back as recorded.
func checkRun(t *testing.T, run string) {
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	assert.NilError(t, err)
	defer set.Close()
	items := map[string]datasets.Item{}
	for i := range set.Len() {
		item, err := set.Item(i)
		assert.NilError(t, err)
		items[item.ID] = item
	}
	records := 0
	m, err := judging.EachVerdict(run, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel},
		func(r *judging.Record, asker judging.Asker, v judging.Verdict) error {
			records++
			item := items[r.Item]
			copied := judging.NewRecord(&judging.Manifest{Spec: judging.Spec{Protocol: asker.Name()}}, item,
				asker.Presentations(item)[r.Presentation])
			if item.ID == "" || item.Group != r.Group || copied.Gold != r.Gold || copied.Shape != r.Shape {
				t.Errorf("item %+v, record %+v", item, r)
			}
			if v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice || v.Answer != r.Answer || r.Imported == nil {
				t.Errorf("%+v, read again %+v", r, v)
			}
			return nil
		})
	assert.NilError(t, err)
	if set.Skipped > 0 || m.Spec.Dataset.Items != set.Len() || m.Judgments != records || m.Dataset.Format != set.Format {
		t.Errorf("%s: %d items of format %s, %d skipped, %d records: %+v", run, set.Len(), set.Format, set.Skipped, records, m)
	}
}

// TestPublishedImports checks the scores of published files by group and by both readings. MMLU-Pro's right answers
// were counted with the official regular expressions in Python, the outcomes of o1-mini's pairs by hand.
func TestPublishedImports(t *testing.T) {
	const data = "../../shared/data/"
	const bench = data + "judgebench/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name="
	for name, command := range map[string][]string{
		"mmlu-pro":   {"mmlu-pro", data + "mmlu-pro/eval_results/model_outputs_Meta-Llama-3_1-8B-Instruct_5shots.zip"},
		"gsm8k":      {"gsm8k", data + "gsm8k/example_model_solutions.jsonl"},
		"o1-mini":    {"judgebench", bench + "arena_hard,judge_model=o1-mini-2024-09-12.jsonl"},
		"skywork":    {"judgebench", bench + "reward_model,judge_model=Skywork_Skywork-Reward-Llama-3.1-8B.jsonl"},
		"gpt4-votes": {"fastchat", data + "mt-bench/human_judgments/gpt4_pair.jsonl", "--human", data + "mt-bench/human_judgments/human.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			judgingtest.SkipWithoutFile(t, command[1])
			readings := 1
			if name == "mmlu-pro" { // whose script is lenient
				trials.SkipUnlessSlowTests(t)
				readings = 2
			}
			dir := t.TempDir()
			runs, err := imported(t, append(command, "--out", filepath.Join(dir, "run")))
			assert.NilError(t, err)
			var out strings.Builder
			for _, r := range runs {
				fmt.Fprintln(&out, strings.Join(append(r.Summary, r.ReadingDifferences...), "\n"))
				for _, how := range []judging.ReadingOptions{{LabelPolicy: judging.PolicyUniqueLabel}, {LabelPolicy: judging.PolicyUniqueLabel, Lenient: true}}[:readings] {
					run, err := scoring.Load(r.Dir, how)
					assert.NilError(t, err)
					writeScores(&out, run.Score(stats.Bootstrap{Rounds: 10, Level: 0.95, Seed: 1}))
				}
			}
			assert.Assert(t, golden.String(strings.ReplaceAll(out.String(), dir+"/", ""), "imports/published-"+name+".golden"))
		})
	}
}

// writeScores writes the outcomes of judgments, and for each group the outcomes of its units and a few metrics.
func writeScores(out *strings.Builder, r scoring.Report) {
	fmt.Fprintln(out, r.Says, r.Also)
	for _, outcome := range slices.Sorted(maps.Keys(r.Outcomes)) {
		fmt.Fprintf(out, "%s %d\n", outcome, r.Outcomes[outcome])
	}
	for _, b := range r.Breakdowns {
		fmt.Fprintf(out, "%s: %d", b.Group, b.N)
		for _, p := range b.Parts {
			fmt.Fprintf(out, ", %s %d", p.Name, p.N)
		}
		fmt.Fprintln(out)
	}
	for _, x := range r.Results {
		if x.Group == scoring.Overall && x.Value != nil {
			fmt.Fprintf(out, "%s %.4f of %d\n", x.Metric, *x.Value, x.N)
		}
	}
}
