package cli

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/internal/trials"
)

// readmePages are the pages whose commands run as they stand there, in this order: later ones use what earlier ones made.
var readmePages = []string{"README.md", "docs/reading-results.md", "docs/servers.md", "docs/datasets.md", "docs/suites.md", "docs/examples/README.md", "docs/offline.md", "docs/how-do-i.md"}

// TestReadme: every command of the README and of the pages named above runs, in the order it stands there.
// Where it asks a server a simulated judge stands in; where it needs published
// data that is not in ../shared/data, it is left out. Then, what the pages say
// that commands print is what they print.
func TestReadme(t *testing.T) {
	allRounds(t)
	home(t)
	putExamples(t)
	r := &readmeRun{published: publishedFiles(t), missing: map[string]bool{}}
	write(t, "replies.jsonl", `{"id":"`+sampleIDs(t, "sample-choice")[0]+`","answer":"The answer is (C).","model":"mine"}`+"\n")
	commands, texts := 0, ""
	for _, page := range readmePages {
		text := read(t, filepath.Join(sourceDir, "../..", page))
		texts += text + "\n"
		for line := range strings.Lines(text) {
			for _, start := range []string{"    ./gavel ", "    go run ./cmd/gavel "} {
				if args, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), start); ok {
					commands++
					t.Run(args, func(t *testing.T) { r.run(t, words(args)) })
				}
			}
		}
	}
	if commands < 55 {
		t.Errorf("%d commands found in the README and the pages", commands)
	}
	if r.published && !t.Failed() {
		r.printed(t, texts)
	}
}

// TestReadmeIsShort: what does not fit belongs on a page of docs.
func TestReadmeIsShort(t *testing.T) {
	text := read(t, filepath.Join(sourceDir, "../../README.md"))
	if lines := strings.Count(text, "\n"); lines > 150 || len(text) > 9<<10 {
		t.Errorf("README.md has %d lines and %d bytes, more than 150 and %d", lines, len(text), 9<<10)
	}
}

// readmeRun runs the pages' commands.
type readmeRun struct {
	published bool            // the data is there
	missing   map[string]bool // what commands that could not be run would have made
	out       strings.Builder // all that was printed
}

// publishedFiles puts published data under the names that the pages give it.
func publishedFiles(t *testing.T) bool {
	t.Helper()
	shared := filepath.Join(sourceDir, "../../../shared/data")
	for _, file := range []string{
		"judgebench/outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=arena_hard,judge_model=o1-mini-2024-09-12.jsonl",
		"mmlu-pro/eval_results/model_outputs_Meta-Llama-3_1-8B-Instruct_5shots.zip", "mmlu-pro/data/test-00000-of-00001.parquet",
		"gsm8k/example_model_solutions.jsonl", "mt-bench/human_judgments/gpt4_pair.jsonl", "mt-bench/human_judgments/human.jsonl",
		"llmbar/Dataset/LLMBar/Natural/evaluators/Falcon/CoT/result.json", "llmbar/Dataset/LLMBar/Adversarial/Manual/evaluators/Falcon/CoT/result.json",
	} {
		text, err := os.ReadFile(filepath.Join(shared, file))
		if err != nil {
			t.Log("published data is not in ../shared/data: commands that read it are left out")
			return false
		}
		name := filepath.Base(file)
		if _, under, ok := strings.Cut(file, "/LLMBar/"); ok {
			name = under // whose folders are part of the name
		}
		if err := cmp.Or(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	mustCall(t, "datasets", "import", "--as", "mmlu-pro", "test-00000-of-00001.parquet")
	mustCall(t, "datasets", "import", filepath.Join(shared, "gsm8k/test.jsonl"))
	mustCall(t, "datasets", "import", filepath.Join(shared, "judgebench/data/dataset=judgebench,response_model=gpt-4o-2024-05-13.jsonl"))
	return true
}

// words splits a command line as a shell does that knows quotes around words.
func words(line string) (all []string) {
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|\S+`).FindAllStringSubmatch(line, -1) {
		if strings.ContainsAny(m[0][:1], `"'`) {
			all = append(all, m[1]+m[2])
		} else {
			all = append(all, m[0])
		}
	}
	return all
}

// notOurs are commands of which a test can only see that they are known.
func (r *readmeRun) notOurs(t *testing.T, args []string) bool {
	switch {
	case args[0] == "models" || args[0] == "doctor" || args[0] == "serve":
		mustCall(t, args[0], "--help")
	case args[0] == "labels" && args[1] == "label":
		mustCall(t, args[0], args[1], "--help")
	case args[0] == "datasets" && args[1] == "fetch":
		if k, ok := datasets.Lookup(args[2]); !ok || k.URL == "" {
			t.Errorf("%s cannot be fetched", args[2])
		}
	default:
		return false
	}
	return true
}

var publishedName = regexp.MustCompile(`\.zip$|\.parquet$|judge_name=|^gpt4_pair|^human\.|^example_model|^mmlu-pro$|^gsm8k$|^judgebench-|/evaluators/`)

func (r *readmeRun) run(t *testing.T, args []string) {
	if r.notOurs(t, args) {
		return
	}
	args = simulated(args)
	if i := slices.IndexFunc(args, r.lacks); i >= 0 {
		r.missing[out(args)] = true
		t.Skipf("left out, for want of %s: published data (zips: GAVEL_TEST_LONG=1), or made by a command that was left out", args[i])
	}
	var stderr bytes.Buffer
	stdout, code := callTo(&stderr, args...)
	if code != 0 {
		r.missing[out(args)] = true
		t.Fatalf("gavel %s: exit status %d\n%s", strings.Join(args, " "), code, &stderr)
	}
	r.out.WriteString(stdout)
}

// lacks tells whether a word of a command names what is not there: published
// data, or what a command that was left out would have made, itself or in a folder.
func (r *readmeRun) lacks(word string) bool {
	folder, _, _ := strings.Cut(word, "/")
	return r.missing[word] || r.missing[folder] || strings.HasSuffix(word, ".zip") && !trials.RunsSlowTests() ||
		!r.published && publishedName.MatchString(word)
}

// out returns the path that a command writes: a run, a file, or a folder of imported runs.
func out(args []string) string {
	for _, flag := range []string{"--out", "--runs"} {
		if i := slices.Index(args, flag); i >= 0 {
			return args[i+1]
		}
	}
	return "(none)"
}

// simulated has a simulated judge answer in a server's place, few items.
func simulated(args []string) []string {
	if slices.Contains(args, "sim") || args[0] != "run" && args[0] != "tune" {
		return args
	}
	var with []string
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--base-url", "--model", "--think", "--sample":
			i++
		case "--constrain", "--logprobs", "--strict-determinism":
		case "oasst1":
			with = append(with, "sample-options")
		default:
			with = append(with, regexp.MustCompile(`^[^@]+@http.*`).ReplaceAllString(args[i], "sim:coin"))
		}
	}
	return append(with, "--backend", "sim", "--model", "right", "--sample", "20", "--limit", "20")
}

// fenced are the blocks between fences, with the language that they are said to be in.
var fenced = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)\n```$")

// printed compares the pages' tables with what the commands printed: a block
// whose first line was printed was printed as a whole. What real servers said is
// not among it.
func (r *readmeRun) printed(t *testing.T, pages string) {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(r.out.String(), "\n") {
		lines[strings.TrimRight(line, " ")] = true
	}
	blocks := 0
	for _, block := range fenced.FindAllStringSubmatch(pages, -1) {
		output := strings.Split(block[2], "\n")
		if block[1] != "" || !lines[output[0]] {
			continue
		}
		blocks++
		for _, line := range output {
			if line != " …" && !lines[strings.TrimRight(line, " ")] {
				t.Errorf("a page says that this is printed, and it is not:\n%s", line)
			}
		}
	}
	want := 24
	if !trials.RunsSlowTests() {
		want-- // that of a whole file of outputs
	}
	if blocks != want {
		t.Errorf("%d of the tables on the pages were printed, want %d", blocks, want)
	}
}

// TestReadmeLeftOutTheTestCommand: it says how to try and how to test gavel, starts llama.cpp's server where its next
// line looks for it, and its first numbers are of a judge of whom something can be said.
func TestReadmeLeftOutTheTestCommand(t *testing.T) {
	home(t)
	text := read(t, filepath.Join(sourceDir, "../../README.md"))
	for _, command := range []string{"go run ./cmd/gavel demo", "go test ./..."} {
		if !strings.Contains(text, "\n    "+command+"\n") {
			t.Errorf("%q is missing", command)
		}
	}
	for _, server := range regexp.MustCompile("`llama-server[^`]*`").FindAllString(text, -1) {
		if !strings.Contains(server, "--port 8080") {
			t.Errorf("%s listens on another port than 8080", server)
		}
	}
	example := regexp.MustCompile(`    \./gavel (run .*--backend sim.*)`).FindStringSubmatch(text)
	if example == nil {
		t.Fatal("no example with a simulated judge")
	}
	shows(t, "\n●●○ usable  ", words(example[1])...)
}
