package reading

import (
	"regexp"
	"slices"
	"strings"
)

// between joins two labels that are named together, with what each would say: `[[A>B]]" or "Assistant B is better: [[B>A]]`.
var between = regexp.MustCompile(`^(?:\s*(?:for|if|when)\s+[^.;:\n]{1,32}?)?[\s,"';)]*(?:or|and|and/or|/|vs\.?|,)?[\s"'(]*(?:else |also |even |perhaps |maybe |the |a )?[\s"'(]*(?:` + meaning + `)?$`)

// meaning says before a label what it stands for.
const meaning = `(?:\d[.)]\s*)?(?:(?:assistant |response )?[ab] is (?:significantly |slightly |much )?(?:better|worse)|(?:both|they) are [a-z ]{1,24}|(?:relatively the same, )?(?:a )?tie)\s*(?::|=>|->|→|=|,)?[\s"'(]*`

func oneOf(s string) bool {
	return len(s) <= 64 && !strings.Contains(s, "\n") && between.MatchString(s)
}

// meant ends with a meaning.
var meant = regexp.MustCompile(`^\W*` + meaning + `$`)

var (
	// onOffer goes right before labels that are on offer, choosing somewhere before several.
	onOffer  = regexp.MustCompile(`\b(?:either|one of|choose (?:from|between|among)|(?:choices|options|labels|verdicts)(?: are|:)|possible verdicts?)[\s:"'(]*$`)
	choosing = regexp.MustCompile(`\b(?:either|one of|choose|choices?|options?|labels?|possible verdicts?|between|use|must|have to|need to|asked|required|supposed|told|instructed)\b[^.;\n]{0,80}$`)
	// ifBefore begins what hangs on a condition, of which repeated are those of the rules.
	ifBefore  = regexp.MustCompile(`^[\s\-*•\d.)"']*(?:if|in case|when\s+(?:the|assistant|response|both|neither|a|b|it|they))\b`)
	repeated  = regexp.MustCompile(`^[\s\-*•\d.)"']*(?:if|in case|when)\s+(?:[^.;\n]*\bwould (?:be|have been)\s+|(?:the|assistant|response|both|neither|a|b|it|they)\b[^.;\n]*)$`)
	ifAfter   = regexp.MustCompile(`^["'\])]*[,:]?[ \t]*\(?(?:(?:if|when|means|would mean|represents|denotes|indicates|stands for|is for|is used)\b|=\s)`)
	ofOneself = regexp.MustCompile(`^\W*(?:if|when)\s+(?:you|i|we|one|all|everything|\w+(?:ing|ed))\b`)
)

// offering tells whether a label is asked, or repeated from the rules: "[[A]]" if assistant A is better, "[[C]]" for a tie.
func offering(v *view, all []bracketed, i int) bool {
	b, up := all[i], v.upTo(all[i].start)
	if onOffer.MatchString(up) || hasCondition(v, b) || i > 0 && all[i-1].end >= b.start-len(up) && hasCondition(v, all[i-1]) {
		return true
	}
	from, to := i, i // the labels that it is one of
	for from > 0 && i-from < 8 && oneOf(v.lower[all[from-1].end:all[from].start]) {
		from--
	}
	for to+1 < len(all) && to-i < 8 && oneOf(v.lower[all[to].end:all[to+1].start]) {
		to++
	}
	if v.inQuestion(all[from].start, all[to].end) {
		return true
	}
	several := slices.ContainsFunc(all[from:to+1], func(other bracketed) bool { return other.value != b.value })
	first := v.upTo(all[from].start)
	return several && (choosing.MatchString(first) || meant.MatchString(first) && (to == from+1 || meant.MatchString(v.upTo(all[to].start))))
}

// conditional tells whether what stands before a label is a condition of it, and no circumstance of a statement: "When it
// comes to accuracy, A wins".
func conditional(up string) bool {
	return ifBefore.MatchString(up) && !turns.MatchString(up) && !circumstance.MatchString(up)
}

var circumstance = regexp.MustCompile(`,\s+(?:then\s+|only\s+)?(?:the\s+)?(?:assistant\s+|response\s+)?[ab]\s+[^,]{3,}$|^\W*when it comes to\b`)

// hasCondition tells whether the label goes before its condition.
func hasCondition(v *view, b bracketed) bool {
	next := v.lower[b.end:min(len(v.lower), b.end+24)]
	return ifAfter.MatchString(next) && !ofOneself.MatchString(next)
}

var marker = regexp.MustCompile(`^\s*(?:\d{1,2}[.):]|\(\d\)|[-•*+])\s`)

// listed tells whether a label stands in a list of the choices, an item each.
func listed(v *view, all []bracketed, i int) bool {
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
	for _, k := range []int{i - 1, i + 1, i - 2, i + 2} { // two labels may have one value, A>B and A>>B
		if k < 0 || k >= len(all) || all[k].value == all[i].value {
			continue
		}
		if its, at := line(k); marker.MatchString(its) && at != from && strings.Count(v.reply[min(at, from):max(at, from)], "\n") <= 4 {
			return true
		}
	}
	return false
}
