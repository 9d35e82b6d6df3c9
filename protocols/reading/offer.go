package reading

import (
	"slices"
	"strings"
)

// joinsOptions reports whether s is only what joins labels in a list of options, such as a comma or "or".
func joinsOptions(s string) bool {
	return len(s) <= 64 && !strings.Contains(s, "\n") && matchesRule(s, "between")
}

// isOnlyMentioned reports whether label i of all is offered rather than claimed: part of a question, or repeated from
// the prompt, as in "[[A]]" if assistant A is better, "[[C]]" for a tie.
func isOnlyMentioned(v *normalizedReply, all []label, i int) bool {
	l, prefix := all[i], v.statementBefore(all[i].start)
	if matchesRule(prefix, "on-offer") || hasCondition(v, l) ||
		i > 0 && all[i-1].end >= l.start-len(prefix) && hasCondition(v, all[i-1]) {
		return true
	}
	from, to := i, i // bounds of the list that the label belongs to
	for from > 0 && i-from < 8 && joinsOptions(v.gap(all[from-1], all[from])) {
		from--
	}
	for to+1 < len(all) && to-i < 8 && joinsOptions(v.gap(all[to], all[to+1])) {
		to++
	}
	if v.inQuestion(all[from].start, all[to].end) {
		return true
	}
	several := slices.ContainsFunc(all[from:to+1], func(other label) bool { return other.value != l.value })
	first := v.statementBefore(all[from].start)
	return several && matchesRule(first, "meant", "offers")
}

// hasCondition reports whether a condition follows the label l in the requested format: "[[A]]
// if assistant A is better".
func hasCondition(v *normalizedReply, l label) bool {
	next := textAfter(v.lower, l.end, 40)
	return l.form == formFormatted && matchesRule(next, "if-after") && !matchesRule(next, "of-oneself")
}

// isListItem reports whether label i of all is an item in a list of the possible labels.
func isListItem(v *normalizedReply, all []label, i int) bool {
	isItem := func(k int) bool { // by the reply, because the view lacks the markers
		start, _ := v.span(all[k].start, all[k].end)
		lead := textBefore(v.reply, start, leftWindow)
		return matchesRule(lead[strings.LastIndexByte(lead, '\n')+1:], "marker")
	}
	near := []int{i - 1, i + 1, i - 2, i + 2} // two labels may have the same value: A>B and A>>B
	return isItem(i) && slices.ContainsFunc(near, func(k int) bool {
		return k >= 0 && k < len(all) && all[k].value != all[i].value && isItem(k)
	})
}
