package backends

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestTiming(t *testing.T) {
	req := question
	req.Timed = true
	for _, tc := range []struct {
		wire wire
		body string
		want Timing
	}{
		{ollamaWire, ollamaWire.reply(content("A"), "stop"), Timing{34, 1671092, 22, 76820619}},
		{llamaWire, strings.Replace(llamaWire.reply(content("A"), "stop"), `"prompt_ms":1.0`, `"prompt_ms":1.5,"predicted_n":22,"predicted_ms":2.04`, 1), Timing{34, 1500 * time.Microsecond, 22, 2040 * time.Microsecond}},
		{vllmWire, vllmWire.reply(content("A"), "stop"), Timing{}},
		{studioWire, studioWire.reply(content("A"), "stop"), Timing{}},
	} {
		got, err := tc.wire.askFor(t, req, respond(200, tc.body))
		if err != nil || got.Timing != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.wire.name, got.Timing, err, tc.want)
		}
	}
}

// TestAskUnguarded: the words that keep Ollama from cutting are left out, and a
// cut is seen all the same.
func TestAskUnguarded(t *testing.T) {
	s := ollamaWire.start(t, ollamaWire.says("A")) // which says that it read 34 tokens
	o := s.client(ollamaWire, "").(*Ollama)
	long := question
	long.Messages = []Message{{User, strings.Repeat("word ", 50)}}
	got, err := o.AskUnguarded(context.Background(), long)
	if err != nil || got.Finish != TooLong || got.PromptTokens != 34 {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := o.Ask(context.Background(), question); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true} {
		var sent map[string]any
		if err := json.Unmarshal(s.asked("/api/chat")[i].body, &sent); err != nil {
			t.Fatal(err)
		}
		for _, member := range []string{"truncate", "shift"} {
			if _, has := sent[member]; has != want {
				t.Errorf("request %d has %s: %v, want %v", i, member, has, want)
			}
		}
	}
}

func TestLoaded(t *testing.T) {
	w := ollamaWire
	w.pages = map[string]string{"/api/ps": `{"models":[{"name":"tiny:latest","model":"tiny:latest","size":9089024,"digest":"a8f0","details":{},"expires_at":"2026-11-20T11:07:04Z","size_vram":4544512,"context_length":32768}]}`}
	o := w.start(t).client(w, "").(*Ollama)
	got, ok, err := o.Loaded(context.Background(), "tiny")
	if want := (Loaded{32768, 9089024, 4544512}); err != nil || !ok || got != want {
		t.Errorf("got %+v, %v, %v", got, ok, err)
	}
	if _, ok, err := o.Loaded(context.Background(), "other"); ok || err != nil {
		t.Errorf("a model that is not loaded: %v, %v", ok, err)
	}
}
