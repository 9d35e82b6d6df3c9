package rows

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// TestEachLine: the lines come in their order, with their numbers and places,
// whatever their length.
func TestEachLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, text := range map[string]string{
		"empty":               "",
		"one":                 "a\n",
		"no newline at end":   "a\nb",
		"only newlines":       "\n\n\n",
		"longer than a batch": strings.Repeat("x", 3*batchBytes) + "\n" + strings.Repeat("y", batchBytes) + "\nz",
		"many": func() string {
			var b strings.Builder
			for range 5000 {
				b.WriteString(strings.Repeat("l", rng.IntN(400)) + "\n")
			}
			return b.String()
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			n := 0
			err := EachLine(strings.NewReader(text), func(line []byte) int { return len(line) }, func(l Line[int]) error {
				n++
				if l.Number != n || l.Offset != int64(got.Len()) || l.Value != len(l.Text) {
					t.Fatalf("line %d: number %d, offset %d of %d, value %d", n, l.Number, l.Offset, got.Len(), l.Value)
				}
				got.Write(l.Text)
				return nil
			})
			if err != nil || got.String() != text {
				t.Errorf("%v; %d bytes of %d came back", err, got.Len(), len(text))
			}
			if want := len(strings.SplitAfter(text, "\n")); n != want && n != want-1 {
				t.Errorf("%d lines, want %d", n, want)
			}
		})
	}
}

// TestEachLineStops: an error of use ends it, and one of the reader arrives
// after the lines before it.
func TestEachLineStops(t *testing.T) {
	stop := errors.New("enough")
	n := 0
	err := EachLine(strings.NewReader(strings.Repeat("a line\n", 100000)), func([]byte) bool { return true }, func(Line[bool]) error {
		if n++; n == 3 {
			return stop
		}
		return nil
	})
	if err != stop || n != 3 {
		t.Errorf("%v after %d lines", err, n)
	}
	n = 0
	broken := io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	err = EachLine(broken, func([]byte) bool { return true }, func(Line[bool]) error { n++; return nil })
	if err != io.ErrUnexpectedEOF || n != 2 {
		t.Errorf("%v after %d lines", err, n)
	}
}
