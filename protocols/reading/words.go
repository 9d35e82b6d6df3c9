package reading

import "strings"

// anyOf returns an expression that matches one of the words.
func anyOf(words ...string) string {
	return `(?:` + strings.Join(strings.Fields(strings.Join(words, " ")), "|") + `)`
}

// phrases splits a text into phrases, in which _ stands for a blank.
func phrases(text string) []string {
	all := strings.Fields(text)
	for i, phrase := range all {
		all[i] = strings.ReplaceAll(phrase, "_", " ")
	}
	return all
}

// lastWord returns the beginning of the word that ends a text, if it is one of words; else −1.
func lastWord(text string, words []string) int {
	n := len(text)
	for _, word := range words {
		if n == 0 || text[n-1] != word[len(word)-1] { // rules out most words quickly
			continue
		}
		rest, ok := strings.CutSuffix(text, word)
		if ok && (!wordBefore(text, len(rest)) || word == "n't" || word == "比") {
			return len(rest)
		}
	}
	return -1
}
