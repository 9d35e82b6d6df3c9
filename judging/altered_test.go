package judging

import (
	"encoding/json"
	"testing"

	"gotest.tools/v3/assert"
)

// Merged shards were asked of several servers, each with a fingerprint of its own.
func TestFingerprintsOfMergedShards(t *testing.T) {
	records := func(replies ...Reply) []string {
		var m Manifest
		assert.NilError(t, json.Unmarshal([]byte(`{"servers": [{"url": "http://a"}, {"url": "http://b"}]}`), &m))
		var s ServedModels
		for _, reply := range replies {
			s.Add(&m, &Record{Replies: []Reply{reply}})
		}
		return s.Warnings(&m)
	}
	alike := []Reply{
		{Endpoint: "http://a", SystemFingerprint: "fp-a"},
		{Endpoint: "http://b", SystemFingerprint: "fp-b"},
	}
	if w := records(alike...); len(w) != 0 {
		t.Errorf("each its own: %q", w)
	}
	alike = append(alike, alike...)
	changed := Reply{Endpoint: "http://b", SystemFingerprint: "fp-c"}
	if w := records(append(alike, changed, changed)...); len(w) != 1 {
		t.Errorf("one changed: %q", w)
	}
}
