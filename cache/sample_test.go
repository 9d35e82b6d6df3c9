package cache

import (
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
)

// TestSampleIsNoReply: what a model is known by is not counted among its replies,
// and is there for as long as one of them is, however old it is itself.
func TestSampleIsNoReply(t *testing.T) {
	s, _ := open(t, t.TempDir())
	prune := func(replies int, drop func(Entry) bool, remains bool) {
		t.Helper()
		gone, err := s.RemoveEntries(t.Context(), drop)
		assert.NilError(t, err)
		assert.Equal(t, gone, replies)
		assert.Equal(t, s.StoredSample("openai tiny", "tiny") != nil, remains)
	}
	newest := entry("").Created.AddDate(0, 1, 0)
	put(t, s, "old", entry("old"))
	young := entry("new")
	young.Created = newest
	put(t, s, "new", young)
	assert.NilError(t, s.StoreTokenSample("openai tiny", "tiny", backends.TokenSample{"A": -0.5}))
	st, err := s.Stats(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, st.Entries == 2 && st.Models["tiny"] == 2 && st.Newest.Equal(newest), "%+v", st)
	prune(1, func(e Entry) bool { return !e.Created.Equal(newest) }, true)
	prune(1, func(Entry) bool { return true }, false)
	assert.NilError(t, s.StoreTokenSample("openai tiny", "tiny", backends.TokenSample{"A": -0.5}))
	prune(0, func(Entry) bool { return false }, false)
}
