package reading

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
)

// expression is a regular one that is compiled when it is first used: to compile all of them takes as long as to read
// hundreds of replies.
type expression struct {
	regular   func() *regexp.Regexp
	automaton func() *automaton
}

var lineBreak = regexp.MustCompile(`\n\t*`)

// compile makes an expression, which may be written over several lines.
func compile(source string) *expression {
	inLine := sync.OnceValue(func() string { return lineBreak.ReplaceAllString(source, "") })
	return &expression{
		regular: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(inLine()) }),
		automaton: sync.OnceValue(func() *automaton {
			tree, err := syntax.Parse(inLine(), syntax.Perl) // as regexp does
			if err != nil {
				panic(err)
			}
			return newAutomaton(tree)
		}),
	}
}

// MatchString tells whether a text matches.
func (e *expression) MatchString(text string) bool { return e.automaton().match(text) >= 0 }

// find is where a text matches first, with its groups, or nil.
func (e *expression) find(text string) []int {
	a := e.automaton()
	i := a.match(text)
	switch {
	case i < 0:
		return nil
	case a.isBackward:
		return []int{i, len(text)}
	}
	return e.regular().FindStringSubmatchIndex(text)
}

// findString is what matches first, with its groups, or nil.
func (e *expression) findString(text string) []string {
	if !e.MatchString(text) {
		return nil
	}
	return e.regular().FindStringSubmatch(text)
}

// matches tells whether a text matches one of some expressions.
func matches(text string, expressions ...*expression) bool {
	return slices.ContainsFunc(expressions, func(e *expression) bool { return e.MatchString(text) })
}
