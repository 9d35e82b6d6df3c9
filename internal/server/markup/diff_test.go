package markup

import (
	"strings"
	"testing"
)

// bracketed are the sides of a diff with what is alone in brackets.
func bracketed(d *TextDiff) (sides [2]string) {
	for side, pieces := range d.Sides {
		for _, p := range pieces {
			if p.Alone {
				p.Text = "[" + p.Text + "]"
			}
			sides[side] += p.Text
		}
	}
	return sides
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ a, b, wantA, wantB string }{
		{"the cat sat", "the dog sat", "the[ cat] sat", "the[ dog] sat"},
		{"one two three", "two three four", "[one] two three", "two three[ four]"},
		{"same,\nhere", "same, here", "same,\nhere", "same, here"},
		{"", "new words", "", "[new words]"},
		{"x = 3.5; y", "x = 3.7; y", "x = 3.[5]; y", "x = 3.[7]; y"},
		{"é\u0301a b", "b", "[é\u0301a] b", "b"},
		{"a b c d", "d c b a", "[a b c] d", "d[ c b a]"},
		{"same", "same", "same", "same"},
		{"caf\xc3 x", "x", "[caf\xc3] x", "x"},
	} {
		d := Diff(c.a, c.b)
		if got := bracketed(d); got != [2]string{c.wantA, c.wantB} {
			t.Errorf("%q and %q: %q, want %q and %q", c.a, c.b, got, c.wantA, c.wantB)
		}
		if d.Same() != (c.a == c.b || c.wantA == c.a && c.wantB == c.b) {
			t.Errorf("%q and %q: the same: %v", c.a, c.b, d.Same())
		}
	}
	long := strings.Repeat("many words here\n", 3000)
	d := Diff("first\n"+long, "other\nand more\n"+strings.ReplaceAll(long, "here", "there"))
	if d == nil || !d.Lines || len(d.Sides[0]) == 0 {
		t.Fatal("long texts are not compared by line")
	}
	if d := Diff(strings.Repeat("a\n", 10000)+"x", "y"+strings.Repeat("b\n", 10000)); d != nil {
		t.Error("a hundred million pairs of lines were looked at")
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a b", "b c")
	f.Fuzz(func(t *testing.T, a, b string) {
		d := Diff(a[:min(len(a), 300)], b[:min(len(b), 300)])
		got := strings.NewReplacer("[", "", "]", "")
		if sides := bracketed(d); got.Replace(sides[0]) != got.Replace(a[:min(len(a), 300)]) || got.Replace(sides[1]) != got.Replace(b[:min(len(b), 300)]) {
			t.Errorf("%q and %q become %q", a, b, sides)
		}
	})
}
