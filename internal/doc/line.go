package doc

import (
	"slices"
	"strings"
)

// Span is words of a line, and whether they stay together.
type Span struct {
	Words string
	Whole bool
}

// mostUnbroken is how long, in bytes, names are that stay on a line of a phone.
const mostUnbroken = 24

// Unbroken returns words in which names, unless they are long, are not broken into two lines.
func Unbroken(words string, names ...string) (line []Span) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" || len(n) > mostUnbroken })
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for words != "" {
		at, name := len(words), ""
		for _, n := range names {
			if i := strings.Index(words, n); i >= 0 && i < at {
				at, name = i, n
			}
		}
		line = append(line, Span{Words: Spaced(words[:at])})
		if name != "" {
			line = append(line, Span{Words: Spaced(name), Whole: true})
		}
		words = words[at+len(name):]
	}
	return line
}
