package backends

import (
	"strings"
	"testing"
)

// TestCachedTokens: what was taken from the server's prompt cache is told in one of two places, or nowhere, and never more
// than the prompt has.
func TestCachedTokens(t *testing.T) {
	told := llamaWire.reply(content("A"), "stop")
	details := `"prompt_tokens_details":{"cached_tokens":0}`
	for name, tc := range map[string]struct {
		wire wire
		body string
		want int // −1: unknown
	}{
		"none cached":              {llamaWire, told, 0},
		"as OpenAI":                {llamaWire, strings.Replace(told, details, `"prompt_tokens_details":{"cached_tokens":20}`, 1), 20},
		"llama.cpp before details": {llamaWire, strings.Replace(strings.Replace(told, ","+details, "", 1), `"cache_n":0`, `"cache_n":21`, 1), 21},
		"details are null":         {llamaWire, strings.Replace(strings.Replace(told, details, `"prompt_tokens_details":null`, 1), `"cache_n":0`, `"cache_n":22`, 1), 22},
		"nobody tells":             {vllmWire, vllmWire.reply(content("A"), "stop"), -1},
		"Ollama":                   {ollamaWire, ollamaWire.reply(content("A"), "stop"), -1},
		"more than the prompt":     {llamaWire, strings.Replace(told, details, `"prompt_tokens_details":{"cached_tokens":35}`, 1), -1},
	} {
		got, err := tc.wire.ask(t, respond(200, tc.body))
		n := -1
		if got.CachedTokens != nil {
			n = *got.CachedTokens
		}
		if err != nil || n != tc.want {
			t.Errorf("%s: %d, %v, want %d", name, n, err, tc.want)
		}
	}
}
