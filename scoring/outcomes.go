package scoring

import "gavel/judging"

// MissingPolicy selects how a judgment without a verdict counts, in protocols that offer a choice.
type MissingPolicy string

const (
	MissingWrong MissingPolicy = "wrong" // counts as wrong; for F1, as an answer not judged correct
	MissingDrop  MissingPolicy = "drop"  // the judgment is left out
	// for several options: the judgment is left out, so that shares are of judgments with a verdict, as in the paper
	MissingUsable MissingPolicy = "usable"
	MissingStrict MissingPolicy = "strict" // for several options: counts as a judgment that chooses no option
)

// MissingPolicies lists the policies, the default of the protocol for judging single answers first.
var MissingPolicies = []MissingPolicy{MissingWrong, MissingDrop, MissingUsable, MissingStrict}

// OutcomeDecided is the outcome of a judgment that names a response.
const OutcomeDecided = string(judging.Decided)

// Outcomes lists the names of all outcomes of a judgment, such as decided and tie, in the order of tables.
var Outcomes = func() []string {
	names := make([]string, len(judging.Outcomes))
	for i, o := range judging.Outcomes {
		names[i] = string(o)
	}
	return names
}()
