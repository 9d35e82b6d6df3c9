package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/report"
)

// These tests ask real servers, which scripts/servers.sh starts with the model
// of scripts/tinymodel. Its weights are random: it judges nothing. It is there
// so that real tokenizers, templates, limits and errors are met, and a number
// in these tables means nothing but that the words of a real server arrived.
//
//	eval "$(scripts/servers.sh start)" && go test ./cmd/gavel -run Servers -count=1 -v

// realServers calls f for each server that the environment names.
func realServers(t *testing.T, f func(t *testing.T, url string)) {
	for _, s := range []struct{ name, variable string }{{"llama.cpp", "GAVEL_LLAMA_URL"}, {"Ollama", "GAVEL_OLLAMA_URL"}} {
		t.Run(s.name, func(t *testing.T) {
			url := os.Getenv(s.variable)
			if url == "" {
				t.Skipf("%s is not set: run scripts/servers.sh start", s.variable)
			}
			home(t)
			f(t, url)
		})
	}
}

// outcomes reads the outcome counts of a run from `gavel score --json`.
func outcomes(t *testing.T, run string) map[string]int {
	t.Helper()
	var s report.Scores
	if err := json.Unmarshal([]byte(mustCall(t, "score", "--json", "--rounds", "100", run)), &s); err != nil {
		t.Fatal(err)
	}
	return s.Runs[0].Outcomes
}

// records reads a run's records.
func records(t *testing.T, run string) []*judging.Record {
	t.Helper()
	var out []*judging.Record
	err := judging.ReadRecords(filepath.Join(run, "records.jsonl"), func(r *judging.Record) error { out = append(out, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestServersSample: both goals, two prompts; every judgment is answered, and a
// second run asks nothing.
func TestServersSample(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		for _, protocol := range []string{"pairwise", "reversed"} {
			for _, prompt := range []string{"direct", "sop"} {
				args := []string{"run", protocol, "--base-url", url, "--dataset", "sample", "--sample", "4", "--prompt", prompt, "--max-tokens", "16", "--concurrency", "2"}
				out := protocol + "-" + prompt
				table := mustCall(t, append(args, "--out", out)...)
				got := outcomes(t, out)
				answered := got["decided"] + got["conflict"] + got["no-verdict"] + got["cut"] + got["tie"]
				if answered != 8 {
					t.Errorf("%s: %v", out, got)
				}
				if got["decided"] == 0 && !strings.Contains(table, "decided 0 +") {
					t.Errorf("a table without a verdict should say so:\n%s", table)
				}
				for _, r := range records(t, out) {
					for _, reply := range r.Replies {
						if reply.PromptTokens < 100 || reply.Cached {
							t.Fatalf("%s: an answer that did not come from the server: %+v", out, reply)
						}
					}
				}
				mustCall(t, append(args, "--out", out+"-again")...)
				for _, r := range records(t, out+"-again") {
					for _, reply := range r.Replies {
						if !reply.Cached {
							t.Fatalf("%s: the second run asked for %s", out, r.Item)
						}
					}
				}
				if read(t, out+"/results.json") != read(t, out+"-again/results.json") {
					t.Errorf("%s: results.json differs between the run and its repeat from the cache", out)
				}
			}
		}
	})
}

// TestServersPromptTooLong: a prompt beyond the context is refused and named so;
// the one beside it, which fits, is judged.
func TestServersPromptTooLong(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		long := strings.Repeat("the question and the answer of the judge ", 8000)
		write(t, "long.jsonl", goodPair+strings.Replace(strings.Replace(goodPair, "p1", "p2", 1), `"response_A":"a"`, fmt.Sprintf(`"response_A":%q`, long), 1))
		mustCall(t, "run", "pairwise", "--base-url", url, "--dataset", "long.jsonl", "--prompt", "direct", "--max-tokens", "16", "--out", "r")
		for _, r := range records(t, "r") {
			if tooLong := r.Outcome == judging.TooLong; tooLong != (r.Item == "p2") {
				t.Errorf("%s, showing %d: %s (%+v)", r.Item, r.Showing, r.Outcome, r.Replies)
			}
		}
	})
}

// TestServersModels: what the servers tell of themselves reaches the manifest.
func TestServersModels(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		if out := mustCall(t, "models", "--base-url", url); !strings.Contains(out, "tiny") {
			t.Errorf("models:\n%s", out)
		}
		_, stderr, code := call(t, "run", "pairwise", "--base-url", url, "--model", "no-such-model", "--dataset", "sample")
		if code != 1 || !strings.Contains(stderr, `unknown model "no-such-model"`) {
			t.Errorf("exit status %d: %s", code, stderr)
		}
		mustCall(t, "run", "pairwise", "--base-url", url, "--dataset", "sample", "--limit", "1", "--max-tokens", "8", "--out", "r")
		m, err := judging.ReadManifest("r")
		if err != nil {
			t.Fatal(err)
		}
		if m.Server.Version == "" || m.Model.Digest+m.Model.Fingerprint == "" || m.Model.Trained != 32768 {
			t.Errorf("server %+v, model %+v", m.Server, m.Model)
		}
	})
}

// TestServersJudgeBench: pairs of JudgeBench under both goals, four at once.
func TestServersJudgeBench(t *testing.T) {
	url := os.Getenv("GAVEL_LLAMA_URL")
	if url == "" {
		t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
	}
	files, err := filepath.Glob(filepath.Join(sourceDir, "../../../shared/data/judgebench/data/*gpt-4o*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("the JudgeBench file is not in ../shared/data")
	}
	home(t)
	for _, protocol := range []string{"pairwise", "reversed"} {
		table := mustCall(t, "run", protocol, "--base-url", url, "--dataset", files[0], "--sample", "60", "--prompt", "direct", "--max-tokens", "16", "--concurrency", "4", "--attempts", "1", "--out", protocol)
		got := outcomes(t, protocol)
		if n := got["no-verdict"] + got["cut"] + got["decided"] + got["conflict"]; n != 120 {
			t.Errorf("%s: %v", protocol, got)
		}
		if !strings.Contains(table, "overall (n=60)") || !strings.Contains(table, "games: 120 = decided") {
			t.Errorf("the table:\n%s", table)
		}
	}
	mustCall(t, "compare", "pairwise", "reversed")
}
