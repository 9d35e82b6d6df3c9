package datasets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Sides of a label that are none of the responses.
const (
	tieSide    = -1
	unlabelled = -2
	unclear    = -3
)

var (
	sideWord = regexp.MustCompile(
		`^(?:model|response|answer|output|out|option|completion|candidate|assistant)?[ _-]?([ab12])$`,
	)
	tieWords = []string{partTie, "tied", "draw", "equal", "same", "both", "neither", "a=b", "b=a", "tie (bothbad)", "c"}
	// greater are orders of quality, that of the first response first.
	greater = [][]string{{"a>b", "a>>b", "b<a", "b<<a"}, {"b>a", "b>>a", "a<b", "a<<b"}}
)

// named returns the response that a label of a pair or a choice names by itself, a tie, or unclear.
func (t *mapper) named(label string) int {
	word := strings.ToLower(strings.TrimSpace(label))
	if t.columns[partA] == nil {
		if t.columns[partOptions] == nil && t.columns[partOutputs] == nil || len(word) != 1 ||
			word[0] < 'a' || word[0] > 'z' {
			return unclear
		}
		return int(word[0] - 'a')
	}
	for i, words := range greater {
		if m := sideWord.FindStringSubmatch(word); slices.Contains(words, word) ||
			m != nil && strings.Contains([]string{"a1", "b2"}[i], m[1]) {
			return i
		}
	}
	if slices.Contains(tieWords, word) {
		return tieSide
	}
	return unclear
}

// side is the place of the response, of n, that a label names: by --label-values or, without, by its letter, by the
// name of its column, or as one of its names, which are the models' or the options' texts.
func (r tableRow) side(label string, n int, names []string) (int, error) {
	trimmed := strings.TrimSpace(label)
	if trimmed == "" {
		return unlabelled, nil
	}
	if r.values != nil {
		side, ok := r.values[label]
		if !ok {
			side, ok = r.values[trimmed]
		}
		if !ok || side >= n {
			return 0, fmt.Errorf("label %q is none of those that --label-values names", clip(label))
		}
		return side, nil
	}
	columns := slices.Concat(r.columns[partA], r.columns[partB], r.columns[partOptions], r.columns[partOutputs])
	for _, named := range [][]string{names, columns} {
		if i := slices.Index(named, trimmed); len(named) == n && i >= 0 && !slices.Contains(named[i+1:], trimmed) {
			return i, nil
		}
	}
	r.zeros = r.zeros || trimmed == "0" && r.columns[partA] != nil
	side := r.named(trimmed)
	if side == unclear || side >= n {
		example := "A>B=…,B>A=…,tie=…"
		if r.columns[partA] == nil {
			example = "A=…,B=…"
		}
		return 0, fmt.Errorf("label %q: what does it name? say so with --label-values '%s'", clip(label), example)
	}
	return side, nil
}
