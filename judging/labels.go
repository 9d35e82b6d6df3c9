package judging

import "regexp"

// OneLabel finds the labels in a reply and returns the one that counts, and its position. Without a label the outcome
// is NoVerdict; unless policy is Last, two different labels are a conflict.
func OneLabel(form *regexp.Regexp, reply string, policy Policy) (label string, span Span, o Outcome) {
	all := form.FindAllStringSubmatchIndex(reply, -1)
	if len(all) == 0 {
		return "", Span{}, NoVerdict
	}
	last := all[len(all)-1]
	label, span = reply[last[2]:last[3]], Span{last[0], last[1]}
	if policy != Last {
		for _, m := range all {
			if reply[m[2]:m[3]] != label {
				return "", span, Conflict
			}
		}
	}
	return label, span, Decided
}

// Decision is the name of a protocol's prompt for judges that write no text: a question, and a line for each label that
// needs explanation; see [backends.SystemOne].
const Decision = "decision"

// LabelTurn asks for the label alone. It is gavel's own: no paper constrains its judges.
const LabelTurn = "Now output your final verdict label, and nothing else."
