package scoring

import (
	"fmt"
	"slices"
	"strings"
)

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

// apart is from where on a difference from a reference is no chance.
const apart = 0.05

// Above tells whether the reference is better than the run's judge, and Below whether it is worse, beyond chance.
func (x Reference) Above() bool { return x.apart() && x.OnlyReference > x.OnlyRun }
func (x Reference) Below() bool { return x.apart() && x.OnlyReference < x.OnlyRun }

func (x Reference) apart() bool { return x.P != nil && *x.P < apart }

// Name is that of the judge, with a mark where the labels stayed with the responses.
func (x Reference) Name() string {
	if x.LabelsStay {
		return x.Judge + "*"
	}
	return x.Judge
}

// LabelsStayed is what the mark says.
const LabelsStayed = "* the labels stayed with the responses when the order was reversed: " +
	"a judge that always gives one label looks consistent"

// Standing is where the judge stands among published ones by a metric, the nearest by name; "" where there are none.
// References are sorted, the best first. One of which a figure alone is known is above or below by the value.
func (r *Report) Standing(metric string) string {
	own := r.Overall(metric)
	var above, below, near []Reference
	for _, x := range r.References {
		switch {
		case x.Metric != metric || own.Value == nil:
		case x.Above(), x.P == nil && x.Value > *own.Value:
			above = append([]Reference{x}, above...)
		case x.Below(), x.P == nil && x.Value < *own.Value:
			below = append(below, x)
		default:
			near = append(near, x)
		}
	}
	var parts []string
	say := func(word string, all []Reference) {
		if len(all) == 0 {
			return
		}
		words := fmt.Sprintf("%s %s (%.0f %%)", word, all[0].Name(), all[0].Value)
		if len(all) > 1 {
			words += fmt.Sprintf(" and %d more", len(all)-1)
		}
		parts = append(parts, words)
	}
	say("below", above)
	say("above", below)
	say("not told apart from", near)
	return strings.Join(parts, ", ")
}

// ByFiguresAlone tells whether the published judges of the run are known by figures, which nothing was tested with.
func (r *Report) ByFiguresAlone() bool {
	return !slices.ContainsFunc(r.References, func(x Reference) bool { return x.P != nil })
}
