package pairwise

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
)

// barGame is a game of LLMBar's as stored; a winner of "" is none.
func barGame(text, winner string) string {
	if winner == "" {
		return fmt.Sprintf(`{"completion": [%q, "stop"], "winner": null}`, text)
	}
	return fmt.Sprintf(`{"completion": [%q, ""], "winner": %q}`, text, winner)
}

func barPhase(published, swapped string) string {
	return fmt.Sprintf(`{"swap = False": %s, "swap = True": %s}`, published, swapped)
}

func barRow(label int, results ...string) string {
	return fmt.Sprintf(`{"input": "Name a metal.", "output_1": "Iron", "output_2": "Wood\nΣ", "label": %d, "results": [%s]}`, label, strings.Join(results, ", "))
}

// barFile is result.json of a judge, as LLMBar has it.
func barFile(t *testing.T, root, subset, judge, strategy string, rows ...string) string {
	t.Helper()
	path := filepath.Join(root, subset, "evaluators", judge, strategy, "result.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("[\n"+strings.Join(rows, ",\n")+"\n]"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImportLLMBar(t *testing.T) {
	const aBetter, bBetter = "Output (b) has a flaw.\nTherefore, Output (a) is better.", "Output (b) is better."
	for _, c := range []struct {
		name, strategy string
		row            string
		verdicts       []string
		same           int
		differ         string
	}{
		{"places are of what was shown", "Vanilla", barRow(1, barPhase(barGame("Output (a)", "1"), barGame("Output (a)", "2"))), []string{"decided A", "decided B"}, 2, ""},
		{"auxiliary stages come first", "Metrics_Reference", barRow(1, `["1. Is it a metal?", "stop"]`, `["Gold", "stop"]`, barPhase(barGame("Output (b)", "2"), barGame(" Output (b) ", "1"))), []string{"decided B", "decided A"}, 2, ""},
		{"(a) is tried first, at the start of any line", "Vanilla", barRow(1, barPhase(barGame("Output (b) is better.\n Output (a) too", "1"), barGame("Well: Output (a)", ""))), []string{"decided A", "no-verdict"}, 2, ""},
		{"who reasons says that it is better", "CoT", barRow(2, barPhase(barGame(aBetter, "1"), barGame("Output (a)", ""))), []string{"decided A", "no-verdict"}, 2, ""},
		{"Swap, where the orders agreed", "Swap", barRow(1, barPhase(barGame(aBetter, "1"), barGame(bBetter, "1"))), []string{"decided A", "decided A"}, 2, ""},
		{"Swap, where it asked again", "Swap", barRow(1, barPhase(barGame(aBetter, "1"), barGame(aBetter, "2")), barPhase(barGame("Output (b)\nOutput (a) is better.", "1"), barGame("Output (b)", "1"))), []string{"decided A", "decided A"}, 2, ""},
		{"Swap_CoT reasons both times", "Swap_CoT", barRow(1, barPhase(barGame(aBetter, "1"), barGame(aBetter, "2")), barPhase(barGame("Output (b)\n"+aBetter, "1"), barGame("Output (b)", ""))), []string{"decided A", "no-verdict"}, 2, ""},
		{"a winner that the reply does not name", "Vanilla", barRow(1, barPhase(barGame("Output (a)", "2"), barGame("Output (a)", "2"))), []string{"decided A", "decided B"}, 1, "pair Natural#0, game 1: the file says B>A, read from the reply: A>B"},
		{"no reply", "Vanilla", barRow(1, barPhase(`{"completion": [null, null], "winner": null}`, barGame("Output (b)", "1"))), []string{"failed", "decided A"}, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			run := filepath.Join(root, "run")
			im, err := importLLMBar([]string{barFile(t, root, "Natural", "j-1", c.strategy, c.row)}, run, "", "test")
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.verdicts {
				c.verdicts[i] = fmt.Sprintf("Natural#0/%d %s", i, c.verdicts[i])
			}
			if got := verdicts(t, run); strings.Join(got, ", ") != strings.Join(c.verdicts, ", ") {
				t.Errorf("%q, want %q", got, c.verdicts)
			}
			if im.Reproduced != c.same || strings.Join(im.Differ, "") != c.differ || im.Games != 2 || im.Stored {
				t.Errorf("%+v", im)
			}
			m := im.Manifest
			if m.Spec.Model.Name != "j-1" || m.JudgeName != c.strategy || m.Spec.Prompt.Name != "LLMBar "+c.strategy || m.Dataset.Name != "llmbar-natural" || m.Imported != "result.json" {
				t.Errorf("%+v", m)
			}
			set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
			if err != nil {
				t.Fatal(err)
			}
			defer set.Close()
			if item, err := set.Item(0); err != nil || item.ID != "Natural#0" || item.Candidates[1].Text != "Wood\nΣ" || strings.Contains(string(item.Raw), "results") {
				t.Errorf("%s, %v", item.Raw, err)
			}
			if _, err := importLLMBar([]string{filepath.Join(root, "Natural", "evaluators", "j-1", c.strategy, "result.json")}, run, "", "test"); err != nil {
				t.Errorf("the same again: %v", err)
			}
		})
	}
}

// Subsets are one run, whatever their order; a row that cannot be used keeps its number.
func TestImportLLMBarSubsets(t *testing.T) {
	root := t.TempDir()
	good := barRow(1, barPhase(barGame("Output (a)", "1"), barGame("Output (b)", "1")))
	natural := barFile(t, root, "Natural", "j", "Vanilla", good, barRow(3, barPhase(barGame("", ""), barGame("", ""))), good)
	manual := barFile(t, root, "Adversarial/Manual", "j", "Vanilla", good)
	var ids []string
	for i, files := range [][]string{{natural, manual}, {manual, natural}} {
		run := filepath.Join(root, fmt.Sprint("run", i))
		im, err := importLLMBar(files, run, "My judge", "test")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(verdicts(t, run), ", "); got != "Adversarial/Manual#0/0 decided A, Adversarial/Manual#0/1 decided A, Natural#0/0 decided A, Natural#0/1 decided A, Natural#2/0 decided A, Natural#2/1 decided A" {
			t.Error(got)
		}
		if d := im.Manifest.Dataset; d.Name != "llmbar" || d.Rows != 3 || d.Skipped != 1 || !strings.Contains(d.Bad[0], natural+": row 2: label 3 is neither 1 nor 2") || im.Manifest.Spec.Model.Name != "My judge" {
			t.Errorf("%+v", d)
		}
		ids = append(ids, im.Manifest.ID)
	}
	if ids[0] != ids[1] {
		t.Error("the order of the files makes another run")
	}
}

// PaLM2's CoT has a rule of its own, whatever the judge is called here.
func TestPaLM2sCoTIsReadByTheRuleOfItsConfiguration(t *testing.T) {
	root := t.TempDir()
	row := barRow(1, barPhase(
		barGame("Output (a) is wrong.\nOutput (b) is better.", "1"),
		barGame("It is wood. Output (a) is better.", "")))
	for judge, want := range map[string]string{
		"PaLM2": "Natural#0/0 decided A, Natural#0/1 no-verdict",
		"GPT-4": "Natural#0/0 decided B, Natural#0/1 decided B",
	} {
		run := filepath.Join(root, judge)
		_, err := importLLMBar([]string{barFile(t, root, "Natural", judge, "CoT", row)}, run, "my judge", "test")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(verdicts(t, run), ", "); got != want {
			t.Errorf("%s: %q, want %q", judge, got, want)
		}
	}
}

func TestImportLLMBarRefuses(t *testing.T) {
	root := t.TempDir()
	row := barRow(1, barPhase(barGame("Output (a)", "1"), barGame("Output (b)", "1")))
	natural := barFile(t, root, "Natural", "j", "Vanilla", row)
	loose := filepath.Join(root, "result.json")
	if err := os.WriteFile(loose, []byte(row), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, files := range map[string][]string{
		"judge, strategy and subset stand in the path alone: keep the folders as LLMBar has them": {loose},
		"is of the subset Natural, as " + natural + " is: give each once":                         {natural, natural},
		"one judge and one strategy a run":                                                        {natural, barFile(t, root, "Adversarial/Manual", "other", "Vanilla", row)},
		"of j by Vanilla: one judge and one strategy":                                             {natural, barFile(t, root, "Adversarial/GPTOut", "j", "CoT", row)},
		"each output has a score of its own":                                                      {barFile(t, root, "Natural", "j", "Rating", barRow(1, `{"score_1": ["9", "stop"], "score_2": ["7", "stop"], "swap = False": {"winner": "1"}, "swap = True": {"winner": "1"}}`))},
		`"results" has no judgments`:                                                              {barFile(t, root, "Natural", "j", "None", barRow(1, `["text", "stop"]`))},
		`winner "3" is neither "1" nor "2"`:                                                       {barFile(t, root, "Natural", "j", "Winner", barRow(1, barPhase(barGame("x", "3"), barGame("x", ""))))},
		"the file is empty":                                                                       {barFile(t, root, "Natural", "j", "Empty")},
		"no such file":                                                                            {filepath.Join(root, "Natural/evaluators/j/Gone/result.json")},
	} {
		run := filepath.Join(root, "run")
		_, err := importLLMBar(files, run, "", "test")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || strings.Count(err.Error(), files[0]) > 1+len(files)/2 {
			t.Errorf("%v: want %q", err, want)
		}
		if _, err := os.Stat(run); err == nil {
			t.Fatalf("%q: a folder is left behind", want)
		}
	}
}

func FuzzLLMBarRow(f *testing.F) {
	game := barGame("Output (a)", "1")
	for _, s := range []string{barRow(1, barPhase(game, game)), barRow(2, `["x"]`, barPhase(game, "null"), barPhase(game, barGame("", ""))), `{"results": [{"score_1": 1}]}`, "null", "[]", `{"results":{}}`, "\xff",
		`{"input":"","output_1":"","output_2":"","label":1,"id":"x","results":[{"swap = True":{"completion":[{}]}}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		item, played, err := llmBarRow([]byte(raw), "Natural#3")
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		again, err := datasets.LLMBar.Parse(item.Raw)
		if err != nil || again.ID != "Natural#3" || again.Group != "Natural" || len(played) != 2 || strings.Contains(string(item.Raw), "\n") {
			t.Errorf("%q reads as %+v with %+v, its line as %+v, %v", raw, item, played, again, err)
		}
	})
}
