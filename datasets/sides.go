package datasets

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Values that stand for the index of a response if a label names none.
const (
	sideTie        = -1 // the label says that the responses are equal
	sideUnlabelled = -2 // the label is empty
	sideUnclear    = -3 // the label is not understood
)

var (
	// sideWord matches a label that names a response by a letter or number: "response_a", "model 2", "b".
	sideWord = regexp.MustCompile(
		`^(?:model|response|resp|answer|output|out|option|completion|candidate|assistant)?[ _-]?([ab12])$`,
	)
	// tieWords lists labels of a tie, in lower case.
	tieWords = []string{partTie, "tied", "draw", "equal", "same", "both", "neither", "a=b", "b=a", "tie (bothbad)", "c"}
	// preferenceNotations lists notations of an order of quality: first those that prefer the first response.
	preferenceNotations = [][]string{strings.Fields("a>b a>>b b<a b<<a"), strings.Fields("b>a b>>a a<b a<<b")}
)

// parseSide returns the index of the response or option that a label names without --label-values, sideTie or unclear.
func (t *mapper) parseSide(label string) int {
	word := strings.ToLower(strings.TrimSpace(label))
	if t.columnsByPart[partResponseA] == nil {
		if t.columnsByPart[partOptions] == nil && t.columnsByPart[partOutputs] == nil || len(word) != 1 ||
			word[0] < 'a' || word[0] > 'z' {
			return sideUnclear
		}
		return int(word[0] - 'a')
	}
	for i, words := range preferenceNotations {
		if m := sideWord.FindStringSubmatch(word); slices.Contains(words, word) ||
			m != nil && strings.Contains([]string{"a1", "b2"}[i], m[1]) {
			return i
		}
	}
	if slices.Contains(tieWords, word) {
		return sideTie
	}
	return sideUnclear
}

// responseIndex returns the index of the response, out of n, that a label names, sideTie or unlabelled. The label names
// it by --label-values or, without them, by a letter or number, by the column's name, or by one of names: the
// responses' models or the options' texts.
func (r tableRow) responseIndex(label string, n int, names []string) (int, error) {
	trimmed := strings.TrimSpace(label)
	if trimmed == "" {
		return sideUnlabelled, nil
	}
	if r.labelSides != nil {
		side, ok := r.labelSides[label]
		if !ok {
			side, ok = r.labelSides[trimmed]
		}
		if !ok || side >= n {
			return 0, fmt.Errorf("label %q is missing in --label-values", clip(label))
		}
		return side, nil
	}
	columns := slices.Concat(r.columnsByPart[partResponseA], r.columnsByPart[partResponseB],
		r.columnsByPart[partOptions], r.columnsByPart[partOutputs])
	for _, options := range [][]string{names, columns} {
		if i := slices.Index(options, trimmed); len(options) == n && i >= 0 && !slices.Contains(options[i+1:], trimmed) {
			return i, nil
		}
	}
	r.hasZeroLabel = r.hasZeroLabel || trimmed == "0" && r.columnsByPart[partResponseA] != nil
	side := r.parseSide(trimmed)
	if side == sideUnclear || side >= n {
		example := "A>B=…,B>A=…,tie=…"
		if r.columnsByPart[partResponseA] == nil {
			example = "A=…,B=…"
		}
		return 0, fmt.Errorf("label %q: unclear which response it names; say so with --label-values '%s'",
			clip(label), example)
	}
	return side, nil
}
