package reading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The words of an answer stand by themselves, but where a script has no spaces between words.
func TestCuesAreWords(t *testing.T) {
	for text, want := range map[string]string{
		"the pick: b": "pick", "toothpick: b": "", "he picked b": "", "mein endurteil": "endurteil", "我的答案是": "答案",
		"answers and ÿans": "answers",
	} {
		var got []string
		for _, m := range answerWords.findAll(text) {
			got = append(got, text[m[0]:m[1]])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}

func TestWordsThatAnExpressionNeeds(t *testing.T) {
	for _, e := range []struct {
		source  string
		words   []string
		matches []string // texts, each of which has one of the words
	}{
		{source: `a+(?:bc|de)f`, words: []string{"bc", "de"}, matches: []string{"abcf", "adef"}},
		{source: `\b(?:say|says|said|wrote)\b`, words: []string{"sa", "wrote"}, matches: []string{"says", "said", "wrote"}},
		{source: `(?:not )?(that)`, words: []string{"that"}, matches: []string{"that", "not that"}},
		{source: `(?:if|[0-9])`, matches: []string{"if", "7"}},
		{source: `(?:if|unless|)x?`, matches: []string{"", "if"}},
		{source: `(?i)wait`, matches: []string{"WAIT"}},
		{source: `(?:word){0,3}`, matches: []string{""}},
		{source: `(?:word)+$`, words: []string{"word"}, matches: []string{"wordword"}},
		{source: `^\s*(?:是|为)?答案`, words: []string{"答案"}, matches: []string{"答案", "是答案"}},
	} {
		compiled := compile(e.source)
		if words := compiled.literals(); !slices.Equal(words, e.words) {
			t.Errorf("%s needs %q, want %q", e.source, words, e.words)
		}
		for _, text := range e.matches {
			if !compiled.hasLiteral(text) || !regexp.MustCompile(e.source).MatchString(text) {
				t.Errorf("%s does not match %q", e.source, text)
			}
		}
	}
	if compile(`a+(?:bc|de)f`).hasLiteral("a b c d e f") {
		t.Error("a text without one of the words is matched all the same")
	}
}

// What is remembered of short texts is what the expression says of them, and no more is remembered than is told.
func TestShortTextsAreRemembered(t *testing.T) {
	e := compile(`^(a|b)?(\d+)$`)
	for range 2 {
		for n := range 2 * maxCached {
			for _, text := range []string{fmt.Sprint(n), fmt.Sprint("b", n), fmt.Sprint(n, "x")} {
				want := e.regular().FindStringSubmatchIndex(text)
				if got := e.find(text); !slices.Equal(got, want) {
					t.Fatalf("%q: %v, want %v", text, got, want)
				}
			}
		}
	}
	kept := 0
	e.cache.Range(func(any, any) bool { kept++; return true })
	if kept != maxCached {
		t.Errorf("%d texts are remembered, want %d", kept, maxCached)
	}
}
