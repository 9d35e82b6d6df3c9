package reading

import (
	"maps"
	"slices"
	"strings"
)

// judgment classifies what a statement says of the answer that a label names.
type judgment int

const (
	noJudgment judgment = iota // nothing
	better
	worse
	good
	pick         // the answer that the prompt asked for
	partlyBetter // better in one respect, or under a condition
)

// predicate holds what a word says of the label before it, and how firmly: "wins", "is better".
type predicate struct {
	judgment
	rank
	isVerb  bool // counts without "is" before it
	isPlace bool // names a rank, such as "first": counts only if the reply puts the label there
}

var (
	// predicates maps words and phrases to what they say of the label before them; predicateWords finds them in a text.
	predicates     = readPredicates()
	predicateWords = newLexicon(slices.Collect(maps.Keys(predicates)))
)

// readPredicates makes predicates from the words of cues.txt.
func readPredicates() map[string]predicate {
	table := map[string]predicate{}
	put := func(side judgment, firm rank, kinds ...string) {
		for _, kind := range kinds {
			for _, word := range cuesOf(kind) {
				table[word] = predicate{
					judgment: side,
					rank:     firm,
					isVerb:   strings.HasPrefix(kind, "is-"),
					isPlace:  strings.HasPrefix(kind, "placed-"),
				}
			}
		}
	}
	put(good, strongClaim, "good")
	put(better, strongClaim, "better", "winner", "placed-better", "is-better")
	put(worse, strongClaim, "worse", "placed-worse", "is-worse")
	put(pick, strongClaim, "is-chosen")
	put(pick, explicitClaim, "choose")
	put(better, explicitClaim, "prefer")
	put(worse, explicitClaim, "drop")
	put(worse, plainClaim, "as-good")
	put(better, weakClaim, "rather-better")
	put(worse, weakClaim, "rather-worse")
	put(good, strongClaim, "most")
	put(worse, strongClaim, "least")
	maps.DeleteFunc(table, func(word string, s predicate) bool { // redundant: "better response" begins with "better"
		first, _, isPhrase := strings.Cut(word, " ")
		return isPhrase && table[first].judgment == s.judgment && table[first].isVerb == s.isVerb
	})
	return table
}

// other replaces each byte of other labels' names in the text after a label, so that rules can match them.
const other = "\x00"

// maskedSuffix returns the rest of the statement after the label, in which the bytes of later
// labels are replaced by other.
func (p place) maskedSuffix() string {
	from := p.end
	to := from + len(p.suffix)
	text := p.suffix
	for _, l := range p.all[p.i+1 : min(len(p.all), p.i+4)] {
		if l.end > to {
			break
		}
		if l.firmness > noClaim { // ordinary words
			continue
		}
		text = text[:l.start-p.end] + strings.Repeat(other, l.end-l.start) + text[l.end-p.end:]
	}
	return text
}

// predicate returns what the words after the label of p say of it, and where these words end, in
// bytes from the label's end.
func (p place) predicate() (s predicate, end int) {
	right := p.maskedSuffix()
	if matches(right, "outdone") {
		return s, 0
	}
	for _, m := range predicateWords.findAll(right) {
		gap, tail := right[:m[0]], right[m[1]:]
		word := right[m[0]:m[1]]
		s := predicates[word]
		isEnd := matches(tail, "clause-ends")
		link := find(gap, "links")
		if link == nil {
			link = find(gap, "continues")
		}
		switch {
		case s.rank == explicitClaim && !matches(gap, "would-do"), s.rank == plainClaim && !matches(gap, "not-as"),
			s.isPlace && !strings.HasPrefix(tail, " "+other) && !(isEnd && p.prefixIs("rating")),
			strings.HasSuffix(strings.TrimRight(right, "\n \"')"), "?"):
			continue
		case s.rank == explicitClaim, s.rank == plainClaim:
			s.rank = strongClaim
		case s.isVerb && IsLetter(word[len(word)-1]) && !isEnd && !matches(tail, "verb-ends"),
			matches(tail, "denied-late"), p.prefixIs("is-asked"),
			strings.Contains(gap, ",") && matches(tail, "of-next"):
			continue
		case link != nil && (s.isVerb || !IsLetter(word[0]) || link[2] >= 0 ||
			isEnd && (link[4] >= 0 || p.prefixIs("rating"))),
			matches(gap, "gives") && matches(tail, "given"):
		case isEnd && matches(gap+word, "manner") && !matches(gap, "tried"), matches(gap+word+tail, "does-so"):
			s.rank = weakClaim
		default:
			continue
		}
		isPart := p.prefixIs("in-part") && !p.prefixIs("in-full") || matches(tail, "partial")
		switch {
		case isPart && s.judgment == better:
			s.judgment = partlyBetter
		case isPart:
			s.judgment = noJudgment
		}
		return s, m[1]
	}
	return p.contrastPredicate(), 0
}

// contrastPredicate returns the predicate that the reply denies, or only supposes, of the previous label and affirms of
// the label of p: "A isn't better. B is."
func (p place) contrastPredicate() (s predicate) {
	if p.i == 0 || !p.suffixIs("stands-for") {
		return s
	}
	previous := newPlace(p.view, p.all, p.i-1)
	if previous.value == p.value && previous.name == p.name || previous.end+len(previous.suffix) < p.from-1 {
		return s
	}
	gap := p.view.gap(previous.label, p.label)
	words := predicateWords.findAll(gap)
	if len(words) == 0 || matches(gap, "unsure") ||
		isClaimed(previous.prefix) && !matches(gap[:words[0][0]], "denied-between") {
		return s
	}
	m := words[len(words)-1]
	last := predicates[gap[m[0]:m[1]]]
	if last.rank != strongClaim || !matches(gap[m[1]:], "clause-turns") {
		return s
	}
	return last
}
