package backends

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/internal/trials"
)

func TestSplitThinking(t *testing.T) {
	trials.RunCases(t, "thinking.txt", func(t *testing.T, input []string) []string {
		reply, err := strconv.Unquote(input[0])
		assert.NilError(t, err)
		text, thinking := SplitThinking(reply)
		return []string{fmt.Sprintf("%q, thinking %q", text, thinking)}
	})
}

// Were the time quadratic, this would not end.
func TestHalfAMillionThoughts(t *testing.T) {
	if text, _ := SplitThinking(strings.Repeat("<think></think>", 1<<19)); text != "" {
		t.Errorf("%d bytes left", len(text))
	}
}

// Likewise tags that are put together, one out of the removal of the other.
func TestNestedThoughts(t *testing.T) {
	for _, depth := range []int{3, maxTagRemovals - 1, 1 << 16} {
		reply := "a" + strings.Repeat("<th", depth) + "<think>b</think>" + strings.Repeat("ink>c</think>", depth) + "d"
		text, thinking := SplitThinking(reply)
		if readable := depth < maxTagRemovals; strings.Contains(text, "<think>") || readable && (text != "ad" || strings.Count(thinking, "c") != depth) {
			t.Errorf("%d deep: %.50q, thinking %.50q", depth, text, thinking)
		}
	}
}

func TestJoinThinking(t *testing.T) {
	for want, parts := range map[string][]string{
		"":      {"", "\n"},
		"a":     {"", "a", ""},
		"a\nb":  {"a", "b"},
		" a ":   {" a ", " a "},
		"a\n a": {"a", " a"},
	} {
		if got := joinThinkingParts(parts...); got != want {
			t.Errorf("joinThinking(%q) = %q, want %q", parts, got, want)
		}
	}
}
