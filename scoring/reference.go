package scoring

import "gavel/internal/phrases"

// Reference holds the result of a published judge on exactly the items of a run. With published verdicts it is compared
// item by item; for others only a total is known.
type Reference struct {
	Judge       string `json:"judge"`        // its name
	Dataset     string `json:"dataset"`      // that the verdicts or the total are published for
	OpenWeights bool   `json:"open_weights"` // its weights are public
	Prompt      string `json:"prompt"`       // that the judge was asked with, as its source calls it
	Origin      string `json:"how"`          // `recomputed` from published data, or as `published`
	Source      string `json:"source"`       // of the verdicts, with the commit, or of the total
	// the labels stayed with the responses when the order was reversed: a judge that always gives one label looks
	// consistent
	LabelsStay bool `json:"labels_stay,omitempty"`

	Metric string  `json:"metric"` // the run's metric
	Value  float64 `json:"value"`  // percent
	Low    float64 `json:"low"`    // of its interval, by Blaker
	High   float64 `json:"high"`   // of its interval, by Blaker
	N      int     `json:"n"`      // number of items

	OnlyRun       int `json:"only_run,omitempty"`       // items on which only the run's judge is right
	OnlyReference int `json:"only_reference,omitempty"` // items on which only this judge is right
	// of McNemar's exact test, corrected by Holm for all references of the run; none if only a total is known
	P *float64 `json:"p,omitempty"`
}

// SignificanceLevel is the significance level of references, probes and causes.
const SignificanceLevel = 0.05

// Name returns the name of the judge, with an asterisk if the labels stayed with the responses.
func (x Reference) Name() string {
	if x.LabelsStay {
		return x.Judge + "*"
	}
	return x.Judge
}

// LabelsStayed explains the asterisk of [Reference.Name].
var LabelsStayed = "* " + phrases.Say(labelsStayed)

const labelsStayed = "warning.labels-stay"
