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

// catalogue reads the sentences by code.
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

// Say returns the sentence with a code, filled as [fmt.Sprintf] does. It panics on a code that the catalogue lacks,
// which a test rules out.
func Say(code string, args ...any) string {
	words, ok := catalogue()[code]
	if !ok {
		panic("phrases: no sentence " + code)
	}
	return fmt.Sprintf(words, args...)
}

// Count returns a number of things in words, in the plural unless it is one.
func Count(n int, thing string) string {
	switch stem, reply := strings.CutSuffix(thing, "ly"); {
	case n == 1:
	case reply:
		thing = stem + "lies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
