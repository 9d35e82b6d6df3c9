package reading

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed cues.txt
var cueTable string

// cuesOf returns the words of these kinds in cues.txt, with each quality in the place of ⟨quality⟩.
func cuesOf(kinds ...string) (words []string) {
	for line := range strings.Lines(cueTable) {
		if column := strings.Split(line, " | "); slices.Contains(kinds, column[0]) {
			for _, word := range phrases(column[2]) {
				before, after, isQualified := strings.Cut(word, "⟨quality⟩")
				if !isQualified {
					words = append(words, word)
					continue
				}
				for _, quality := range cuesOf("quality") {
					words = append(words, before+quality+after)
				}
			}
		}
	}
	return words
}

// lexicon holds words by their first three bytes, the longest first.
type lexicon struct {
	first [256]bool
	words map[string][]string
}

func newLexicon(words []string) *lexicon {
	l := lexicon{words: map[string][]string{}}
	for _, word := range words {
		l.first[word[0]] = true
		begin := word[:min(len(word), 3)]
		l.words[begin] = append(l.words[begin], word)
	}
	for _, alike := range l.words {
		slices.SortFunc(alike, func(a, b string) int { return len(b) - len(a) })
	}
	return &l
}

// matchEnd returns the end of the word that begins at byte i of a text; 0 if there is none.
func (l *lexicon) matchEnd(text string, i int) (end int) {
	if i+3 > len(text) || !l.first[text[i]] || i > 0 && isLetter(text[i]) && isLetter(text[i-1]) {
		return 0
	}
	for _, word := range l.words[text[i:i+3]] {
		end := i + len(word)
		if !strings.HasPrefix(text[i:], word) || wordBefore(text, i) {
			continue
		}
		if !isLetter(word[len(word)-1]) || !wordAfter(text, end) {
			return end
		}
	}
	return 0
}

// findAll returns the beginnings and ends of all words in a text.
func (l *lexicon) findAll(text string) (all [][2]int) {
	for i := 0; i < len(text); i++ {
		if end := l.matchEnd(text, i); end > 0 {
			all = append(all, [2]int{i, end})
			i = end - 1
		}
	}
	return all
}

var (
	betterWords = cuesOf("better")
	worseWords  = append(cuesOf("worse"), "least")
	// answerWords announce an answer; sidedWords also announce one of two compared responses.
	answerWords = newLexicon(cuesOf("answer"))
	sidedWords  = newLexicon(cuesOf("answer", "better", "worse"))
)

// sideOf reports whether the last word of a phrase, which begins at start, means better or worse, or follows a
// word that does: "the worse response". A word such as "verdict" returns noJudgment: it announces the response
// that was asked for.
func sideOf(phrase string, start int) judgment {
	before := strings.LastIndexByte(strings.TrimRight(phrase[:start], " "), ' ')
	for _, end := range []int{len(phrase), start, before + 1} {
		text := strings.TrimRight(phrase[:end], " 的のな方")
		switch {
		case lastWord(text, worseWords) >= 0:
			return worse
		case lastWord(text, betterWords) >= 0:
			return better
		}
	}
	return noJudgment
}
