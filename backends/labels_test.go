package backends

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
)

var twoLabels = []string{"[[A>B]]", "[[B>A]]"}

// tokenWith returns a token with its probability and alternatives.
func tokenWith(text string, p float64, others ...any) token {
	t := token{text: text, logprob: math.Log(p), top: []token{{text: text, logprob: math.Log(p)}}}
	for i := 0; i < len(others); i += 2 {
		t.top = append(t.top, token{text: others[i].(string), logprob: math.Log(others[i+1].(float64))})
	}
	return t
}

func TestLabelLogprobs(t *testing.T) {
	trials.RunCases(t, "labels.txt", func(t *testing.T, input []string) (output []string) {
		var labels []string
		var rows [][]any
		assert.NilError(t, json.Unmarshal([]byte(input[0]), &labels))
		assert.NilError(t, json.Unmarshal([]byte(input[1]), &rows))
		var tokens []token
		for _, row := range rows {
			tokens = append(tokens, tokenWith(row[0].(string), row[1].(float64), row[2:]...))
		}
		for _, l := range labelLogprobs(tokens, labels) {
			output = append(output, fmt.Sprintf("%s %.7f", l.Text, math.Exp(l.Logprob)))
		}
		return output
	})
}

// A token may be a part of a character.
func TestLabelsOfBytes(t *testing.T) {
	output := labelLogprobs([]token{tokenWith("\xc3", 1), tokenWith("\xa9", 0.6, "\xa8", 0.4)}, []string{"é", "è"})
	if len(output) != 2 || math.Abs(math.Exp(output[0].Logprob)-0.6) > 1e-9 ||
		math.Abs(math.Exp(output[1].Logprob)-0.4) > 1e-9 {
		t.Errorf("%+v", output)
	}
}

// Whatever the tokens, a probability told is one, and of a label on offer.
func FuzzLabelLogprobs(f *testing.F) {
	f.Add("[[", -0.1, "A", -0.2, "B", -1.9, ">B]]", 0.0)
	f.Add("\xc3", -0.1, "\xa9", -0.2, "", -1.9, "]]", 3.0)
	f.Fuzz(func(t *testing.T, a string, pa float64, b string, pb float64, c string, pc float64, d string, pd float64) {
		tokens := []token{
			{a, pa, []token{{c, pc, nil}, {a, pa, nil}}}, {b, pb, []token{{c, pc, nil}, {d, pd, nil}}}, {d, pd, nil}, {"[[A>B]]", pb, nil},
		}
		labels := []string{"[[A>B]]", "[[A=B]]", "[[B>A]]", a}
		for _, l := range labelLogprobs(tokens, labels) {
			if math.IsNaN(l.Logprob) || math.IsInf(l.Logprob, 0) {
				t.Errorf("%+v", l)
			}
		}
	})
}

// logprobs of one verdict, as each kind of server writes them.
var logprobs = map[string]string{
	"openai": `{"content":[{"token":"[[","logprob":-0.5,"bytes":[91,91],"top_logprobs":[]},` +
		`{"id":7,"token":"A","logprob":-0.25,"bytes":[65],"top_logprobs":[{"token":"A","logprob":-0.25,"bytes":[65]},{"token":"B","logprob":-1.5,"bytes":null}]},` +
		`{"token":">B]]","logprob":-0.01,"bytes":null,"top_logprobs":[]},{"token":"","logprob":-2.3,"bytes":[],"top_logprobs":[]}]}`,
	"ollama": `[{"token":"[[","logprob":-0.5,"bytes":[91,91]},` +
		`{"token":"A","logprob":-0.25,"bytes":[65],"top_logprobs":[{"token":"A","logprob":-0.25,"bytes":[65]},{"token":"B","logprob":-1.5,"bytes":[66]}]},` +
		`{"token":">B]]","logprob":-0.01,"bytes":[62,66,93,93]}]`,
}

// withLogprobs returns a server whose reply has token probabilities.
func (w wire) withLogprobs(text string) string {
	reply := w.reply(content(text), "stop")
	if w.name == "Ollama" {
		return strings.Replace(reply, `"done":true`, `"done":true,"logprobs":`+logprobs["ollama"], 1)
	}
	reply = strings.Replace(reply, `"logprobs":null,`, "", 1)
	return strings.Replace(reply, `"index":0`, `"index":0,"logprobs":`+logprobs["openai"], 1)
}

func TestConstrainedReply(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		req := question
		req.AllowedReplies, req.Labels = twoLabels, twoLabels
		for _, text := range []string{"[[A>B]]", `"[[A>B]]"`, ` "[[A\u003eB]]" `} {
			got, err := w.askFor(t, req, respond(200, w.withLogprobs(text)))
			if err != nil || strings.TrimSpace(got.Text) != "[[A>B]]" {
				t.Fatalf("%q: %+v, %v", text, got, err)
			}
			want := []LabelProbability{{"[[A>B]]", -0.75}, {"[[B>A]]", -2}}
			for i := range want {
				if len(got.LabelProbabilities) != 2 || got.LabelProbabilities[i].Text != want[i].Text ||
					math.Abs(got.LabelProbabilities[i].Logprob-want[i].Logprob) > 1e-9 {
					t.Fatalf("labels: %+v, want %+v", got.LabelProbabilities, want)
				}
			}
		}
		// A server that does not know of constraints: the reply is left as it is.
		if got, err := w.askFor(t, req, w.completeAnswer(`"[[C]]" or so`)); err != nil || got.Text != `"[[C]]" or so` || got.LabelProbabilities != nil {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestNoPromptCache: vLLM has no switch: a salt that no request had before finds nothing.
func TestNoPromptCache(t *testing.T) {
	req := question
	req.NoPromptCache = true
	a, _ := vllmWire.sent(t, "", req)
	b, _ := vllmWire.sent(t, "", req)
	if a["cache_salt"] == nil || a["cache_salt"] == b["cache_salt"] {
		t.Errorf("cache_salt %v, then %v", a["cache_salt"], b["cache_salt"])
	}
}
