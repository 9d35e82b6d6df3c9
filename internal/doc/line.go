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
		start, name := len(words), ""
		for _, n := range names {
			if i := strings.Index(words, n); i >= 0 && i < start {
				start, name = i, n
			}
		}
		line = append(line, Span{Words: Spaced(words[:start])})
		if name != "" {
			line = append(line, Span{Words: Spaced(name), Whole: true})
		}
		words = words[start+len(name):]
	}
	return line
}
