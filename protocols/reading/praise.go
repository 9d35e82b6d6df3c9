package reading

import (
	"maps"
	"slices"
	"strings"
)

// judgment is what is said of a label.
type judgment int

const (
	unjudged judgment = iota
	better
	worse
	good
	chosen // which of the two was asked for
	partly // better in one respect, or on a condition
)

// saying is the meaning of a word said of a label, and its firmness.
type saying struct {
	judgment
	rank
	isVerb  bool // it needs no "is" before it
	isPlace bool // it names a place, and counts where somebody puts the label there
}

var (
	// sayings has the words that say something of the label before them.
	sayings     = sayingsOf()
	sayingWords = newLexicon(slices.Collect(maps.Keys(sayings)))
)

func sayingsOf() map[string]saying {
	of := map[string]saying{}
	put := func(kind string, said judgment, firm rank) {
		for _, word := range cuesOf(kind) {
			of[word] = saying{
				judgment: said,
				rank:     firm,
				isVerb:   strings.HasPrefix(kind, "is-"),
				isPlace:  strings.HasPrefix(kind, "placed-"),
			}
		}
	}
	put("good", good, called)
	put("better", better, called)
	put("winner", better, called)
	put("worse", worse, called)
	put("placed-better", better, called)
	put("placed-worse", worse, called)
	put("is-better", better, called)
	put("is-worse", worse, called)
	put("is-chosen", chosen, called)
	put("choose", chosen, declared)
	put("prefer", better, declared)
	put("drop", worse, declared)
	put("as-good", worse, plain)
	put("rather-better", better, praised)
	put("rather-worse", worse, praised)
	put("most", good, called)
	put("least", worse, called)
	maps.DeleteFunc(of, func(word string, s saying) bool { // "better response" begins with "better"
		first, _, isPhrase := strings.Cut(word, " ")
		return isPhrase && of[first].judgment == s.judgment && of[first].isVerb == s.isVerb
	})
	return of
}

// other replaces each byte of other labels in the text after a label.
const other = "\x00"

// masked returns the rest of the statement after a label, with the names of other labels replaced.
func (p place) masked() string {
	from := p.end
	to := from + len(p.right)
	text := p.right
	for _, l := range p.all[p.i+1 : min(len(p.all), p.i+4)] {
		if l.end > to {
			break
		}
		if l.says > nothing { // ordinary words
			continue
		}
		text = text[:l.start-p.end] + strings.Repeat(other, l.end-l.start) + text[l.end-p.end:]
	}
	return text
}

// said returns what a statement says of the label before it, and where the words that say it end, counted from the
// label.
func (p place) said() (s saying, end int) {
	right := p.masked()
	if matches(right, "outdone") {
		return s, 0
	}
	for _, m := range sayingWords.in(right) {
		gap, tail := right[:m[0]], right[m[1]:]
		word := right[m[0]:m[1]]
		s := sayings[word]
		isEnd := matches(tail, "clause-ends")
		link := find(gap, "links")
		if link == nil {
			link = find(gap, "continues")
		}
		switch {
		case s.rank == declared && !matches(gap, "would-do"), s.rank == plain && !matches(gap, "not-as"),
			s.isPlace && !strings.HasPrefix(tail, " "+other) && !(isEnd && p.before("rating")),
			strings.HasSuffix(strings.TrimRight(right, "\n \"')"), "?"):
			continue
		case s.rank == declared, s.rank == plain:
			s.rank = called
		case s.isVerb && isLetter(word[len(word)-1]) && !isEnd && !matches(tail, "verb-ends"),
			matches(tail, "denied-late"), p.before("is-asked"),
			strings.Contains(gap, ",") && matches(tail, "of-next"):
			continue
		case link != nil && (s.isVerb || !isLetter(word[0]) || link[2] >= 0 ||
			isEnd && (link[4] >= 0 || p.before("rating"))),
			matches(gap, "gives") && matches(tail, "given"):
		case isEnd && matches(gap+word, "manner") && !matches(gap, "tried"), matches(gap+word+tail, "does-so"):
			s.rank = praised
		default:
			continue
		}
		isPart := p.before("in-part") && !p.before("in-full") || matches(tail, "partial")
		switch {
		case isPart && s.judgment == better:
			s.judgment = partly
		case isPart:
			s.judgment = unjudged
		}
		return s, m[1]
	}
	return p.contrasted(), 0
}

// contrasted returns what is said of the other response when the statement denies or only supposes it of this one: "A
// isn't better. B is."
func (p place) contrasted() (s saying) {
	if p.i == 0 || !p.after("stands-for") {
		return s
	}
	before := newPlace(p.view, p.all, p.i-1)
	if before.value == p.value && before.name == p.name || before.end+len(before.right) < p.from-1 {
		return s
	}
	gap := p.view.lower[before.end:max(before.end, p.start)]
	words := sayingWords.in(gap)
	if len(words) == 0 || matches(gap, "unsure") ||
		claimed(before.left) && !matches(gap[:words[0][0]], "denied-between") {
		return s
	}
	m := words[len(words)-1]
	said := sayings[gap[m[0]:m[1]]]
	if said.rank != called || !matches(gap[m[1]:], "clause-turns") {
		return s
	}
	return said
}
