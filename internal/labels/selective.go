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

// CascadeResults holds the results of a cascade of judges: an item goes to the next judge unless the confidence of this
// one is at least its threshold. Items that no judge accepts go to a person.
type CascadeResults struct {
	Says   string  `json:"says"`   // how many verdicts can be accepted, in a sentence
	Labels string  `json:"labels"` // path of the file of labels
	Risk   float64 `json:"risk"`   // largest share of the accepted verdicts that may be wrong, in percent
	// probability, in percent, that more of them are wrong, over draws of the labels
	Delta          float64       `json:"delta"`
	Labelled       int           `json:"labelled"`   // items with a label, from which the thresholds are found
	Items          int           `json:"items"`      // items that all judges have judged, with or without a label
	Judges         []CascadeStep `json:"judges"`     // the judges in the order asked, with their thresholds
	CoveredItems   int           `json:"covered"`    // items with an accepted verdict of some judge
	Calls          int           `json:"calls"`      // judgments that the cascade makes on all items
	LastJudgeCalls int           `json:"full_calls"` // judgments that the last judge alone would make on all items
	// accepted verdicts that are correct, in percent of those on the labelled items, from which the thresholds are found
	Right Statistic `json:"right"`
	// how replies were read; left out for the default rules
	Reading  judging.ReaderSet `json:"reading,omitempty"`
	Warnings []string          `json:"warnings"` // warnings about the labels and the runs, printed after `!`
}

// CascadeStep holds one judge of a cascade, and the items that reach this judge.
type CascadeStep struct {
	Run   string `json:"run"`   // folder of the judge's run
	Model string `json:"model"` // model name of the judge
	// lowest confidence at which a verdict of the judge is accepted, 0 to 1; null if none is
	Threshold *float64 `json:"threshold"`
	Asked     int      `json:"asked"`          // items that reach the judge
	Accepted  int      `json:"believed"`       // items on which the judge's verdict is accepted
	Right     int      `json:"right"`          // correct verdicts among the labelled items in `of`
	Labelled  int      `json:"of"`             // labelled items on which the judge's verdict is accepted
	Note      string   `json:"note,omitempty"` // why no verdict of the judge is accepted
}

// SelectThresholds finds thresholds of confidence for judges, from the first (the cheapest) to the last: of the
// verdicts accepted from a judge, at most a share of risk is wrong, each with probability 1 − delta/(number of
// judges). The labelled items must be drawn at random from all. A judge's threshold is found from the labelled items
// that no earlier judge accepts.
//
// Source: Jung, Brahman and Choi, "Trust or Escalate", arXiv 2407.18370, Sections 2 and 3. Confidence is the mean
// probability of the verdict's label over the orders, for judges that choose the same response in all.
func SelectThresholds(
	dirs []string, file *LabelFile, risk, delta float64, reading judging.ReadingOptions,
) (*CascadeResults, error) {
	p, err := newPanel(dirs, file, reading, stats.DefaultBootstrap, false)
	if err != nil {
		return nil, err
	}
	s := &CascadeResults{
		Labels:  p.file.Path,
		Risk:    *scoring.Percent(risk),
		Delta:   *scoring.Percent(delta),
		Reading: reading.Readers,
	}
	if p.file.hasDisagreementSample() {
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
	s.LastJudgeCalls = len(items) * p.judges[len(p.judges)-1].CallsPerItem
	s.Judges = cascade(p.judges, items, truth, risk, delta)
	var right, labelled int
	for i, j := range p.judges {
		x := &s.Judges[i]
		x.Run = j.Dir
		x.Model = j.Manifest.Spec.Model.Name
		s.Calls += x.Asked * j.CallsPerItem
		s.CoveredItems += x.Accepted
		right += x.Right
		labelled += x.Labelled
	}
	if labelled > 0 {
		s.Right = percentStatistic(float64(right)/float64(labelled),
			stats.Blaker(right, labelled, 0.95), scoring.IntervalByBlaker)
	}
	needed := minLabelled(risk, delta/float64(len(p.judges)))
	s.Warnings = p.warnings
	if s.Labelled < needed {
		s.Warnings = append(s.Warnings,
			phrases.Sentence("select.few", phrases.CountWithNoun(s.Labelled, "labelled item"), needed))
	}
	s.Says = s.answer()
	return s, nil
}

// cascade passes items, by id, from judge to judge and returns one step for each. truth holds the labels by item id.
func cascade(
	judges []*RunVerdicts, items []string, truth map[string]string, risk, delta float64,
) (stages []CascadeStep) {
	for _, j := range judges {
		x := CascadeStep{Asked: len(items)}
		items = j.acceptAboveThreshold(&x, items, truth, risk, delta/float64(len(judges)))
		stages = append(stages, x)
	}
	return stages
}

// acceptAboveThreshold finds the threshold of a judge from the labelled items among those that reach the judge, records
// the result in x, and returns the items that go on to the next judge.
func (j *RunVerdicts) acceptAboveThreshold(
	x *CascadeStep, items []string, truth map[string]string, risk, delta float64,
) (rest []string) {
	var confidences []float64
	var right []bool
	for _, item := range items {
		if label, ok := truth[item]; ok && j.Confidence[item] > 0 {
			confidences, right = append(confidences, j.Confidence[item]), append(right, j.Verdicts[item] == label)
		}
	}
	threshold := stats.SelectThreshold(confidences, right, risk, delta)
	x.Threshold = scoring.RoundFraction(threshold.Threshold)
	if x.Threshold == nil {
		x.Note = noThresholdReason(confidences, right, risk, delta)
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

// noThresholdReason returns the reason why no threshold was found. For each labelled item, confidences has the judge's
// confidence and right tells whether the judge is correct.
func noThresholdReason(confidences []float64, right []bool, risk, delta float64) string {
	wrong := 0
	for _, ok := range right {
		if !ok {
			wrong++
		}
	}
	n := len(confidences)
	switch needed := minLabelled(risk, delta); {
	case n == 0:
		return phrases.Sentence("select.none-reach")
	case n < needed:
		return phrases.Sentence("select.few-reach", n, needed)
	case slices.Min(confidences) == slices.Max(confidences):
		return phrases.Sentence("select.constant", confidences[0], wrong, n)
	}
	return phrases.Sentence("select.overconfident", wrong, n, *scoring.Percent(risk))
}

// minLabelled returns the smallest number of labelled items with which a threshold can be found, if all are judged
// right.
func minLabelled(risk, delta float64) int { return int(math.Ceil(math.Log(delta) / math.Log(1-risk))) }
