package imports

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode"

	"gavel/judging/judgingtest"
)

// The output of Python's json.dumps reads back as the same text.
func FuzzPythonJSON(f *testing.F) {
	for _, h := range judgingtest.TemplateHazards {
		f.Add(h)
	}
	f.Add("\"\\\b\f\n\r\t\x00\x1f\x7f\u2028é😀\ufffd")
	f.Fuzz(func(t *testing.T, s string) {
		quoted, err := EncodeLikePython(s)
		var back string
		if err != nil || json.Unmarshal(quoted, &back) != nil {
			t.Fatalf("%q is no JSON: %v", quoted, err)
		}
		if want := string([]rune(s)); back != want { // invalid UTF-8 is U+FFFD
			t.Errorf("%q reads back as %q", want, back)
		}
		if i := bytes.IndexFunc(quoted, func(r rune) bool { return unicode.IsControl(r) && r < 0x20 }); i >= 0 {
			t.Errorf("%q has a control character", quoted)
		}
	})
}
