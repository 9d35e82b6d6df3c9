package reading

import (
	"maps"
	"slices"
	"strings"
)

// polarity classifies what a statement says of the answer that a label names.
type polarity int

const (
	polarityNone polarity = iota // nothing
	polarityBetter
	polarityWorse
	polarityGood
	polarityPick         // the answer that the prompt asked for
	polarityPartlyBetter // better in one respect, or under a condition
)

// predicate holds what a word says of the label before it, and how firmly: "wins", "is better".
type predicate struct {
	polarity
	rank
	isVerb    bool // counts without "is" before it
	namesRank bool // names a rank, such as "first": counts only if the reply puts the label there
}

var (
	// predicates maps words and phrases to what they say of the label before them; predicateWords finds them in a text.
	predicates     = loadPredicates()
	predicateWords = newLexicon(slices.Collect(maps.Keys(predicates)))
)

// loadPredicates makes predicates from the words of cues.txt.
func loadPredicates() map[string]predicate {
	table := map[string]predicate{}
	put := func(side polarity, firm rank, kinds string) {
		for kind := range strings.FieldsSeq(kinds) {
			for _, word := range cuesOf(kind) {
				table[word] = predicate{
					polarity:  side,
					rank:      firm,
					isVerb:    strings.HasPrefix(kind, "is-"),
					namesRank: strings.HasPrefix(kind, "placed-"),
				}
			}
		}
	}
	put(polarityGood, strongClaim, "good")
	put(polarityBetter, strongClaim, "better winner placed-better is-better")
	put(polarityWorse, strongClaim, "worse placed-worse is-worse")
	put(polarityPick, strongClaim, "is-chosen")
	put(polarityPick, explicitClaim, "choose")
	put(polarityBetter, explicitClaim, "prefer")
	put(polarityWorse, explicitClaim, "drop")
	put(polarityWorse, plainClaim, "as-good")
	put(polarityBetter, weakClaim, "rather-better")
	put(polarityWorse, weakClaim, "rather-worse")
	put(polarityGood, strongClaim, "most")
	put(polarityWorse, strongClaim, "least")
	maps.DeleteFunc(table, func(word string, s predicate) bool { // redundant: "better response" begins with "better"
		first, _, isPhrase := strings.Cut(word, " ")
		return isPhrase && table[first].polarity == s.polarity && table[first].isVerb == s.isVerb
	})
	return table
}

// maskByte replaces each byte of other labels' names in the text after a label, so that rules can match them.
const maskByte = "\x00"

// maskedSuffix returns the rest of the statement after the label, in which the bytes of later
// labels are replaced by other.
func (p labelContext) maskedSuffix() string {
	from := p.end
	to := from + len(p.textAfter)
	text := p.textAfter
	for _, l := range p.allLabels[p.i+1 : min(len(p.allLabels), p.i+4)] {
		if l.end > to {
			break
		}
		if l.firmness > noClaim { // ordinary words
			continue
		}
		text = text[:l.start-p.end] + strings.Repeat(maskByte, l.end-l.start) + text[l.end-p.end:]
	}
	return text
}

// predicate returns what the words after the label of p say of it, and where these words end, in
// bytes from the label's end.
func (p labelContext) predicate() (s predicate, end int) {
	right := p.maskedSuffix()
	if matchesRule(right, "outdone") {
		return s, 0
	}
	for _, m := range predicateWords.findAll(right) {
		gap, tail := right[:m[0]], right[m[1]:]
		word := right[m[0]:m[1]]
		s := predicates[word]
		isEnd := matchesRule(tail, "clause-ends")
		link := findRuleMatch(gap, "links")
		if link == nil {
			link = findRuleMatch(gap, "continues")
		}
		switch {
		case s.rank == explicitClaim && !matchesRule(gap, "would-do"), s.rank == plainClaim && !matchesRule(gap, "not-as"),
			s.namesRank && !strings.HasPrefix(tail, " "+maskByte) && !(isEnd && p.prefixMatches("rating")),
			strings.HasSuffix(strings.TrimRight(right, "\n \"')"), "?"):
			continue
		case s.rank == explicitClaim, s.rank == plainClaim:
			s.rank = strongClaim
		case s.isVerb && IsLetter(word[len(word)-1]) && !isEnd && !matchesRule(tail, "verb-ends"),
			matchesRule(tail, "denied-late"), p.prefixMatches("is-asked"),
			strings.Contains(gap, ",") && matchesRule(tail, "of-next"):
			continue
		case link != nil && (s.isVerb || !IsLetter(word[0]) || link[2] >= 0 ||
			isEnd && (link[4] >= 0 || p.prefixMatches("rating"))),
			matchesRule(gap, "gives") && matchesRule(tail, "given"):
		case isEnd && matchesRule(gap+word, "manner") && !matchesRule(gap, "tried"), matchesRule(gap+word+tail, "does-so"):
			s.rank = weakClaim
		default:
			continue
		}
		isPart := p.prefixMatches("in-part") && !p.prefixMatches("in-full") || matchesRule(tail, "partial")
		switch {
		case isPart && s.polarity == polarityBetter:
			s.polarity = polarityPartlyBetter
		case isPart:
			s.polarity = polarityNone
		}
		return s, m[1]
	}
	return p.predicateByContrast(), 0
}

// predicateByContrast returns the predicate that the reply denies, or only supposes, of the previous label and affirms
// of the label of p: "A isn't better. B is."
func (p labelContext) predicateByContrast() (s predicate) {
	if p.i == 0 || !p.suffixMatches("stands-for") {
		return s
	}
	previous := newLabelContext(p.view, p.allLabels, p.i-1)
	if previous.value == p.value && previous.namedResponse == p.namedResponse ||
		previous.end+len(previous.textAfter) < p.statementStart-1 {
		return s
	}
	gap := p.view.gap(previous.label, p.label)
	words := predicateWords.findAll(gap)
	if len(words) == 0 || matchesRule(gap, "unsure") ||
		isClaimed(previous.textBefore) && !matchesRule(gap[:words[0][0]], "denied-between") {
		return s
	}
	m := words[len(words)-1]
	last := predicates[gap[m[0]:m[1]]]
	if last.rank != strongClaim || !matchesRule(gap[m[1]:], "clause-turns") {
		return s
	}
	return last
}
