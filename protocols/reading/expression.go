package reading

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// expression is a regular one that is compiled when it is first used: to compile all of them takes as long as to read
// hundreds of replies.
type expression struct {
	regular func() *regexp.Regexp
	words   func() []string // one of which every text has that matches; nil where none are known
	short   sync.Map        // where short texts match
	shorts  atomic.Int32    // how many they are
}

// An expression remembers where texts of so many bytes match, so many of them: what stands between two words recurs in
// reply after reply.
const (
	shortText  = 5
	mostShorts = 1000
	// mostWords are as many as take less time to look for than an expression that fails at the beginning of a text.
	mostWords = 40
)

var (
	lineBreak = regexp.MustCompile(`\n\t*`)
	wordList  = regexp.MustCompile(`⟨[^⟩]*⟩`)
)

// compile makes an expression, which may be written over several lines. In it ⟨is was⟩ stands for one of these
// words, and ⟨better⟩ for one of the words of this kind in cues.txt.
func compile(source string) *expression {
	line := sync.OnceValue(func() string {
		return lineBreak.ReplaceAllString(wordList.ReplaceAllStringFunc(source, oneWord), "")
	})
	return &expression{
		regular: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(line()) }),
		words: sync.OnceValue(func() []string {
			tree, err := syntax.Parse(line(), syntax.Perl)
			if err != nil {
				panic(err)
			}
			words := needed(tree)
			if len(words) > mostWords && strings.HasPrefix(source, "^") {
				return nil
			}
			return words
		}),
	}
}

// each are expressions with one end. Several take package regexp a tenth of the time of one that is long.
func each(end string, sources ...string) (all []*expression) {
	for _, source := range sources {
		all = append(all, compile(source+end))
	}
	return all
}

// needed are words of which a text has one if it matches, the longest there are; nil where it may have none. To look
// for words takes a tenth of the time that an expression takes, and most texts have none.
func needed(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return []string{string(tree.Rune)}
		}
	case syntax.OpCharClass:
		return fewOf(tree.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(tree.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			words := needed(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			words := needed(sub)
			if shortest(words) > shortest(best) {
				best = words
			}
		}
		return best
	}
	return nil
}

// fewOf are the characters of a class that has few, given as the first and the last of each range.
func fewOf(ranges []rune) (all []string) {
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if len(all) == 4 {
				return nil
			}
			all = append(all, string(r))
		}
	}
	return all
}

// shortest is how long the shortest of some words is; 0 where there is none.
func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	byLength := func(a, b string) int { return len(a) - len(b) }
	return len(slices.MinFunc(words, byLength))
}

// MatchString tells whether a text matches.
func (e *expression) MatchString(text string) bool {
	if len(text) <= shortText {
		return e.find(text) != nil
	}
	return e.mayMatch(text) && e.regular().MatchString(text)
}

// mayMatch is false for a text that has none of the words it needs to match.
func (e *expression) mayMatch(text string) bool {
	has := func(word string) bool { return strings.Contains(text, word) }
	words := e.words()
	return words == nil || slices.ContainsFunc(words, has)
}

// find is where a text matches first, with its groups, or nil.
func (e *expression) find(text string) []int {
	if len(text) <= shortText {
		if at, ok := e.short.Load(text); ok {
			return at.([]int)
		}
	}
	if !e.mayMatch(text) {
		return nil
	}
	at := e.regular().FindStringSubmatchIndex(text)
	if len(text) <= shortText && e.shorts.Load() < mostShorts {
		e.shorts.Add(1)
		e.short.Store(strings.Clone(text), at)
	}
	return at
}

// findString is what matches first, with its groups, or nil.
func (e *expression) findString(text string) []string {
	at := e.find(text)
	if at == nil {
		return nil
	}
	groups := make([]string, len(at)/2)
	for i := range groups {
		if at[2*i] >= 0 {
			groups[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	return groups
}

// matches tells whether a text matches one of some expressions.
func matches(text string, expressions ...*expression) bool {
	return slices.ContainsFunc(expressions, func(e *expression) bool { return e.MatchString(text) })
}
