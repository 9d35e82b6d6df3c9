package reading

import (
	"cmp"
	"slices"
	"strings"
)

// place is where a label stands.
type place struct {
	label
	view        *view
	all         []label // of the view
	i           int     // which of them it is
	from, to    int     // its statement
	left, right string  // what the statement has before it and after it, in small letters
}

func newPlace(v *view, all []label, i int) place {
	p := place{label: all[i], view: v, all: all, i: i}
	p.from, p.to = v.statement(p.start)
	p.left = v.lower[max(p.from, p.start-before):p.start]
	p.right = v.lower[p.end:max(p.end, min(p.to, p.end+after))]
	return p
}

// claim is what is said of a label.
func (g grammar) claim(p place) claim {
	c := claim{label: p.label, statement: p.from}
	value, praise := g.praise(p)
	word, side, at := g.announced(p, praise)
	lone := p.alone()
	asked := p.answered(g.asked)
	if asked != unjudged && p.after("lone-tail") {
		lone = declared
	}
	isBoxed := strings.HasSuffix(strings.TrimRight(p.left, " {$(\"'["), `\boxed`)
	if at < 0 || p.form < demanded && praise == nothing && word == "" && lone == nothing && !isBoxed {
		return c
	}
	if p.form < demanded && word == "" && (p.before("speech") && !p.after("ends-quote") || p.after("attributed")) {
		return c
	}
	if word != "" && (!claimed(p.left[:at]) || p.form < demanded && g.sides != nil && matches(p.left[at:], "hedged")) {
		word = ""
	}
	if conditional(p.left) ||
		praise == nothing && p.after("denied-after") || p.unsaid(word != "") {
		return c
	}
	switch {
	case isBoxed:
		c.rank = declared
		c.rule = ruleBoxed
	case word != "" && (praise > nothing || !p.after("other-verb")):
		c.rank = declared
		c.rule = g.rule
		if word == "selection" && g.rule == ruleAnswer {
			c.rule = ruleSelection
		}
		if matches(p.left[at:], "would") {
			c.rank = praised
		} else if matches(word, "impersonal") {
			c.rank = called
		}
	case lone > nothing:
		c.rank = lone
		c.rule = ruleAlone
	case p.form == demanded && !p.before("mentioned"):
		c.rank = plain
	}
	if p.form == demanded {
		c.rule = ruleLabel
		return c
	}
	c.side = side
	if side == unjudged && praise == nothing && p.name != "" && lone > nothing {
		c.side = asked
	}
	switch {
	case c.side != unjudged && g.sides != nil:
		c.value = cmp.Or(g.sides(p.label, c.side), c.value)
		c.several = praise > nothing && value != c.value
	case praise > nothing:
		c.value = value
		c.rank = max(praise, c.rank)
		c.rule = cmp.Or(c.rule, rulePredicate)
		if g.sides != nil && value == g.sides(p.label, worse) {
			c.side = worse
		}
	}
	if word != "" || c.rank == declared {
		g.beside(p, &c)
	}
	return c
}

// answered returns what a bare name means as the answer to the question before it; at the beginning of a reply, to the
// question that the judge was asked.
func (p place) answered(asked judgment) judgment {
	v := p.view
	before := strings.TrimRight(v.lower[:p.start], " \n\"'([{")
	if before == "" && v.text[p.end-1] != ']' {
		return asked
	}
	if !strings.HasSuffix(before, "?") {
		return unjudged
	}
	from, _ := v.statement(len(before) - 1)
	for _, m := range sidedWords.in(before[from:]) {
		if side := sideOf(before[from:from+m[1]], m[0]); side != unjudged {
			return side
		}
	}
	return unjudged
}

// unsaid tells whether a label is denied, doubted, quoted, asked or offered, and not said by the reply itself.
func (p place) unsaid(isAnnounced bool) bool {
	isOthers := p.before("of-others") && !p.before("unmoved")
	if !claimed(p.left) || isOthers || p.before("unreal") || p.view.inQuestion(p.start, p.end) ||
		p.before("conjunctive") && p.after("hanging") {
		return true
	}
	if p.form < demanded {
		return !isAnnounced && offering(p.view, p.all, p.i) || p.isOverruled()
	}
	peers := slices.DeleteFunc(slices.Clone(p.all), func(l label) bool { return l.form < demanded })
	k := slices.Index(peers, p.label)
	return isOther(p.left) || listed(p.view, peers, k) ||
		offering(p.view, peers, k) && !(isAnnounced && p.after("means"))
}

// isOverruled tells whether the statement of a label has one in the form that was asked for.
func (p place) isOverruled() bool {
	return slices.ContainsFunc(p.all[max(0, p.i-8):min(len(p.all), p.i+8)], func(l label) bool {
		return l.form == demanded && l.start >= p.from && l.start < p.to
	})
}

// beside looks for labels that are named beside the one that is announced: they make a conflict, or take its place.
func (g grammar) beside(p place, c *claim) {
	v := p.view
	if matches(v.text[c.end:max(c.end, min(p.to, c.end+before))], g.more) {
		c.several = true
		return
	}
	isDenied := false
	for j := p.i + 1; j < min(len(p.all), p.i+4); j++ {
		next := newPlace(v, p.all, j)
		if next.start >= p.to {
			return
		}
		gap := v.lower[c.end:next.start]
		switch {
		case !claimed(next.left) || matches(next.right, "denied-after"):
			isDenied = true
		case next.value == c.value || isDenied && matches(gap, "also-named"):
		case matches(gap, "corrected") && matches(next.right, "clause-ends"):
			c.label = next.label
		case matches(gap, "joined") && !matches(next.right, "other-verb", "together") &&
			(next.form > bare || matches(next.right, "list-ends")):
			c.several = true
		case matches(gap, "explained"):
			return
		case next.form > bare && matches(next.right, "ends-all"):
			c.several = true
		}
	}
}
