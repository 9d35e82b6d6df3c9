package scoring

import "gavel/judging"

// MissingPolicy selects how a judgment without a verdict counts, if the protocol offers a choice.
type MissingPolicy string

const (
	MissingWrong MissingPolicy = "wrong" // J = 0; for F1 it counts as not judged Correct
	MissingDrop  MissingPolicy = "drop"  // the judgment is left out
	// for several options: shares are over the judgments with a verdict, as in the paper
	MissingUsable MissingPolicy = "usable"
	MissingStrict MissingPolicy = "strict" // for several options: counts as choosing nothing
)

// MissingPolicies lists the policies, the default of self-reference first.
var MissingPolicies = []MissingPolicy{MissingWrong, MissingDrop, MissingUsable, MissingStrict}

// Decided is the outcome of a judgment that names a response.
const Decided = string(judging.Decided)

// Outcomes lists the names of all outcomes, in the order of tables.
var Outcomes = func() []string {
	names := make([]string, len(judging.Outcomes))
	for i, o := range judging.Outcomes {
		names[i] = string(o)
	}
	return names
}()
