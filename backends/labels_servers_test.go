package backends

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"os"
	"testing"
)

// TestServersTellOfAllLabelsAtOnce: what llama.cpp lists beside a reply that is held to several labels is what it says
// of each label where the reply is held to that one alone.
func TestServersTellOfAllLabelsAtOnce(t *testing.T) {
	url := os.Getenv("GAVEL_LLAMA_URL")
	if url == "" {
		t.Skip("GAVEL_LLAMA_URL is not set: run scripts/servers.sh start")
	}
	o := NewOpenAI(url, "", http.DefaultClient)
	matching, others := 0, 0 // of the labels that are not in a reply
	for i, labels := range [][]string{{"[[A>B]]", "[[B>A]]"}, {"A", "B", "C", "D"}, {"Yes", "No"}} {
		for k := range 5 {
			req := Request{Model: "tiny", TopP: 1, Seed: 1, MaxTokens: 16, AllowedReplies: labels, Labels: labels,
				Messages: []Message{{RoleUser, fmt.Sprintf("Question %d of %d: which is better?", k, i)}}}
			together, err := o.Ask(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			logprobs := map[string]float64{}
			for _, l := range together.LabelProbabilities {
				logprobs[l.Text] = l.Logprob
			}
			for _, label := range labels {
				if together.Text == label {
					continue
				}
				others++
				req.AllowedReplies = []string{label}
				alone, err := o.Ask(context.Background(), req)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range alone.LabelProbabilities {
					if p, ok := logprobs[label]; ok && l.Text == label {
						matching++
						if math.Abs(p-l.Logprob) > 0.01 {
							t.Errorf("%q beside %q: %v at once, %v alone", label, together.Text, p, l.Logprob)
						}
					}
				}
			}
		}
	}
	if others-matching > 3 { // those of one reply, after which more is asked for
		t.Errorf("of %d labels %d are told beside another", others, matching)
	}
}
