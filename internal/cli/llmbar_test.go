package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/scoring"
)

// barCounts holds the counts in reference.json for a judge's replies to a subset, or to all.
type barCounts struct {
	N         int `json:"n"`
	Strict    int `json:"strict"`
	First     int `json:"first_order"`
	Second    int `json:"second_order"`
	Equal     int `json:"agreement_equal"`
	NoneNone  int `json:"none_none"`
	BothThere int `json:"n_both_decided"`
	Position  int `json:"first_position"`
	Decided   int `json:"n_decided"`
	Missing   int `json:"no_verdict"`
	Same      int `json:"winners_reproduced"`
}

// llmBarData returns the folder of LLMBar's stored replies.
func llmBarData(t *testing.T) string {
	t.Helper()
	data := filepath.Join(sourceDir, "../../../shared/data/llmbar")
	if _, err := os.Stat(filepath.Join(data, "reference.json")); err != nil {
		t.Skip("LLMBar is not in ../shared/data")
	}
	return data
}

// llmBarFiles are the stored replies of a judge by a strategy, "ChatGPT-0301/CoT".
func llmBarFiles(t *testing.T, data, judge string) []string {
	t.Helper()
	var files []string
	for _, subset := range []string{"Natural", "Adversarial/*"} {
		paths, err := filepath.Glob(filepath.Join(data, "Dataset/LLMBar", subset, "evaluators", judge, "result.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, paths...)
	}
	return files
}

// Every figure of the reference comes out of an import.
func TestLLMBarsReference(t *testing.T) {
	home(t)
	data := llmBarData(t)
	var reference struct {
		Evaluators map[string]map[string]json.RawMessage
	}
	parse(t, read(t, filepath.Join(data, "reference.json")), &reference)
	for judge, subsets := range reference.Evaluators {
		files := llmBarFiles(t, data, judge)
		run := strings.ReplaceAll(judge, "/", "-")
		_, stderr, code := call(t, append([]string{"import", "llmbar", "--out", run}, files...)...)
		if strings.HasSuffix(judge, "/Rating") {
			if code != 1 || !strings.Contains(stderr, "each output has a score of its own") || strings.Count(stderr, "\n") != 1 {
				t.Errorf("%s: exit status %d: %s", judge, code, stderr)
			}
			continue
		}
		if code != 0 {
			t.Fatalf("%s: exit status %d: %s", judge, code, stderr)
		}
		var scores struct{ Runs []scoring.Report }
		parse(t, mustCall(t, "score", run, "--json", "--rounds", "100"), &scores)
		rep := scores.Runs[0]
		for subset, raw := range subsets {
			group := strings.TrimPrefix(subset, "LLMBar/")
			if subset == "pool:LLMBar(419)" {
				group = scoring.Overall
			} else if strings.Contains(subset, ":") || subset == "macro" {
				continue
			}
			var want barCounts
			parse(t, string(raw), &want)
			count := func(metric string, total int) int {
				r := rep.Result(metric, group, "")
				if r.Value == nil || r.N != total {
					t.Errorf("%s %s: %s of %d, want n %d", judge, subset, metric, r.N, total)
					return -1
				}
				return int(math.Round(*r.Value * float64(r.N) / 100))
			}
			got := want
			got.Strict, got.First, got.Second = count("strict", want.N), count("first-order", want.N), count("second-order", want.N)
			got.Equal, got.Position = count("consistency", want.BothThere)+want.NoneNone, count("first-position", want.Decided)
			got.Missing = 2*want.N - want.Decided
			if got != want {
				t.Errorf("%s %s: %+v, want %+v", judge, subset, got, want)
			}
			if group == scoring.Overall && (rep.Outcomes["no-verdict"] != want.Missing || !strings.Contains(stderr, "838 of 838 stored decisions reproduced")) {
				t.Errorf("%s: outcomes %v; %s", judge, rep.Outcomes, stderr)
			}
		}
	}
}
