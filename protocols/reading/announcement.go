package reading

import (
	"slices"
	"strings"
)

// findAnnouncement returns the word that announces the label of p as the answer, such as "verdict", whether that word
// refers to the better or the worse response, and its position in p.prefix, the text before the label: −1 if the word
// announces another answer. praise is the firmness with which the words after the label call it the best.
func (g grammar) findAnnouncement(p place, praise rank) (word string, side judgment, start int) {
	if p.firmness == strongClaim {
		return "", noJudgment, 0
	}
	words := sidedWords
	if g.target == noJudgment {
		words = answerWords
	}
	spans := words.findAll(p.prefix)
	slices.Reverse(spans)
	for _, m := range spans[:min(len(spans), 3)] {
		lead, word := p.prefix[:m[0]], p.prefix[m[0]:m[1]]
		gap := p.prefix[m[1]:]
		side := sideOf(p.prefix[:m[1]], m[0])
		switch {
		case p.belongsToOther(m[0], side):
			continue
		case matches(lead, "another"):
			return "", noJudgment, -1
		case matches(lead, "not-it"),
			matches(word, "thing") && !matches(lead, "adjective") && sideOf(lead, len(lead)) == noJudgment,
			p.name != "" && side == noJudgment && p.innerStart < p.start+2 &&
				matches(p.prefix[max(0, m[0]-8):], "own-answer"),
			g.needsColon != nil && g.needsColon(word) && p.form == bare && !strings.ContainsAny(gap, ":\n"),
			!p.completes(lead, word, praise):
			continue
		case g.opposes(side), matches(lead, "aspect-before"), matches(gap, "aspect-after"):
			return "", noJudgment, -1
		}
		return word, side, m[0]
	}
	if p.suffixIs("clause-ends") {
		if m := find(p.prefix, "chooses"); m != nil {
			switch {
			case m[6] >= 0:
				side = worse
			case m[4] >= 0, m[8] >= 0, p.suffixIs("ranked"):
				side = better
			case m[2] >= 0:
				side = g.target
			}
			isPart := p.suffixIs("aspect-after") ||
				matches(p.prefix[:m[0]], "for-part") && !p.prefixIs("in-full")
			if isPart || g.opposes(side) {
				return "", noJudgment, -1
			}
			return p.prefix[m[0]:], side, m[0]
		}
	}
	return "", noJudgment, 0
}

// opposes reports whether a word that calls a label better or worse means the opposite of what the prompt asked for.
func (g grammar) opposes(side judgment) bool {
	return g.valueFor == nil && side != noJudgment && (side == worse) != (g.target == worse)
}

// belongsToOther reports whether the word at position, an offset in p.prefix, belongs to an earlier label rather than
// to the label of p: it lies within that label or, if side says that the word means better or worse, within that
// label's predicate, as in "A is worse: B".
func (p place) belongsToOther(position int, side judgment) bool {
	position += p.start - len(p.prefix)
	for i := max(0, p.i-8); i < p.i; i++ {
		end := p.all[i].end
		if side != noJudgment && end <= position && position < end+leftWindow {
			_, length := newPlace(p.view, p.all, i).predicate()
			end += length
		}
		if p.all[i].start <= position && position < end {
			return true
		}
	}
	return false
}

// completes reports whether the label of p is what an announcing word announces: "answer" and B in "The answer is B".
// lead is the text before word in p.prefix.
func (p place) completes(lead, word string, praise rank) bool {
	gap := p.prefix[len(lead)+len(word):]
	isEnd := p.suffixIs("clause-ends")
	if p.form == bare && praise == noClaim && !isEnd || strings.HasSuffix(word, "s") && strings.Contains(gap, "\n") {
		return false
	}
	hasOther := slices.ContainsFunc(p.all[max(0, p.i-8):p.i], func(l label) bool {
		return l.form > bare && l.start >= p.start-len(gap)
	})
	if verb := find(gap, "is-words"); verb != nil {
		before, after := gap[:verb[0]], gap[verb[0]:]
		if matches(before, "own-words") || !hasOther && matches(after, "verb") && matches(before, "relative") {
			return true
		}
	}
	return isEnd && (matches(gap, "after-but") || matches(gap, "directly") &&
		(matches(lead, "no-lead") || strings.HasSuffix(word, " to"))) ||
		p.form > bare && !hasOther && matches(gap, "announces") && p.suffixIs("clause-stops")
}

// aloneRank returns the firmness of a label that is the only content of its line or statement; noClaim if it is not.
func (p place) aloneRank() rank {
	v := p.view
	from := strings.LastIndexByte(v.lower[:p.start], '\n') + 1
	line, _, _ := strings.Cut(v.lower[p.end:], "\n")
	to := p.end + len(line)
	isLast := to >= len(strings.TrimRight(v.text, " \t\n-=\"'`|.)]}$"))
	isWord := p.innerEnd-p.innerStart > 1
	concludes := isLast && p.prefixIs("concluded") && !isConditional(p.prefix)
	corrects := p.from > from && (p.prefixIs("correcting") || isLast && isWord && p.prefixIs("lone-lead"))
	if (concludes || corrects) && p.suffixIs("ends-all") {
		return explicitClaim
	}
	if p.start-from > leftWindow || !matches(v.lower[from:p.start], "lone-lead") {
		return noClaim
	}
	if !matches(line[:min(len(line), leftWindow)], "lone-end") {
		isWhole := from == 0 && len(v.text) < 200 && strings.TrimSpace(v.text[to:]) == ""
		if isWhole && (matches(line, "opens") || v.text[p.start] == '(' && !matches(line, "other-verb")) {
			return explicitClaim
		}
		return noClaim
	}
	switch {
	case strings.Contains(line, ":"):
		return noClaim
	case p.form == formatted || isLast:
		return explicitClaim
	case p.form == marked || strings.TrimSpace(v.text[:from]) == "":
		return strongClaim
	}
	return noClaim
}
