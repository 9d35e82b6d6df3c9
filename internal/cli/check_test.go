package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestCheckPage: the workflow and the shell example of docs/check.md run as they are written, and so does the file in
// it, with another judge.
func TestCheckPage(t *testing.T) {
	home(t)
	gavel, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	page := read(t, filepath.Join(sourceDir, "../../docs/check.md"))
	block := func(kind string) string {
		m := regexp.MustCompile("(?s)```" + kind + "\n(.*?)```").FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("docs/check.md has no example of %s", kind)
		}
		return m[1]
	}
	sums := filepath.Join(sourceDir, "testdata/files/sums.jsonl")
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "accuracy=0.9,first=0.1", "--dataset", sums, "--out", "runs/my-run")
	for _, line := range commandsOf(t, "check.md", "gavel") {
		mustCall(t, words(line)...)
	}
	shell := func(text string) {
		t.Helper()
		cmd := exec.Command("bash", "-e", "-c", text)
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(gavel)+":"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY=summary.md")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []struct{ Run string } }
	}
	if err := yaml.Unmarshal([]byte(block("yaml")), &workflow); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, step := range workflow.Jobs["judge"].Steps {
		if step.Run != "" {
			commands++
			shell(step.Run)
		}
	}
	if commands != 2 {
		t.Errorf("%d commands found in the workflow", commands)
	}
	shell(block("sh"))
	for file, words := range map[string]string{
		"check.xml": "<testsuite", "summary.md": "The judge meets 4 of 4", "check/check.html": "<html", "offline/check.md": "The judge meets 4 of 4",
	} {
		if text := read(t, file); !strings.Contains(text, words) {
			t.Errorf("%s has no %s:\n%s", file, words, text)
		}
	}
	file := regexp.MustCompile(`(?s)\n    (judge: .*?)\n\n`).FindStringSubmatch(page)[1]
	file = regexp.MustCompile(`judge: .*`).ReplaceAllString(file, `judge: {model: "accuracy=0.9", backend: sim, concurrency: 1}`)
	file = strings.NewReplacer("\n    ", "\n", "pairs.csv", sums).Replace(file)
	if _, stderr, code := call(t, "check", write(t, "page.yaml", file)); code != exitOK && code != exitUndecided {
		t.Errorf("exit status %d: %s\n%s", code, stderr, file)
	}
}
