package backends

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestAnotherModelIsNotAnotherName: only what is surely of another model is said to be so.
func TestAnotherModelIsNotAnotherName(t *testing.T) {
	for _, c := range []struct {
		requested string
		aliases   []string
		replied   string
		another   bool
		reason    string
	}{
		{requested: "qwen3:8b", replied: "", reason: "it names none"},
		{requested: "qwen3", replied: "qwen3:latest", reason: "Ollama's default tag"},
		{requested: "qwen3:latest", replied: "qwen3", reason: "the same"},
		{requested: "/models/tiny-Q8_0.gguf", replied: "tiny-Q8_0", reason: "llama.cpp: a path and a file's ending"},
		{requested: "tiny", replied: `C:\models\tiny.gguf`, reason: "the same on Windows"},
		{requested: "judge", aliases: []string{"org/tiny"}, replied: "org/tiny", reason: "vLLM names the first of its names"},
		{requested: "Qwen/Qwen3-8B", replied: "qwen3-8b", reason: "without its maker, in small letters"},
		{requested: "gpt-4o", replied: "gpt-4o-2024-08-06", reason: "the version that a hosted name stands for now"},
		{requested: "org/tiny", replied: "org/tiny@main", reason: "transformers serve names the branch"},
		{requested: "org/tiny", replied: "org/tiny@dev", another: true, reason: "another branch"},
		{requested: "gpt-4o", replied: "gpt-4o-mini", another: true, reason: "not a version"},
		{requested: "gpt-4", replied: "gpt-4o", another: true, reason: "not a version"},
		{requested: "qwen3:8b", replied: "qwen3:30b", another: true, reason: "another size"},
		{requested: "large", replied: "small", another: true, reason: "another"},
	} {
		if got := (Model{Name: c.requested, Aliases: c.aliases}).DiffersFromReplyName(c.replied); got != c.another {
			t.Errorf("asked for %q, said %q: another %t (%s)", c.requested, c.replied, got, c.reason)
		}
	}
}

// TestFingerprints: a fingerprint that came again, and another beside it, is a change; a new one for each reply is
// none.
func TestFingerprints(t *testing.T) {
	for said, changedAt := range map[string]int{
		"a a a a":                0,
		"a a a b":                4,
		"a b b":                  3,
		"a b a":                  3,
		"- a - a b":              5,
		"a b c d e f":            0,
		"a - - b":                0,
		"a b c d e f g h i j a":  11,
		"- - -":                  0,
		strings.Repeat("a ", 50): 0,
	} {
		f, changed := Fingerprints{}, 0
		for i, one := range strings.Fields(said) {
			f.Add(strings.Trim(one, "-"))
			if f.Changed() && changed == 0 {
				changed = i + 1
			}
		}
		if changed != changedAt {
			t.Errorf("%s: changed at reply %d, want %d", said, changed, changedAt)
		}
	}
}

// scripted answers with one system fingerprint after the other.
type scripted struct {
	Backend
	fingerprints []string
}

func (s *scripted) Ask(context.Context, Request) (Response, error) {
	r := Response{Text: "[[A>B]]", Finish: FinishStop, SystemFingerprint: s.fingerprints[0]}
	s.fingerprints = s.fingerprints[1:]
	return r, nil
}

func (s *scripted) Identify(context.Context, string) (Model, error) {
	return Model{Name: "tiny"}, nil
}

// TestFingerprintEndsTrust: once the system fingerprint of a server is another, no reply of it is handed on; the
// fingerprint of an earlier try counts.
func TestFingerprintEndsTrust(t *testing.T) {
	for said, want := range map[string]int{"a a a b a a": 3, "a b c d e f": 6, "- - - - - -": 6, "a a a a a a": 6} {
		s := &scripted{fingerprints: strings.Fields(strings.ReplaceAll(said, "-", `""`))}
		for i, f := range s.fingerprints {
			s.fingerprints[i] = strings.Trim(f, `"`)
		}
		m := PoolMember{Backend: s, Client: s, Server: ServerInfo{WireFormat: "openai", URL: "http://a"}, Model: Model{Name: "tiny"}}
		w, answered := NewModelWatch(t.Context(), m, 0), 0
		var err error
		for range len(s.fingerprints) {
			if _, err = w.Ask(t.Context(), Request{}); err == nil {
				answered++
			}
		}
		var changed *ModelChangedError
		if answered != want || (want < 6) != errors.As(err, &changed) {
			t.Errorf("%s: %d replies are trusted, want %d; %v", said, answered, want, err)
		}
		if want < 6 && !strings.Contains(err.Error(), `it was system_fingerprint "a", and it is system_fingerprint "b"`) {
			t.Error(err)
		}
	}
	s := &scripted{fingerprints: slices.Repeat([]string{"b"}, 3)}
	w := NewModelWatch(t.Context(), PoolMember{Backend: s, Client: s, Model: Model{Name: "tiny"}}, 0)
	w.ExpectFingerprint("a")
	if _, err := w.Ask(t.Context(), Request{}); err == nil {
		t.Error("the first reply with another fingerprint than that of the earlier try is trusted")
	}
}
