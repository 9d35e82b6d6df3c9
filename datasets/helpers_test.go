package datasets

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pair is a good line with this id; change may spoil it.
func pair(id string, change ...func(map[string]any)) string {
	p := map[string]any{
		"pair_id": id, "original_id": nil, "source": "mmlu-pro-law", "question": "Which one?",
		"response_model": "m", "response_A": "The first.", "response_B": "The second.", "label": "A>B",
	}
	for _, f := range change {
		f(p)
	}
	line, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	return string(line)
}

func with(key string, value any) func(map[string]any) {
	return func(p map[string]any) { p[key] = value }
}

func without(key string) func(map[string]any) {
	return func(p map[string]any) { delete(p, key) }
}

// pairs are n good lines p000, p001, …
func pairs(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = pair(fmt.Sprintf("p%03d", i))
	}
	return lines
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *Set {
	t.Helper()
	s, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func lines(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func item(t *testing.T, s *Set, i int) Item {
	t.Helper()
	it, err := s.Item(i)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// oneLine checks an error's text, with its path written as FILE.
func oneLine(t *testing.T, err error, path, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	got := strings.ReplaceAll(err.Error(), path, "FILE")
	if got != want {
		t.Errorf("error is\n  %s\nwant\n  %s", got, want)
	}
	if strings.ContainsAny(got, "\r\n") {
		t.Errorf("error is longer than one line: %q", got)
	}
}

func inMemory(name string, data []byte) (*Set, error) { return openBytes(name, data, OpenOptions{}) }

// ownFile is the file of a dataset that comes with gavel.
func ownFile(name string) []byte {
	k, _ := Lookup(name)
	return k.builtin
}
