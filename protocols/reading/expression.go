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

// expression is a regular expression that is compiled on first use: compiling all of them takes as long as reading
// hundreds of replies.
type expression struct {
	regular   func() *regexp.Regexp // the compiled expression; compiled at the first call
	literals  func() []string       // every matching text contains one of them; nil if unknown
	cache     sync.Map              // matches in texts of up to shortText bytes, by text
	cacheSize atomic.Int32          // number of texts that were to be cached; up to maxCached are
}

// An expression caches its matches in up to maxCached texts of up to shortText bytes: the text between two words is
// often the same.
const (
	shortText = 5
	maxCached = 1000
)

// maxLiterals is the number of required literals (see expression) up to which searching for them is faster than
// trying an anchored expression.
const maxLiterals = 40

// ruleTable is rules.txt: named rules, each with regular expressions and examples.
//
//go:embed rules.txt
var ruleTable string

// sources maps the names of the rules in rules.txt to the texts of their expressions, before references are resolved.
var sources = func() map[string][]string {
	table := map[string][]string{}
	for block := range strings.SplitSeq(ruleTable, "\n\n") {
		block, _, _ = strings.Cut(block, "\n  > ")
		lead, expressions, _ := strings.Cut(block, "\n  / ")
		name := lead[strings.LastIndexByte("\n"+lead, '\n'):]
		table[name] = strings.Split(expressions, "\n  / ")
	}
	return table
}()

// rules maps the names of the rules in rules.txt to their expressions.
var rules = func() map[string][]*expression {
	table := map[string][]*expression{}
	for name, all := range sources {
		for _, source := range all {
			table[name] = append(table[name], compile(source))
		}
	}
	return table
}()

var (
	// Parts of an expression's text in rules.txt: the line breaks that structure it, and references such as ⟨better⟩.
	lineBreak     = regexp.MustCompile(`\n *`)
	ruleReference = regexp.MustCompile(`⟨[^⟩]*⟩`)
)

// compile prepares the expression of a rule. In its source, ⟨is was⟩ stands for one of these words, ⟨better⟩
// for one of the words of kind "better" in cues.txt, and ⟨filler⟩ for the expression of the rule "filler".
func compile(source string) *expression {
	whole := sync.OnceValue(func() string {
		return lineBreak.ReplaceAllString(ruleReference.ReplaceAllStringFunc(source, expandReference), "")
	})
	return &expression{
		regular: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(whole()) }),
		literals: sync.OnceValue(func() []string {
			tree, err := syntax.Parse(whole(), syntax.Perl)
			if err != nil {
				panic(err)
			}
			words := requiredLiterals(tree)
			if len(words) > maxLiterals && strings.HasPrefix(whole(), "^") {
				return nil
			}
			return words
		}),
	}
}

// expandReference returns the regular expression for a reference such as ⟨better⟩ in a rule; see compile.
func expandReference(reference string) string {
	name := strings.Trim(reference, "⟨⟩")
	words := cuesOf(name)
	switch {
	case words == nil && sources[name] != nil:
		return `(?:` + compile(sources[name][0]).regular().String() + `)`
	case words == nil:
		return `(?:` + strings.Join(strings.Fields(name), "|") + `)`
	}
	for i, word := range words {
		words[i] = strings.ReplaceAll(regexp.QuoteMeta(word), "…", `[^.;\n]{0,32}?`)
		if IsLetter(word[0]) {
			words[i] = `\b` + words[i]
		}
		if IsLetter(word[len(word)-1]) {
			words[i] += `\b`
		}
	}
	return `(?:` + strings.Join(words, "|") + `)`
}

// requiredLiterals returns strings of which every match of the expression contains one, as long as possible; nil if
// there are none. Searching for them takes a tenth of the time of the expression, and most texts contain none.
func requiredLiterals(tree *syntax.Regexp) []string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return []string{string(tree.Rune)}
		}
	case syntax.OpCharClass:
		return smallClass(tree.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return requiredLiterals(tree.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range tree.Sub {
			words := requiredLiterals(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range tree.Sub {
			words := requiredLiterals(sub)
			if shortest(words) > shortest(best) {
				best = words
			}
		}
		return best
	}
	return nil
}

// smallClass returns the characters of a character class with at most four; nil for larger classes. ranges holds the
// first and the last character of each range.
func smallClass(ranges []rune) (all []string) {
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

// shortest returns the length in bytes of the shortest word; 0 without words.
func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	byLength := func(a, b string) int { return len(a) - len(b) }
	return len(slices.MinFunc(words, byLength))
}

// hasLiteral returns false for a text that cannot match because it has none of the required literals.
func (e *expression) hasLiteral(text string) bool {
	words := e.literals()
	return words == nil || containsAny(text, words)
}

// find returns the offsets of the expression's first match in text and of its groups, as in
// regexp; nil without a match.
func (e *expression) find(text string) []int {
	if len(text) > shortText {
		if !e.hasLiteral(text) {
			return nil
		}
		return e.regular().FindStringSubmatchIndex(text)
	}
	match, ok := e.cache.Load(text)
	if !ok {
		match = e.regular().FindStringSubmatchIndex(text)
		if e.cacheSize.Add(1) <= maxCached {
			e.cache.Store(strings.Clone(text), match)
		}
	}
	return match.([]int)
}

// matchesRule reports whether text matches at least one of the named rules of rules.txt.
func matchesRule(text string, names ...string) bool {
	for _, name := range names {
		for _, e := range rules[name] {
			switch {
			case len(text) <= shortText:
				if e.find(text) != nil {
					return true
				}
			case e.hasLiteral(text) && e.regular().MatchString(text):
				return true
			}
		}
	}
	return false
}

// findRuleMatch returns the offsets in text of the first match of the named rule and of its groups; nil without one.
func findRuleMatch(text, name string) []int { return rules[name][0].find(text) }

// matchRule returns the text of the first match of a rule of rules.txt in text, and the texts of its
// groups; nil without a match.
func matchRule(text, name string) []string {
	match := findRuleMatch(text, name)
	if match == nil {
		return nil
	}
	texts := make([]string, len(match)/2)
	for i := range texts {
		if match[2*i] >= 0 {
			texts[i] = text[match[2*i]:match[2*i+1]]
		}
	}
	return texts
}

// rulePattern returns the regular expression of a rule of rules.txt, for callers that need all matches.
func rulePattern(name string) *regexp.Regexp { return rules[name][0].regular() }

// prefixMatches reports whether the statement's text before the label matches a rule of rules.txt.
func (p labelContext) prefixMatches(name string) bool { return matchesRule(p.textBefore, name) }

// suffixMatches reports whether the statement's text after the label matches a rule of rules.txt.
func (p labelContext) suffixMatches(name string) bool { return matchesRule(p.textAfter, name) }
