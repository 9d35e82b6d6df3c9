package reading

import (
	"cmp"
	"slices"
)

// grammar describes the labels that a reader looks for, and the words that claim them.
type grammar struct {
	labels     func(v *view) []label                // returns all labels of a view, in order
	praise     func(p place) (value string, r rank) // returns the value of a predicate about a label, and its firmness
	offered    []string
	rule       string                              // the rule of announced labels
	needsColon func(word string) bool              // reports whether a word announces a bare label only with a colon
	target     judgment                            // asked for: better or worse; noJudgment without a comparison
	valueFor   func(l label, side judgment) string // the value if a label is called better or worse
	scores     func(*view, []label) (claim, bool)  // returns the claim of two scores
	moreRule   string                              // name of the rule for further labels without a noun
}

// label holds a label found in a reply.
type label struct {
	value                string // in canonical form
	name                 string // of the response that the value puts first
	start, end           int    // in the view, with its brackets and noun
	innerStart, innerEnd int    // in the view, the label alone
	form                 form
	firmness             rank // rank without further words
}

// form classifies how a label is written.
type form int

const (
	bare      form = iota // "C": a label only if it is announced
	marked                // "option C", "(C)"
	formatted             // in the requested format, "[[A>B]]": needs no announcement
)

// rank is the firmness with which a statement claims that a label is the answer.
type rank int

const (
	noClaim       rank = iota
	weakClaim          // "Option 2 is correct": other options may be as well
	plainClaim         // a label in the requested format, among words that say nothing about it
	strongClaim        // "Option 2 is the best"
	explicitClaim      // announced, in a box, or alone
)

// claim holds a label that a statement gives as the verdict, and how firmly.
type claim struct {
	label
	rank
	rule        string
	side        judgment // of the announcement
	statement   int      // its beginning
	isAmbiguous bool     // the statement names another label as well
}

// maxLabels limits the number of labels that a reader examines, from the end of the reply.
const maxLabels = 200

// read returns the value of the last statement with a claim.
func (g grammar) read(reply string) Match {
	v := normalize(reply)
	all := g.labels(v)
	all = all[max(0, len(all)-maxLabels):]
	final, ok := g.decide(v, all)
	if !ok {
		final, ok = g.onlyFormatted(v, all)
	}
	if g.scores != nil && final.form < formatted {
		scored, isScored := g.scores(v, all)
		final.isAmbiguous = final.isAmbiguous || ok && isScored && scored.value != final.value
		if !ok {
			final, ok = scored, isScored
		}
	}
	// A weak claim counts only if no label follows.
	isWeak := final.rank == weakClaim && final.rule == rulePredicate && g.valueFor != nil
	if !ok || isWeak && v.isFollowed(all, final.end) {
		return Match{Outcome: None}
	}
	neighbor := g.neighborValue(v, all, final)
	final.value = cmp.Or(final.value, neighbor)
	f := v.result(final.rule, final.value, final.innerStart, final.innerEnd)
	switch {
	case final.isAmbiguous,
		matches(v.lower[final.innerEnd:min(len(v.lower), final.innerEnd+4*rightWindow)], "retracted"),
		neighbor != "" && neighbor != final.value:
		return f.asConflict()
	case !slices.Contains(g.offered, final.value):
		f.Outcome = None
	}
	return f
}

// isFollowed reports whether a label stands in a statement after the one that ends at end.
func (v *view) isFollowed(all []label, end int) bool {
	_, to := v.statement(end - 1)
	return all[len(all)-1].start >= to
}

// onlyFormatted returns the only label in the requested format, unless it is denied, asked or repeated from the
// prompt. It serves replies without any claim.
func (g grammar) onlyFormatted(v *view, all []label) (final claim, ok bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(l label) bool {
		return l.form < formatted
	})
	for i, l := range all {
		prefix := v.statementBefore(l.start)
		if l.value != all[0].value {
			return final, false
		}
		if isClaimed(prefix) && !matches(prefix, "repeated", "unreal", "of-others") && !isOffered(v, all, i) {
			final = claim{label: l, rank: plainClaim, rule: ruleLabel}
			ok = true
		}
	}
	return final, ok
}

// decide returns the last claim. It is ambiguous if it contradicts an earlier claim that it does not replace. If a
// claim has the requested format, earlier claims in other forms do not count.
func (g grammar) decide(v *view, all []label) (final claim, ok bool) {
	minForm := bare
	for i, l := range slices.Backward(all) {
		if l.form < minForm {
			continue
		}
		c := g.claim(newPlace(v, all, i))
		if c.rank == noClaim {
			continue
		}
		if c.form == formatted {
			minForm = formatted
		}
		if !ok {
			final = c
			ok = true
			continue
		}
		sameStatement := c.statement == final.statement
		gap := v.lower[c.end:max(c.end, final.start)]
		switch {
		case final.value == "" && !matches(gap, "turning", "retraction"): // a name with two meanings
			final = c
			continue
		case c.value == final.value:
			switch {
			case c.rank > final.rank && final.rank == weakClaim:
				final = c
			case !sameStatement && c.rank >= final.rank:
				return final, true
			}
			continue
		case c.rank >= plainClaim && matches(gap, "wordless"): // a contradiction side by side
		case matches(gap, "retraction"), matches(gap, "turning") && !matches(gap, "also"):
			return final, true
		case c.value == "":
			continue
		case c.side != final.side && max(c.side, final.side) == worse && c.rank == explicitClaim:
		case !sameStatement && final.rank == explicitClaim,
			!sameStatement && matches(v.statementBefore(final.start), "concluding"):
			return final, true
		case c.rank < final.rank:
			continue
		case c.rank > final.rank && final.rank == weakClaim:
			final = c
			continue
		case !sameStatement && c.rank == plainClaim && final.rank == plainClaim &&
			final.endsClause(v) && !(c.isItem(v) && final.isItem(v)):
			return final, true
		}
		final.isAmbiguous = true
		final.innerStart = c.innerStart
		return final, true
	}
	return final, ok
}

// neighborValue returns the value claimed by the words next to a label in the requested format, or "": B>A for
// "Assistant A is worse: [[A>B]]".
func (g grammar) neighborValue(v *view, all []label, final claim) (value string) {
	if g.valueFor == nil || final.form < formatted {
		return ""
	}
	k := max(0, slices.Index(all, final.label))
	near := slices.Clone(all[max(0, k-8):min(len(all), k+4)])
	names := slices.DeleteFunc(near, func(l label) bool { return l.form == formatted })
	for i := range slices.Backward(names) {
		p := newPlace(v, names, i)
		isBefore := p.start < final.start
		between := v.lower[min(p.end, final.end):max(p.start, final.start)]
		switch {
		case p.from != final.statement && !(isBefore && p.to == final.statement):
			continue
		case matches(between, "turning"):
			if isBefore {
				return ""
			}
			continue
		}
		c := g.claim(p)
		_, praise := g.praise(p)
		if c.rank >= strongClaim && c.value != "" && (praise > noClaim || c.side != noJudgment || p.name == "") &&
			(final.value != "" || final.name == p.name) {
			return c.value
		}
	}
	return ""
}

// endsClause reports whether the clause ends after the label.
func (c claim) endsClause(v *view) bool { return matches(v.lower[c.end:], "clause-ends") }

// isItem reports whether only a few words and a colon precede the label in its statement.
func (c claim) isItem(v *view) bool { return matches(v.statementBefore(c.start), "item-lead") }
