// Package reading finds what a model's reply says: a label, a letter, a number, an option.
//
// These are the readers of the reading "robust". All are one engine: a reply is undressed (Markdown, LaTeX, spaces and
// case do not count, and what follows an end of turn is not of it), split into statements, and searched for labels by a
// grammar. A label counts where its statement claims it: announced ("verdict:"), called the best, alone, or in the form
// that was asked for. What is denied, asked, offered as one of several or repeated from the prompt is no claim. The
// last statement that makes a claim decides; where it stands against another in words that no reader knows, there is no
// verdict. Every reader is a pure function of the reply and of what was on offer, and takes time in proportion to it.
package reading

import "strings"

// Outcome says whether a reply states something, in the words that records have for it.
type Outcome string

const (
	None     Outcome = "no-verdict" // nothing, or nothing that was on offer
	Stated   Outcome = "decided"    // one value
	Conflict Outcome = "conflict"   // several at once
)

// Found is what a reader makes of a reply.
type Found struct {
	Outcome    Outcome
	Value      string // in its plain form: "A>B", "C", "40", "Correct", "2"
	Start, End int    // where it stands in the reply, in bytes
	Rule       string // which rule found it
}

// Rules. The record of a judgment names the one that found its verdict.
const (
	ruleLabel     = "label"     // in double brackets
	ruleVerdict   = "verdict"   // after "verdict:" or the like, in single brackets or none
	ruleBoxed     = "boxed"     // \boxed{…}
	ruleAnswer    = "answer"    // after "answer is", "Answer:", "correct option:", "I choose"
	rulePredicate = "predicate" // "(C) is correct", "Option 2 is the best"
	ruleAlone     = "alone"     // the last line holds nothing else
	ruleScores    = "scores"    // by the scores of both
	ruleSelection = "selection" // after the heading "Selection"
	ruleHashes    = "hashes"    // after "####"
	ruleEquality  = "equality"  // the last number of the last sentence that has one, after "="
	ruleBold      = "bold"      // in bold type in that sentence
	ruleLast      = "last"      // the last one of that sentence
)

// found is the statement of a value that stands at bytes i to j of the view.
func (v *view) found(rule, value string, i, j int) Found {
	start, end := v.span(i, j)
	return Found{
		Outcome: Stated,
		Value:   value,
		Start:   start,
		End:     end,
		Rule:    rule,
	}
}

// several is a final statement that names more than one.
func (v *view) several(rule string, i, j int) Found { return v.found(rule, "", i, j).conflict() }

// conflict is a statement of several where one was found.
func (f Found) conflict() Found {
	f.Outcome = Conflict
	f.Value = ""
	return f
}

// BeforeNext is a reply up to the next question that it asks itself.
func BeforeNext(reply string) string {
	const space = "\t\n\f\r "
	begin := len(reply) - len(strings.TrimLeft(reply, space)) // a question that comes first is not the next
	if m := find(reply[begin:], "next-question"); m != nil {
		return strings.TrimRight(reply[:begin+m[0]], space)
	}
	return reply
}
