package judging

import "regexp"

// OneLabel is the label that binds among all that a reply has, and where it stands: none is no verdict; under Unique,
// two that are written differently are a conflict.
func OneLabel(form *regexp.Regexp, reply string, policy Policy) (label string, at Span, o Outcome) {
	all := form.FindAllStringSubmatchIndex(reply, -1)
	if len(all) == 0 {
		return "", Span{}, NoVerdict
	}
	last := all[len(all)-1]
	label, at = reply[last[2]:last[3]], Span{last[0], last[1]}
	if policy != Last {
		for _, m := range all {
			if reply[m[2]:m[3]] != label {
				return "", at, Conflict
			}
		}
	}
	return label, at, Decided
}

// Decision is the name of a protocol's prompt for judges that write nothing: a question, and a line for each label that
// needs words; see [backends.SystemOne].
const Decision = "decision"

// LabelTurn asks for the label alone. It is gavel's own: no paper constrains its judges.
const LabelTurn = "Now output your final verdict label, and nothing else."
