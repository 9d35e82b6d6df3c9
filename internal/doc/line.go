package doc

import (
	"slices"
	"strings"
)

// Segment holds a piece of a line of text.
type Segment struct {
	Words string
	Whole bool // no line may break within it
}

// maxUnbrokenName is the length, in bytes, up to which names stay on one line of a phone.
const maxUnbrokenName = 24

// SplitForLineBreaks splits words into pieces, so that no line breaks within one of names. Long names may break.
func SplitForLineBreaks(words string, names ...string) (line []Segment) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" || len(n) > maxUnbrokenName })
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for words != "" {
		start, name := len(words), ""
		for _, n := range names {
			if i := strings.Index(words, n); i >= 0 && i < start {
				start, name = i, n
			}
		}
		line = append(line, Segment{Words: JoinPercentSigns(words[:start])})
		if name != "" {
			line = append(line, Segment{Words: JoinPercentSigns(name), Whole: true})
		}
		words = words[start+len(name):]
	}
	return line
}
