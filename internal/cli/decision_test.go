package cli

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// decider is a llama.cpp whose model is a decision model, for which the option is the likeliest that comes first in the
// alphabet.
type decider struct {
	*httptest.Server
	calls atomic.Int64
	even  atomic.Int64 // calls that it cannot decide
}

func newDecider(t *testing.T) *decider {
	t.Helper()
	d := new(decider)
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/models", text(`{"data":[{"id":"tiny","owned_by":"llamacpp","meta":{"n_ctx":65536,"n_params":276160,`+
		`"size":1104640,"n_vocab":1579,"ftype":"all F32"},"architecture":{"output_modalities":["decisions"]}}]}`))
	mux.HandleFunc("/props", text(`{"total_slots":2,"media_marker":"one"}`))
	mux.HandleFunc("/v1/systemone", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Questions map[string]struct {
				Criteria map[string]any `json:"criteria"`
			} `json:"questions"`
		}
		assert.Check(t, json.NewDecoder(r.Body).Decode(&asked) == nil)
		d.calls.Add(1)
		p, odds := map[string]float64{}, []float64{0.75, 0.25, 0, 0, 0, 0}
		if d.even.Add(-1) >= 0 {
			odds = []float64{0.5, 0.5, 0, 0, 0, 0}
		}
		for i, option := range slices.Sorted(maps.Keys(asked.Questions["verdict"].Criteria)) {
			p[option] = odds[i]
		}
		json.NewEncoder(w).Encode(map[string]any{
			"model":   "tiny",
			"answers": map[string]any{"verdict": map[string]any{"probabilities": p}},
			"usage":   map[string]int{"input_tokens": 90_000},
		})
	})
	d.Server = httptest.NewServer(mux)
	t.Cleanup(d.Close)
	return d
}

// TestDecisionModelsAreRefused: what such a model cannot do is said before it is asked anything.
func TestDecisionModelsAreRefused(t *testing.T) {
	home(t)
	d, writes := newDecider(t), newTwins(t, 1000)
	for args, words := range map[string][]string{
		"pairwise --self-reference --dataset sample":           {"cannot answer the questions of sample", "gavel run pairwise"},
		"pairwise --self-reference --dataset sample --dry-run": {"cannot answer the questions of sample"},
		"reversed --self-reference --dataset sample":           {"cannot answer the questions of sample"},
		"answer --dataset sample":                              {"cannot answer the questions of sample", "gavel run pairwise"},
		"answer --dataset sample-number":                       {"cannot answer", "gavel run self-reference --mode cot"},
		"pairwise --dataset sample --base-url " + writes.URL: {
			writes.URL + "/v1 is llama.cpp (--backend openai)", d.URL + "/v1 is llama.cpp (--backend systemone)",
		},
	} {
		_, said, code := call(t, append(append([]string{"run"}, strings.Fields(args)...), "--base-url", d.URL)...)
		assert.Check(t, code == exitError && !strings.Contains(said, "stage:"), "%s: %d\n%s", args, code, said)
		for _, w := range words {
			assert.Check(t, strings.Contains(said, w), "%s\n%s", args, said)
		}
	}
	assert.Equal(t, d.calls.Load()+writes.calls.Load(), int64(0))
}

// TestDecisionPrompt: a prompt that is asked for is taken, the protocol's first one too; else it is that for such models.
func TestDecisionPrompt(t *testing.T) {
	home(t)
	d := newDecider(t)
	for _, c := range []struct{ out, flags, prompt string }{
		{out: "unset", prompt: judging.Decision},
		{out: "decision", flags: "--prompt decision", prompt: judging.Decision},
		{out: "sop", flags: "--prompt sop", prompt: "sop"},
		{out: "direct", flags: "--prompt direct", prompt: "direct"},
	} {
		args := append(strings.Fields("run pairwise --dataset sample --limit 2 --base-url "+d.URL), strings.Fields(c.flags)...)
		assert.Check(t, strings.Contains(mustCall(t, append(args, "--dry-run")...), c.prompt), c.flags)
		mustCall(t, append(args, "--out", c.out)...)
		m, err := judging.ReadManifest(c.out)
		assert.NilError(t, err)
		assert.Equal(t, m.Spec.Prompt.Name, c.prompt, c.flags)

		// The command that a run's page has goes on with it.
		o, _ := eval.RequestOf(m)
		mustCall(t, append(strings.Fields(o.Command())[1:], "--out", c.out)...)
	}
	write(t, "suite.yaml", `out: suite
judges: [{model: tiny, base-url: "`+d.URL+`"}]
conditions: [{protocol: pairwise, dataset: sample, limit: 2, prompt: [sop, decision]}]
`)
	mustCall(t, "suite", "run", "--yes", "suite.yaml")
	runs, err := filepath.Glob("suite/*/run.json")
	assert.NilError(t, err)
	var prompts []string
	for _, run := range runs {
		m, err := judging.ReadManifest(filepath.Dir(run))
		assert.NilError(t, err)
		prompts = append(prompts, m.Spec.Prompt.Name)
	}
	assert.DeepEqual(t, prompts, []string{judging.Decision, "sop"})
}

// TestDecisionModelsAreNotChallenged: a probe says nothing of a second turn, which they have not.
func TestDecisionModelsAreNotChallenged(t *testing.T) {
	home(t)
	table := mustCall(t, "run", "probe", "--dataset", "sample", "--base-url", newDecider(t).URL, "--out", "probe")
	assert.Check(t, !strings.Contains(table, "challenge") && strings.Contains(table, "padding"), table)
	var rep scoring.Report
	assert.NilError(t, json.Unmarshal([]byte(mustCall(t, "score", "--json", "probe")), &rep))
	for _, p := range rep.Probes {
		if p.Name != "letters" { // where another name comes first in the alphabet
			assert.Equal(t, *p.Changed.Value, 0.0, p.Name)
		}
	}
}

// TestEvenOdds: an answer that names two options as exactly as likely is no verdict, and no fault of the server; its odds
// count all the same.
func TestEvenOdds(t *testing.T) {
	home(t)
	d := newDecider(t)
	d.even.Store(9) // the sample of the model is the first
	mustCall(t, "run", "pairwise", "--dataset", "sample", "--base-url", d.URL, "--concurrency", "1", "--out", "even")
	var rep scoring.Report
	assert.NilError(t, json.Unmarshal([]byte(read(t, "even/results.json")), &rep))
	assert.Equal(t, rep.Outcomes[string(judging.NoVerdict)], 8)
	assert.Equal(t, rep.Soft.Calibration.N, 32)
	assert.Equal(t, *rep.Soft.AUROC.Value, 0.5) // of the others the odds of both orders cancel out
	said := strings.Join(rep.Warnings, "\n")
	assert.Check(t, strings.Contains(said, "8 of 64 replies give the likeliest options exactly the same probability: no verdict"), said)
	assert.Check(t, !strings.Contains(said, "--constrain") && !strings.Contains(said, "the format"), said)
	even := 0
	for _, r := range records(t, "even") {
		if r.Outcome == judging.NoVerdict {
			even++
			assert.Check(t, len(r.Probabilities) == 2 && r.Probabilities[0].P == 0.5, "%+v", r)
		}
	}
	assert.Equal(t, even, 8)
}
