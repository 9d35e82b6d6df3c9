package reading

import (
	"cmp"
	"slices"
	"strings"
)

// labelContext holds a label found in a normalized reply, with the text around it.
type labelContext struct {
	label
	view                         *normalizedReply
	allLabels                    []label // all labels of the view
	i                            int     // index of the label in all
	statementStart, statementEnd int     // bounds of the label's statement (sentence) in the view
	textBefore, textAfter        string  // text of that statement before and after the label, in lower case
}

// newLabelContext returns label i of all, the labels of v, with the text around it.
func newLabelContext(v *normalizedReply, all []label, i int) labelContext {
	p := labelContext{label: all[i], view: v, allLabels: all, i: i}
	p.statementStart, p.statementEnd = v.statementBounds(p.start)
	p.textBefore = v.statementBefore(p.start)
	p.textAfter = v.lower[p.end:max(p.end, min(p.statementEnd, p.end+rightWindow))]
	return p
}

// claim returns how firmly the statement around p gives its label as the verdict, and by which rule; with
// rank noClaim if it does not.
func (g grammar) claim(p labelContext) claim {
	c := claim{label: p.label, statementStart: p.statementStart}
	value, praise := g.predicateValue(p)
	word, side, start := g.findAnnouncement(p, praise)
	alone := p.aloneRank()
	answerSide := p.questionPolarity(g.goalPolarity)
	if answerSide != polarityNone && p.suffixMatches("lone-tail") {
		alone = explicitClaim
	}
	isBoxed := strings.HasSuffix(strings.TrimRight(p.textBefore, " {$(\"'["), `\boxed`)
	if start < 0 || p.form < formFormatted && praise == noClaim && word == "" && alone == noClaim && !isBoxed {
		return c
	}
	if p.form < formFormatted && word == "" &&
		(p.prefixMatches("speech") && !p.suffixMatches("ends-quote") || p.suffixMatches("attributed")) {
		return c
	}
	if word != "" && (!isClaimed(p.textBefore[:start]) ||
		p.form < formFormatted && g.valueFor != nil && matchesRule(p.textBefore[start:], "hedged")) {
		word = ""
	}
	if isConditional(p.textBefore) ||
		praise == noClaim && p.suffixMatches("denied-after") || p.isDisclaimed(word != "") {
		return c
	}
	switch {
	case isBoxed:
		c.rank = explicitClaim
		c.rule = ruleBoxed
	case word != "" && (praise > noClaim || !p.suffixMatches("other-verb")):
		c.rank = explicitClaim
		c.rule = g.announcedLabelRule
		if word == "selection" && g.announcedLabelRule == ruleAnswer {
			c.rule = ruleSelection
		}
		if matchesRule(p.textBefore[start:], "would") {
			c.rank = weakClaim
		} else if matchesRule(word, "impersonal") {
			c.rank = strongClaim
		}
	case alone > noClaim:
		c.rank = alone
		c.rule = ruleAlone
	case p.form == formFormatted && !p.prefixMatches("mentioned"):
		c.rank = plainClaim
	}
	if p.form == formFormatted {
		c.rule = ruleLabel
		return c
	}
	c.polarity = side
	if side == polarityNone && praise == noClaim && p.namedResponse != "" && alone > noClaim {
		c.polarity = answerSide
	}
	switch {
	case c.polarity != polarityNone && g.valueFor != nil:
		c.value = cmp.Or(g.valueFor(p.label, c.polarity), c.value)
		c.isAmbiguous = praise > noClaim && value != c.value
	case praise > noClaim:
		c.value = value
		c.rank = max(praise, c.rank)
		c.rule = cmp.Or(c.rule, rulePredicate)
		if g.valueFor != nil && value == g.valueFor(p.label, polarityWorse) {
			c.polarity = polarityWorse
		}
	}
	if word != "" || c.rank == explicitClaim {
		g.checkNeighbors(p, &c)
	}
	return c
}

// questionPolarity returns whether a name answers a question for the better or the worse response: "Which is worse? A."
// At the beginning of a reply that is the question of the prompt, target. It is polarityNone if no question precedes.
func (p labelContext) questionPolarity(target polarity) polarity {
	v := p.view
	before := strings.TrimRight(v.lower[:p.start], " \n\"'([{")
	if before == "" && v.text[p.end-1] != ']' {
		return target
	}
	if !strings.HasSuffix(before, "?") {
		return polarityNone
	}
	from, _ := v.statementBounds(len(before) - 1)
	for _, m := range answerOrSideWords.findAll(before[from:]) {
		if side := phrasePolarity(before[from:from+m[1]], m[0]); side != polarityNone {
			return side
		}
	}
	return polarityNone
}

// isDisclaimed reports whether a label is denied, doubted, quoted, asked or offered, so that the reply does not
// claim it.
func (p labelContext) isDisclaimed(isAnnounced bool) bool {
	isForeign := p.prefixMatches("of-others") && !p.prefixMatches("unmoved")
	if !isClaimed(p.textBefore) || isForeign || p.prefixMatches("unreal") || p.view.inQuestion(p.start, p.end) ||
		p.prefixMatches("conjunctive") && p.suffixMatches("hanging") {
		return true
	}
	if p.form < formFormatted {
		return !isAnnounced && isOnlyMentioned(p.view, p.allLabels, p.i) || p.isOverruledByFormattedLabel()
	}
	peers := slices.DeleteFunc(slices.Clone(p.allLabels), func(l label) bool { return l.form < formFormatted })
	k := slices.Index(peers, p.label)
	return isOtherKey(p.textBefore) || isListItem(p.view, peers, k) ||
		isOnlyMentioned(p.view, peers, k) && !(isAnnounced && p.suffixMatches("means"))
}

// isOverruledByFormattedLabel reports whether the statement also has a label in the requested format, which counts
// instead.
func (p labelContext) isOverruledByFormattedLabel() bool {
	return slices.ContainsFunc(p.allLabels[max(0, p.i-8):min(len(p.allLabels), p.i+8)], func(l label) bool {
		return l.form == formFormatted && l.start >= p.statementStart && l.start < p.statementEnd
	})
}

// checkNeighbors looks at the labels after the one that c claims. They may make the claim ambiguous ("A or B") or
// replace its label ("A, no, B").
func (g grammar) checkNeighbors(p labelContext, c *claim) {
	v := p.view
	if matchesRule(v.text[c.end:max(c.end, min(p.statementEnd, c.end+leftWindow))], g.furtherLabelRule) {
		c.isAmbiguous = true
		return
	}
	isDenied := false
	for j := p.i + 1; j < min(len(p.allLabels), p.i+4); j++ {
		next := newLabelContext(v, p.allLabels, j)
		if next.start >= p.statementEnd {
			return
		}
		gap := v.lower[c.end:next.start]
		switch {
		case !isClaimed(next.textBefore) || matchesRule(next.textAfter, "denied-after"):
			isDenied = true
		case next.value == c.value || isDenied && matchesRule(gap, "also-named"):
		case matchesRule(gap, "corrected") && matchesRule(next.textAfter, "clause-ends"):
			c.label = next.label
		case matchesRule(gap, "joined") && !matchesRule(next.textAfter, "other-verb", "together") &&
			(next.form > formBare || matchesRule(next.textAfter, "list-ends")):
			c.isAmbiguous = true
		case matchesRule(gap, "explained"):
			return
		case next.form > formBare && matchesRule(next.textAfter, "ends-all"):
			c.isAmbiguous = true
		}
	}
}
