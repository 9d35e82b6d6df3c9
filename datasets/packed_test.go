package datasets

import (
	"bytes"
	"compress/gzip"
	"testing"
)

func gzipOf(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// However it is packed, a file has the same items, and the SHA-256 of what was
// packed.
func TestPackedFiles(t *testing.T) {
	first := pair("one", with("question", "a\n[b] \"é\"\u2028"))
	two := lines(first, "", pair("two"))
	array := "[" + first + ",\n" + pair("two") + "]"
	for name, tc := range map[string]struct {
		content string
		second  int // line
	}{
		"plain": {two, 3}, "gzip": {gzipOf(t, two), 3}, "array": {array, 2}, "gzip of an array": {gzipOf(t, array), 2},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "whatever", tc.content)
			s := open(t, path)
			if s.Len() != 2 || s.Skipped != 0 || s.SHA256 != hexSum([]byte(tc.content)) || s.Format != "judgebench" || s.Path != path {
				t.Fatalf("%d items, %d skipped, SHA-256 %s, format %s", s.Len(), s.Skipped, s.SHA256, s.Format)
			}
			if it := item(t, s, 0); it.ID != "one" || it.Line != 1 || it.Question != "a\n[b] \"é\"\u2028" {
				t.Errorf("%+v", it)
			}
			if it := item(t, s, 1); it.ID != "two" || it.Line != tc.second || bytes.ContainsAny(it.Raw, "\r\n") {
				t.Errorf("%+v", it)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What is wrong with a row is said of the line or row that it is in the file.
func TestBadRowsOfPackedFiles(t *testing.T) {
	any := anyFormat()
	good := pair("one")
	for name, tc := range map[string]struct{ content, want string }{
		"gzip of nothing":    {gzipOf(t, ""), "FILE: the file is empty; expected " + any},
		"gzip cut":           {gzipOf(t, good)[:5], "FILE: unpacking the gzip file, after 0 bytes: it ends too early: get the file again"},
		"gzip of a bad line": {gzipOf(t, good+"\n{"), "FILE:2: broken JSON at byte 1: unexpected end of JSON input"},
		"gzip of bad lines":  {gzipOf(t, "\n{\n"), "FILE:2: broken JSON at byte 1: unexpected end of JSON input (no usable line among 1; expected " + any + ")"},
		"array of nothing":   {`[]`, "FILE: the file is empty; expected " + any},
		"array, a bad row":   {`[{"pair_id":1,"question":"","label":""}]`, "FILE: row 1: key \"pair_id\" is of type number, expected string (no usable row among 1; expected " + any + ")"},
		"array, no label":    {"[" + good + "," + pair("two", without("label")) + "]", `FILE: row 2: key "label" is missing`},
		"array, an id twice": {"[" + good + "," + pair("two") + "," + good + "]", `FILE: row 3: duplicate id "one", first seen in row 1: remove one of the two rows`},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "pairs.jsonl", tc.content)
			s, err := OpenFile(path)
			if err == nil {
				defer s.Close()
				if len(s.Bad) == 1 {
					err = s.Bad[0]
				}
			}
			oneLine(t, err, path, tc.want)
		})
	}
}

// anyFormat is what a file of no known format is told to hold.
func anyFormat() string { return new(Set).expected() }
