package datasets

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// object returns a JSON row with these keys, after change.
func object(keys map[string]any, change ...func(map[string]any)) string {
	for _, f := range change {
		f(keys)
	}
	return show(keys)
}

func show(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func with(key string, value any) func(map[string]any) {
	return func(p map[string]any) { p[key] = value }
}

// pair returns a valid line with this id, after change.
func pair(id string, change ...func(map[string]any)) string {
	return object(map[string]any{
		"pair_id": id, "original_id": nil, "source": "mmlu-pro-law", "question": "Which one?",
		"response_model": "m", "response_A": "The first.", "response_B": "The second.", "label": "A>B",
	}, change...)
}

// pairs returns n valid lines p000, p001, …
func pairs(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = pair(fmt.Sprintf("p%03d", i))
	}
	return lines
}

// question returns a valid row of MMLU-Pro.
func question(change ...func(map[string]any)) string {
	return object(map[string]any{
		"question_id": 70, "question": "Which one?", "options": []any{"this", "that", "the other"}, "answer": "B",
		"answer_index": 1, "category": "law", "src": "ori_mmlu-law",
	}, change...)
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NilError(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func open(t *testing.T, path string) *Set {
	t.Helper()
	s, err := OpenFile(path)
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func openWith(t *testing.T, o OpenOptions, rows ...string) *Set {
	t.Helper()
	s, err := openFileWith(write(t, "rows.jsonl", lines(rows...)), o)
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func inMemory(name string, data []byte) (*Set, error) { return openBytes(name, data, OpenOptions{}) }

func lines(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func gzipOf(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(content))
	assert.NilError(t, err)
	assert.NilError(t, w.Close())
	return b.String()
}

func item(t *testing.T, s *Set, i int) Item {
	t.Helper()
	got, err := s.Item(i)
	assert.NilError(t, err)
	return got
}

func items(t *testing.T, s *Set) []Item {
	t.Helper()
	out := make([]Item, s.Len())
	for i := range out {
		out[i] = item(t, s, i)
	}
	return out
}

// oneLine checks an error's text, with its path written as FILE.
func oneLine(t *testing.T, err error, path, want string) {
	t.Helper()
	assert.Assert(t, err != nil, "no error, want %q", want)
	assert.Equal(t, strings.ReplaceAll(err.Error(), path, "FILE"), want)
	assert.Assert(t, !strings.ContainsAny(want, "\r\n"))
}

// anyFormat is the expectation in the error for a file of unknown format.
func anyFormat() string { return new(Set).describeExpectedRows() }

// realFile returns the path of a published file, or skips the test.
func realFile(t testing.TB, path string) string {
	t.Helper()
	path = filepath.Join("../../shared/data", path)
	if _, err := os.Stat(path); err != nil {
		t.Skip("the published file is not here: ", path)
	}
	return path
}
