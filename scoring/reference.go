package scoring

import (
	"cmp"
	"fmt"
	"math"
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

// Standing is where the judge stands among published ones by a metric, the nearest by name; "" where there are none.
// References are sorted, the best first. One of which a figure alone is known is above or below by the value.
func (r *Report) Standing(metric string) string {
	own := r.Overall(metric)
	var above, below, near []Reference
	for _, x := range r.References {
		switch {
		case x.Metric != metric || own.Value == nil:
		case x.P != nil && *x.P >= Apart || x.Value == *own.Value:
			near = append(near, x)
		case x.Value > *own.Value:
			above = append([]Reference{x}, above...)
		default:
			below = append(below, x)
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
	far := func(x Reference) float64 { return math.Abs(x.Value - *own.Value) }
	slices.SortStableFunc(near, func(a, b Reference) int { return cmp.Compare(far(a), far(b)) })
	say("below", above)
	say("above", below)
	say("not significantly different from", near)
	return strings.Join(parts, ", ")
}

// ByFiguresAlone tells whether the published judges of the run are known by figures, which nothing was tested with.
func (r *Report) ByFiguresAlone() bool {
	return !slices.ContainsFunc(r.References, func(x Reference) bool { return x.P != nil })
}
