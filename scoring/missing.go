package scoring

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
