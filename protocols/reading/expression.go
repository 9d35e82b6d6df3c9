package reading

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// expression is a regular one that is compiled when it is first used: to compile all of them takes as long as to read
// hundreds of replies. One that says how a text ends is matched against the text written backwards: so few characters
// are looked at, where regexp would begin at each.
type expression struct {
	source     string
	once       sync.Once
	isBackward bool
	regular    *regexp.Regexp
}

var lineBreak = regexp.MustCompile(`\n\t*`)

// compile makes an expression, which may be written over several lines.
func compile(source string) *expression { return &expression{source: source} }

func (e *expression) compiled() *regexp.Regexp {
	e.once.Do(func() {
		source := lineBreak.ReplaceAllString(e.source, "")
		tree, err := syntax.Parse(source, syntax.Perl) // as regexp does
		e.isBackward = err == nil && anchored(tree, syntax.OpEndText) && !anchored(tree, syntax.OpBeginText)
		if e.isBackward {
			source = mirrored(tree).String()
		}
		e.regular = regexp.MustCompile(source)
		if e.isBackward {
			e.regular.Longest() // which is where regexp would begin first
		}
	})
	return e.regular
}

// anchored tells whether all that an expression matches is at the beginning, or the end, of the text.
func anchored(tree *syntax.Regexp, at syntax.Op) bool {
	switch tree.Op {
	case syntax.OpAlternate:
		return !slices.ContainsFunc(tree.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub, at) })
	case syntax.OpConcat:
		if at == syntax.OpBeginText {
			return anchored(tree.Sub[0], at)
		}
		return anchored(tree.Sub[len(tree.Sub)-1], at)
	case syntax.OpCapture:
		return anchored(tree.Sub[0], at)
	}
	return tree.Op == at
}

// mirrored is what matches the same texts written backwards.
func mirrored(tree *syntax.Regexp) *syntax.Regexp {
	switch tree.Op {
	case syntax.OpLiteral:
		slices.Reverse(tree.Rune)
	case syntax.OpConcat:
		slices.Reverse(tree.Sub)
	case syntax.OpBeginText:
		tree.Op = syntax.OpEndText
	case syntax.OpEndText:
		tree.Op = syntax.OpBeginText
	}
	for _, sub := range tree.Sub {
		mirrored(sub)
	}
	return tree
}

// backwards writes a text from its end to its beginning.
func backwards(text string) []byte {
	to := make([]byte, 0, len(text))
	for end := len(text); end > 0; {
		_, size := utf8.DecodeLastRuneInString(text[:end])
		to = append(to, text[end-size:end]...)
		end -= size
	}
	return to
}

// MatchString tells whether a text matches.
func (e *expression) MatchString(text string) bool {
	regular := e.compiled()
	if e.isBackward {
		return regular.Match(backwards(text))
	}
	return regular.MatchString(text)
}

// FindStringIndex is where a text matches first, or nil.
func (e *expression) FindStringIndex(text string) []int {
	regular := e.compiled()
	if !e.isBackward {
		return regular.FindStringIndex(text)
	}
	m := regular.FindIndex(backwards(text))
	if m == nil {
		return nil
	}
	return []int{len(text) - m[1], len(text)}
}

// matches tells whether a text matches one of some expressions.
func matches(text string, expressions ...*expression) bool {
	return slices.ContainsFunc(expressions, func(e *expression) bool { return e.MatchString(text) })
}
