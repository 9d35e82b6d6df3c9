package reading

import "strings"

// anyOf returns a regular expression that matches one of the words, which blanks may separate.
func anyOf(words ...string) string {
	return `(?:` + strings.Join(strings.Fields(strings.Join(words, " ")), "|") + `)`
}

// phrases splits a text at blanks into phrases, in which _ stands for a blank.
func phrases(text string) []string {
	all := strings.Fields(text)
	for i, phrase := range all {
		all[i] = strings.ReplaceAll(phrase, "_", " ")
	}
	return all
}

// lastWord returns the beginning of the word at the end of text, if it is one of words; else −1.
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
