package reading

import (
	"cmp"
	"slices"
)

// grammar describes which labels (names of answers) a reader looks for in a reply, and the words that claim them.
type grammar struct {
	labels             func(v *normalizedReply) []label            // returns all labels of a view, in order
	predicateValue     func(p labelContext) (value string, r rank) // answer by the words after a label, and its rank
	offered            []string                                    // values that count as a verdict
	announcedLabelRule string                                      // rule for labels that a word announces; see Match.Rule
	needsColon         func(word string) bool                      // a word announces a bare label only with a colon
	goalPolarity       polarity                                    // better or worse, as asked; else polarityNone
	valueFor           func(l label, side polarity) string         // answer if a label is called better or worse
	claimByScores      func(*normalizedReply, []label) claim       // the verdict that scores of both responses imply
	furtherLabelRule   string                                      // rule for further labels: "and 3" after "option 2"
}

// label is a place in a normalized reply (view) that names an answer, such as "option B" or "[[A>B]]".
type label struct {
	value                string // the answer in canonical form: "B", "A>B"; "" if the name alone decides nothing
	namedResponse        string // the response that the label names, "A" or "B"; "" for orders and ties
	start, end           int    // bounds in the view, with brackets and noun
	innerStart, innerEnd int    // bounds in the view without brackets and noun
	form                 form   // how it is written: bare, marked or formatted
	firmness             rank   // firmness as a claim without further words
}

// form classifies how a label is written.
type form int

const (
	formBare      form = iota // "C": counts only if words announce it
	formMarked                // "option C", "(C)": has a noun or brackets
	formFormatted             // in the requested format, "[[A>B]]": needs no announcement
)

// rank is the firmness with which a statement claims that a label is the answer.
type rank int

const (
	noClaim       rank = iota // the statement does not claim the label
	weakClaim                 // "Option 2 is correct": other options may be as well
	plainClaim                // a label in the requested format, among words that say nothing about it
	strongClaim               // "Option 2 is the best"
	explicitClaim             // the label is announced, in a box, or alone
)

// claim holds a label that a statement of the reply gives as the verdict, and how firmly.
type claim struct {
	label
	rank
	rule           string   // rule that found the claim; see Match.Rule
	polarity       polarity // whether the announcing words mean the better or the worse response
	statementStart int      // beginning of the statement in the view
	isAmbiguous    bool     // the statement names another label as well
}

// newLabel returns a label of a value at bytes start to end of the view.
func newLabel(value string, start, end int) label {
	return label{value: value, start: start, end: end, innerStart: start, innerEnd: end}
}

// maxLabelsToExamine limits the number of labels that a reader examines, from the end of the reply.
const maxLabelsToExamine = 200

// read returns the answer of the last statement in the reply that claims one.
func (g grammar) read(reply string) Match {
	v := normalize(reply)
	all := g.labels(v)
	all = all[max(0, len(all)-maxLabelsToExamine):]
	final := g.decide(v, all)
	if final.rank == noClaim {
		final = v.onlyFormatted(all)
	}
	if g.claimByScores != nil && final.form < formFormatted {
		scored := g.claimByScores(v, all)
		if final.rank == noClaim {
			final = scored
		}
		final.isAmbiguous = final.isAmbiguous || scored.rank > noClaim && scored.value != final.value
	}
	// A weak claim counts only if no label follows.
	isWeak := final.rank == weakClaim && final.rule == rulePredicate && g.valueFor != nil
	if final.rank == noClaim || isWeak && v.hasLaterLabel(all, final.end) {
		return Match{Outcome: None}
	}
	neighbor := g.valueFromSurroundingWords(v, all, final)
	final.value = cmp.Or(final.value, neighbor)
	f := v.result(final.rule, final.value, final.innerStart, final.innerEnd)
	switch {
	case final.isAmbiguous,
		matchesRule(textAfter(v.lower, final.innerEnd, 4*rightWindow), "retracted"),
		neighbor != "" && neighbor != final.value:
		return f.asConflict()
	case !slices.Contains(g.offered, final.value):
		f.Outcome = None
	}
	return f
}

// hasLaterLabel reports whether one of the labels stands in a later statement than the one that contains byte end-1.
func (v *normalizedReply) hasLaterLabel(all []label, end int) bool {
	_, to := v.statementBounds(end - 1)
	return all[len(all)-1].start >= to
}

// onlyFormatted returns the label in the requested format if all labels in that format are equal, unless it is
// only denied, asked or repeated from the prompt. read uses it for replies without any claim.
func (v *normalizedReply) onlyFormatted(all []label) (final claim) {
	all = slices.DeleteFunc(slices.Clone(all), func(l label) bool {
		return l.form < formFormatted
	})
	for i, l := range all {
		prefix := v.statementBefore(l.start)
		if l.value != all[0].value {
			return claim{}
		}
		if isClaimed(prefix) && !matchesRule(prefix, "repeated", "unreal", "of-others") && !isOnlyMentioned(v, all, i) {
			final = claim{label: l, rank: plainClaim, rule: ruleLabel}
		}
	}
	return final
}

// decide returns the last claim among the labels. It is ambiguous if it contradicts an earlier claim that the reply
// does not take back. If a claim has the requested format, earlier claims in other forms do not count.
func (g grammar) decide(v *normalizedReply, all []label) (final claim) {
	minForm := formBare
	for i, l := range slices.Backward(all) {
		if l.form < minForm {
			continue
		}
		c := g.claim(newLabelContext(v, all, i))
		if c.rank == noClaim {
			continue
		}
		if c.form == formFormatted {
			minForm = formFormatted
		}
		if final.rank == noClaim {
			final = c
			continue
		}
		sameStatement := c.statementStart == final.statementStart
		gap := v.gap(c.label, final.label)
		switch {
		case final.value == "" && !matchesRule(gap, "turning", "retraction"): // a name with two meanings
			final = c
			continue
		case c.value == final.value:
			switch {
			case c.rank > final.rank && final.rank == weakClaim:
				final = c
			case !sameStatement && c.rank >= final.rank:
				return final
			}
			continue
		case c.rank >= plainClaim && matchesRule(gap, "wordless"): // a contradiction side by side
		case matchesRule(gap, "retraction"), matchesRule(gap, "turning") && !matchesRule(gap, "also"):
			return final
		case c.value == "":
			continue
		case c.polarity != final.polarity && max(c.polarity, final.polarity) == polarityWorse && c.rank == explicitClaim:
		case !sameStatement && final.rank == explicitClaim,
			!sameStatement && matchesRule(v.statementBefore(final.start), "concluding"):
			return final
		case c.rank < final.rank:
			continue
		case c.rank > final.rank && final.rank == weakClaim:
			final = c
			continue
		case !sameStatement && c.rank == plainClaim && final.rank == plainClaim &&
			matchesRule(v.lower[final.end:], "clause-ends") && !(c.isListEntry(v) && final.isListEntry(v)):
			return final
		}
		final.isAmbiguous = true
		final.innerStart = c.innerStart
		return final
	}
	return final
}

// valueFromSurroundingWords returns the answer that the words around final, a label in the requested format, claim; ""
// for none: B>A for "Assistant A is worse: [[A>B]]".
func (g grammar) valueFromSurroundingWords(v *normalizedReply, all []label, final claim) (value string) {
	if g.valueFor == nil || final.form < formFormatted {
		return ""
	}
	k := max(0, slices.Index(all, final.label))
	near := slices.Clone(all[max(0, k-8):min(len(all), k+4)])
	names := slices.DeleteFunc(near, func(l label) bool { return l.form == formFormatted })
	for i := range slices.Backward(names) {
		p := newLabelContext(v, names, i)
		isBefore := p.start < final.start
		between := v.lower[min(p.end, final.end):max(p.start, final.start)]
		switch {
		case p.statementStart != final.statementStart && !(isBefore && p.statementEnd == final.statementStart):
			continue
		case matchesRule(between, "turning"):
			if isBefore {
				return ""
			}
			continue
		}
		c := g.claim(p)
		_, praise := g.predicateValue(p)
		if c.rank >= strongClaim && c.value != "" &&
			(praise > noClaim || c.polarity != polarityNone || p.namedResponse == "") &&
			(final.value != "" || final.namedResponse == p.namedResponse) {
			return c.value
		}
	}
	return ""
}

// isListEntry reports whether only a few words and a colon precede the claimed label in its statement, as in a list.
func (c claim) isListEntry(v *normalizedReply) bool {
	return matchesRule(v.statementBefore(c.start), "item-lead")
}
