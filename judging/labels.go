package judging

import "regexp"

// FindReplyLabel finds the matches of form, whose first group is a label, in a reply. It returns the label that counts
// and the position of its match. Without a match the outcome is NoVerdict; unless policy is Last, two different labels
// are a Conflict, with the position of the last one.
func FindReplyLabel(form *regexp.Regexp, reply string, policy LabelPolicy) (label string, span Span, o Outcome) {
	all := form.FindAllStringSubmatchIndex(reply, -1)
	if len(all) == 0 {
		return "", Span{}, NoVerdict
	}
	last := all[len(all)-1]
	label, span = reply[last[2]:last[3]], Span{last[0], last[1]}
	if policy != PolicyLastLabel {
		for _, m := range all {
			if reply[m[2]:m[3]] != label {
				return "", span, Conflict
			}
		}
	}
	return label, span, Decided
}

// DecisionPromptName is the name of a protocol's prompt for judges that write no text: a question, and a line for each
// label that needs explanation; see [backends.DecisionBackend].
const DecisionPromptName = "decision"

// LabelTurnText asks a judge that has reasoned for the label alone. No paper publishes such a text.
const LabelTurnText = "Now output your final verdict label, and nothing else."
