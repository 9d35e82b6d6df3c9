package datasets

import (
	"bytes"
	"testing"
)

func FuzzParsePair(f *testing.F) {
	for _, s := range []string{pair("x"), pair("x", with("label", "B>A")), pair("x", without("label")), pair("\x00"), "null", "[1,2]", `{"pair_id":1}`, "a,b", "{", "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		it, err := parsePair(line)
		if err != nil {
			if bytes.ContainsAny([]byte(err.Error()), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		if it.ID == "" || it.Group == "" || len(it.Candidates) != 2 || it.Gold < 0 || it.Gold > 1 {
			t.Errorf("not an item: %+v", it)
		}
	})
}

func FuzzOpen(f *testing.F) {
	for _, s := range []string{"", "\n", lines(pair("a"), pair("b")), lines(pair("a"), "{", pair("a")), "PAR1", pair("a") + "\r\n\r\n" + pair("b"), "\x1f\x8b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := openBytes("fuzz", data)
		if err != nil {
			return
		}
		if s.Len() == 0 {
			t.Error("a set without items and without error")
		}
		ids := map[string]bool{}
		for i := range s.Len() {
			it, err := s.Item(i)
			if err != nil || it.ID != s.ID(i) || ids[it.ID] || !bytes.Contains(data, it.Raw) {
				t.Errorf("item %d, %q: %v", i, s.ID(i), err)
			}
			ids[it.ID] = true
		}
	})
}
