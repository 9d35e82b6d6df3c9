package scoring

// Probe holds the effect of a rewrite of pairs on the verdicts of a judge, and the judge's own noise when the same
// prompt is asked again. A verdict changes if it differs from that on the original pair, or is missing.
type Probe struct {
	Name     string     `json:"name"`              // of the rewrite
	About    string     `json:"about"`             // what the rewrite changes
	Favours  string     `json:"favours,omitempty"` // `worse`: it changes the worse response, in its favour
	Source   string     `json:"source"`            // publication that found the effect
	Changed  Proportion `json:"changed"`           // verdicts that change, of those on the original pairs
	Repeated Proportion `json:"again"`             // of the same verdicts, those that change when asked again
	Effect   Estimate   `json:"beyond"`            // `changed` minus `again`, in points
	// of verdicts on the original pairs, those that change under rewrites of the prompt's form alone: the noise floor
	Neutral Proportion `json:"neutral"`

	ToWorse   int `json:"to_worse"`   // changed verdicts that name the worse response
	ToBetter  int `json:"to_better"`  // changed verdicts that name the better response
	ToNeither int `json:"to_neither"` // changed to a tie, or to no verdict
	ToFirst   int `json:"to_first"`   // changed verdicts that name the response shown first

	// pairs left out because the rewrite or the repeated prompt got no whole reply: it failed, was refused or
	// truncated, or the prompt did not fit
	Unserved int `json:"unserved,omitempty"`

	// exact one-sided test that the rewrite changes more verdicts than neutral rewrites (PROTOCOLS.md §7), corrected by
	// Holm for all rewrites; clusters count once. null before the end of the run
	P *float64 `json:"p"`
}

// Moves reports whether the rewrite changes verdicts beyond the noise floor.
func (p Probe) Moves() bool { return p.P != nil && *p.P < SignificanceLevel }
