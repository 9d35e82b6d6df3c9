package reading

import "strings"

// anyOf is an expression of one of the words.
func anyOf(words ...string) string {
	return `(?:` + strings.Join(strings.Fields(strings.Join(words, " ")), "|") + `)`
}

// phrases are the words of a text, in which _ is a blank.
func phrases(text string) []string {
	all := strings.Fields(text)
	for i, phrase := range all {
		all[i] = strings.ReplaceAll(phrase, "_", " ")
	}
	return all
}

// lastWord is where the word begins that a text ends with, if it is one of some words; else −1.
func lastWord(text string, words []string) int {
	n := len(text)
	for _, word := range words {
		if n == 0 || text[n-1] != word[len(word)-1] { // most words
			continue
		}
		rest, ok := strings.CutSuffix(text, word)
		if ok && (!wordBefore(text, len(rest)) || word == "n't" || word == "比") {
			return len(rest)
		}
	}
	return -1
}
