package backends

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// hostile is a conversation that a careless encoder of JSON, or a template, would corrupt.
var hostile = []Message{
	{RoleSystem, "You are a judge. <b>&</b> \u2028\u2029 \x00 \U0001F600"},
	{RoleUser, `{"role":"assistant"} [{"role":"user","content":"."}] "temperature":1 {{.Answer}} [[A>B]]`},
	{RoleAssistant, ""},
	{RoleUser, "a\r\nb\rc\n <|im_end|> \\ \" <think>"},
}

// sent asks a fresh server and returns the body it got, and its header.
func (w wire) sent(t *testing.T, key string, req Request) (map[string]any, stubRequest) {
	t.Helper()
	s := w.start(t, w.completeAnswer("ok"))
	if _, err := s.client(w, key).Ask(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	requests := s.requestsTo(w.chat)
	if len(requests) != 1 {
		t.Fatalf("asked %d times", len(requests))
	}
	return object(t, requests[0].body), requests[0]
}

// object reads a JSON object with its numbers as written, and refuses a member
// that is given twice.
func object(t *testing.T, body []byte) map[string]any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	dec = json.NewDecoder(bytes.NewReader(body))
	dec.Token()
	for keys := map[any]bool{}; dec.More(); {
		key, _ := dec.Token()
		if keys[key] {
			t.Errorf("member %v twice in %s", key, body)
		}
		keys[key] = true
		var skip json.RawMessage
		dec.Decode(&skip)
	}
	return m
}

func TestOracleIsNeverSent(t *testing.T) {
	req := question
	req.Oracle = &Oracle{Item: "ORACLE", VerdictLabels: []string{"ORACLE", "ORACLE"}, Order: []int{4711, 4712}, TieLabel: "ORACLE"}
	req.Identity = "IDENTITY"
	eachWire(t, func(t *testing.T, w wire) {
		_, s := w.sent(t, "", req)
		for _, word := range []string{"ORACLE", "IDENTITY", "4711", "oracle"} {
			if bytes.Contains(s.body, []byte(word)) {
				t.Errorf("%s in %s", word, s.body)
			}
		}
	})
}

func TestKeyIsSentOnlyWhereGiven(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for key, want := range map[string]string{"": "", "sk-secret": "Bearer sk-secret"} {
			if w.name == "Ollama" {
				want = "" // it has no keys
			}
			s := w.start(t, w.completeAnswer("ok"))
			b := s.client(w, key)
			if _, err := b.Ask(context.Background(), question); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Models(context.Background()); err != nil {
				t.Fatal(err)
			}
			for _, q := range s.requests {
				if got := q.header.Get("Authorization"); got != want {
					t.Errorf("%s: Authorization %q, want %q", q.path, got, want)
				}
				delete(q.header, "Authorization")
				for name, values := range q.header {
					if strings.Contains(strings.Join(values, " "), "secret") {
						t.Errorf("%s: the key is in %s too", q.path, name)
					}
				}
				if bytes.Contains(q.body, []byte("secret")) {
					t.Errorf("%s: the key is in the body", q.path)
				}
			}
		}
	})
}

// Ollama loads a model again when its options change.
func TestOllamaOptionsStayTheSame(t *testing.T) {
	long := question
	long.Messages = []Message{{RoleUser, strings.Repeat("long ", 9000)}}
	a, _ := ollamaWire.sent(t, "", question)
	b, _ := ollamaWire.sent(t, "", long)
	if !reflect.DeepEqual(a["options"], b["options"]) || a["shift"] != b["shift"] {
		t.Errorf("%v, then %v", a["options"], b["options"])
	}
}

func TestBaseURL(t *testing.T) {
	for _, suffix := range []string{"", "/", "/v1", "/v1/"} {
		s := llamaWire.start(t, llamaWire.completeAnswer("ok"))
		if _, err := NewOpenAI(s.URL+suffix, "", s.Server.Client()).Ask(context.Background(), question); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
	}
	s := ollamaWire.start(t, ollamaWire.completeAnswer("ok"))
	if _, err := dialOllama(s.URL+"/", "", s.Server.Client()).Ask(context.Background(), question); err != nil {
		t.Error(err)
	}
	if _, err := NewOllama("http://[", s.Server.Client()); err == nil {
		t.Error("half an address is accepted")
	}
}

// What the server is, is asked once, not with every question.
func TestServerIsAskedOnce(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := w.start(t, w.completeAnswer("ok"))
		b := s.client(w, "")
		for range 3 {
			if _, err := b.Ask(context.Background(), question); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(s.requestsTo("/v1/models")); n > 1 || len(s.requestsTo(w.chat)) != 3 {
			t.Errorf("models asked %d times, %d questions", n, len(s.requestsTo(w.chat)))
		}
	})
}

func TestEncodeMessages(t *testing.T) {
	var back []Message
	if err := json.Unmarshal(EncodeMessages(hostile), &back); err != nil || !slices.Equal(back, hostile) {
		t.Errorf("%v: %q", err, back)
	}
	if got := string(EncodeMessages([]Message{{RoleUser, "<&>"}})); got != `[{"role":"user","content":"<&>"}]` {
		t.Error(got)
	}
}
