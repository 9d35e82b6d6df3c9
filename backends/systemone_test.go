package backends

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// decisionServer answers /v1/systemone, and keeps what it was asked. tokens is what its tokenizer counts; 0: it has
// none.
func decisionServer(t *testing.T, status int, answer string, tokens int) (s *DecisionBackend, request *string) {
	t.Helper()
	request = new(string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/systemone":
			body, _ := io.ReadAll(r.Body)
			*request = string(body)
			w.WriteHeader(status)
			io.WriteString(w, answer)
		case "/tokenize":
			if tokens > 0 {
				json.NewEncoder(w).Encode(map[string]any{"tokens": make([]int, tokens)})
				return
			}
			http.NotFound(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	b, err := Open(ServerInfo{WireFormat: "systemone", URL: server.URL + "/v1"}, "", server.Client())
	assert.NilError(t, err)
	return b.(*DecisionBackend), request
}

var comparison = Request{
	Model: "m", Labels: []string{"[[A>B]]", "[[B>A]]"}, AllowedReplies: []string{"[[A>B]]", "[[B>A]]"},
	Messages: []Message{{RoleSystem, "Which is \"better\"?\n[[A>B]] The first is better\n[[B>A]] The second is better"}, {RoleUser, "one, two"}},
}

// TestSystemOneAsks: the question, the options in their order, and the state are what the request says.
func TestSystemOneAsks(t *testing.T) {
	s, request := decisionServer(t, 200, `{"model":"m","answers":{"verdict":{"type":"choice","choice":"The second is better",`+
		`"probabilities":{"The first is better":0.25,"The second is better":0.75},"confidence":0.5}},"usage":{"input_tokens":40,"output_tokens":0}}`, 20)
	got, err := s.Ask(t.Context(), comparison)
	assert.NilError(t, err)
	const want = `{"model":"m","questions":{"verdict":{"type":"choice","instructions":"Which is \"better\"?",` +
		`"criteria":{"The first is better":null,"The second is better":null}}},"state":"one, two"}`
	if *request != want {
		t.Errorf("asked %s\nwant  %s", *request, want)
	}
	if got.Text != "[[B>A]]" || got.Finish != FinishStop || got.PromptTokens != 40 || got.ReplyTokens != 0 || got.Model != "" ||
		!slices.Equal(got.LabelProbabilities, []LabelProbability{{"[[A>B]]", math.Log(.25)}, {"[[B>A]]", math.Log(.75)}}) {
		t.Errorf("%+v", got)
	}
	got, err = s.Ask(t.Context(), Request{AllowedReplies: []string{"Selection: Option 1", "Selection: Option 2"}, Messages: []Message{{RoleUser, "x"}}})
	if err == nil || !strings.Contains(*request, `"instructions":"Decide.","criteria":{"Option 1":null,"Option 2":null}`) {
		t.Errorf("%s, %v, %+v", *request, err, got) // and none of these has a probability
	}
}

// TestSystemOneYesNo: two options that mean yes and no are a question of their own type.
func TestSystemOneYesNo(t *testing.T) {
	s, request := decisionServer(t, 200, `{"answers":{"verdict":{"type":"noul","noul":0.2}},"usage":{"input_tokens":40}}`, 0)
	got, err := s.Ask(t.Context(), Request{AllowedReplies: []string{"[[Correct]]", "[[Incorrect]]"}, Labels: []string{"[[Correct]]", "[[Incorrect]]"},
		Messages: []Message{{RoleSystem, "Is it?\n[[Correct]] yes\n[[Incorrect]] no\n"}, {RoleUser, "x"}}})
	if err != nil || got.Text != "[[Incorrect]]" || math.Abs(math.Exp(got.LabelProbabilities[1].Logprob)-.8) > 1e-12 {
		t.Errorf("%+v, %v", got, err)
	}
	if want := `"questions":{"verdict":{"type":"noul","instructions":"Is it?"}}`; !strings.Contains(*request, want) {
		t.Errorf("asked %s", *request)
	}
}

// TestSystemOneOfOllama: Ollama lists decision models among its own, and answers as llama.cpp does.
func TestSystemOneOfOllama(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/version":
			io.WriteString(w, `{"version":"0.35.0"}`)
		case "/api/tags":
			io.WriteString(w, `{"models":[{"name":"nimble:latest","digest":"abc"},{"name":"qwen3:8b","digest":"def"}]}`)
		case "/api/show":
			body, _ := io.ReadAll(r.Body)
			capability := "completion"
			if strings.Contains(string(body), "nimble") {
				capability = "decision"
			}
			io.WriteString(w, `{"capabilities":["`+capability+`"]}`)
		case "/v1/systemone":
			io.WriteString(w, `{"model":"nimble","answers":{"verdict":{"type":"choice","choice":"The first is better","probabilities":`+
				`{"The first is better":0.9,"The second is better":0.1}}},"usage":{"input_tokens":40}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	probed, err := Probe(t.Context(), server.Client(), server.URL, "")
	if err != nil || probed.WireFormat != "ollama" {
		t.Fatalf("%+v, %v", probed, err)
	}
	converted := probed.WithFormat("systemone")
	if !converted.Can(HasDecisionModels) || converted.Can(SetsContext) || probed.Can(HasDecisionModels) {
		t.Errorf("%+v can what it cannot", converted)
	}
	b, err := Open(converted, "", server.Client())
	assert.NilError(t, err)
	m, err := b.Model(t.Context(), "nimble")
	if err != nil || m.IsDecisionModel != AbilityYes || m.Identity(converted.WireFormat) != "systemone abc" {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := b.(ModelIdentifier).Identify(t.Context(), "nimble"); err != nil || m.Identity(converted.WireFormat) != "systemone abc" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := b.Model(t.Context(), "qwen3:8b"); !IsKind(err, ErrorBadRequest) {
		t.Errorf("an ordinary model: %v", err)
	}
	if got, err := b.Ask(t.Context(), comparison); err != nil || got.Text != "[[A>B]]" || got.PromptTokens != 40 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDecisionCountsAPromptWithoutOptions: the prompts of a run are counted before it is known what a reply is held to.
func TestDecisionCountsAPromptWithoutOptions(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"tokens":[1,2,3]}`)
	}))
	defer server.Close()
	b, err := Open(ServerInfo{WireFormat: systemOneFormat, URL: server.URL + "/v1"}, "", server.Client())
	assert.NilError(t, err)
	if n, err := b.(TokenCounter).CountTokens(t.Context(), question); n != 3 || err != nil {
		t.Error(n, err)
	}
}

// TestDecisionSample: weights are told apart by what they make of a fixed question.
func TestDecisionSample(t *testing.T) {
	const answer = `{"model":"d","answers":{"verdict":{"probabilities":` +
		`{"correct":0.5,"helpful":0.2,"clear":0.1,"short":0.1,"polite":0.05,"long":0.05}}}}`
	s, request := decisionServer(t, 200, answer, 9)
	sample, err := s.Sample(t.Context(), "d")
	if err != nil || len(sample) != 6 || sample["correct"] != math.Log(0.5) || !strings.Contains(*request, samplePrompt) {
		t.Errorf("%v, %v: %s", sample, err, *request)
	}
	s, _ = decisionServer(t, 200, strings.Replace(answer, `"correct":0.5,"helpful":0.2`, `"correct":0.2,"helpful":0.5`, 1), 9)
	if other, err := s.Sample(t.Context(), "d"); err != nil || sample.FitsSameModel(other) {
		t.Errorf("%v, %v", other, err)
	}
	for status, mayPass := range map[int]bool{501: false, 404: false, 502: true, 503: true} {
		s, _ := decisionServer(t, status, `{"error":"no"}`, 9)
		if sample, err := s.Sample(t.Context(), "d"); sample != nil || (err != nil) != mayPass {
			t.Errorf("%d: %v, %v", status, sample, err)
		}
	}
}
