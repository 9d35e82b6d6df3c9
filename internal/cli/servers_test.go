package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gavel/internal/doctor"
	"gavel/internal/report"
	"gavel/judging"
)

// These tests ask real servers, which scripts/servers.sh starts with the model
// of scripts/tinymodel. Its weights are random: it judges nothing. It is there
// so that real tokenizers, templates, limits and errors are met, and a number
// in these tables means nothing but that the words of a real server arrived.
//
//	eval "$(scripts/servers.sh start)" && go test ./internal/cli -run Servers -count=1 -v

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

// outcomes reads the outcome counts of a run from `gavel score --format json`.
func outcomes(t *testing.T, run string) map[string]int {
	t.Helper()
	var s report.Scores
	parse(t, mustCall(t, "score", "--format", "json", "--rounds", "100", run), &s)
	return s.Runs[0].Outcomes
}

// records reads a run's records.
func records(t testing.TB, run string) []*judging.Record {
	t.Helper()
	var out []*judging.Record
	err := judging.ReadRecords(filepath.Join(run, "records.jsonl"), func(r *judging.Record) error { out = append(out, r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// judgeBenchFile is the published file of GPT-4o's responses, where it lies.
func judgeBenchFile(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sourceDir, "../../../shared/data/judgebench/data/*gpt-4o*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("the JudgeBench file is not in ../shared/data")
	}
	return files[0]
}

// fourRuns makes the four runs on a dataset: both goals, direct and constrained
// and by the standard prompt in free text. Every judgment is answered, the
// constrained ones are decided, and a second run asks nothing and ends with the
// same bytes.
func fourRuns(t *testing.T, url string, judgments int, dataset ...string) {
	for _, protocol := range []string{"pairwise", "reversed"} {
		for _, prompt := range []string{"direct", "sop"} {
			args := append([]string{"run", protocol, "--base-url", url, "--prompt", prompt, "--max-tokens", "16", "--concurrency", "2", "--attempts", "1"}, dataset...)
			if prompt == "direct" {
				args = append(args, "--constrain")
			}
			out := protocol + "-" + prompt
			table := mustCall(t, append(args, "--out", out)...)
			got := outcomes(t, out)
			if n := got["decided"] + got["conflict"] + got["no-verdict"] + got["cut"]; n != judgments {
				t.Errorf("%s: %v", out, got)
			}
			if prompt == "direct" && got["decided"] != judgments {
				t.Errorf("%s is constrained, yet not all is decided: %v", out, got)
			}
			if got["decided"] == 0 && !strings.Contains(table, " has a verdict: ") {
				t.Errorf("a table without a verdict should say so:\n%s", table)
			}
			for _, r := range records(t, out) {
				for _, reply := range r.Replies {
					if reply.PromptTokens < 100 || reply.Cached || reply.Constrained != (prompt == "direct") {
						t.Fatalf("%s: not what the server was asked: %+v", out, reply)
					}
				}
				if prompt == "direct" {
					checkProbabilities(t, r)
				}
			}
			rerun(t, out, args)
			if read(t, out+"/results.json") != read(t, out+"-again/results.json") {
				t.Errorf("%s: results.json differs between the run and its repeat from the cache", out)
			}
		}
	}
}

// rerun makes a run once more, and checks that all of its replies come from the cache.
func rerun(t *testing.T, out string, args []string) {
	t.Helper()
	mustCall(t, append(args, "--out", out+"-again")...)
	for _, r := range records(t, out+"-again") {
		for _, reply := range r.Replies {
			if !reply.Cached {
				t.Errorf("%s: the second run asked for %s", out, r.Item)
			}
		}
	}
}

// checkProbabilities: of both labels, adding up to one. A model with random
// weights lists neither label among its likeliest tokens, so each was asked for
// on its own; the label named is the likelier one, as greedy decoding has it.
func checkProbabilities(t *testing.T, r *judging.Record) {
	t.Helper()
	sum, likeliest := 0.0, ""
	best := -1.0
	for _, p := range r.Probabilities {
		if p.Logprob == nil || *p.Logprob >= 0 {
			t.Fatalf("%s: %+v", r.Item, p)
		}
		sum += p.P
		if p.P > best {
			best, likeliest = p.P, p.Label
		}
	}
	if len(r.Probabilities) != 2 || sum < 0.999 || sum > 1.001 || likeliest != "[["+r.Label+"]]" {
		t.Fatalf("%s, presentation %d: verdict %s, probabilities %+v", r.Item, r.Presentation, r.Label, r.Probabilities)
	}
}

// itemCount returns the number of items to ask a server about: some by day, fewer of Ollama, which without a GPU reads
// about a thousand tokens a second. The requests are of the same shapes; the rest are other texts.
func itemCount(url string, all, some, ollama int) int {
	switch {
	case os.Getenv("GAVEL_TEST_NIGHTLY") != "":
		return all
	case url == os.Getenv("GAVEL_OLLAMA_URL"):
		return ollama
	}
	return some
}

func TestServersSample(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		n := itemCount(url, 32, 8, 2)
		fourRuns(t, url, 2*n, "--dataset", "sample", "--limit", strconv.Itoa(n))
	})
}

// TestServersJudgeBench: pairs drawn from the published file; before
// Ollama, the shortest.
func TestServersJudgeBench(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		file := judgeBenchFile(t)
		n := itemCount(url, 20, 6, 2)
		pick := []string{"--sample", strconv.Itoa(n)}
		if url == os.Getenv("GAVEL_OLLAMA_URL") {
			lines := strings.Split(strings.TrimSpace(read(t, file)), "\n")
			slices.SortFunc(lines, func(a, b string) int { return len(a) - len(b) })
			ids := ""
			for _, line := range lines[:n] {
				var pair struct {
					ID string `json:"pair_id"`
				}
				parse(t, line, &pair)
				ids += pair.ID + "\n"
			}
			write(t, "ids.txt", ids)
			pick = []string{"--ids", "ids.txt"}
		}
		fourRuns(t, url, 2*n, append([]string{"--dataset", file}, pick...)...)
		shows(t, "correct in both orders", "compare", "pairwise-direct", "reversed-direct")
	})
}

// TestServersPromptTooLong: a prompt beyond the context is refused and named so;
// the one beside it, which fits, is judged. llama.cpp counts it for us, so that
// it is not even asked.
func TestServersPromptTooLong(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		long := strings.Repeat("the question and the answer of the judge ", 8000)
		write(t, "long.jsonl", goodPair+strings.Replace(strings.Replace(goodPair, "p1", "p2", 1), `"response_A":"a"`, fmt.Sprintf(`"response_A":%q`, long), 1))
		args := []string{"run", "pairwise", "--base-url", url, "--dataset", "long.jsonl", "--prompt", "direct", "--max-tokens", "16", "--constrain", "--out", "r"}
		plan := mustCall(t, append(args, "--dry-run")...)
		ends(t, exitIncomplete, "did not fit the context: 2", args...)
		ollama := false
		for _, r := range records(t, "r") {
			want := judging.Decided
			if r.Item == "p2" {
				want = judging.PromptTooLong
			}
			if r.Outcome != want || len(r.Replies) != 1 {
				t.Errorf("%s, presentation %d: %s (%+v)", r.Item, r.Presentation, r.Outcome, r.Replies)
			}
			if ollama = strings.HasPrefix(r.Identity, "ollama"); r.Item == "p2" && !ollama && !strings.HasPrefix(r.Replies[0].Detail, "not asked") {
				t.Errorf("it was asked: %+v", r.Replies)
			}
		}
		if !ollama {
			if !regexp.MustCompile(`too long to be asked +2 \(counted by the server\)`).MatchString(plan) {
				t.Errorf("the plan does not say how many do not fit:\n%s", plan)
			}
			return
		}
		if !strings.Contains(plan, "may not fit") {
			t.Errorf("the plan does not say that some may not fit:\n%s", plan)
		}
	})
}

// TestServersDoctor: the doctor finds nothing wrong with the real servers, and measures their speed.
func TestServersDoctor(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		args := []string{"--time-limit", "0"}
		quick := itemCount(url, 0, 0, 1) == 1 // many requests at once are for llama.cpp by day
		if quick {
			args = append(args, "--quick")
		}
		d := engineIsReady(t, url, args...)
		for _, f := range d.Findings {
			switch f.Check {
			case "model", "system role", "thinking":
				if f.Status != doctor.OK {
					t.Errorf("%+v", f)
				}
			case "throughput":
				if !quick && f.Status != doctor.OK && f.Status != doctor.Warn && !strings.Contains(f.Text, "other work changes the speed") {
					t.Errorf("%+v", f)
				}
				if s := d.Speed; s == nil || s.ClockSource != "server" || f.Status == doctor.OK && len(s.ByConcurrency) < 2 || s.BytesPerTok < 1 {
					t.Errorf("speed %+v", s)
				}
			}
		}
	})
}
