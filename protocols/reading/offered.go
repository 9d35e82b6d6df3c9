package reading

import (
	"slices"
	"strings"
)

// between joins two labels that are named together, with what each would say:
// `[[A>B]]" or "Assistant B is better: [[B>A]]`.
var between = compile(`^(?:\s*(?:for|if|when)\s+[^.;:\n]{1,32}?)?[\s,"';)]*(?:or|and|and/or|/|vs\.?|,|oder|und|ou|et
		|y|e|и|или|和|或|と|か|또는)?[\s"'(]*(?:else |also |even |perhaps |maybe |the |a )?[\s"'(]*(?:` +
	meaning + `)?$`)

// meaning says before a label what it stands for.
const meaning = `(?:\d[.)]\s*)?(?:(?:assistant |response )?[ab] is (?:significantly |slightly |much )?(?:better
		|worse)|(?:both|they) are [a-z ]{1,24}|(?:relatively the same, )?(?:a )?tie)\s*(?::|=>|->|→|=|,)?[\s"'(]*`

func oneOf(s string) bool {
	return len(s) <= 64 && !strings.Contains(s, "\n") && between.MatchString(s)
}

var (
	// meant ends with a meaning.
	meant = compile(`^\W*` + meaning + `$`)
	// onOffer goes right before labels that are on offer, offers somewhere before several.
	onOffer = compile(`\b(?:either|one of|choose (?:from|between|among)|(?:choices|options|labels|verdicts)(?: are|:
		| were)|possible verdicts?)[\s:"'(]*$`)
	offers = compile(`\b(?:either|one of|choose|choices?|options?|labels?|possible verdicts?|between|use|must|have to
		|need to|should|asked|required|supposed|told|instructed)\b[^.;\n]{0,80}$`)
	// repeated is a condition of the rules.
	repeated = compile(`^[\s\-*•\d.)"']*(?:if|in case|when)\s+(?:[^.;\n]*\bwould (?:be|have been)\s+|(?:the|assistant
		|response|both|neither|a|b|it|they)\b[^.;\n]*)$`)
	means   = compile(`^["'\])]*,?\s*(?:means|=)\s`)
	ifAfter = compile(`^["'\])]*[,:]?[ \t]*\(?(?:(?:if|when|means|would mean|represents|denotes|indicates|stands for
		|is for|is used)\b|=\s|wenn\b|si\b|se\b|если\b)`)
	marker = compile(`^\s*(?:\d{1,2}[.):]|\(\d\)|[-•*+])\s`)
)

// offering tells whether a label is asked, or repeated from the rules: "[[A]]" if assistant A is better, "[[C]]" for a
// tie.
func offering(v *view, all []label, i int) bool {
	l, up := all[i], v.upTo(all[i].start)
	if onOffer.MatchString(up) || hasCondition(v, l) {
		return true
	}
	if i > 0 && all[i-1].end >= l.start-len(up) && hasCondition(v, all[i-1]) &&
		!turns.MatchString(v.lower[all[i-1].end:l.start]) {
		return true
	}
	from, to := i, i // the labels that it is one of
	for from > 0 && i-from < 8 && oneOf(v.lower[all[from-1].end:max(all[from-1].end, all[from].start)]) {
		from--
	}
	for to+1 < len(all) && to-i < 8 && oneOf(v.lower[all[to].end:max(all[to].end, all[to+1].start)]) {
		to++
	}
	if v.inQuestion(all[from].start, all[to].end) {
		return true
	}
	several := slices.ContainsFunc(all[from:to+1], func(other label) bool { return other.value != l.value })
	first := v.upTo(all[from].start)
	isMeaning := meant.MatchString(first) && (to == from+1 || meant.MatchString(v.upTo(all[to].start)))
	return several && (isMeaning || offers.MatchString(first))
}

// hasCondition tells whether the label goes before its condition.
func hasCondition(v *view, l label) bool {
	next := v.lower[l.end:min(len(v.lower), l.end+40)]
	return l.form == demanded && ifAfter.MatchString(next) && !ofOneself.MatchString(next)
}

// listed tells whether a label stands in a list of the choices, an item each.
func listed(v *view, all []label, i int) bool {
	line := func(k int) (text string, number int) { // as it is in the reply, whose marks are taken off in the view
		at, _ := v.span(all[k].start, all[k].end)
		from := max(0, at-before)
		from += strings.LastIndexByte(v.reply[from:at], '\n') + 1
		return v.reply[from:at], from
	}
	mine, from := line(i)
	if !marker.MatchString(mine) {
		return false
	}
	near := []int{i - 1, i + 1, i - 2, i + 2} // two labels may have one value, A>B and A>>B
	return slices.ContainsFunc(near, func(k int) bool {
		if k < 0 || k >= len(all) || all[k].value == all[i].value {
			return false
		}
		its, at := line(k)
		return at != from && marker.MatchString(its) && strings.Count(v.reply[min(at, from):max(at, from)], "\n") <= 4
	})
}
