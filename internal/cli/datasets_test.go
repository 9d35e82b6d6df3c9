package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gavel/datasets"
)

// shown is what "datasets show --json" says.
type shown struct {
	Name   string         `json:"name"`
	Format string         `json:"format"`
	Shape  string         `json:"shape"`
	Shapes map[string]int `json:"shapes"`
	Notes  []string       `json:"notes"`
	SHA256 string         `json:"sha256"`
	Items  int            `json:"items"`
	Groups map[string]int `json:"groups"`
	Labels map[string]int `json:"labels"`
}

func show(t *testing.T, args ...string) (s shown) {
	t.Helper()
	parse(t, mustCall(t, append([]string{"datasets", "show", "--json"}, args...)...), &s)
	return s
}

func TestShowSamples(t *testing.T) {
	home(t)
	for name, want := range map[string]shown{
		"sample":            {Format: "judgebench", Shape: "pair", Items: 32, Groups: map[string]int{"Knowledge": 8}, Labels: map[string]int{"A": 16}},
		"sample-choice":     {Format: "mmlu-pro", Shape: "choice", Items: 32, Groups: map[string]int{"Math": 8}, Labels: map[string]int{"D": 8}},
		"sample-number":     {Format: "gsm8k", Shape: "number", Items: 27, Groups: map[string]int{"Money": 9}},
		"sample-preference": {Format: "mt-bench", Shape: "preference", Items: 18, Groups: map[string]int{"Writing": 6}, Labels: map[string]int{"C": 5}},
	} {
		got := show(t, name)
		if got.Name != name || got.Format != want.Format || got.Shape != want.Shape || got.Items != want.Items || len(want.Labels) == 0 && len(got.Labels) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
		for g, n := range want.Groups {
			if got.Groups[g] != n {
				t.Errorf("%s: %d of group %s, want %d", name, got.Groups[g], g, n)
			}
		}
		for l, n := range want.Labels {
			if got.Labels[l] != n {
				t.Errorf("%s: %d labelled %s, want %d", name, got.Labels[l], l, n)
			}
		}
	}
	if got := show(t, "--turns", "all", "sample-preference"); got.Items != 21 || len(got.Notes) != 0 {
		t.Errorf("all turns: %d items, notes %q", got.Items, got.Notes)
	}
	shows(t, "Left out: 3 of the votes, on a later turn", "datasets", "show", "sample-preference")
	ends(t, 2, "--turns … first, all", "datasets", "show", "--turns", "last", "sample-preference")
}

func TestListDatasets(t *testing.T) {
	home(t)
	text := mustCall(t, "datasets", "list")
	for _, want := range []string{"mmlu-pro", "gavel datasets fetch NAME", "gavel datasets show NAME", "by hand", "mt-bench-writing", "built in", "?", "Parquet"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q:\n%s", want, text)
		}
	}
}

// A dataset without a published sum is taken in by name; its licence and its sum
// are said.
func TestImportAs(t *testing.T) {
	home(t)
	write(t, "GSM_p1.jsonl", `{"id":7,"instance":3,"question":"How many?","answer":"#### 4","original_id":1}`+"\n")
	ends(t, 1, "--as", "datasets", "import", "GSM_p1.jsonl")
	_, stderr, code := call(t, "datasets", "import", "--as", "gsm-symbolic-p1", "GSM_p1.jsonl")
	got := show(t, "gsm-symbolic-p1")
	for _, want := range []string{"CC BY-NC-ND 4.0", "not published", "stored as ", "its SHA-256 is " + got.SHA256} {
		if code != 0 || !strings.Contains(stderr, want) {
			t.Errorf("exit status %d, no %q in:\n%s", code, want, stderr)
		}
	}
	if got.Items != 1 || got.Groups["GSM-Symbolic-P1"] != 1 || got.Name != "gsm-symbolic-p1" {
		t.Errorf("%+v", got)
	}
	ends(t, 0, "already downloaded", "datasets", "fetch", "gsm-symbolic-p1")
	_, stderr, code = call(t, "datasets", "fetch", "chatbot-arena")
	if code != 1 || !strings.Contains(stderr, "--as chatbot-arena") || strings.Index(stderr, "licence") > strings.Index(stderr, "cannot be fetched") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// A file of several shapes is shown with all of them, however it is sorted.
func TestShowMixedShapes(t *testing.T) {
	home(t)
	const choice, number = `{"id":"c%","question":"Which?","options":["x","y"],"gold":"A"}`, `{"id":"n%","question":"How many?","gold":"7"}`
	lines := func(all ...string) string {
		for i, l := range all {
			all[i] = strings.Replace(l, "%", string(rune('0'+i)), 1)
		}
		return strings.Join(all, "\n") + "\n"
	}
	write(t, "mixed.jsonl", lines(choice, number, choice))
	write(t, "sorted.jsonl", lines(choice, choice, number))
	for _, file := range []string{"mixed.jsonl", "sorted.jsonl"} {
		saysInOrder(t, mustCall(t, "datasets", "show", file), "shape choice", "2", "shape number", "1", "SHA-256")
		if s := show(t, file); s.Shape != "" || s.Shapes["choice"] != 2 || s.Shapes["number"] != 1 {
			t.Errorf("%s: %+v", file, s)
		}
	}
	if s := show(t, "sample"); s.Shapes["pair"] != 32 || len(s.Shapes) != 1 {
		t.Errorf("a file of one shape: %+v", s)
	}
}

// --lang on a file whose rows do not say their language would choose nothing,
// and make another run of the same items.
func TestLanguageOfAFileWithoutLanguages(t *testing.T) {
	home(t)
	args := []string{"run", "multi-option", "--backend", "sim", "--model", "right", "--dataset", "sample-options", "--out", "r"}
	ends(t, exitError, "sample-options: its rows (format options) do not say their language: leave --lang de out", append(args, "--lang", "de")...)
	mustCall(t, args...)
	mustCall(t, append(args, "--lang", "en")...) // the default: the same run
	if _, stderr, code := call(t, "datasets", "show", "sample", "--lang", "all"); code == 0 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}

// A file of one's own is taken in with its mapping, listed with it, and judged by its name from anywhere; two result files
// become pairs that are judged too.
func TestOwnDatasets(t *testing.T) {
	home(t)
	t.Chdir(t.TempDir())
	write(t, "mine.csv", "prompt,out_1,out_2,winner\nQ,x,y,model_a\nR,x,y,model_b\nS,x,y,\n")
	_, stderr, code := call(t, "datasets", "import", "mine.csv", "--as", "mine", "--label-values", "A>B=model_a,B>A=model_b")
	const columns = "--field question=prompt,response_a=out_1,response_b=out_2,label=winner --label-values 'A>B=model_a,B>A=model_b'"
	if code != 0 || !strings.Contains(stderr, "mine.csv: the columns are read as their names say: "+columns+"\n") {
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	t.Chdir(t.TempDir())
	shows(t, "your own: mine.csv, "+columns, "datasets", "list")
	if got := show(t, "mine"); got.Name != "mine" || got.Items != 3 || got.Labels["A"] != 1 || got.Labels["B"] != 1 {
		t.Errorf("%+v", got)
	}
	shows(t, "of 2 pairs … 1 of 3 pairs have no label", "run", "pairwise", "--dataset", "mine", "--backend", "sim", "--model", "right", "--out", "run")
	write(t, "a.jsonl", `{"doc_id":0,"doc_hash":"h","arguments":[["Q",{}]],"resps":[["yes"]],"metrics":["acc"],"acc":1.0}`)
	write(t, "b.jsonl", `{"doc_id":0,"doc_hash":"h","arguments":[["Q",{}]],"resps":[["no"]],"metrics":["acc"],"acc":0.0}`)
	mustCall(t, "datasets", "pair", "a.jsonl", "b.jsonl", "--out", "pairs.jsonl")
	if got := show(t, "pairs.jsonl"); got.Items != 1 || got.Labels["A"] != 1 || got.Format != "judgebench" {
		t.Errorf("%+v", got)
	}
	for line, want := range map[string]string{
		"datasets pair a.jsonl --out x":                         "gavel: two result files are paired",
		"datasets pair a.jsonl b.jsonl --out pairs.jsonl":       "gavel: pairs.jsonl is there already",
		"datasets import a.jsonl --field question=q":            "gavel: --field is only for your own files: give the file a name with --as",
		"run pairwise --dataset mine --model x --field nothing": `gavel: --field "nothing": it is written NAME=VALUE,NAME=VALUE`,
	} {
		if _, stderr, code := call(t, strings.Fields(line)...); code == 0 || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: exit status %d: %s", line, code, stderr)
		}
	}
}

// TestListsFit: what there is to choose from stands in 80 columns, a line each.
func TestListsFit(t *testing.T) {
	home(t)
	t.Setenv("COLUMNS", "80")
	for _, list := range []string{"datasets list", "prompts list", "models --backend sim"} {
		for line := range strings.Lines(mustCall(t, strings.Fields(list)...)) {
			if utf8.RuneCountInString(line) > 81 {
				t.Errorf("gavel %s: %s", list, line)
			}
		}
	}
	for _, name := range datasets.Names() {
		if !strings.Contains(mustCall(t, "datasets", "list"), "\n "+name+" ") {
			t.Errorf("datasets list lacks %s", name)
		}
	}
	_, stderr, _ := call(t, "datasets", "show", "contextualjudgebench")
	if !strings.Contains(stderr, "or one of 5 more? All names: gavel datasets list") {
		t.Errorf("of a dataset in parts: %s", stderr)
	}
}
