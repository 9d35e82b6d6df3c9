package scoring

// Probe is what a rewrite of pairs does to the verdicts of a judge, beside what asking the same anew does: its own
// noise. A change is another verdict than that on the pair as it is, or none.
type Probe struct {
	Name    string     `json:"name"`              // of the rewrite
	About   string     `json:"about"`             // what is changed
	Favours string     `json:"favours,omitempty"` // `worse`: it is done to the worse response, and speaks for it
	Source  string     `json:"source"`            // where judges were first seen to be moved by it
	Changed Proportion `json:"changed"`           // verdicts that change, of those on the pairs as they are
	Again   Proportion `json:"again"`             // of the same verdicts, those that change when the same is asked anew
	Beyond  Estimate   `json:"beyond"`            // the first less the second, in points
	// of verdicts on the pairs as they are, those that other rewrites change which touch the form of the prompt alone:
	// the noise floor
	Neutral Proportion `json:"neutral"`

	ToWorse   int `json:"to_worse"`   // of those that change: the worse response is named
	ToBetter  int `json:"to_better"`  // the better one
	ToNeither int `json:"to_neither"` // a tie, or no verdict
	ToFirst   int `json:"to_first"`   // the response shown first is named

	// pairs left out, since the rewrite or the same anew got no whole reply: it failed, was refused, was cut, or the
	// prompt did not fit
	Unserved int `json:"unserved,omitempty"`

	// of the exact one-sided test that the rewrite moves more verdicts than those neutral ones (PROTOCOLS.md §7),
	// corrected by Holm for all rewrites; what belongs together counts once. null before the run is at its end
	P *float64 `json:"p"`
}

// Moves tells whether the rewrite moves verdicts beyond the noise floor.
func (p Probe) Moves() bool { return p.P != nil && *p.P < Apart }
