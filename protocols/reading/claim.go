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
	if asked != unjudged && loneTail.MatchString(p.right) {
		lone = declared
	}
	isBoxed := strings.HasSuffix(strings.TrimRight(p.left, " {$(\"'["), `\boxed`)
	if at < 0 || p.form < demanded && praise == nothing && word == "" && lone == nothing && !isBoxed {
		return c
	}
	quote := strings.LastIndexByte(p.left, '"')
	if p.form < demanded && (word == "" || at > quote) &&
		(speech.MatchString(p.left) && !endsQuote.MatchString(p.right) || attributed.MatchString(p.right)) {
		return c
	}
	if word != "" && (!claimed(p.left[:at]) || p.form < demanded && g.sides != nil && hedged.MatchString(p.left[at:])) {
		if p.form < demanded {
			return c
		}
		word = ""
	}
	if lone == nothing && conditional(p.left) ||
		praise == nothing && deniedAfter.MatchString(p.right) || p.unsaid(word != "") {
		return c
	}
	switch {
	case isBoxed:
		c.rank = declared
		c.rule = ruleBoxed
	case word != "" && (praise > nothing || !otherVerb.MatchString(p.right)):
		c.rank = declared
		c.rule = g.rule
		if word == "selection" && g.rule == ruleAnswer {
			c.rule = ruleSelection
		}
		if would.MatchString(p.left[at:]) && p.form < demanded {
			c.rank = praised
		} else if impersonal.MatchString(word) {
			c.rank = called
		}
	case lone > nothing:
		c.rank = lone
		c.rule = ruleAlone
	case p.form == demanded && !mentioned.MatchString(p.left):
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
	if word != "" && c.rank > nothing || c.rank == declared {
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
	isOthers := ofOthers.MatchString(p.left) && !unmoved.MatchString(p.left)
	if !claimed(p.left) || isOthers || unreal.MatchString(p.left) || p.view.inQuestion(p.start, p.end) ||
		conjunctive.MatchString(p.left) && hanging.MatchString(p.right) {
		return true
	}
	if p.form < demanded {
		return !isAnnounced && offering(p.view, p.all, p.i) || p.isOverruled()
	}
	peers := slices.DeleteFunc(slices.Clone(p.all), func(l label) bool { return l.form < demanded })
	k := slices.Index(peers, p.label)
	return isOther(p.left) || listed(p.view, peers, k) ||
		offering(p.view, peers, k) && !(isAnnounced && means.MatchString(p.right))
}

// isOverruled tells whether the statement of a label has one in the form that was asked for.
func (p place) isOverruled() bool {
	return slices.ContainsFunc(p.all[max(0, p.i-8):min(len(p.all), p.i+8)], func(l label) bool {
		return l.form == demanded && l.start >= p.from && l.start < p.to
	})
}

var (
	// attributed matches after a label in a quotation: somebody else said it.
	attributed = compile(`^[^"\n]*"[\s,]*⟨says said writes wrote claims claimed according⟩\b`)
	// speech matches up to a point inside a quotation within a sentence; endsQuote matches the end of that quotation.
	speech    = compile(`^(?:[^"]*"[^"]*")*[^"]*[a-z][^"]*"[^"\n]*$`)
	endsQuote = compile(`^[)\]]*"`)
	// unmoved matches words that say that another order changes nothing.
	unmoved     = compile(`\b⟨still same not\schange unchanged regardless either\sway⟩\b|n't\schange`)
	impersonal  = compile(`^to\s`)
	hedged      = compile(`\b⟨might may could perhaps maybe possibly⟩\b[^.;,]{0,20}$`)
	would       = compile(`\b(?:would|could) (?:be|have been)\b`)
	conjunctive = compile(`\b(?:would|could|might)\b`)
	// hanging follows a label that hangs on a condition.
	hanging = compile(`^["')\]}*$]*\s+(?:if|had)\b`)
	// otherVerb follows a label of which something else is said.
	otherVerb = compile(`^["')\]}:]*\s*(?:⟨is are was were cannot can't does did has have had seems would
		fails lacks gets got provides follows does being depends misses only⟩)\b`)
	// clauseEnds follows a label that ends what is said.
	clauseEnds = compile(`^\)\s|^(?:'s(?: (?:answer|response|output|solution|reply))?)?["')\]}*$.!]*\s*(?:
		$|[.,;:!?(\n|\[–—>/&-]|[^\x00-\x7f\pL]|clearly\W*$
		|⟨because since as and or but so which for with rather over instead not due by than if here given
			based on to of oder und ou et y e über von car puisque porque perché da weil denn потому⟩\b
		|⟨です である 입니다 とし だ 이다 。 因为⟩)`)
)

// beside looks for labels that are named beside the one that is announced: they make a conflict, or take its place.
func (g grammar) beside(p place, c *claim) {
	v := p.view
	if g.more != nil && g.more.MatchString(v.text[c.end:max(c.end, min(p.to, c.end+before))]) {
		c.several = true
		return
	}
	isDenied := false
	for j := p.i + 1; j < min(len(p.all), p.i+4); j++ {
		next := newPlace(v, p.all, j)
		if next.start >= p.to || next.start < c.end {
			return
		}
		gap := v.lower[c.end:next.start]
		switch {
		case !claimed(next.left) || deniedAfter.MatchString(next.right):
			isDenied = true
		case next.value == c.value || isDenied && alsoNamed.MatchString(gap):
		case corrected.MatchString(gap) && clauseEnds.MatchString(next.right):
			c.label = next.label
		case joined.MatchString(gap) && !matches(next.right, otherVerb, together) &&
			(next.form > bare || listEnds.MatchString(next.right)):
			c.several = true
		case explained.MatchString(gap):
			return
		case next.form > bare && endsAll.MatchString(next.right):
			c.several = true
		}
	}
}

var (
	joined = compile(`^["')\]}.*$\s]*(?:
		[,/;&+]|,?\s*\b(?:or|and|and/or|nor|as well as|to|oder|und|ou|et|o|y|e)\b|и|или|和|或|と|か|또는
	)\s*(?:also |even |maybe |perhaps |possibly |with |for |the )*["'(\[]*$`)
	// alsoNamed joins the next label to the one before.
	alsoNamed = compile(`(?:,|\band|\bor|&|/)\s*$`)
	// listEnds follows a label that is one of several without a noun.
	listEnds = compile(`^["')\]}*$.!]*\s*(?:$|[.,;:!?(\n&/]|and\b|or\b)`)
	// together follows other letters of which it is said that they are wrong: "C; B and D are wrong".
	together = compile(`^[)\]}"']*(?:,?\s*(?:,|and|or)\s*\(?[a-j]\)?)*\s+(?:is|are)\b`)
	// explained begins what explains the label, or is its text.
	explained = compile(`^["')\]}*]*\s*(?:[:(]|[–—-]\s|\)\s\w)
		|\b(?:because|since|as|while|whereas|although|though|which|that|if|for|with|than|que|als|dan|niż|di
			|first|initial(?:ly)?|previous(?:ly)?|earlier)\b|>`)
	corrected = compile(`^["')\]}>*$]*[\s.,;:!…—–-]+
		(?:oh|oops|hmm|no|wait|sorry|actually|correction|scratch that|or rather|i meant?|make that)\b`)
	endsAll = compile(`^["')\]}*$.!]*\s*$`)
)
