package reading

import (
	"cmp"
	"slices"
)

// grammar is what one reader looks for.
type grammar struct {
	labels  func(v *view) []label                // lists all labels of a view, in order
	praise  func(p place) (value string, r rank) // returns what is said of a label, and how firmly
	offered []string
	rule    string                              // of a label that a word announces
	isWeak  func(word string) bool              // whether a word announces a bare label only with a colon
	asked   judgment                            // better or worse; unjudged where nothing is compared
	sides   func(l label, said judgment) string // the value of one of two that is said to be better or worse
	scores  func(*view, []label) (claim, bool)  // returns the claim of two scores
	more    string                              // a rule that follows a label of which more are named without a noun
}

// label is one that a reply names.
type label struct {
	value      string // in its plain form
	name       string // of one of two, which the value puts first
	start, end int    // in the view, with the brackets and the noun that belong to it
	in, out    int    // of the label itself
	form       form
	says       rank // its firmness without other words
}

// form is how a label is written.
type form int

const (
	bare     form = iota // "C": it is a label only where one is announced
	named                // "option C", "(C)"
	demanded             // as it was asked for, "[[A>B]]": it needs no announcement
)

// rank is how firmly a statement says that a label is the answer.
type rank int

const (
	nothing  rank = iota
	praised       // "Option 2 is correct": others may be as well
	plain         // a label in the form that was asked for, in words that say nothing about it
	called        // "Option 2 is the best"
	declared      // announced, in a box, or all that there is
)

// claim is what a statement says of a label.
type claim struct {
	label
	rank
	rule      string
	side      judgment // of what announces it
	statement int      // where it begins
	several   bool     // the statement names another as well
}

// lookBack bounds how many labels a reader looks at before it gives up: no reply of a model needs as many.
const lookBack = 200

// read is what the last statement that makes a claim says.
func (g grammar) read(reply string) Found {
	v := undress(reply)
	all := g.labels(v)
	all = all[max(0, len(all)-lookBack):]
	final, ok := g.decide(v, all)
	if !ok {
		final, ok = g.sole(v, all)
	}
	if g.scores != nil && final.form < demanded {
		scored, isScored := g.scores(v, all)
		final.several = final.several || ok && isScored && scored.value != final.value
		if !ok {
			final, ok = scored, isScored
		}
	}
	isFaint := final.rank == praised && final.rule == rulePredicate && g.sides != nil // it counts if nothing follows
	if !ok || isFaint && v.isFollowed(all, final.end) {
		return Found{Outcome: None}
	}
	said := g.saidBeside(v, all, final)
	final.value = cmp.Or(final.value, said)
	f := v.found(final.rule, final.value, final.in, final.out)
	switch {
	case final.several, matches(v.lower[final.out:min(len(v.lower), final.out+4*after)], "retracted"),
		said != "" && said != final.value:
		return f.conflict()
	case !slices.Contains(g.offered, final.value):
		f.Outcome = None
	}
	return f
}

// isFollowed reports whether a statement after end has one of these labels.
func (v *view) isFollowed(all []label, end int) bool {
	_, to := v.statement(end - 1)
	return all[len(all)-1].start >= to
}

// sole is the only label that a reply has in the form that was asked for, unless it is denied, asked or repeated from
// the rules: where no statement is plain, what else it may be does not count.
func (g grammar) sole(v *view, all []label) (final claim, ok bool) {
	all = slices.DeleteFunc(slices.Clone(all), func(l label) bool {
		return l.form < demanded
	})
	for i, l := range all {
		left := v.upTo(l.start)
		if l.value != all[0].value {
			return final, false
		}
		if claimed(left) && !matches(left, "repeated", "unreal", "of-others") && !offering(v, all, i) {
			final = claim{label: l, rank: plain, rule: ruleLabel}
			ok = true
		}
	}
	return final, ok
}

// decide returns the last claim, and a conflict where it stands against another that it does not take the place of.
// Where one has the form that was asked for, no other form before it counts.
func (g grammar) decide(v *view, all []label) (final claim, ok bool) {
	least := bare
	for i, l := range slices.Backward(all) {
		if l.form < least {
			continue
		}
		c := g.claim(newPlace(v, all, i))
		if c.rank == nothing {
			continue
		}
		if c.form == demanded {
			least = demanded
		}
		if !ok {
			final = c
			ok = true
			continue
		}
		together := c.statement == final.statement
		gap := v.lower[c.end:max(c.end, final.start)]
		switch {
		case final.value == "" && !matches(gap, "turning", "retraction"): // a name that may mean either, beside a plain one
			final = c
			continue
		case c.value == final.value:
			switch {
			case c.rank > final.rank && final.rank == praised:
				final = c
			case !together && c.rank >= final.rank:
				return final, true
			}
			continue
		case c.rank >= plain && matches(gap, "wordless"): // named side by side
		case matches(gap, "retraction"), matches(gap, "turning") && !matches(gap, "also"):
			return final, true
		case c.value == "":
			continue
		case c.side != final.side && max(c.side, final.side) == worse && c.rank == declared:
		case !together && final.rank == declared,
			!together && matches(v.upTo(final.start), "concluding"):
			return final, true
		case c.rank < final.rank:
			continue
		case c.rank > final.rank && final.rank == praised:
			final = c
			continue
		case !together && c.rank == plain && final.rank == plain && final.ends(v) && !(c.isItem(v) && final.isItem(v)):
			return final, true
		}
		final.several = true
		final.in = c.in
		return final, true
	}
	return final, ok
}

// saidBeside returns what the words beside a label in the form that was asked for say of the two, or nothing:
// B>A of "Assistant A is worse: [[A>B]]".
func (g grammar) saidBeside(v *view, all []label, final claim) (value string) {
	if g.sides == nil || final.form < demanded {
		return ""
	}
	k := max(0, slices.Index(all, final.label))
	near := slices.Clone(all[max(0, k-8):min(len(all), k+4)])
	names := slices.DeleteFunc(near, func(l label) bool { return l.form == demanded })
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
		if c.rank >= called && c.value != "" && (praise > nothing || c.side != unjudged || p.name == "") &&
			(final.value != "" || final.name == p.name) {
			return c.value
		}
	}
	return ""
}

// ends tells whether no more is said of a label.
func (c claim) ends(v *view) bool { return matches(v.lower[c.end:], "clause-ends") }

// isItem tells whether a few words and a colon are all that goes before a label in its statement.
func (c claim) isItem(v *view) bool { return matches(v.upTo(c.start), "item-lead") }
