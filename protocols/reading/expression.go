package reading

import (
	"regexp"
	"slices"
	"sync"
)

// expression is a regular one that is compiled when it is first used: to compile all of them takes as long as to read
// hundreds of replies.
type expression struct{ regular func() *regexp.Regexp }

var lineBreak = regexp.MustCompile(`\n\t*`)

// compile makes an expression, which may be written over several lines.
func compile(source string) *expression {
	return &expression{sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(lineBreak.ReplaceAllString(source, ""))
	})}
}

// MatchString tells whether a text matches.
func (e *expression) MatchString(text string) bool { return e.regular().MatchString(text) }

// find is where a text matches first, with its groups, or nil.
func (e *expression) find(text string) []int { return e.regular().FindStringSubmatchIndex(text) }

// findString is what matches first, with its groups, or nil.
func (e *expression) findString(text string) []string { return e.regular().FindStringSubmatch(text) }

// matches tells whether a text matches one of some expressions.
func matches(text string, expressions ...*expression) bool {
	return slices.ContainsFunc(expressions, func(e *expression) bool { return e.MatchString(text) })
}
