package reading

import (
	"slices"
	"strings"
)

// announced returns the word that says that a label is the answer, whether that is of the better or of the worse, and
// where it begins in what stands before the label: −1 where the word is of another answer.
func (g grammar) announced(p place, praise rank) (word string, side judgment, at int) {
	if p.says == called {
		return "", unjudged, 0
	}
	words := sidedWords
	if g.asked == unjudged {
		words = answerWords
	}
	found := words.in(p.left)
	slices.Reverse(found)
	for _, m := range found[:min(len(found), 3)] {
		lead, word := p.left[:m[0]], p.left[m[0]:m[1]]
		gap := p.left[m[1]:]
		side := sideOf(p.left[:m[1]], m[0])
		switch {
		case p.names(m[0], side):
			continue
		case matches(lead, "another"):
			return "", unjudged, -1
		case matches(lead, "not-it"),
			matches(word, "thing") && !matches(lead, "adjective") && sideOf(lead, len(lead)) == unjudged,
			p.name != "" && side == unjudged && p.in < p.start+2 && matches(p.left[max(0, m[0]-8):], "own-answer"),
			g.isWeak != nil && g.isWeak(word) && p.form == bare && !strings.ContainsAny(gap, ":\n"),
			!p.follows(lead, word, praise):
			continue
		case g.opposes(side), matches(lead, "aspect-before"), matches(gap, "aspect-after"):
			return "", unjudged, -1
		}
		return word, side, m[0]
	}
	if p.after("clause-ends") {
		if m := find(p.left, "chooses"); m != nil {
			switch {
			case m[6] >= 0:
				side = worse
			case m[4] >= 0, m[8] >= 0, p.after("ranked"):
				side = better
			case m[2] >= 0:
				side = g.asked
			}
			isPart := p.after("aspect-after") ||
				matches(p.left[:m[0]], "for-part") && !p.before("in-full")
			if isPart || g.opposes(side) {
				return "", unjudged, -1
			}
			return p.left[m[0]:], side, m[0]
		}
	}
	return "", unjudged, 0
}

// opposes reports whether a word about a label says the opposite of what was asked for, so that it names another label.
func (g grammar) opposes(side judgment) bool {
	return g.sides == nil && side != unjudged && (side == worse) != (g.asked == worse)
}

// names tells whether a place in what stands before a label belongs to another label; of a word for the better or the
// worse also whether it is a part of what is said of one: "A is worse: B".
func (p place) names(at int, side judgment) bool {
	at += p.start - len(p.left)
	for i := max(0, p.i-8); i < p.i; i++ {
		end := p.all[i].end
		if side != unjudged && end <= at && at < end+before {
			_, said := newPlace(p.view, p.all, i).said()
			end += said
		}
		if p.all[i].start <= at && at < end {
			return true
		}
	}
	return false
}

// follows tells whether a label is what the word says that stands after the lead.
func (p place) follows(lead, word string, praise rank) bool {
	gap := p.left[len(lead)+len(word):]
	isEnd := p.after("clause-ends")
	if p.form == bare && praise == nothing && !isEnd || strings.HasSuffix(word, "s") && strings.Contains(gap, "\n") {
		return false
	}
	hasOther := slices.ContainsFunc(p.all[max(0, p.i-8):p.i], func(l label) bool {
		return l.form > bare && l.start >= p.start-len(gap)
	})
	if is := find(gap, "is-words"); is != nil {
		before, after := gap[:is[0]], gap[is[0]:]
		if matches(before, "own-words") || !hasOther && matches(after, "verb") && matches(before, "relative") {
			return true
		}
	}
	return isEnd && (matches(gap, "after-but") || matches(gap, "directly") &&
		(matches(lead, "no-lead") || strings.HasSuffix(word, " to"))) ||
		p.form > bare && !hasOther && matches(gap, "announces") && p.after("clause-stops")
}

// alone tells how firmly a label stands that is all there is on a line, or in a statement.
func (p place) alone() rank {
	v := p.view
	from := strings.LastIndexByte(v.lower[:p.start], '\n') + 1
	line, _, _ := strings.Cut(v.lower[p.end:], "\n")
	to := p.end + len(line)
	isLast := to >= len(strings.TrimRight(v.text, " \t\n-=\"'`|.)]}$"))
	isWord := p.out-p.in > 1
	concludes := isLast && p.before("concluded") && !conditional(p.left)
	corrects := p.from > from && (p.before("correcting") || isLast && isWord && p.before("lone-lead"))
	if (concludes || corrects) && p.after("ends-all") {
		return declared
	}
	if p.start-from > before || !matches(v.lower[from:p.start], "lone-lead") {
		return nothing
	}
	if !matches(line[:min(len(line), before)], "lone-end") {
		isWhole := from == 0 && len(v.text) < 200 && strings.TrimSpace(v.text[to:]) == ""
		if isWhole && (matches(line, "opens") || v.text[p.start] == '(' && !matches(line, "other-verb")) {
			return declared
		}
		return nothing
	}
	switch {
	case strings.Contains(line, ":"):
		return nothing
	case p.form == demanded || isLast:
		return declared
	case p.form == named || strings.TrimSpace(v.text[:from]) == "":
		return called
	}
	return nothing
}
