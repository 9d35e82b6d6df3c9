package scoring

// Reference is what a published judge came to on the very items of a run. Where its verdicts are known, it is held
// against the run item by item; of others there is a figure alone.
type Reference struct {
	Judge       string `json:"judge"`        // its name
	Dataset     string `json:"dataset"`      // on which it is published
	OpenWeights bool   `json:"open_weights"` // anybody can run it
	Prompt      string `json:"prompt"`       // that it was asked with, as its source calls it
	How         string `json:"how"`          // `recomputed` from what is published, or as it was `published`
	Source      string `json:"source"`       // of its verdicts, with the commit, or of the figure
	// the labels stayed with the responses when the order was reversed: a judge that always gives one label looks
	// consistent
	LabelsStay bool `json:"labels_stay,omitempty"`

	Metric string  `json:"metric"` // counted as that of the run
	Value  float64 `json:"value"`  // percent
	Low    float64 `json:"low"`    // of its interval, by Blaker
	High   float64 `json:"high"`   // as low
	N      int     `json:"n"`      // items that the value is a share of

	OnlyRun       int `json:"only_run,omitempty"`       // items that the run's judge alone is right on
	OnlyReference int `json:"only_reference,omitempty"` // items that this one alone is right on
	// of McNemar's exact test, corrected by Holm for all references of the run; none of a figure alone
	P *float64 `json:"p,omitempty"`
}

// Apart is what p must be below for a difference to be no chance.
const Apart = 0.05

// Name is that of the judge, with a mark where the labels stayed with the responses.
func (x Reference) Name() string {
	if x.LabelsStay {
		return x.Judge + "*"
	}
	return x.Judge
}

// LabelsStayed is what the mark says.
const LabelsStayed = "* " + labelsStayed

const labelsStayed = "the labels stayed with the responses when the order was reversed: " +
	"a judge that always gives one label looks consistent"
