package judging

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging/judgingtest"
)

// earlierRun is a folder as a gavel wrote it that noted no SHA-256 of its files.
func earlierRun(t *testing.T) (*Manifest, string) {
	t.Helper()
	set := judgingtest.Pairs(t, 4)
	dir := t.TempDir()
	m := NewManifest("test", Spec{Dataset: DatasetSpec{Items: 4, IDs: HashIDs(4, set.ID)}})
	m.Dataset = DatasetInfo{Format: set.Format}
	m.Status = Complete
	var lines []string
	for row := range 4 {
		raw, err := set.Raw(row)
		assert.NilError(t, err)
		lines = append(lines, string(raw)+"\n")
	}
	assert.NilError(t, os.WriteFile(filepath.Join(dir, ItemsFile), []byte(strings.Join(lines, "")), 0o644))
	return m, dir
}

func TestItemsOfAnEarlierRunAreHeldToItsManifest(t *testing.T) {
	m, dir := earlierRun(t)
	if names, err := m.Changed(nil, dir); err != nil || len(names) != 0 {
		t.Errorf("as they were: %q, %v", names, err)
	}
	path := filepath.Join(dir, ItemsFile)
	raw, err := os.ReadFile(path)
	assert.NilError(t, err)
	for name, text := range map[string]string{
		"one less":  string(raw[:strings.LastIndex(strings.TrimSpace(string(raw)), "\n")+1]),
		"one again": string(raw) + strings.SplitAfter(string(raw), "\n")[0],
		"none":      "",
	} {
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
		if names, err := m.Changed(nil, dir); err != nil || !slices.Equal(names, []string{ItemsFile}) {
			t.Errorf("%s: %q, %v", name, names, err)
		}
	}
	m.Status = Running
	if names, err := m.Changed(nil, dir); err != nil || len(names) != 0 {
		t.Errorf("of a run that goes on: %q, %v", names, err)
	}
}

// Merged shards were asked of several servers, each with a fingerprint of its own.
func TestFingerprintsOfMergedShards(t *testing.T) {
	of := func(replies ...Reply) []string {
		var m Manifest
		assert.NilError(t, json.Unmarshal([]byte(`{"servers": [{"url": "http://a"}, {"url": "http://b"}]}`), &m))
		var s Systems
		for _, reply := range replies {
			s.Add(&m, &Record{Replies: []Reply{reply}})
		}
		return s.Warnings(&m)
	}
	alike := []Reply{
		{Endpoint: "http://a", SystemFingerprint: "fp-a"},
		{Endpoint: "http://b", SystemFingerprint: "fp-b"},
	}
	if w := of(alike...); len(w) != 0 {
		t.Errorf("each its own: %q", w)
	}
	alike = append(alike, alike...)
	changed := Reply{Endpoint: "http://b", SystemFingerprint: "fp-c"}
	if w := of(append(alike, changed, changed)...); len(w) != 1 {
		t.Errorf("one changed: %q", w)
	}
	a, b := Reply{SystemFingerprint: "fp-a"}, Reply{SystemFingerprint: "fp-b"} // by a gavel that did not note whose
	if w := of(a, a, b, b); len(w) != 0 {
		t.Errorf("nobody knows whose: %q", w)
	}
}
