package scoring

// Probe holds how often a rewrite of pairs changes the verdicts of a judge, and how often asking the same prompt again
// does. A verdict changes if it differs from that on the original pair, or is missing.
type Probe struct {
	Name  string `json:"name"`  // name of the rewrite
	About string `json:"about"` // what the rewrite changes
	// `worse`: the rewrite changes the worse response, in its favour; else left out
	Favours string     `json:"favours,omitempty"`
	Source  string     `json:"source"`  // publication that found the effect of such a rewrite
	Changed Proportion `json:"changed"` // verdicts that the rewrite changes, of those on the original pairs
	// verdicts that change when the original prompt is asked again, of the same pairs
	Repeated Proportion `json:"again"`
	Effect   Estimate   `json:"beyond"` // `changed` minus `again`, in percentage points
	// of verdicts on the original pairs, those that change under rewrites of the prompt's form alone: the noise floor. Of
	// `approved`, those that change under its control `tail`
	Neutral Proportion `json:"neutral"`

	ToWorse          int `json:"to_worse"`   // changed verdicts that name the worse response
	ToBetter         int `json:"to_better"`  // changed verdicts that name the better response
	ChangesToNeither int `json:"to_neither"` // verdicts changed to a tie, or to no verdict
	ToFirst          int `json:"to_first"`   // changed verdicts that name the response shown first

	// pairs left out because the rewrite or the repeated prompt got no whole reply: the request failed, the reply was
	// refused or truncated, or the prompt did not fit
	Unserved int `json:"unserved,omitempty"`

	// p-value of an exact one-sided test that the rewrite changes more verdicts than neutral rewrites or its control do
	// (PROTOCOLS.md §7), corrected by Holm for all rewrites; clusters count once. null before the end of the run
	P *float64 `json:"p"`
}

// IsSignificant reports whether the rewrite changes significantly more verdicts than neutral rewrites do.
func (p Probe) IsSignificant() bool { return p.P != nil && *p.P < SignificanceLevel }
