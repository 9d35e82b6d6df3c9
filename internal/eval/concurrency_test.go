package eval

import (
	"testing"

	"gavel/backends"
)

// TestNoMoreThanTheServersAnswer: what would only wait in a server is not sent, where all servers say how much that is.
func TestNoMoreThanTheServersAnswer(t *testing.T) {
	llama := backends.PoolMember{Server: backends.ServerInfo{WireFormat: "openai", Name: backends.LlamaCpp}, Model: backends.Model{Slots: 4}}
	other := backends.PoolMember{Server: backends.ServerInfo{WireFormat: "openai", Name: backends.VLLM}}
	for _, c := range []struct {
		requested, want int
		judges          []backends.PoolMember
	}{
		{0, 4, []backends.PoolMember{llama}},
		{2, 2, []backends.PoolMember{llama}},
		{16, 4, []backends.PoolMember{llama}},
		{16, 8, []backends.PoolMember{llama, llama}},
		{64, 64, []backends.PoolMember{llama, other}},
		{64, 64, []backends.PoolMember{other}},
	} {
		if got := new(Maker).jointConcurrency(RunRequest{Concurrency: c.requested}, c.judges); got != c.want {
			t.Errorf("%d of %d servers: %d at once, want %d", c.requested, len(c.judges), got, c.want)
		}
	}
}
