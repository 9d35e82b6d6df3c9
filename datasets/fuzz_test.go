package datasets

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
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

// What scan reads, encoding/json reads the same.
func FuzzScanIsUnmarshal(f *testing.F) {
	for _, s := range []string{
		pair("x"), pair("x", with("label", "B>A")), pair("x", without("label")), "{}", " { } ", `{"a":1,}`, `{"a":1 "b":2}`, `{"a":01}`, `{"a":-1.5e3}`,
		`{"pair_id":"a","pair_id":null,"source":"s","source":null}`, `{"PAIR_ID":"a","pair_id":"b"}`, `{"re\u0073ponse_a":"x"}`, `{"label":3}`,
		`{"question":"\"\\\/\b\f\n\r\t\u00e9\u2028\uD83D\uDE00\ud800 é"}`, `{"question":"\x"}`, `{"question":"\u00"}`, "{\"question\":\"\t\"}",
		`{"question":"a"} `, `{"question":"a"}x`, `{"question":"a`, `{"original_id":null,"judgments":[{"a":[]}],"t":true,"f":false,"n":12}`, `{"question":nul}`, `{"pair_id":"\u017f"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var quick, plain pairLine
		if !utf8.Valid(line) || !quick.scan(line) {
			return
		}
		if err := json.Unmarshal(line, &plain); err != nil || !reflect.DeepEqual(quick, plain) {
			t.Errorf("%s, as encoding/json has it %s, %v", show(quick), show(plain), err)
		}
	})
}

func show(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// The lines of benchmarks and of published files are read without encoding/json.
func TestScanReadsPlainLines(t *testing.T) {
	for _, line := range []string{pair("x"), pair("\u0000<&>\u2028é😀\"\\\n"), `{ "pair_id" : "a" , "original_id" : 17 , "b" : null }` + "\r\n"} {
		if !new(pairLine).scan([]byte(line)) {
			t.Errorf("not read: %s", line)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, s := range []string{"", "\n", lines(pair("a"), pair("b")), lines(pair("a"), "{", pair("a")), "PAR1", pair("a") + "\r\n\r\n" + pair("b"), "\x1f\x8b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := inMemory("fuzz", data)
		if err != nil {
			return
		}
		if s.Len() == 0 {
			t.Error("a set without items and without error")
		}
		ids := map[string]bool{}
		for i := range s.Len() {
			it, err := s.Item(i)
			if err != nil || it.ID != s.ID(i) || ids[it.ID] || s.format.Assemble == nil && !bytes.Contains(data, it.Raw) {
				t.Errorf("item %d, %q: %v", i, s.ID(i), err)
			}
			ids[it.ID] = true
		}
	})
}
