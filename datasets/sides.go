package datasets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Values that stand for the index of a response if a label names none.
const (
	tieSide    = -1 // the label says that the responses are equal
	unlabelled = -2 // the label is empty
	unclear    = -3 // the label is not understood
)

var (
	// sideWord matches a label that names a response by a letter or number: "response_a", "model 2", "b".
	sideWord = regexp.MustCompile(
		`^(?:model|response|answer|output|out|option|completion|candidate|assistant)?[ _-]?([ab12])$`,
	)
	// tieWords lists labels of a tie, in lower case.
	tieWords = []string{partTie, "tied", "draw", "equal", "same", "both", "neither", "a=b", "b=a", "tie (bothbad)", "c"}
	// greater lists notations of an order of quality: first those that prefer the first response.
	greater = [][]string{{"a>b", "a>>b", "b<a", "b<<a"}, {"b>a", "b>>a", "a<b", "a<<b"}}
)

// parseSide returns the index of the response or option that a label names without --label-values, tieSide or unclear.
func (t *mapper) parseSide(label string) int {
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

// side returns the index of the response, out of n, that a label names, tieSide or unlabelled. The label names it by
// --label-values or, without them, by a letter or number, by the column's name, or by one of names: the responses'
// models or the options' texts.
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
			return 0, fmt.Errorf("label %q is missing in --label-values", clip(label))
		}
		return side, nil
	}
	columns := slices.Concat(r.columns[partA], r.columns[partB], r.columns[partOptions], r.columns[partOutputs])
	for _, options := range [][]string{names, columns} {
		if i := slices.Index(options, trimmed); len(options) == n && i >= 0 && !slices.Contains(options[i+1:], trimmed) {
			return i, nil
		}
	}
	r.zeros = r.zeros || trimmed == "0" && r.columns[partA] != nil
	side := r.parseSide(trimmed)
	if side == unclear || side >= n {
		example := "A>B=…,B>A=…,tie=…"
		if r.columns[partA] == nil {
			example = "A=…,B=…"
		}
		return 0, fmt.Errorf("label %q: unclear which response it names; say so with --label-values '%s'",
			clip(label), example)
	}
	return side, nil
}
