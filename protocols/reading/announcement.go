package reading

import (
	"slices"
	"strings"
)

// findAnnouncement returns the word that announces the label of p as the answer, such as "verdict", whether that word
// refers to the better or the worse response, and its position in p.prefix, the text before the label: −1 if the word
// announces another answer. praise is the firmness with which the words after the label call it the best.
func (g grammar) findAnnouncement(p labelContext, praise rank) (word string, side polarity, start int) {
	if p.firmness == strongClaim {
		return "", polarityNone, 0
	}
	words := answerOrSideWords
	if g.goalPolarity == polarityNone {
		words = answerWords
	}
	spans := words.findAll(p.textBefore)
	slices.Reverse(spans)
	for _, m := range spans[:min(len(spans), 3)] {
		lead, word := p.textBefore[:m[0]], p.textBefore[m[0]:m[1]]
		gap := p.textBefore[m[1]:]
		side := phrasePolarity(p.textBefore[:m[1]], m[0])
		switch {
		case p.belongsToOther(m[0], side):
			continue
		case matchesRule(lead, "another"):
			return "", polarityNone, -1
		case matchesRule(lead, "not-it"),
			matchesRule(word, "thing") && !matchesRule(lead, "adjective") && phrasePolarity(lead, len(lead)) == polarityNone,
			p.namedResponse != "" && side == polarityNone && p.innerStart < p.start+2 &&
				matchesRule(p.textBefore[max(0, m[0]-8):], "own-answer"),
			g.needsColon != nil && g.needsColon(word) && p.form == formBare && !strings.ContainsAny(gap, ":\n"),
			!p.isAnnouncedBy(lead, word, praise):
			continue
		case g.opposes(side), matchesRule(lead, "aspect-before"), matchesRule(gap, "aspect-after"):
			return "", polarityNone, -1
		}
		return word, side, m[0]
	}
	if p.suffixMatches("clause-ends") {
		if m := findRuleMatch(p.textBefore, "chooses"); m != nil {
			switch {
			case m[6] >= 0:
				side = polarityWorse
			case m[4] >= 0, m[8] >= 0, p.suffixMatches("ranked"):
				side = polarityBetter
			case m[2] >= 0:
				side = g.goalPolarity
			}
			isPart := p.suffixMatches("aspect-after") ||
				matchesRule(p.textBefore[:m[0]], "for-part") && !p.prefixMatches("in-full")
			if isPart || g.opposes(side) {
				return "", polarityNone, -1
			}
			return p.textBefore[m[0]:], side, m[0]
		}
	}
	return "", polarityNone, 0
}

// opposes reports whether a word that calls a label better or worse means the opposite of what the prompt asked for.
func (g grammar) opposes(side polarity) bool {
	return g.valueFor == nil && side != polarityNone && (side == polarityWorse) != (g.goalPolarity == polarityWorse)
}

// belongsToOther reports whether the word at position, an offset in p.prefix, belongs to an earlier label rather than
// to the label of p: it lies within that label or, if side says that the word means better or worse, within that
// label's predicate, as in "A is worse: B".
func (p labelContext) belongsToOther(position int, side polarity) bool {
	position += p.start - len(p.textBefore)
	for i := max(0, p.i-8); i < p.i; i++ {
		end := p.allLabels[i].end
		if side != polarityNone && end <= position && position < end+leftWindow {
			_, length := newLabelContext(p.view, p.allLabels, i).predicate()
			end += length
		}
		if p.allLabels[i].start <= position && position < end {
			return true
		}
	}
	return false
}

// isAnnouncedBy reports whether word announces the label of p: "answer" and B in "The answer is B". lead is the text
// before word in p.prefix.
func (p labelContext) isAnnouncedBy(lead, word string, praise rank) bool {
	gap := p.textBefore[len(lead)+len(word):]
	isEnd := p.suffixMatches("clause-ends")
	if p.form == formBare && praise == noClaim && !isEnd || strings.HasSuffix(word, "s") && strings.Contains(gap, "\n") {
		return false
	}
	hasOther := slices.ContainsFunc(p.allLabels[max(0, p.i-8):p.i], func(l label) bool {
		return l.form > formBare && l.start >= p.start-len(gap)
	})
	if verb := findRuleMatch(gap, "is-words"); verb != nil {
		before, after := gap[:verb[0]], gap[verb[0]:]
		if matchesRule(before, "own-words") || !hasOther && matchesRule(after, "verb") && matchesRule(before, "relative") {
			return true
		}
	}
	return isEnd && (matchesRule(gap, "after-but") || matchesRule(gap, "directly") &&
		(matchesRule(lead, "no-lead") || strings.HasSuffix(word, " to"))) ||
		p.form > formBare && !hasOther && matchesRule(gap, "announces") && p.suffixMatches("clause-stops")
}

// aloneRank returns the firmness of a label that is the only content of its line or statement; noClaim if it is not.
func (p labelContext) aloneRank() rank {
	v := p.view
	from := strings.LastIndexByte(v.lower[:p.start], '\n') + 1
	line, _, _ := strings.Cut(v.lower[p.end:], "\n")
	to := p.end + len(line)
	isLast := to >= len(strings.TrimRight(v.text, " \t\n-=\"'`|.)]}$"))
	isWord := p.innerEnd-p.innerStart > 1
	concludes := isLast && p.prefixMatches("concluded") && !isConditional(p.textBefore)
	corrects := p.statementStart > from &&
		(p.prefixMatches("correcting") || isLast && isWord && p.prefixMatches("lone-lead"))
	if (concludes || corrects) && p.suffixMatches("ends-all") {
		return explicitClaim
	}
	if p.start-from > leftWindow || !matchesRule(v.lower[from:p.start], "lone-lead") {
		return noClaim
	}
	if !matchesRule(textAfter(line, 0, leftWindow), "lone-end") {
		isWhole := from == 0 && len(v.text) < 200 && strings.TrimSpace(v.text[to:]) == ""
		if isWhole && (matchesRule(line, "opens") || v.text[p.start] == '(' && !matchesRule(line, "other-verb")) {
			return explicitClaim
		}
		return noClaim
	}
	switch {
	case strings.Contains(line, ":"):
		return noClaim
	case p.form == formFormatted || isLast:
		return explicitClaim
	case p.form == formMarked || strings.TrimSpace(v.text[:from]) == "":
		return strongClaim
	}
	return noClaim
}
