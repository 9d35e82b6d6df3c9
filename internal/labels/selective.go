package labels

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Selective holds a cascade of judges, each accepted from some confidence on, and its results. Items without an
// accepted verdict go to a person.
type Selective struct {
	Says     string        `json:"says"`       // the result in a sentence
	Labels   string        `json:"labels"`     // the file
	Risk     float64       `json:"risk"`       // most of the accepted verdicts that may be wrong, in percent
	Delta    float64       `json:"delta"`      // probability, in percent, that more are, over draws of the labels
	Labelled int           `json:"labelled"`   // labelled items, from which thresholds are found
	Items    int           `json:"items"`      // all items, with or without a label
	Judges   []CascadeStep `json:"judges"`     // in the order asked
	Covered  int           `json:"covered"`    // items with an accepted verdict
	Calls    int           `json:"calls"`      // of the cascade
	Full     int           `json:"full_calls"` // of the last judge alone, for all items
	// correct among the accepted verdicts on labelled items, from which the thresholds are found, in percent
	Right    Number          `json:"right"`
	Reading  judging.Readers `json:"reading,omitempty"` // left out for the default
	Warnings []string        `json:"warnings"`          // printed after `!`
}

// CascadeStep holds one judge of a cascade.
type CascadeStep struct {
	Run       string   `json:"run"`            // its folder
	Model     string   `json:"model"`          // the judge
	Threshold *float64 `json:"threshold"`      // of confidence, 0 to 1; null if the judge is never accepted
	Asked     int      `json:"asked"`          // items that reach the judge
	Accepted  int      `json:"believed"`       // items with an accepted verdict
	Right     int      `json:"right"`          // correct verdicts among Of
	Labelled  int      `json:"of"`             // labelled items with an accepted verdict
	Note      string   `json:"note,omitempty"` // why the judge is never accepted
}

// Select finds thresholds of confidence for judges, from the first (the cheapest) to the last: of the verdicts accepted
// from a judge, at most a share of risk is wrong, each with probability 1 − delta/(number of judges). The labelled
// items must be drawn at random from all. A judge's threshold is found from the labelled items that no earlier judge
// accepts.
//
// Source: Jung, Brahman and Choi, "Trust or Escalate", arXiv 2407.18370, Sections 2 and 3. Confidence is the mean
// probability of the verdict's label over the orders, for judges that choose the same response in all.
func Select(dirs []string, file *LabelFile, risk, delta float64, reading judging.Reading) (*Selective, error) {
	p, err := newPanel(dirs, file, reading, stats.Default, false)
	if err != nil {
		return nil, err
	}
	s := &Selective{
		Labels:  p.file.Path,
		Risk:    *scoring.Percent(risk),
		Delta:   *scoring.Percent(delta),
		Reading: reading.Name,
	}
	if p.file.byDisagreement() {
		return nil, fmt.Errorf("%s: thresholds from items chosen by disagreement are not valid for other items: "+
			"use labels of items drawn at random", p.file.Path)
	}
	for _, j := range p.judges {
		if len(j.Confidence) == 0 {
			return nil, fmt.Errorf("%s: the records have no label probabilities: make the run with --logprobs", j.Dir)
		}
	}
	truth, _ := p.majority()
	var items []string // judged by all judges
	for _, item := range slices.Sorted(maps.Keys(p.judges[0].Verdicts)) {
		lacks := func(j *RunVerdicts) bool { _, ok := j.Verdicts[item]; return !ok }
		if slices.ContainsFunc(p.judges, lacks) {
			continue
		}
		items = append(items, item)
		if _, ok := truth[item]; ok {
			s.Labelled++
		}
	}
	s.Items = len(items)
	s.Full = len(items) * p.judges[len(p.judges)-1].Calls
	s.Judges = cascade(p.judges, items, truth, risk, delta)
	right := 0
	labelled := 0
	for i, j := range p.judges {
		x := &s.Judges[i]
		x.Run = j.Dir
		x.Model = j.Manifest.Spec.Model.Name
		s.Calls += x.Asked * j.Calls
		s.Covered += x.Accepted
		right += x.Right
		labelled += x.Labelled
	}
	if labelled > 0 {
		s.Right = percents(float64(right)/float64(labelled), stats.Blaker(right, labelled, 0.95), scoring.ByBlaker)
	}
	needed := minLabelled(risk, delta/float64(len(p.judges)))
	s.Warnings = append([]string{}, p.warnings...)
	if s.Labelled < needed {
		s.Warnings = append(s.Warnings, phrases.Say("select.few", phrases.Count(s.Labelled, "labelled item"), needed))
	}
	s.Says = s.answer()
	return s, nil
}

// cascade passes items from judge to judge.
func cascade(
	judges []*RunVerdicts, items []string, truth map[string]string, risk, delta float64,
) (stages []CascadeStep) {
	for _, j := range judges {
		x := CascadeStep{Asked: len(items)}
		items = j.accept(&x, items, truth, risk, delta/float64(len(judges)))
		stages = append(stages, x)
	}
	return stages
}

// accept finds the threshold of a judge from the items that reach it, and returns the items that go on to the next.
func (j *RunVerdicts) accept(
	x *CascadeStep, items []string, truth map[string]string, risk, delta float64,
) (rest []string) {
	var confidences []float64
	var right []bool
	for _, item := range items {
		if label, ok := truth[item]; ok && j.Confidence[item] > 0 {
			confidences, right = append(confidences, j.Confidence[item]), append(right, j.Verdicts[item] == label)
		}
	}
	threshold := stats.Select(confidences, right, risk, delta)
	x.Threshold = scoring.Fraction(threshold.Threshold)
	if x.Threshold == nil {
		x.Note = rejection(confidences, right, risk, delta)
		return items
	}
	x.Right, x.Labelled = threshold.Right, threshold.Total
	for _, item := range items {
		if c, ok := j.Confidence[item]; ok && c >= threshold.Threshold {
			x.Accepted++
		} else {
			rest = append(rest, item)
		}
	}
	return rest
}

// rejection returns why no threshold was found. confidences has the judge's confidence in labelled items, right whether
// it is correct.
func rejection(confidences []float64, right []bool, risk, delta float64) string {
	wrong := 0
	for _, ok := range right {
		wrong += int(scoring.Indicator(!ok))
	}
	n := len(confidences)
	switch needed := minLabelled(risk, delta); {
	case n == 0:
		return phrases.Say("select.none-reach")
	case n < needed:
		return phrases.Say("select.few-reach", n, needed)
	case slices.Min(confidences) == slices.Max(confidences):
		return phrases.Say("select.constant", confidences[0], wrong, n)
	}
	return phrases.Say("select.overconfident", wrong, n, *scoring.Percent(risk))
}

// minLabelled returns the number of labelled items that a threshold needs if none is judged wrong.
func minLabelled(risk, delta float64) int { return int(math.Ceil(math.Log(delta) / math.Log(1-risk))) }
