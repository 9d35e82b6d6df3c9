package figure

import (
	"strings"
	"testing"
)

// Words of others stay words, on one line, and end with the picture.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"short", "qwen3:8b", "qwen3:8b"},
		{"lines", "a\nb\tc", "a\uFFFDb\uFFFDc"},
		{"escape sequence", "\x1b[31mred", "\uFFFD[31mred"},
		{"turned round", "a\u202eb\u2066c", "a\uFFFDb\uFFFDc"},
		{"no characters of text", "a\uFFFE\uFFFF\x00\xffb", "a\uFFFD\uFFFD\uFFFD\uFFFDb"},
		{"Chinese", "通义千问", "通义千问"},
		{"long", strings.Repeat("m", 100), strings.Repeat("m", 8) + "…"},
	} {
		if got := label(c.in, words(13, ink), 100); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := label("wide", words(13, ink), 1); got != "…" {
		t.Errorf("no room: %q", got)
	}
}
