// Package reading finds the answer that a model's reply states: a label, a letter, a number or an option.
//
// It holds the readers of the reading "robust", which share one engine. The engine normalizes a reply (it ignores
// Markdown, LaTeX, spacing and case, and drops everything after an end-of-turn token), splits it into statements and
// searches them for labels by a grammar. A label counts if its statement claims it: it is announced ("verdict:"),
// called the best, alone, or in the requested format. Labels that are denied, asked, offered as one of several or
// repeated from the prompt are no claims. The last statement with a claim decides; if it contradicts another in words
// that the grammar does not know, there is no verdict. Every reader is a pure function of the reply and the labels on
// offer, and takes time linear in the length of the reply.
package reading

import "strings"

// Status classifies a reply by whether it states a value; the strings are those of records.
type Status string

const (
	None     Status = "no-verdict" // no value, or none that was on offer
	Decided  Status = "decided"    // one value
	Conflict Status = "conflict"   // several contradictory values
)

// Match is the result of a reader: the answer that a reply states, and its place.
type Match struct {
	Outcome    Status
	Value      string // in canonical form: "A>B", "C", "40", "Correct", "2"
	Start, End int    // place of the answer in the reply, in bytes
	Rule       string // rule by which the reader found the answer
}

// Names of the rules by which a reader found an answer. Records of judgments store them.
const (
	ruleLabel      = "label"     // a label in double brackets
	ruleVerdict    = "verdict"   // a label after "verdict:" or the like, in single brackets or without any
	ruleBoxed      = "boxed"     // an answer in \boxed{…}
	ruleAnswer     = "answer"    // an answer after "answer is", "Answer:", "correct option:", "I choose"
	rulePredicate  = "predicate" // called right or best: "(C) is correct", "Option 2 is the best"
	ruleAlone      = "alone"     // the only content of the last line
	ruleScores     = "scores"    // the better of the scores that the reply gives both responses
	ruleSelection  = "selection" // an option after the heading "Selection"
	ruleHashes     = "hashes"    // a number after "####"
	ruleEquality   = "equality"  // last number after "=" in the last sentence with a number
	ruleBold       = "bold"      // number in bold type in the last sentence with a number
	ruleLastNumber = "last"      // last number of the last sentence with a number
)

// result returns the match of value, stated at bytes i to j of the view and found by rule.
func (v *normalizedReply) result(rule, value string, i, j int) Match {
	start, end := v.span(i, j)
	return Match{
		Outcome: Decided,
		Value:   value,
		Start:   start,
		End:     end,
		Rule:    rule,
	}
}

// conflictAt returns a conflict: bytes i to j of the view are a final statement with several values.
func (v *normalizedReply) conflictAt(rule string, i, j int) Match {
	return v.result(rule, "", i, j).asConflict()
}

// asConflict returns f as a conflict at the same place, without a value.
func (f Match) asConflict() Match {
	f.Outcome = Conflict
	f.Value = ""
	return f
}

// CutAtNextQuestion returns the part of a reply before the next question, which base models invent after their answer.
func CutAtNextQuestion(reply string) string {
	const space = "\t\n\f\r "
	begin := len(reply) - len(strings.TrimLeft(reply, space)) // a question at the beginning is not the next one
	if m := findRuleMatch(reply[begin:], "next-question"); m != nil {
		return strings.TrimRight(reply[:begin+m[0]], space)
	}
	return reply
}
