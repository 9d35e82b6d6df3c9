package judging

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// readAbout reads the file of a folder; nothing where there is none.
func readAbout(dir string) (RunDescription, error) {
	text, err := os.ReadFile(filepath.Join(dir, AboutFile))
	if err != nil {
		return RunDescription{}, nil
	}
	return DecodeAbout(AboutFile, bytes.NewReader(text))
}

func TestAbout(t *testing.T) {
	dir := t.TempDir()
	if a, err := readAbout(dir); err != nil || !a.Empty() {
		t.Errorf("of a run of which nothing is said: %+v, %v", a, err)
	}
	got, err := RunDescription{Name: "  the  baseline ", Tags: []string{"b, a,,", "a\nlong tag"}, Note: " first\r\nsecond \n"}.Normalize()
	if err != nil || got.Name != "the baseline" || !slices.Equal(got.Tags, []string{"a", "b", "long tag"}) || got.Note != "first\nsecond" {
		t.Fatalf("%+v, %v", got, err)
	}
	assert.NilError(t, WriteAbout(dir, got))
	if a, err := readAbout(dir); err != nil || a.Name != got.Name || !slices.Equal(a.Tags, got.Tags) ||
		a.Note != got.Note {
		t.Errorf("%+v, %v", a, err)
	}
	for range 2 {
		assert.NilError(t, WriteAbout(dir, RunDescription{}))
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("where nothing is said there is %v", entries)
	}
}

func TestAboutIsBounded(t *testing.T) {
	for _, a := range []RunDescription{
		{Name: strings.Repeat("ä", 101)}, {Tags: []string{strings.Repeat("x", 41)}}, {Note: strings.Repeat("x", 4001)},
		{Tags: strings.Split("abcdefghijklmnopqrstu", "")}, {Name: "a\x1b[31m"}, {Note: "\xff"},
	} {
		if _, err := a.Normalize(); err == nil {
			t.Errorf("%.40q is taken", a)
		}
	}
	if _, err := (RunDescription{Name: strings.Repeat("ä", 100), Note: strings.Repeat("ä", 4000)}).Normalize(); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	for _, text := range []string{"{", `{"tags": 1}`, `{"name": "` + strings.Repeat("x", 200) + `"}`} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, AboutFile), []byte(text), 0o644))
		if a, err := readAbout(dir); err == nil || !a.Empty() || !strings.Contains(err.Error(), "about.json: damaged") {
			t.Errorf("%.20q: %+v, %v", text, a, err)
		}
	}
}
