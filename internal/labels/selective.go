package labels

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Selective is a cascade of judges, each believed where it is confident enough, and what it comes to: items that none
// is confident of go to a person.
type Selective struct {
	Says     string  `json:"says"`       // the answer in a sentence
	Labels   string  `json:"labels"`     // the file
	Risk     float64 `json:"risk"`       // percent of the verdicts that are believed which may be wrong, at most
	Delta    float64 `json:"delta"`      // percent: the chance that more are, over the drawing of labels
	Labelled int     `json:"labelled"`   // items that thresholds were found on
	Items    int     `json:"items"`      // that they are applied to: all items, with a label or not
	Judges   []Stage `json:"judges"`     // in the order asked
	Covered  int     `json:"covered"`    // items with a verdict that is believed
	Calls    int     `json:"calls"`      // of the cascade
	Full     int     `json:"full_calls"` // of the last judge alone, for all items
	// percent of the believed verdicts on labelled items: those that the thresholds were found on
	Right    Number          `json:"right"`
	Reading  judging.Readers `json:"reading,omitempty"` // left out for the usual one
	Warnings []string        `json:"warnings"`          // printed after `!`
}

// Stage is one judge of a cascade.
type Stage struct {
	Run       string   `json:"run"`            // its folder
	Model     string   `json:"model"`          // the judge
	Threshold *float64 `json:"threshold"`      // of confidence, 0 to 1; null where the judge is not believed at all
	Asked     int      `json:"asked"`          // items that reach it
	Believed  int      `json:"believed"`       // of them
	Right     int      `json:"right"`          // of the labelled ones it is believed on
	Of        int      `json:"of"`             // those
	Note      string   `json:"note,omitempty"` // why the judge is not believed at all
}

// Select finds the thresholds above which judges, from the first (the cheapest) to the last, are wrong in at most a
// share of risk of the items they are believed on, each with probability 1 − delta/(number of judges). The
// labelled items must be drawn at random from all. A judge's threshold is found on the labelled items that no judge
// before it is believed on.
//
// Source: Jung, Brahman and Choi, "Trust or Escalate", arXiv 2407.18370, Sections 2 and 3; confidence is
// the mean probability of the verdict's label over the orders in which it is asked, of judges that name
// the same response in all.
func Select(dirs []string, file *File, risk, delta float64, how judging.Reading) (*Selective, error) {
	p, err := newPanel(dirs, file, how, stats.Default, false)
	if err != nil {
		return nil, err
	}
	s := &Selective{Labels: p.file.Path, Risk: *scoring.Percent(risk), Delta: *scoring.Percent(delta), Reading: how.Name}
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
	var items []string // that all judges have
	for _, item := range slices.Sorted(maps.Keys(p.judges[0].Of)) {
		lacks := func(j *Judge) bool { _, has := j.Of[item]; return !has }
		if slices.ContainsFunc(p.judges, lacks) {
			continue
		}
		items = append(items, item)
		if _, has := truth[item]; has {
			s.Labelled++
		}
	}
	s.Items = len(items)
	s.Full = len(items) * p.judges[len(p.judges)-1].Calls
	s.Judges = cascade(p.judges, items, truth, risk, delta)
	right := 0
	of := 0
	for i, j := range p.judges {
		x := &s.Judges[i]
		x.Run = j.Dir
		x.Model = j.Manifest.Spec.Model.Name
		s.Calls += x.Asked * j.Calls
		s.Covered += x.Believed
		right += x.Right
		of += x.Of
	}
	if of > 0 {
		s.Right = percents(float64(right)/float64(of), stats.Blaker(right, of, 0.95), scoring.ByBlaker)
	}
	least := fewest(risk, delta/float64(len(p.judges)))
	s.Warnings = append([]string{}, p.warnings...)
	if s.Labelled < least {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d labelled items are too few: "+
			"with no error at all, %d confident ones are needed", s.Labelled, least))
	}
	s.Says = s.answer()
	return s, nil
}

// cascade hands items from judge to judge.
func cascade(judges []*Judge, items []string, truth map[string]string, risk, delta float64) (stages []Stage) {
	for _, j := range judges {
		x := Stage{Asked: len(items)}
		items = j.believe(&x, items, truth, risk, delta/float64(len(judges)))
		stages = append(stages, x)
	}
	return stages
}

// believe finds the threshold of a judge on the items that reach it, and gives back those that go on to the next.
func (j *Judge) believe(x *Stage, items []string, truth map[string]string, risk, delta float64) (left []string) {
	var sure []float64
	var right []bool
	for _, item := range items {
		if said, has := truth[item]; has && j.Confidence[item] > 0 {
			sure, right = append(sure, j.Confidence[item]), append(right, j.Of[item] == said)
		}
	}
	found := stats.Select(sure, right, risk, delta)
	x.Threshold = scoring.Fraction(found.Threshold)
	if x.Threshold == nil {
		x.Note = unbelieved(sure, right, risk, delta)
		return items
	}
	x.Right, x.Of = found.Right, found.Of
	for _, item := range items {
		if c, has := j.Confidence[item]; has && c >= found.Threshold {
			x.Believed++
		} else {
			left = append(left, item)
		}
	}
	return left
}

// unbelieved is why no threshold was found on labelled items, by how sure a judge is of each and whether it is right.
func unbelieved(sure []float64, right []bool, risk, delta float64) string {
	wrong := 0
	for _, is := range right {
		wrong += int(scoring.One(!is))
	}
	n := len(sure)
	switch least := fewest(risk, delta); {
	case n == 0:
		return "no labelled item of which its confidence is known reaches it"
	case n < least:
		return fmt.Sprintf("%d labelled items reach it, and %d are needed even where none is judged wrong", n, least)
	case slices.Min(sure) == slices.Max(sure):
		return fmt.Sprintf("its confidence never varies (%.4f), so it cannot part the %d of %d labelled items"+
			" that it judges wrong from the rest", sure[0], wrong, n)
	}
	return fmt.Sprintf("it judges %d of %d labelled items wrong, and too many of those that it is surest of"+
		" for a risk of %g %%", wrong, n, *scoring.Percent(risk))
}

// fewest is how many labelled items without an error a threshold takes.
func fewest(risk, delta float64) int { return int(math.Ceil(math.Log(delta) / math.Log(1-risk))) }
