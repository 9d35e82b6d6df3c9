package cli

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging/judgingtest"
)

const goodPair = `{"pair_id":"p1","original_id":null,"source":"s","question":"q","response_model":"m","response_A":"a","response_B":"b","label":"A>B"}` + "\n"

// TestBadInput: each mistake gets one line that says what, where and what to do.
func TestBadInput(t *testing.T) {
	dir := home(t)
	write(t, "good.jsonl", goodPair)
	write(t, "csv.jsonl", "pair_id,question\np1,q\n")
	write(t, "empty.jsonl", "")
	write(t, "label.jsonl", strings.Replace(goodPair, "A>B", "A=B", 1))
	write(t, "twice.jsonl", goodPair+goodPair)
	write(t, "ids.txt", "nobody\n")
	write(t, "prompt.txt", "Which is better? Say [[A>B]].\n")
	write(t, "other/notes.txt", "mine")
	write(t, "outputs.json", "["+mmluRow(1, "A", "A", "The answer is (A)")+"]")
	write(t, "range.json", strings.Replace("["+mmluRow(1, "A", "A", "x")+"]", `"answer_index": 0`, `"answer_index": 9`, 1))
	write(t, "one.json", strings.Replace("["+mmluRow(1, "A", "A", "x")+"]", `["x", "y", "z"]`, `["x"]`, 1))
	write(t, "nojson.zip", judgingtest.Zip(t, "readme.txt", "hello"))
	write(t, "two.zip", judgingtest.Zip(t, "a.json", "[]", "b.json", "[]"))
	write(t, "half.zip", judgingtest.Zip(t, "a.json", "["+mmluRow(1, "A", "A", "x")+"]")[:200])
	write(t, "solutions.jsonl", `{"question": "?", "ground_truth": "A: 1", "m": {"is_correct": true, "solution": "A: 1"}}`+"\n")
	write(t, "votes.jsonl", fewVotes)
	write(t, "answers.jsonl", `{"id": "x", "answer": "The answer is (A)"}`+"\n")
	mustCall(t, "import", "mmlu-pro", "outputs.json", "--out", "answered")
	f, err := os.Create("gzip.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	z.Write([]byte(goodPair))
	z.Flush() // and no Close: it ends too early
	f.Close()
	j := newJudge(t, false, always("[[A>B]]"))
	locked := newJudge(t, false, always(""))
	locked.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"Invalid API key"}}`, http.StatusUnauthorized)
	})
	web := newJudge(t, false, always(""))
	web.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>hello</html>")) })
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "good.jsonl", "--out", "taken")

	sim := func(args ...string) []string {
		return append([]string{"run", "pairwise", "--backend", "sim", "--model", "right", "--out", filepath.Join(dir, "new")}, args...)
	}
	at := func(url string, args ...string) []string {
		return append([]string{"run", "pairwise", "--base-url", url, "--dataset", "good.jsonl", "--out", filepath.Join(dir, "new")}, args...)
	}
	vllm := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, `{"object":"list","data":[{"id":"tiny","object":"model","owned_by":"vllm","root":"tiny","max_model_len":4096}]}`)
	}))
	defer vllm.Close()
	old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := map[string]string{
			"/api/version": `{"version":"0.12.5"}`, "/api/show": `{"capabilities":["completion"]}`,
			"/api/tags": `{"models":[{"name":"tiny:latest","model":"tiny:latest","digest":"c0ffee"}]}`,
		}[r.URL.Path]
		if !ok {
			t.Errorf("an Ollama that cannot refuse was asked for %s", r.URL.Path)
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, page)
	}))
	defer old.Close()
	for _, tt := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"missing file", sim("--dataset", "no.jsonl"), 1, []string{"no.jsonl", "no such file"}},
		{"a directory", sim("--dataset", dir), 1, []string{dir, "is a directory"}},
		{"gzip cut short", sim("--dataset", "gzip.jsonl"), 1, []string{"gzip.jsonl", "gzip", "too early"}},
		{"CSV", sim("--dataset", "csv.jsonl"), 1, []string{"csv.jsonl:2", "--field"}},
		{"empty file", sim("--dataset", "empty.jsonl"), 1, []string{"empty.jsonl", "empty"}},
		{"label A=B", sim("--dataset", "label.jsonl"), 1, []string{"label.jsonl:1", `label "A=B"`}},
		{"duplicate id", sim("--dataset", "twice.jsonl"), 1, []string{"twice.jsonl:2", `"p1"`, "line 1"}},
		{"no dataset", sim(), 2, []string{"--dataset", "sample"}},
		{"unknown dataset", sim("--dataset", "judgebensh"), 1, []string{"unknown dataset", "judgebench-gpt4o"}},
		{"dataset not here", sim("--dataset", "judgebench-gpt4o"), 1, []string{"gavel datasets fetch judgebench-gpt4o", "import"}},
		{"unknown prompt", sim("--dataset", "good.jsonl", "--prompt", "sopp"), 2, []string{`"sopp"`, "direct", "arena-hard"}},
		{"prompt file without a label", sim("--dataset", "good.jsonl", "--prompt", "prompt.txt"), 1, []string{"prompt.txt", "[[B>A]]"}},
		{"unknown id", sim("--dataset", "good.jsonl", "--ids", "ids.txt"), 1, []string{"ids.txt", `"nobody"`, "good.jsonl"}},
		{"unknown protocol", []string{"run", "pairwize"}, 2, []string{`"pairwize"`, "did you mean pairwise?"}},
		{"unknown command", []string{"scor"}, 2, []string{`"scor"`, "did you mean score?"}},
		{"typo in a flag", sim("--datset", "x"), 2, []string{"--datset", "--dataset"}},
		{"a flag without its value", []string{"run", "pairwise", "--model"}, 2, []string{"--model", "needs a value"}},
		{"a flag for a value", []string{"run", "pairwise", "--model", "--dataset", "good.jsonl"}, 2, []string{"--model", "needs a value"}},
		{"a plan as CSV", sim("--dataset", "good.jsonl", "--dry-run", "--csv"), 2, []string{"--dry-run", "--json"}},
		{"a number that is none", sim("--dataset", "good.jsonl", "--limit", "ten"), 2, []string{"--limit", "ten"}},
		{"a duration that is none", sim("--dataset", "good.jsonl", "--timeout", "soon"), 2, []string{"--timeout", "soon"}},
		{"no time to retry", sim("--dataset", "good.jsonl", "--retry-for", "0s"), 2, []string{"--retry-for", "more than 0"}},
		{"less than no time to retry", sim("--dataset", "good.jsonl", "--retry-for=-5s"), 2, []string{"--retry-for", "more than 0"}},
		{"concurrency 0", sim("--dataset", "good.jsonl", "--concurrency", "0"), 2, []string{"--concurrency", "from 1"}},
		{"think", at(j.URL, "--think", "hard"), 2, []string{`--think "hard"`, "auto, on, off, low, medium, high"}},
		{"think of a simulated judge", sim("--dataset", "good.jsonl", "--think", "on"), 2, []string{"--think", "--backend sim"}},
		{"constrain a simulated judge", sim("--dataset", "good.jsonl", "--constrain"), 2, []string{"--constrain", "--backend sim"}},
		{"a typo in constrain", at(j.URL, "--constrian"), 2, []string{"--constrian", "did you mean --constrain?"}},
		{"a typo in logprobs", at(j.URL, "--logprob"), 2, []string{"--logprob", "did you mean --logprobs?"}},
		{"a typo in think", at(j.URL, "--thing", "on"), 2, []string{"--thing", "did you mean --think?"}},
		{"a typo in repeat", at(j.URL, "--repaet", "2"), 2, []string{"--repaet", "did you mean --repeat?"}},
		{"a typo in strict-determinism", at(j.URL, "--strict-determinsm"), 2, []string{"did you mean --strict-determinism?"}},
		{"repeat 0", at(j.URL, "--repeat", "0"), 2, []string{"--repeat 0", "at least 1"}},
		{"repeat of words", at(j.URL, "--repeat", "twice"), 2, []string{"--repeat", `"twice"`}},
		{"asked again for ever", at(j.URL, "--attempts", "1001"), 2, []string{"--attempts 1001", "at most 1000"}},
		{"all at once", at(j.URL, "--concurrency", "10001"), 2, []string{"--concurrency \"10001\"", "from 1 to 10000"}},
		{"repeat for ever", at(j.URL, "--repeat", "1001"), 2, []string{"--repeat 1001", "at most 1000"}},
		{"strict, and four at once", at(j.URL, "--strict-determinism", "--concurrency", "4"), 2, []string{"--strict-determinism", "--concurrency 4"}},
		{"strict, and two servers", at(j.URL, "--strict-determinism", "--base-url", "http://127.0.0.1:9"), 2, []string{"--strict-determinism", "--base-url"}},
		{"an Ollama that cannot refuse", at(old.URL), 1, []string{"Ollama 0.12.5 at", "silently truncates long prompts", "upgrade it to 0.12.6"}},
		{"no room in vLLM", at(vllm.URL, "--max-tokens", "4096"), 2, []string{"--max-tokens 4096", "vLLM", "4096 leaves none", "lower it"}},
		{"concurrency of words", sim("--dataset", "good.jsonl", "--concurrency", "many"), 2, []string{"--concurrency", "auto"}},
		{"max-tokens 0", sim("--dataset", "good.jsonl", "--max-tokens", "0"), 2, []string{"--max-tokens", "at least 1"}},
		{"negative limit", sim("--dataset", "good.jsonl", "--limit", "-3"), 2, []string{"--limit", "at least 1"}},
		{"unknown backend", []string{"run", "pairwise", "--backend", "olama", "--dataset", "good.jsonl"}, 2, []string{`"olama"`, "ollama"}},
		{"unknown simulated judge", []string{"run", "pairwise", "--backend", "sim", "--model", "wise", "--dataset", "good.jsonl"}, 2, []string{`"wise"`, "accuracy="}},
		{"system role", sim("--dataset", "good.jsonl", "--system-role", "developer"), 2, []string{"--system-role", "system, user"}},
		{"a stray argument", sim("--dataset", "good.jsonl", "extra"), 2, []string{`"extra"`}},
		{"two formats", sim("--dataset", "good.jsonl", "--json", "--csv"), 2, []string{"choose one"}},
		{"wrong URL", at("localhost:99"), 2, []string{"--base-url", "http://"}},
		{"refused connection", at("http://127.0.0.1:1"), 1, []string{"http://127.0.0.1:1", "connection refused", "running"}},
		{"a web server", at(web.URL), 1, []string{web.URL, "OpenAI-compatible"}},
		{"401", at(locked.URL), 1, []string{"401", "Invalid API key", "--api-key-env"}},
		{"key not set", at(j.URL, "--api-key-env", "NO_SUCH_KEY"), 2, []string{"NO_SUCH_KEY", "not set"}},
		{"unknown model", at(j.URL, "--model", "tinny"), 1, []string{`"tinny"`, "it offers tiny"}},
		{"not Ollama", at(j.URL, "--backend", "ollama"), 1, []string{"not Ollama", "--backend openai"}},
		{"out holds another run", append(sim("--dataset", "good.jsonl", "--prompt", "direct"), "--out", "taken"), 1, []string{"taken", "another run", "prompt.name: sop, now direct", "--out"}},
		{"out is a file", append(sim("--dataset", "good.jsonl"), "--out", "good.jsonl"), 1, []string{"good.jsonl", "is a file"}},
		{"out holds something else", append(sim("--dataset", "good.jsonl"), "--out", "other"), 1, []string{"other", "notes.txt"}},
		{"score without a run", []string{"score"}, 2, []string{"which run"}},
		{"score of no run", []string{"score", "nowhere"}, 1, []string{"nowhere", "no such file"}},
		{"score of a folder without a run", []string{"score", "other"}, 1, []string{"other", "not a run directory"}},
		{"compare one", []string{"compare", "taken"}, 2, []string{"two or more"}},
		{"policy", []string{"score", "--policy", "first", "taken"}, 2, []string{`"first"`, "unique, last"}},
		{"reading", []string{"score", "--reading", "loose", "taken"}, 2, []string{`"loose"`, "paper, robust"}},
		{"policy of the other reading", []string{"score", "--reading", "robust", "--policy", "last", "taken"}, 2, []string{"--policy", "leave it out, or add --reading paper"}},
		{"missing", []string{"score", "--missing", "ignore", "taken"}, 2, []string{`"ignore"`, "wrong, drop"}},
		{"import without out", []string{"import", "judgebench", "good.jsonl"}, 2, []string{"--out"}},
		{"import of a pair file", []string{"import", "judgebench", "good.jsonl", "--out", "imported"}, 1, []string{"good.jsonl:1", "not a JudgeBench output file"}},
		{"import of no file", []string{"import", "mmlu-pro", "no.zip", "--out", "new"}, 1, []string{"no.zip", "no such file"}},
		{"import without a file", []string{"import", "mmlu-pro", "--out", "new"}, 2, []string{"FILE is missing"}},
		{"import of what there is not", []string{"import", "mmlupro", "outputs.json"}, 2, []string{`"mmlupro"`, "did you mean mmlu-pro?"}},
		{"a zip without JSON", []string{"import", "mmlu-pro", "nojson.zip", "--out", "new"}, 1, []string{"nojson.zip", "no .json file", "readme.txt"}},
		{"a zip with two JSON files", []string{"import", "mmlu-pro", "two.zip", "--out", "new"}, 1, []string{"two.zip", "2 .json files", "unpack it"}},
		{"half a zip", []string{"import", "mmlu-pro", "half.zip", "--out", "new"}, 1, []string{"half.zip", "not a whole zip archive", "get it again"}},
		{"an answer index out of range", []string{"import", "mmlu-pro", "range.json", "--out", "new"}, 1, []string{"range.json: row 1", "answer_index is 9, of 3 options", "none of 1 rows"}},
		{"a question with one option", []string{"import", "mmlu-pro", "one.json", "--out", "new"}, 1, []string{"one.json: row 1", "1 option: a choice needs two"}},
		{"outputs that are none", []string{"import", "mmlu-pro", "good.jsonl", "--out", "new"}, 1, []string{"good.jsonl: row 1", "question_id"}},
		{"outputs into another run", []string{"import", "mmlu-pro", "outputs.json", "--out", "taken"}, 1, []string{"taken", "another run", "--out"}},
		{"solutions that are none", []string{"import", "gsm8k", "good.jsonl", "--out", "new"}, 1, []string{"good.jsonl: row 1", "ground_truth"}},
		{"solutions of an unknown model", []string{"import", "gsm8k", "solutions.jsonl", "--model", "n", "--out", "new"}, 1, []string{"solutions.jsonl", `no solutions by "n"`, "there are m"}},
		{"judgments that are none", []string{"import", "fastchat", "good.jsonl", "--out", "new"}, 1, []string{"good.jsonl: row 1", "question_id"}},
		{"votes that are none", []string{"import", "fastchat", "votes.jsonl", "--human", "good.jsonl", "--out", "new"}, 1, []string{"good.jsonl: row 1"}},
		{"votes of several judges as a judge's", []string{"import", "fastchat", "votes.jsonl", "--out", "new"}, 1, []string{"votes.jsonl: row 2", "one judge a file"}},
		{"answers to nobody knows what", []string{"import", "answers", "answers.jsonl", "--model", "m", "--out", "new"}, 1, []string{"answers.jsonl: row 1", `"question" is missing`}},
		{"answers to another dataset", []string{"import", "answers", "answers.jsonl", "--model", "m", "--dataset", "outputs.json", "--out", "new"}, 1, []string{"none of its 1 ids", `"x"`}},
		{"answers to pairs", []string{"import", "answers", "answers.jsonl", "--model", "m", "--dataset", "sample", "--out", "new"}, 1, []string{"answers.jsonl", "none of its 1 ids"}},
		{"a marker of nothing", []string{"import", "answers", "answers.jsonl", "--marker", " ", "--out", "new"}, 2, []string{"--marker"}},
		{"agree without a run", []string{"agree", "--labels", "votes.jsonl"}, 2, []string{"RUN is missing"}},
		{"agree with labels that are gone", []string{"agree", "taken", "--labels", "gone.jsonl"}, 1, []string{"gone.jsonl", "no such file of labels"}},
		{"agree by a share that is none", []string{"agree", "taken", "--epsilon", "2"}, 2, []string{"--epsilon 2"}},
		{"agree with a flag that was taken away", []string{"agree", "taken", "--human", "votes.jsonl"}, 2, []string{"--human was taken away", "--labels"}},
		{"import of an unknown dataset", []string{"datasets", "import", "good.jsonl"}, 1, []string{"good.jsonl", "--dataset"}},
		{"fetch of an unknown dataset", []string{"datasets", "fetch", "x"}, 2, []string{`"x"`, "gavel datasets list"}},
		{"show of an unknown prompt", []string{"prompts", "show", "x"}, 2, []string{`"x"`, "prompts list"}},
		{"no argument", []string{"prompts", "show"}, 2, []string{"NAME is missing"}},
		{"cache is a file", append(at(j.URL), "--cache", filepath.Join(dir, "good.jsonl")), 1, []string{"cache", "--no-cache"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stdout, stderr, code := call(t, tt.args...)
			if code != tt.code {
				t.Errorf("exit status %d, want %d", code, tt.code)
			}
			lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
			last := lines[len(lines)-1]
			if !strings.HasPrefix(last, "gavel: ") {
				t.Errorf("the last line of stderr should say what went wrong:\n%s", stderr)
			}
			for _, w := range tt.want {
				if !strings.Contains(last, w) {
					t.Errorf("%q lacks %q", last, w)
				}
			}
			if stdout != "" {
				t.Errorf("stdout should be empty:\n%s", stdout)
			}
		})
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a refused command left a folder behind")
	}
}

// TestBrokenLine: one bad line is reported with its place and skipped; the run
// and its table say how many.
// What Go says of files is said in fewer words, and a path once.
func TestFilesThatAreNotThere(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--limit", "2", "--out", "runs/one")
	write(t, "empty/x.txt", "x")
	for line, want := range map[string]string{
		"score runs/absent":                     "no run at runs/absent: no such file or directory",
		"score empty":                           "empty: is not a run directory (no run.json in it): empty/run.json: no such file or directory",
		"suite plan none.yaml":                  "none.yaml: no such file or directory",
		"bundle verify none.tar":                "none.tar: no such file or directory",
		"agree runs/one --labels none":          "none: there is no such file of labels",
		"datasets import --as gsm9k none.jsonl": `--as "gsm9k": did you mean gsm8k?`,
		"run pairwise --backend sim --model right --dataset sample --ids none": "none: no such file or directory",
	} {
		_, stderr, code := call(t, strings.Fields(line)...)
		if code == 0 || !strings.HasPrefix(stderr, "gavel: "+want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d: %s", line, code, stderr)
		}
	}
}

func TestBrokenLine(t *testing.T) {
	home(t)
	write(t, "d.jsonl", goodPair+`{"pair_id": "p2", "question": `+"\n"+strings.Replace(goodPair, "p1", "p3", 1))
	stdout, stderr, code := call(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "d.jsonl")
	if code != 0 || !strings.Contains(stderr, "d.jsonl:2: broken JSON") || !strings.Contains(stderr, "1 lines of the dataset were skipped, 2 are used") {
		t.Errorf("exit status %d\n%s", code, stderr)
	}
	if !strings.Contains(stdout, "1 lines of the dataset file could not be read") {
		t.Errorf("the table should say so:\n%s", stdout)
	}
}

// TestTwoServers: with two to choose from, gavel asks which.
func TestTwoServers(t *testing.T) {
	home(t)
	a, b := newJudge(t, true, always("")), newJudge(t, false, always(""))
	t.Setenv("OLLAMA_HOST", a.URL)
	t.Setenv("OPENAI_BASE_URL", b.URL)
	_, stderr, code := call(t, "models")
	if code != 1 || !strings.Contains(stderr, a.URL) || !strings.Contains(stderr, b.URL) || !strings.Contains(stderr, "--base-url") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
	t.Setenv("OPENAI_BASE_URL", "")
	shows(t, "tiny:latest", "models")
}

// TestFlagsAfterArguments: both orders mean the same.
func TestFlagsAfterArguments(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "r")
	before, after := mustCall(t, "score", "--json", "--rounds", "200", "r"), mustCall(t, "score", "r", "--rounds", "200", "--json")
	if before != after || !strings.Contains(before, `"rounds": 200`) {
		t.Error("flags after the argument were not read")
	}
	ends(t, 2, "--rounds", "score", "r", "--rond", "200")
	ends(t, 1, "--json", "score", "--", "--json")
}

// TestKilledBeforeTheItemsWereWritten: items.jsonl is written beside the calls;
// a run that has records but no items gets them when it goes on, also where
// there is nothing left to ask.
func TestKilledBeforeTheItemsWereWritten(t *testing.T) {
	home(t)
	args := []string{"run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "r"}
	mustCall(t, args...)
	items, results, records := read(t, "r/items.jsonl"), read(t, "r/results.json"), read(t, "r/records.jsonl")
	for _, keep := range []int{len(records), len(records) / 2} { // the second leaves half a line
		for _, name := range []string{"items.jsonl", "results.json"} {
			if err := os.Remove("r/" + name); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Truncate("r/records.jsonl", int64(keep)); err != nil {
			t.Fatal(err)
		}
		mustCall(t, args...)
		if read(t, "r/items.jsonl") != items || read(t, "r/results.json") != results {
			t.Errorf("killed after %d of %d bytes of records: the items or results differ", keep, len(records))
		}
	}
}

// TestReadOnlyFolder: nothing can be written, and gavel says where and what to do.
func TestReadOnlyFolder(t *testing.T) {
	home(t)
	j := newJudge(t, false, always("[[A>B]]"))
	if err := os.Mkdir("ro", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "ro").Run(); err == nil {
		t.Cleanup(func() { exec.Command("umount", "-l", "ro").Run() })
	} else if err := os.Chmod("ro", 0o555); err != nil || os.Geteuid() == 0 {
		t.Skip("no folder can be made read-only here")
	}
	for name, args := range map[string][]string{
		"--out":   {"run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "ro/r"},
		"--cache": {"run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--cache", "ro/c"},
	} {
		_, stderr, code := call(t, args...)
		if code != 1 || !strings.Contains(stderr, "ro/") || !strings.Contains(stderr, name) {
			t.Errorf("%s: exit status %d\n%s", name, code, stderr)
		}
	}
}
