package eval_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/judging"
)

// What a run's folder tells of its request makes the same run, as a request and as a line of a shell.
func TestRunsTellTheirRequest(t *testing.T) {
	runs := t.TempDir()
	maker := newMaker(runs)
	for i, words := range []string{
		"pairwise --dataset sample --backend sim --model accuracy=0.9,first=0.1",
		"reversed --dataset sample --backend sim --model coin --limit 7 --repeat 2 --max-tokens 99 --attempts 1 --group Math --group Coding",
		"pairwise --dataset sample --backend sim --model coin --sample 5 --seed 3 --system-role user --accept-cut --prompt direct",
		"multi-option --dataset sample-options --backend sim --model coin --unrelated --max-options 2 --goal worst",
		"answer --dataset sample-choice --backend sim --model right --sample 0",
		"answer --dataset sample-choice --backend sim --model right --sample 2",
		"self-reference --dataset sample-choice --backend sim --model accuracy=0.9 --agents sim:accuracy=0.5,seed=2",
	} {
		request, protocol := read(t, words)
		out := filepath.Join(runs, "run", string(rune('a'+i)))
		request.Out, request.NoCache = out, true
		if _, err := maker.Run(t.Context(), request); err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		m, err := judging.ReadManifest(out)
		if err != nil {
			t.Fatal(err)
		}
		rebuilt, ok := eval.RequestOf(m)
		if !ok {
			t.Fatalf("%s: its run tells no request", words)
		}
		line := rebuilt.Command()
		fromShell, _ := read(t, strings.TrimPrefix(line, "gavel run "))
		for how, r := range map[string]eval.RunRequest{"its request": rebuilt, line: fromShell} {
			r.Out, r.NoCache = out, true
			plan, err := maker.Plan(t.Context(), r)
			if err != nil {
				t.Errorf("%s: %s: %v", words, how, err)
				continue
			}
			if run := plan.Runs[len(plan.Runs)-1]; run.Manifest.ID != m.ID || run.Plan.Calls() != 0 {
				t.Errorf("%s: %s is another run", words, how)
			}
		}
		if protocol.Name != "self-reference" && len(strings.Fields(line)) != len(strings.Fields(words))+2 {
			t.Errorf("%s\nis said as\n%s", words, line)
		}
	}
}

// newMaker makes runs in a folder, and says nothing.
func newMaker(runs string) *eval.Maker {
	return &eval.Maker{HTTP: backends.NewHTTPClient(1), Getenv: os.Getenv, Now: time.Now, Version: "test", RunsDir: runs}
}

// read returns the request in a shell line without quotes.
func read(t *testing.T, line string) (eval.RunRequest, judging.Protocol) {
	t.Helper()
	words := strings.Fields(line)
	protocol, err := judging.ProtocolNamed(words[0])
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	for words = words[1:]; len(words) > 0; {
		name := strings.TrimPrefix(words[0], "--")
		value := "true"
		if words = words[1:]; len(words) > 0 && !strings.HasPrefix(words[0], "--") {
			value, words = words[0], words[1:]
		}
		values[name] = append(values[name], value)
	}
	r, err := eval.ParseRequest(protocol, values)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return r, protocol
}

func TestImportsTellNoRequest(t *testing.T) {
	m := &judging.Manifest{Imported: "file", Spec: judging.Spec{Protocol: "pairwise"}}
	if r, ok := eval.RequestOf(m); ok {
		t.Errorf("%+v", r)
	}
}

// A request of servers names them all, with what a shell would take apart in quotes.
func TestCommandNamesServers(t *testing.T) {
	m := judging.NewManifest("test", judging.Spec{Protocol: "pairwise", Prompt: judging.Template{Name: "sop"}, Model: judging.ModelSpec{Name: "a b"}, Parameters: judging.DefaultParameters})
	m.Dataset.Name, m.Timeout = "it's.jsonl", "20m0s"
	m.Server = backends.ServerInfo{WireFormat: "ollama", URL: "http://one"}
	m.Servers = []backends.ServerInfo{m.Server, {WireFormat: "ollama", URL: "http://two"}}
	r, ok := eval.RequestOf(m)
	if !ok || !slices.Equal(r.BaseURLs, []string{"http://one", "http://two"}) {
		t.Fatalf("%v %+v", ok, r)
	}
	want := `gavel run pairwise --model 'a b' --dataset 'it'\''s.jsonl' --timeout 20m0s --backend ollama --base-url http://one --base-url http://two`
	if got := r.Command(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
