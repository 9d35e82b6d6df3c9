package datasets

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// messageRows returns the messages of tree lines as table rows, in order.
func messageRows(t *testing.T, trees string) string {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(strings.TrimSpace(trees), "\n") {
		var tree map[string]any
		if err := json.Unmarshal([]byte(line), &tree); err != nil {
			continue // it is no tree
		}
		var walk func(m map[string]any, parent any)
		walk = func(m map[string]any, parent any) {
			row := maps.Clone(m)
			row["parent_id"] = parent
			delete(row, "replies")
			row["message_tree_id"], row["tree_state"] = tree["message_tree_id"], tree["tree_state"]
			out = append(out, show(row))
			replies, _ := m["replies"].([]any)
			for _, r := range replies {
				walk(r.(map[string]any), m["message_id"])
			}
		}
		if prompt, ok := tree["prompt"].(map[string]any); ok {
			walk(prompt, nil)
		}
	}
	return lines(out...)
}

// Trees taken apart into a table give the same items, in whatever order its rows stand.
func TestTreesAndTableAgree(t *testing.T) {
	_, cases := readCases(t, "testdata/open/trees.txt")
	trees := []string{cases[0].content}
	if file, err := os.ReadFile("../../shared/data/oasst1/trees/oasst2_filtered.ready_for_export.jsonl"); err == nil {
		trees = append(trees, string(file))
	}
	for _, content := range trees {
		byID := func(content string) map[string]string {
			s, err := openBytes("trees", []byte(content), OpenOptions{Lang: anyLanguage})
			assert.NilError(t, err)
			defer s.Close()
			raw := map[string]string{}
			for _, it := range items(t, s) {
				raw[it.ID] = string(it.Raw)
			}
			return raw
		}
		table := strings.Split(strings.TrimSpace(messageRows(t, content)), "\n")
		want := byID(content)
		assert.DeepEqual(t, byID(lines(table...)), want)
		slices.Reverse(table)
		got := byID(lines(table...))
		delete(got, "a reply twice") // of which another now is the first
		delete(want, "a reply twice")
		assert.DeepEqual(t, got, want)
	}
}

// A tree whose line is longer than any buffer, and as deep as they get.
func TestLongTree(t *testing.T) {
	message := func(id, role, text string, replies ...any) map[string]any {
		return map[string]any{"message_id": id, "role": role, "text": text, "replies": replies}
	}
	deep := message("x", "assistant", "x")
	for i := range 200 {
		deep = message("d", []string{"prompter", "assistant"}[i%2], strings.Repeat("long ", 2000), deep)
	}
	line := show(map[string]any{"message_tree_id": "t", "prompt": message("t", "prompter", "prompt",
		message("a", "assistant", "a", deep), message("b", "assistant", strings.Repeat("b", 1<<20)))})
	s := openWith(t, OpenOptions{}, line)
	got := item(t, s, 0)
	assert.Assert(t, len(line) > 3e6 && len(got.Candidates) == 2 && len(got.Candidates[1].Text) == 1<<20)
}

// TestLabelsOfRealMessages: people's quality scores of OASST1's English validation split, by the published file.
func TestLabelsOfRealMessages(t *testing.T) {
	path := realFile(t, "oasst1/en-validation.jsonl")
	s, err := openFileWith(path, OpenOptions{Mapping: Mapping{Fields: []string{"score=quality"}}, Lang: "en"})
	assert.NilError(t, err)
	defer s.Close()
	assert.Equal(t, s.Len(), 539)
	index, ok := s.Find("7d05acb7-9360-458c-8a1d-c0b6492b8f8a")
	assert.Assert(t, ok)
	first := item(t, s, index)
	assert.Equal(t, first.Question, "What do you think about ChatGPT?")
	all := 0.0
	for _, it := range items(t, s) {
		all += it.People.Mean()
	}
	// Both by a script of a few lines over the file: the sum of the labels, and the quality of this reply.
	assert.Assert(t, math.Abs(all-370.0982142857) < 1e-6 && first.People.Mean() == 0.75, "%v, %v", all, first.People.Mean())
}
