package scoring

import "gavel/internal/phrases"

// Reference holds the result of a published judge on exactly the items of a run. With published verdicts this judge is
// compared item by item; of other judges only a total is known.
type Reference struct {
	Judge       string `json:"judge"`        // name of the published judge
	Dataset     string `json:"dataset"`      // dataset that the verdicts or the total are published for
	OpenWeights bool   `json:"open_weights"` // the weights of the published judge are public
	JudgePrompt string `json:"prompt"`       // prompt with which the published judge was asked, as its source calls it
	// where the value comes from: `recomputed` from published verdicts, or as `published`
	Origin string `json:"how"`
	Source string `json:"source"` // where the verdicts, with the commit, or the total were published
	// the labels stayed with the responses when the order was reversed: a judge that always gives one label looks
	// consistent
	LabelsFollowResponses bool `json:"labels_stay,omitempty"`

	Metric string  `json:"metric"` // key of the run's headline metric
	Value  float64 `json:"value"`  // value of the metric for the published judge, in percent
	Low    float64 `json:"low"`    // lower end of the 95 % interval of `value`, by Blaker
	High   float64 `json:"high"`   // upper end of the 95 % interval of `value`, by Blaker
	N      int     `json:"n"`      // items that `value` is computed from

	OnlyRunRight       int `json:"only_run,omitempty"`       // items on which only the run's judge is right
	OnlyReferenceRight int `json:"only_reference,omitempty"` // items on which only the published judge is right
	// p-value of McNemar's exact test, corrected by Holm for all references of the run; none if only a total is known
	P *float64 `json:"p,omitempty"`
}

// SignificanceLevel is the significance level of comparisons with published judges, of probes (rewrites of pairs) and
// of causes of bias.
const SignificanceLevel = 0.05

// Name returns the name of the published judge, with an asterisk if LabelsFollowResponses.
func (x Reference) Name() string {
	if x.LabelsFollowResponses {
		return x.Judge + "*"
	}
	return x.Judge
}

// LabelsFollowFootnote is the footnote on the asterisk of [Reference.Name].
var LabelsFollowFootnote = "* " + phrases.Sentence(labelsFollowPhraseCode)

// labelsFollowPhraseCode is the code of the phrase on labels that stayed with the responses in the reversed order.
const labelsFollowPhraseCode = "warning.labels-stay"
