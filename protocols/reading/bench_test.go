package reading

import (
	"strings"
	"testing"
)

// BenchmarkReaders reads a reply of 2 kB, as judges write it, by each reader.
func BenchmarkReaders(b *testing.B) {
	reply := strings.Repeat("Assistant A's answer derives the *second* term, which cancels, and so what remains is linear in x. ", 20)
	for _, r := range readers {
		end := map[string]string{
			"pair": "My final verdict is: [[A>B]]", "preference": "[[B]]", "correctness": "[[Correct]]", "letter": "The answer is (C).",
			"number": "The answer is 42.", "option": "Selection: Option 2",
		}[r.name]
		b.Run(r.name, func(b *testing.B) {
			for b.Loop() {
				if f := r.read(reply + "\n\n" + end); f.Outcome != Stated {
					b.Fatalf("%+v", f)
				}
			}
		})
	}
}
