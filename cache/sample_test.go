package cache

import (
	"testing"

	"gavel/backends"
)

// TestSampleIsNoReply: what a model is known by is not counted among its replies,
// and is there for as long as one of them is, however old it is itself.
func TestSampleIsNoReply(t *testing.T) {
	s, _ := open(t, t.TempDir())
	sample := backends.Sample{"A": -0.5}
	if err := s.KeepSample("openai tiny", "tiny", sample); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		e := entry("x")
		e.Model, e.Created = "tiny", e.Created.AddDate(0, i, 0)
		req := request("q")
		req.Repetition = i
		if err := s.Put(Key(req), e); err != nil {
			t.Fatal(err)
		}
	}
	if st, err := s.Stats(t.Context()); err != nil || st.Entries != 2 || st.Models["tiny"] != 2 || !st.Newest.Equal(entry("").Created.AddDate(0, 1, 0)) {
		t.Errorf("Stats: %+v, %v", st, err)
	}
	if good, _, err := s.Verify(t.Context(), func([]byte, error) {}); good != 2 || err != nil {
		t.Errorf("Verify: %d good, %v", good, err)
	}
	newest := entry("").Created.AddDate(0, 1, 0)
	for i, drop := range []func(Entry) bool{
		func(e Entry) bool { return !e.Created.Equal(newest) },
		func(Entry) bool { return true },
	} {
		if gone, err := s.Prune(t.Context(), drop); gone != 1 || err != nil {
			t.Errorf("Prune: %d, %v", gone, err)
		}
		if kept, want := s.Sample("openai tiny", "tiny") != nil, i == 0; kept != want {
			t.Errorf("the sample is there after pruning: %v, want %v", kept, want)
		}
	}
	if err := s.KeepSample("openai tiny", "tiny", sample); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.Prune(t.Context(), func(Entry) bool { return false }); gone != 0 || err != nil || s.Sample("openai tiny", "tiny") != nil {
		t.Errorf("a sample of no replies: %d, %v; it is there: %v", gone, err, s.Sample("openai tiny", "tiny") != nil)
	}
}
