// Package phrases is the catalogue of the sentences in gavel's results. phrases.txt lists each sentence with its code
// and an example; the packages that make results fill it with their numbers.
package phrases

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed phrases.txt
var text string

// catalogue returns the sentences of phrases.txt by code. It reads the file once.
var catalogue = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		code, words, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if ok && code != "" && !strings.HasPrefix(code, "#") {
			all[code] = words
		}
	}
	return all
})

// Sentence returns the sentence with a code, filled with args as by [fmt.Sprintf]. It panics if the catalogue lacks the
// code, which a test rules out.
func Sentence(code string, args ...any) string {
	words, ok := catalogue()[code]
	if !ok {
		panic("phrases: no sentence " + code)
	}
	return fmt.Sprintf(words, args...)
}

// CountWithNoun returns a number with a word in the singular or plural: "1 pair", "3 pairs", "2 replies".
func CountWithNoun(n int, thing string) string {
	switch stem, reply := strings.CutSuffix(thing, "ly"); {
	case n == 1:
	case reply:
		thing = stem + "lies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
