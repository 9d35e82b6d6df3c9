package scoring

import "gavel/judging"

// MissingPolicy says how a judgment without a verdict counts, where the protocol leaves a choice.
type MissingPolicy string

const (
	MissingWrong MissingPolicy = "wrong" // J = 0, and for F1 it is read as not judged Correct
	MissingDrop  MissingPolicy = "drop"  // the judgment is left out
	// of several options: shares are over the judgments that have one (the authors')
	MissingUsable MissingPolicy = "usable"
	MissingStrict MissingPolicy = "strict" // of several options: a choice of nothing
)

// MissingPolicies lists them, the default of self-reference first.
var MissingPolicies = []MissingPolicy{MissingWrong, MissingDrop, MissingUsable, MissingStrict}

// Decided is the outcome of a judgment that names a response.
const Decided = string(judging.Decided)

// Outcomes are the names of all outcomes, in the order tables print them.
var Outcomes = func() []string {
	names := make([]string, len(judging.Outcomes))
	for i, o := range judging.Outcomes {
		names[i] = string(o)
	}
	return names
}()
