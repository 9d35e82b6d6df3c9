package eval

import (
	"testing"

	"gavel/backends"
)

// TestNoMoreThanTheServersAnswer: what would only wait in a server is not sent, where all servers say how much that is.
func TestNoMoreThanTheServersAnswer(t *testing.T) {
	llama := backends.Member{Server: backends.Server{Kind: "openai", Name: backends.LlamaCpp}, Model: backends.Model{Slots: 4}}
	other := backends.Member{Server: backends.Server{Kind: "openai", Name: backends.VLLM}}
	for _, c := range []struct {
		requested, want int
		judges          []backends.Member
	}{
		{0, 4, []backends.Member{llama}},
		{2, 2, []backends.Member{llama}},
		{16, 4, []backends.Member{llama}},
		{16, 8, []backends.Member{llama, llama}},
		{64, 64, []backends.Member{llama, other}},
		{64, 64, []backends.Member{other}},
	} {
		if got := new(Maker).jointConcurrency(Request{Concurrency: c.requested}, c.judges); got != c.want {
			t.Errorf("%d of %d servers: %d at once, want %d", c.requested, len(c.judges), got, c.want)
		}
	}
}
