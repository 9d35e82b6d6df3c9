package judging

import (
	"slices"
	"testing"

	"gavel/backends"
)

func TestFirstTurn(t *testing.T) {
	p := Prompt{System: "Judge.", User: "This.\n"}
	for _, c := range []struct {
		role string
		want []backends.Message
	}{
		{backends.RoleSystem, []backends.Message{{Role: "system", Content: "Judge."}, {Role: "user", Content: "This.\n"}}},
		{backends.RoleUser, []backends.Message{{Role: "user", Content: "Judge.\n\nThis.\n"}}},
	} {
		if got := FirstTurnMessages(p, c.role); !slices.Equal(got, c.want) {
			t.Errorf("system role %q: %q, want %q", c.role, got, c.want)
		}
	}
}

// The hash tells conversations apart by roles, words and where turns end.
func TestHashMessages(t *testing.T) {
	counts := map[string]int{}
	for i, c := range [][]backends.Message{
		{{Role: "system", Content: "a"}, {Role: "user", Content: "b"}},
		{{Role: "user", Content: "a\n\nb"}},
		{{Role: "user", Content: "a"}, {Role: "user", Content: "b"}},
		{{Role: "system", Content: "b"}, {Role: "user", Content: "a"}},
		{{Role: "system", Content: "a\x00user\x00b"}},
		{{Role: "system", Content: `a"},{"role":"user","content":"b`}},
		{{Role: "system", Content: "a"}, {Role: "user", Content: "b"}, {Role: "user", Content: ""}},
	} {
		hash := hashMessages(c)
		if other, ok := counts[hash]; ok || len(hash) != 64 {
			t.Errorf("conversation %d has hash %s, conversation %d too", i, hash, other)
		}
		if counts[hash] = i; hashMessages(slices.Clone(c)) != hash {
			t.Errorf("conversation %d has two hashes", i)
		}
	}
}
