package reading

import (
	_ "embed"
	"slices"
	"strings"
)

// cueTable is cues.txt: lines with a kind of cue, such as "better", and words of that kind in many languages.
//
//go:embed cues.txt
var cueTable string

// cuesOf returns the words of the given kinds in cues.txt. A word with the placeholder ⟨quality⟩ stands for
// several: one for each word of kind "quality".
func cuesOf(kinds ...string) (words []string) {
	for line := range strings.Lines(cueTable) {
		if column := strings.Split(line, " | "); slices.Contains(kinds, column[0]) {
			for _, word := range splitPhrases(column[2]) {
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

// lexicon holds words for a fast search in texts.
type lexicon struct {
	firstBytes [256]bool           // bytes with which a word begins
	words      map[string][]string // by their first three bytes; the longest first
}

// newLexicon returns a lexicon of words. Words of less than three bytes are never found.
func newLexicon(words []string) *lexicon {
	l := lexicon{words: map[string][]string{}}
	for _, word := range words {
		l.firstBytes[word[0]] = true
		begin := textAfter(word, 0, 3)
		l.words[begin] = append(l.words[begin], word)
	}
	for _, alike := range l.words {
		slices.SortFunc(alike, func(a, b string) int { return len(b) - len(a) })
	}
	return &l
}

// matchEnd returns the end of the lexicon's longest word that begins at byte i of text and is not part of a larger
// word; 0 if there is none.
func (l *lexicon) matchEnd(text string, i int) (end int) {
	if i+3 > len(text) || !l.firstBytes[text[i]] || i > 0 && IsLetter(text[i]) && IsLetter(text[i-1]) {
		return 0
	}
	for _, word := range l.words[text[i:i+3]] {
		end := i + len(word)
		if strings.HasPrefix(text[i:], word) && !hasWordBefore(text, i) &&
			(!IsLetter(word[len(word)-1]) || !isWordCharAt(text, end)) {
			return end
		}
	}
	return 0
}

// findAll returns the beginnings and ends of all of the lexicon's words in text, in bytes.
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
	// Words for the better and for the worse of two things.
	betterWords = cuesOf("better")
	worseWords  = append(cuesOf("worse"), "least")
	// answerWords announce an answer; answerOrSideWords also announce one of two compared responses.
	answerWords       = newLexicon(cuesOf("answer"))
	answerOrSideWords = newLexicon(cuesOf("answer", "better", "worse"))
)

// phrasePolarity reports whether the last word of a phrase, which begins at byte start, means better or worse, or
// follows a word that does: "the worse response". For other words, such as "verdict", it returns polarityNone: they
// announce the response that the prompt asked for.
func phrasePolarity(phrase string, start int) polarity {
	before := strings.LastIndexByte(strings.TrimRight(phrase[:start], " "), ' ')
	for _, end := range []int{len(phrase), start, before + 1} {
		text := strings.TrimRight(phrase[:end], " 的のな方")
		switch {
		case lastWordStart(text, worseWords) >= 0:
			return polarityWorse
		case lastWordStart(text, betterWords) >= 0:
			return polarityBetter
		}
	}
	return polarityNone
}
