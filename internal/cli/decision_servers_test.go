package cli

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"

	"gavel/judging"
)

// TestServersDecide asks a decision model of llama.cpp's server under every protocol. Its verdicts are those that the
// server gives to the same question asked by hand.
func TestServersDecide(t *testing.T) {
	l := newLlama(t)
	home(t)
	ordinary := os.Getenv("GAVEL_TINY_MODEL")
	ends(t, anyFailure, "is not a decision model", "run", "pairwise", "--base-url", l.url(), "--backend", "systemone", "--dataset", "sample")
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", tinyModel(t, "-decision"))
	l.start(t)
	defer t.Setenv("GAVEL_TINY_MODEL", ordinary)

	for _, run := range []struct {
		out, args string
		judgments int
	}{
		{out: "better", args: "pairwise --dataset sample", judgments: 64},
		{out: "worse", args: "reversed --dataset sample", judgments: 64},
		{out: "options", args: "multi-option --dataset sample-options", judgments: 90},
		{out: "judged", args: "self-reference --dataset sample-number --sample 0 --limit 4 --mode cot --agents sim:accuracy=0.6", judgments: 4},
		{out: "referenced", args: "self-reference --dataset sample-choice --sample 0 --limit 4 --agents sim:accuracy=0.6", judgments: 8},
	} {
		args := append([]string{"run"}, strings.Fields(run.args)...)
		args = append(args, "--base-url", l.url(), "--out", run.out)
		mustCall(t, args...)
		answered(t, run.out, run.judgments, true)
		for _, r := range records(t, run.out) {
			if run.judgments == 64 {
				checkProbabilities(t, r)
			}
			if r.Prompt != judging.DecisionPromptName || len(r.Replies) != 1 || len(r.ExtraReplies) > 0 || r.Replies[0].ReplyTokens != 0 {
				t.Errorf("%s: %+v", run.out, r)
			}
		}
	}
	if err := os.WriteFile("pair.jsonl", []byte(goodDecision+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustCall(t, "run", "pairwise", "--base-url", l.url(), "--dataset", "pair.jsonl", "--concurrency", "1", "--out", "one")
	for _, r := range records(t, "one") {
		a, b := "Four.", "Five."
		if r.Presentation == 1 {
			a, b = b, a
		}
		want := decideByHand(t, l.url(), a, b)
		// What else is in a batch, or in the prompt cache, moves it a little.
		if got := r.Probabilities[0]; got.Label != "[[A>B]]" || math.Abs(got.P-want) > 0.01 {
			t.Errorf("presentation %d: %v is %v, by hand %v", r.Presentation, got.Label, got.P, want)
		}
	}
	rerun(t, "better", []string{"run", "pairwise", "--base-url", l.url(), "--dataset", "sample"})
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", tinyModel(t, "-decision", "-seed", "2"))
	l.start(t)
	ends(t, anyFailure, "other weights", "run", "reversed", "--base-url", l.url(), "--dataset", "sample", "--limit", "2", "--out", "other")
}

// goodDecision is a pair whose prompt is written out in decideByHand.
const goodDecision = `{"pair_id":"p","original_id":"p","source":"s","question":"Two and two?","response_model":"m",` +
	`"response_A":"Four.","response_B":"Five.","label":"A>B"}`

// decideByHand returns the server's probability that the answer shown first is the better.
func decideByHand(t *testing.T, url, a, b string) float64 {
	t.Helper()
	state, err := json.Marshal("<|User Prompt|>\nTwo and two?\n\n<|The Start of Assistant A's Answer|>\n" + a +
		"\n<|The End of Assistant A's Answer|>\n\n<|The Start of Assistant B's Answer|>\n" + b + "\n<|The End of Assistant B's Answer|>")
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+"/v1/systemone", "application/json", strings.NewReader(`{"state":`+string(state)+`,"questions":{"q":{
		"type":"choice","instructions":"Which assistant's answer to the user prompt is better?",
		"criteria":{"Assistant A's answer is better":null,"Assistant B's answer is better":null}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var reply struct {
		Answers struct {
			Q struct{ Probabilities map[string]float64 }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	return reply.Answers.Q.Probabilities["Assistant A's answer is better"]
}
