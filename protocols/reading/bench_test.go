package reading

import (
	"strings"
	"testing"
)

// endings are those of the replies of BenchmarkReaders, which are plain, as judges write them.
var endings = map[string]string{
	"pair":        "My final verdict is: [[A>B]]",
	"preference":  "[[B]]",
	"correctness": "[[Correct]]",
	"letter":      "The answer is (C).",
	"number":      "The answer is 42.",
	"option":      "Selection: Option 2",
	"worst":       "Selection: Option 3",
}

// BenchmarkReaders reads replies of 2 kB, as judges write them, by each reader: one of a paragraph, one of lines.
func BenchmarkReaders(b *testing.B) {
	paragraph := strings.Repeat(
		"Assistant A's answer derives the *second* term, which cancels, and so what remains is linear in x. ", 20)
	list := strings.Repeat("**Assistant A:**\n- Names the term of degree 2, and cancels it.\n"+
		"- The final answer is linear in x, e.g. 3x.\n\n### Option 1\n1. It is better in style.\n\n", 12)
	for reader, ending := range endings {
		for name, reply := range map[string]string{"paragraph": paragraph, "list": list} {
			b.Run(reader+" "+name, func(b *testing.B) {
				for b.Loop() {
					if f := readers[reader](reply + "\n\n" + ending); f.Outcome != Decided {
						b.Fatalf("%+v", f)
					}
				}
			})
		}
	}
}
