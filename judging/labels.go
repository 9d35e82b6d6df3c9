package judging

import "regexp"

// OneLabel is the label that binds among all that a reply has: none is no
// verdict; under Unique, two that are written differently are a conflict.
func OneLabel(form *regexp.Regexp, reply string, policy Policy) (string, Outcome) {
	all := form.FindAllStringSubmatch(reply, -1)
	if len(all) == 0 {
		return "", NoVerdict
	}
	label := all[len(all)-1][1]
	if policy != Last {
		for _, m := range all {
			if m[1] != label {
				return "", Conflict
			}
		}
	}
	return label, Decided
}

// LabelTurn asks for the label alone. It is gavel's own: no paper constrains its
// judges.
const LabelTurn = "Now output your final verdict label, and nothing else."
