package reading

import (
	"slices"
	"strings"
)

// splitPhrases splits a text at blanks into phrases, in which _ stands for a blank.
func splitPhrases(text string) []string {
	all := strings.Fields(text)
	for i, phrase := range all {
		all[i] = strings.ReplaceAll(phrase, "_", " ")
	}
	return all
}

// textBefore returns the n bytes of the text before byte i, or fewer at its beginning.
func textBefore(text string, i, n int) string { return text[max(0, i-n):i] }

// textAfter returns the n bytes of the text from byte i on, or fewer at its end.
func textAfter(text string, i, n int) string { return text[i:min(len(text), i+n)] }

// containsAny reports whether the text contains one of the words.
func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// lastWordStart returns the beginning of the word at the end of text, if it is one of words; else −1.
func lastWordStart(text string, words []string) int {
	n := len(text)
	for _, word := range words {
		if n == 0 || text[n-1] != word[len(word)-1] { // rules out most words quickly
			continue
		}
		rest, ok := strings.CutSuffix(text, word)
		if ok && (!hasWordBefore(text, len(rest)) || word == "n't" || word == "比") {
			return len(rest)
		}
	}
	return -1
}
