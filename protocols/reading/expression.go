package reading

import (
	_ "embed"
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
)

// mostWords are as many as take less time to look for than an expression that fails at the beginning of a text.
const mostWords = 40

//go:embed rules.txt
var ruleTable string

// sources has the expressions of rules.txt by the names of their rules.
var sources = func() map[string][]string {
	of := map[string][]string{}
	for block := range strings.SplitSeq(ruleTable, "\n\n") {
		block, _, _ = strings.Cut(block, "\n  > ")
		lead, expressions, _ := strings.Cut(block, "\n  / ")
		name := lead[strings.LastIndexByte("\n"+lead, '\n'):]
		of[name] = strings.Split(expressions, "\n  / ")
	}
	return of
}()

// rules has these expressions compiled.
var rules = func() map[string][]*expression {
	of := map[string][]*expression{}
	for name, all := range sources {
		for _, source := range all {
			of[name] = append(of[name], compile(source))
		}
	}
	return of
}()

var (
	lineBreak = regexp.MustCompile(`\n *`)
	reference = regexp.MustCompile(`⟨[^⟩]*⟩`)
)

// compile makes an expression, in which ⟨is was⟩ stands for one of these words, ⟨better⟩ for one of the words
// of this kind in cues.txt, and ⟨filler⟩ for the rule of this name.
func compile(source string) *expression {
	whole := sync.OnceValue(func() string {
		return lineBreak.ReplaceAllString(reference.ReplaceAllStringFunc(source, resolve), "")
	})
	return &expression{
		regular: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(whole()) }),
		words: sync.OnceValue(func() []string {
			tree, err := syntax.Parse(whole(), syntax.Perl)
			if err != nil {
				panic(err)
			}
			words := needed(tree)
			if len(words) > mostWords && strings.HasPrefix(whole(), "^") {
				return nil
			}
			return words
		}),
	}
}

// resolve returns the expression that a reference stands for.
func resolve(reference string) string {
	name := strings.Trim(reference, "⟨⟩")
	words := cuesOf(name)
	switch {
	case words == nil && sources[name] != nil:
		return `(?:` + compile(sources[name][0]).regular().String() + `)`
	case words == nil:
		return anyOf(name)
	}
	for i, word := range words {
		words[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "…", `[^.;\n]{0,32}?`)
		if isLetter(word[0]) {
			words[i] = `\b` + words[i]
		}
		if isLetter(word[len(word)-1]) {
			words[i] += `\b`
		}
	}
	return `(?:` + strings.Join(words, "|") + `)`
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

// mayMatch is false for a text that has none of the words it needs to match.
func (e *expression) mayMatch(text string) bool {
	has := func(word string) bool { return strings.Contains(text, word) }
	words := e.words()
	return words == nil || slices.ContainsFunc(words, has)
}

// find returns where a text matches first, with its groups, or nil.
func (e *expression) find(text string) []int {
	if len(text) > shortText {
		if !e.mayMatch(text) {
			return nil
		}
		return e.regular().FindStringSubmatchIndex(text)
	}
	at, ok := e.short.Load(text)
	if !ok {
		at = e.regular().FindStringSubmatchIndex(text)
		if e.shorts.Add(1) <= mostShorts {
			e.short.Store(strings.Clone(text), at)
		}
	}
	return at.([]int)
}

// matches reports whether a text matches one of some rules.
func matches(text string, names ...string) bool {
	for _, name := range names {
		for _, e := range rules[name] {
			switch {
			case len(text) <= shortText:
				if e.find(text) != nil {
					return true
				}
			case e.mayMatch(text) && e.regular().MatchString(text):
				return true
			}
		}
	}
	return false
}

// find returns where a text matches a rule first, with its groups, or nil.
func find(text, name string) []int { return rules[name][0].find(text) }

// groups returns what matches a rule first, with its groups, or nil.
func groups(text, name string) []string {
	at := find(text, name)
	if at == nil {
		return nil
	}
	found := make([]string, len(at)/2)
	for i := range found {
		if at[2*i] >= 0 {
			found[i] = text[at[2*i]:at[2*i+1]]
		}
	}
	return found
}

// pattern returns the regular expression of a rule, to find all that matches.
func pattern(name string) *regexp.Regexp { return rules[name][0].regular() }

// before reports whether what stands before a label matches a rule.
func (p place) before(name string) bool { return matches(p.left, name) }

// after reports whether what stands after a label matches a rule.
func (p place) after(name string) bool { return matches(p.right, name) }
