package answer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
)

// published files of other harnesses, see [published].
const (
	llamaOutputs  = "../../../shared/data/mmlu-pro/eval_results/model_outputs_Meta-Llama-3_1-8B-Instruct_5shots.zip"
	gsmSolutions  = "../../../shared/data/gsm8k/example_model_solutions.jsonl"
	gpt4Judgments = "../../../shared/data/mt-bench/human_judgments/gpt4_pair.jsonl"
	humanVotes    = "../../../shared/data/mt-bench/human_judgments/human.jsonl"
)

// file writes a file into a folder of its own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// recordsOf reads a run's records.
func recordsOf(t *testing.T, run string) []*judging.Record {
	t.Helper()
	var all []*judging.Record
	if err := judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error { all = append(all, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// importedIn lists a run's records as "70 decided C answer-is".
func importedIn(t *testing.T, run string) []string {
	t.Helper()
	var out []string
	for _, r := range recordsOf(t, run) {
		out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s%s %s", r.Item, r.Outcome, r.Choice, r.Answer, r.Rule)), " "))
	}
	return out
}

// checkRun: what was written reads as a dataset, and its items are those of the
// records; reading the replies again comes to what is recorded.
func checkRun(t *testing.T, run string) {
	t.Helper()
	set, err := datasets.OpenFile(filepath.Join(run, judging.ItemsFile))
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	m, err := judging.ReadManifest(run)
	if err != nil {
		t.Fatal(err)
	}
	p, err := judging.AskerOf(m)
	if err != nil {
		t.Fatal(err)
	}
	records := recordsOf(t, run)
	if set.Len() != len(records) || set.Skipped > 0 || m.Spec.Dataset.Items != len(records) || m.Judgments != len(records) {
		t.Errorf("%d items, %d skipped, %d records, the manifest says %d", set.Len(), set.Skipped, len(records), m.Spec.Dataset.Items)
	}
	if set.Format != m.Dataset.Format {
		t.Errorf("the items are of format %s, the manifest says %s", set.Format, m.Dataset.Format)
	}
	for i, r := range records {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		again := judging.NewRecord(m, item, p.Presentations(item)[0])
		if item.ID != r.Item || item.Group != r.Group || again.Gold != r.Gold || item.Shape != r.Shape {
			t.Errorf("item %s (%s, %s, gold %s), record %s (%s, %s, gold %s)", item.ID, item.Shape, item.Group, again.Gold, r.Item, r.Shape, r.Group, r.Gold)
		}
		if r.Run != m.ID || r.Imported == nil {
			t.Errorf("%s: run %q, imported %v", r.Item, r.Run, r.Imported)
		}
		v, err := r.Read(p, judging.Reading{Policy: judging.Unique})
		if err != nil || v.Outcome != r.Outcome || r.CandidateID(v.Choice) != r.Choice || v.Answer != r.Answer {
			t.Errorf("%s: recorded %s %s%s, read again %+v, %v", r.Item, r.Outcome, r.Choice, r.Answer, v, err)
		}
	}
}

// same compares lists.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// outputRow is a row of MMLU-Pro's outputs with four options.
func outputRow(id int, answer, pred, text string) map[string]any {
	row := map[string]any{
		"question_id": id, "question": fmt.Sprintf("Which of %d?", id), "options": []string{"one", "two", "three", "four"},
		"answer": answer, "answer_index": int(answer[0] - 'A'), "category": "math", "src": "ours", "cot_content": "", "generated_text": text,
	}
	if row["pred"] = pred; pred == "" {
		row["pred"] = nil
	}
	return row
}

// array is rows as one JSON array.
func array(t *testing.T, rows []map[string]any, indent string) string {
	t.Helper()
	b, err := json.MarshalIndent(rows, "", indent)
	if indent == "" {
		b, err = json.Marshal(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func importOutputs(t *testing.T, name, text string) (*mmluPro, string, error) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "run")
	im, err := importMMLUPro(file(t, name, text), out, "", "test")
	return im, out, err
}

// TestMMLUProOutputsInAnyContainer: archives and arrays, whatever they and the
// reply's key are called, give the same run but for the model's name.
func TestMMLUProOutputsInAnyContainer(t *testing.T) {
	rows := []map[string]any{outputRow(70, "B", "B", "The answer is (B)."), outputRow(7, "A", "C", "so the answer is C")}
	old := []map[string]any{outputRow(70, "B", "B", "The answer is (B)."), outputRow(7, "A", "C", "so the answer is C")}
	for _, r := range old {
		r["model_outputs"] = r["generated_text"]
		delete(r, "generated_text")
	}
	pretty, compact := array(t, rows, "  "), array(t, rows, "")
	const name = "model_outputs_Some-Model-7B_5shots.json"
	for _, c := range []struct{ name, file, text, model string }{
		{"a zip of a pretty-printed array", "model_outputs_Some-Model-7B_5shots.zip", judgingtest.Zip(t, name, pretty), "Some-Model-7B"},
		{"a zip of a compact array", "model_outputs_Some-Model-7B_5shots.json.zip", judgingtest.Zip(t, name, compact), "Some-Model-7B"},
		{"a zip with a folder and what macOS adds", "x.zip", judgingtest.Zip(t, "eval/", "", "eval/"+name, pretty, "__MACOSX/eval/._"+name, "x"), "Some-Model-7B"},
		{"a zip whose member has another name", "model_outputs_Other_5shots.json.zip", judgingtest.Zip(t, "results.JSON", pretty), "Other"},
		{"a zip that is called .json", name, judgingtest.Zip(t, "results.json", pretty), "Some-Model-7B"},
		{"the array itself", name, pretty, "Some-Model-7B"},
		{"the array on one line", "outputs.json", compact, "outputs"},
		{"the reply under its other name", "model_outputs_gpt-4o_0shot.json", array(t, old, ""), "gpt-4o"},
		{"a name with underscores", "model_outputs_Meta-Llama-3_1-8B_5shots.json", pretty, "Meta-Llama-3_1-8B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, run, err := importOutputs(t, c.file, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := im.Manifest.Spec.Model.Name; got != c.model {
				t.Errorf("model %q, want %q", got, c.model)
			}
			same(t, "records", importedIn(t, run), []string{"70 decided B answer-is", "7 decided C answer-is"})
			checkRun(t, run)
			r := recordsOf(t, run)[0]
			if r.Gold != "B" || r.Group != "math" || *r.Imported.Decision != "B" || r.Replies[0].Text != "The answer is (B)." {
				t.Errorf("%+v", r)
			}
			items, err := os.ReadFile(filepath.Join(run, judging.ItemsFile))
			if err != nil || bytes.Contains(items, []byte("answer is")) || bytes.Contains(items, []byte("pred")) {
				t.Errorf("the items should not have the answers: %s", items)
			}
		})
	}
}

func TestMMLUProRowsThatCannotBeUsed(t *testing.T) {
	row := func(change func(map[string]any)) map[string]any {
		r := outputRow(1, "B", "B", "The answer is (B).")
		change(r)
		return r
	}
	for _, c := range []struct {
		name string
		row  map[string]any
		want string
	}{
		{"an index out of range", row(func(r map[string]any) { r["answer_index"] = 12 }), "answer_index"},
		{"an index below 0", row(func(r map[string]any) { r["answer_index"] = -1 }), "answer_index"},
		{"one option", row(func(r map[string]any) { r["options"], r["answer"], r["answer_index"] = []string{"x"}, "A", 0 }), "1 option: a choice needs two"},
		{"an answer that is no option", row(func(r map[string]any) { r["answer"] = "E" }), ""},
		{"no options", row(func(r map[string]any) { delete(r, "options") }), ""},
		{"no id", row(func(r map[string]any) { delete(r, "question_id") }), ""},
		{"no reply", row(func(r map[string]any) { delete(r, "generated_text") }), "neither generated_text nor model_outputs"},
		{"a reply that is a list", row(func(r map[string]any) { r["generated_text"] = []string{"x"} }), `key "generated_text" is of type array`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := array(t, []map[string]any{outputRow(70, "B", "B", "The answer is (B)."), c.row}, " ")
			im, run, err := importOutputs(t, "outputs.json", text)
			if err != nil {
				t.Fatal(err)
			}
			d := im.Manifest.Dataset
			if d.Skipped != 1 || d.Rows != 1 || len(d.Bad) != 1 || !strings.Contains(d.Bad[0], "outputs.json: row 2: ") || !strings.Contains(d.Bad[0], c.want) {
				t.Errorf("skipped %d: %q, want one with %q", d.Skipped, d.Bad, c.want)
			}
			same(t, "records", importedIn(t, run), []string{"70 decided B answer-is"})
			if _, _, err = importOutputs(t, "outputs.json", array(t, []map[string]any{c.row}, "")); err == nil || !strings.Contains(err.Error(), "none of 1 rows can be used") {
				t.Errorf("a file of such rows alone: %v", err)
			}
		})
	}
}

func TestFilesThatAreNoOutputs(t *testing.T) {
	good := array(t, []map[string]any{outputRow(70, "B", "B", "The answer is (B)."), outputRow(71, "B", "B", strings.Repeat("so ", 4000))}, " ")
	whole := judgingtest.Zip(t, "outputs.json", good)
	damaged := []byte(whole)
	damaged[len("PK")+200] ^= 0xff
	encrypted := []byte(whole)
	for _, magic := range []struct {
		text string
		at   int
	}{{"PK\x03\x04", 6}, {"PK\x01\x02", 8}} { // the flags of both headers
		encrypted[bytes.Index(encrypted, []byte(magic.text))+magic.at] |= 1
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a zip without JSON", judgingtest.Zip(t, "readme.txt", "hello", "table.csv", "a,b"), []string{"no .json file", `"readme.txt"`}},
		{"an empty zip", judgingtest.Zip(t), []string{"zip archive"}},
		{"a zip with two", judgingtest.Zip(t, "a.json", good, "b.json", good), []string{"2 .json files", `"a.json"`, `"b.json"`}},
		{"an encrypted zip", string(encrypted), []string{"encrypted"}},
		{"half a zip", whole[:len(whole)/2], []string{"not a whole zip archive", "get it again"}},
		{"a damaged zip", string(damaged), []string{"outputs.json", "get the archive again"}},
		{"half an array", good[:len(good)/2], []string{"ends in the middle"}},
		{"half an array in a zip", judgingtest.Zip(t, "outputs.json", good[:len(good)/2]), []string{"outputs.json", "ends in the middle"}},
		{"more after the array", good + "[]", []string{"more after the end"}},
		{"an empty file", "", []string{"empty"}},
		{"an empty array", "[]", []string{"empty"}},
		{"an array of numbers", "[1, 2]", []string{"not an object"}},
		{"words", "hello", []string{"row 1", "not a JSON object"}},
		{"the dataset itself", `{"question_id": 1, "question": "?", "options": ["x", "y"], "answer": "A", "answer_index": 0, "category": "c"}`, []string{"neither generated_text nor model_outputs"}},
		{"two rows of one id", strings.Replace(good, `"question_id": 71`, `"question_id": 70`, 1), []string{"row 2", `duplicate id "70"`, "row 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, run, err := importOutputs(t, "outputs.json", c.text)
			if err == nil {
				t.Fatal("no error")
			}
			for _, w := range append(c.want, "outputs.json") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%v lacks %q", err, w)
				}
			}
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("more than one line: %q", err)
			}
			if _, err := os.Stat(run); err == nil {
				t.Error("a folder was left behind")
			}
		})
	}
}

// TestMMLUProAgainstPred: the official rules are compared with the file's pred,
// and every difference says what may be behind it.
func TestMMLUProAgainstPred(t *testing.T) {
	for _, c := range []struct {
		name, pred, text string
		record           string
		found, same      int
		filled           string // the pred of a reply without an answer
		differ           []string
	}{
		{name: "the same", pred: "B", text: "The answer is (B).", record: "1 decided B answer-is", found: 1, same: 1},
		{name: "the first of two", pred: "B", text: "The answer is (B).\n\nQuestion: …\nThe answer is (C).", record: "1 decided B answer-is", found: 1, same: 1},
		{name: "the file has the last of two", pred: "C", text: "The answer is (B).\n\nThe answer is (C).", record: "1 decided B answer-is", found: 1,
			differ: []string{"row 1, question 1 (its answer is B)", "the file has C, the reply says B", "…The answer is (B).", "the file has the last"}},
		{name: "an answer after a colon", pred: "D", text: "Answer: D", record: "1 decided D answer-colon", found: 1, same: 1},
		{name: "of two after colons on a line the last", pred: "D", text: "Answer: A, no: Answer: D\nAnswer: B", record: "1 decided D answer-colon", found: 1, same: 1},
		{name: "a letter that stands alone is the official script's, not ours", pred: "C", text: "I take C", record: "1 no-verdict", found: 1, same: 1},
		{name: "a letter within a Greek word does not stand alone", pred: "A", text: "A, by ΔC", record: "1 no-verdict", found: 1, same: 1},
		{name: "no answer, and a guess in the file", pred: "G", text: "no idea", record: "1 no-verdict", filled: "G"},
		{name: "no answer, and none in the file", pred: "", text: "", record: "1 no-verdict", filled: "null"},
		{name: "an answer, and none in the file", pred: "", text: "The answer is (A)", record: "1 decided A answer-is", found: 1, differ: []string{"the file has null", "there is a letter to be found"}},
		{name: "a letter beyond the options, in both", pred: "H", text: "The answer is (H)", record: "1 no-verdict", found: 1, same: 1},
		{name: "a letter beyond the options in the file alone", pred: "H", text: "The answer is (A)", record: "1 decided A answer-is", found: 1, differ: []string{"the file has H, the reply says A", "none of the options"}},
		{name: "a letter from nowhere", pred: "D", text: "The answer is (A)", record: "1 decided A answer-is", found: 1, differ: []string{"no rule finds the file's letter"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, run, err := importOutputs(t, "outputs.json", array(t, []map[string]any{outputRow(1, "B", c.pred, c.text)}, ""))
			if err != nil {
				t.Fatal(err)
			}
			same(t, "records", importedIn(t, run), []string{c.record})
			filled := ""
			for pred, n := range im.Filled {
				filled = cmp.Or(pred, "null")
				if n != 1 {
					t.Errorf("filled in %d times", n)
				}
			}
			if im.Found != c.found || im.Same != c.same || filled != c.filled || im.Told != c.found {
				t.Errorf("found %d, same %d, told %d, filled %q", im.Found, im.Same, im.Told, filled)
			}
			if (len(im.Differ) > 0) != (c.differ != nil) {
				t.Errorf("differ: %q", im.Differ)
			}
			for _, w := range c.differ {
				if !strings.Contains(im.Differ[0], w) {
					t.Errorf("%q lacks %q", im.Differ[0], w)
				}
			}
		})
	}
}

func TestMMLUProNotes(t *testing.T) {
	missing, astray := outputRow(1, "B", "", ""), outputRow(2, "C", "C", "The answer is (C)")
	missing["generated_text"], astray["answer_index"] = nil, 1
	im, run, err := importOutputs(t, "outputs.json", array(t, []map[string]any{missing, astray}, ""))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "records", importedIn(t, run), []string{"1 failed", "2 decided C answer-is"})
	checkRun(t, run)
	if im.Missing != 1 || im.Read != 1 || len(im.Notes) != 1 || !strings.Contains(im.Notes[0], "the letter counts: 2") || recordsOf(t, run)[1].Gold != "C" {
		t.Errorf("%+v", im.importedRun)
	}
}

// TestSameFileTwice: importing a file again is the same run; another file, or
// another model's, is refused.
// What the file does not say is said nowhere: neither how the model was asked nor
// by which prompt. The run's id is that of its spec all the same.
func TestImportsSayNoMoreThanTheFile(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	answers := file(t, "answers.jsonl", `{"id": "q1", "question": "2 + 2?", "gold": "4", "answer": "The answer is 4", "model": "m"}`+"\n"+
		`{"id": "q2", "question": "2 + 3?", "gold": "5", "answer": null, "model": "m"}`+"\n")
	im, err := importAnswers(answers, run, answersOptions{}, "test")
	if err != nil {
		t.Fatal(err)
	}
	for name, told := range map[string]string{judging.ManifestFile: `"identity": "imported m`, judging.RecordsFile: `"text":"The answer is 4"`} {
		raw, err := os.ReadFile(filepath.Join(run, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, untold := range []string{"temperature", "top_p", `"parameters"`, `"system"`, `"sha256": ""`, "prompt_sha256", `"prompt":""`} {
			if strings.Contains(string(raw), untold) || !strings.Contains(string(raw), told) {
				t.Errorf("%s says %s:\n%s", name, untold, raw)
			}
		}
	}
	m, err := judging.ReadManifest(run)
	if err != nil {
		t.Fatal(err)
	}
	if again := judging.NewManifest("other", m.Spec); m.ID != im.Manifest.ID || again.ID != m.ID || !reflect.DeepEqual(m.Spec, im.Manifest.Spec) {
		t.Errorf("read back %+v, and its id is %s", m.Spec, again.ID)
	}
	for _, f := range scoring.Metadata(m) {
		known := map[string]string{"temperature": "unknown", "top_p": "unknown", "seed": "unknown", "max tokens": "unknown", "prompt": "imported answers"}
		if want, listed := known[f.Name]; listed && f.Value != want {
			t.Errorf("%s is said to be %s", f.Name, f.Value)
		}
	}
}

func TestSameFileTwice(t *testing.T) {
	one := file(t, "outputs.json", array(t, []map[string]any{outputRow(1, "B", "B", "The answer is (B)")}, ""))
	other := file(t, "outputs.json", array(t, []map[string]any{outputRow(1, "B", "C", "The answer is (C)")}, ""))
	run := filepath.Join(t.TempDir(), "run")
	for range 2 {
		if _, err := importMMLUPro(one, run, "", "test"); err != nil {
			t.Fatal(err)
		}
		same(t, "records", importedIn(t, run), []string{"1 decided B answer-is"})
	}
	for name, again := range map[string]func() error{
		"another file":       func() error { _, err := importMMLUPro(other, run, "", "test"); return err },
		"another model":      func() error { _, err := importMMLUPro(one, run, "m", "test"); return err },
		"another kind of it": func() error { _, err := importAnswers(one, run, answersOptions{Model: "m"}, "test"); return err },
	} {
		err := again()
		if name != "another kind of it" && !errors.Is(err, judging.ErrOtherRun) || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, "records", importedIn(t, run), []string{"1 decided B answer-is"})
}

// TestMMLUProPublished: the published outputs of Llama-3.1-8B-Instruct. By
// category: rows, and right answers as the official script counts them, without
// the replies in which it guesses; by its first two rules, and by all three.
// Counted with the official regular expressions in Python.
func TestMMLUProPublished(t *testing.T) {
	trials.Long(t)
	run := filepath.Join(t.TempDir(), "run")
	im, err := importMMLUPro(judgingtest.Needs(t, llamaOutputs), run, "", "test")
	if err != nil {
		t.Fatal(err)
	}
	if im.Rows != 12032 || im.Read != 10984 || im.Found != 11338 || im.Same != 11338 || im.Told != 11338 || im.Missing != 0 {
		t.Errorf("%d rows, %d read, %d found, %d the same of %d, %d missing", im.Rows, im.Read, im.Found, im.Same, im.Told, im.Missing)
	}
	for _, d := range im.Differ {
		t.Error(d)
	}
	if len(im.Filled) != 1 || im.Filled["G"] != 694 {
		t.Errorf("filled in: %v", im.Filled)
	}
	if name := im.Manifest.Spec.Model.Name; name != "Meta-Llama-3_1-8B-Instruct" {
		t.Errorf("model %q", name)
	}
	if len(im.Notes) != 1 || !strings.HasSuffix(im.Notes[0], ": 3983") {
		t.Errorf("%q", im.Notes)
	}
	checkRun(t, run)
	p, err := judging.AskerOf(im.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	type tally struct{ rows, strict, lenient, predStrict, predLenient int }
	got := map[string]*tally{}
	for _, r := range recordsOf(t, run) {
		n := got[r.Group]
		if n == nil {
			n = &tally{}
			got[r.Group] = n
		}
		n.rows++
		v, err := r.Read(p, judging.Reading{Policy: judging.Unique, Lenient: true})
		if err != nil {
			t.Fatal(err)
		}
		byPred := *r.Imported.Decision == r.Gold // as the script counts
		if rightly(r) {
			n.strict++
		}
		if judging.RightVerdict(r, v) {
			n.lenient++
		}
		if r.Label != "" && byPred {
			n.predStrict++
		}
		if v.Label != "" && byPred {
			n.predLenient++
		}
	}
	if len(got) != 14 {
		t.Errorf("%d categories", len(got))
	}
	for _, want := range []struct {
		category              string
		rows, strict, lenient int
	}{
		{"biology", 717, 450, 450}, {"business", 789, 384, 385}, {"chemistry", 1132, 402, 409}, {"computer science", 410, 194, 195}, {"economics", 844, 460, 461},
		{"engineering", 969, 277, 285}, {"health", 818, 408, 408}, {"history", 381, 161, 161}, {"law", 1101, 296, 296}, {"math", 1351, 563, 564},
		{"other", 924, 414, 414}, {"philosophy", 499, 221, 221}, {"physics", 1299, 508, 516}, {"psychology", 798, 479, 479},
	} {
		if n := got[want.category]; n == nil || *n != (tally{want.rows, want.strict, want.lenient, want.strict, want.lenient}) {
			t.Errorf("%s: %+v, want %+v", want.category, n, want)
		}
	}
}
