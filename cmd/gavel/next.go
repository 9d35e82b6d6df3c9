package main

import (
	"regexp"
	"strings"
)

// next says which command one would give now, where there is an obvious one. It is a remark: standard output stays as
// it is.
func (e *env) next(words ...string) {
	for i, w := range words {
		words[i] = quoted(w)
	}
	e.say("next: %s", strings.Join(words, " "))
}

// plainWord is a word that every shell leaves as it is.
var plainWord = regexp.MustCompile(`^[\pL\pN_@%+=:,./*\\-]+$`)

func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
