package reading

import (
	"slices"
	"strings"
)

func oneOf(s string) bool {
	return len(s) <= 64 && !strings.Contains(s, "\n") && matches(s, "between")
}

// offering tells whether a label is asked, or repeated from the rules: "[[A]]" if assistant A is better, "[[C]]" for a
// tie.
func offering(v *view, all []label, i int) bool {
	l, up := all[i], v.upTo(all[i].start)
	if matches(up, "on-offer") || hasCondition(v, l) {
		return true
	}
	if i > 0 && all[i-1].end >= l.start-len(up) && hasCondition(v, all[i-1]) {
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
	return several && matches(first, "meant", "offers")
}

// hasCondition tells whether the label goes before its condition.
func hasCondition(v *view, l label) bool {
	next := v.lower[l.end:min(len(v.lower), l.end+40)]
	return l.form == demanded && matches(next, "if-after") && !matches(next, "of-oneself")
}

// listed tells whether a label stands in a list of the choices, an item each.
func listed(v *view, all []label, i int) bool {
	isItem := func(k int) bool { // as it is in the reply, whose marks are taken off in the view
		at, _ := v.span(all[k].start, all[k].end)
		lead := v.reply[max(0, at-before):at]
		return matches(lead[strings.LastIndexByte(lead, '\n')+1:], "marker")
	}
	near := []int{i - 1, i + 1, i - 2, i + 2} // two labels may have one value, A>B and A>>B
	return isItem(i) && slices.ContainsFunc(near, func(k int) bool {
		return k >= 0 && k < len(all) && all[k].value != all[i].value && isItem(k)
	})
}
