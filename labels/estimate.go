package labels

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Estimated is how often one response of a pair is better in truth, from verdicts on all pairs and labels of some.
type Estimated struct {
	Run      string `json:"run"`      // its folder
	Model    string `json:"model"`    // the judge
	Labels   string `json:"labels"`   // the file
	Response string `json:"response"` // whose share it is: A or B
	Judged   int    `json:"judged"`   // pairs
	Labelled int    `json:"labelled"` // of them; of several people the majority counts
	// NoVerdict is how many pairs have none; they count as ties of the judge, as do those on which it says another thing in
	// another order.
	NoVerdict int `json:"no_verdict"`
	// Share is the corrected one, in percent, a tie as one half: PPI++ (arXiv 2311.01453).
	Share Number `json:"share"`
	// JudgeAlone and LabelsAlone are what it is beside: the first is wrong where the judge is.
	JudgeAlone  Number  `json:"judge_alone"`            // of all pairs
	LabelsAlone Number  `json:"labels_alone"`           // of those with a label
	RoganGladen *Number `json:"rogan_gladen,omitempty"` // where no label is a tie, and pairs are independent and drawn at random (arXiv 2511.21140)
	Weight      float64 `json:"weight"`                 // λ: how far the judge is relied on, 0 to 1
	Clusters    int     `json:"clusters,omitempty"`     // in how many questions the pairs are, where several hang together
	Weighted    bool    `json:"weighted,omitempty"`     // labels weigh one over the probability with which their pairs were drawn
	// LabelsFor says how many labels the interval takes to be so wide.
	LabelsFor []LabelsFor     `json:"labels_for"`
	Reading   judging.Readers `json:"reading,omitempty"` // left out for the usual one
	Warnings  []string        `json:"warnings"`          // printed after `!`
}

// LabelsFor is how many labels make an interval of a width.
type LabelsFor struct {
	Width  float64 `json:"width"`  // in points
	Labels *int    `json:"labels"` // null where no number of labels does
}

// ByPredictions is the interval of PPI++.
const ByPredictions = "prediction-powered"

// ByGladen is Rogan and Gladen's, by Lang and Reiczigel.
const ByGladen = "rogan-gladen"

// Estimate corrects the share of verdicts for one response. The labelled pairs must have been drawn from all at random, or
// with probabilities that the labels tell.
func Estimate(dir string, file *File, response string, widths []float64, how judging.Reading, level float64) (*Estimated, error) {
	p, err := newPanel([]string{dir}, file, how, stats.Default)
	if err != nil {
		return nil, err
	}
	j := p.judges[0]
	switch {
	case !p.ofPairs():
		return nil, fmt.Errorf("%s: shares are estimated of pairs, whose labels are A, B and tie", dir)
	case p.weights == nil && slices.ContainsFunc(p.file.Labels, func(l Label) bool { return l.Drawn == ByDisagreement }):
		return nil, fmt.Errorf("%s: some items were chosen by disagreement, and it is not known of all labels how likely they were: label some that were drawn at random", p.file.Path)
	}
	e := &Estimated{Run: dir, Model: j.Manifest.Spec.Model.Name, Labels: p.file.Path, Response: response, Judged: len(j.Of), Reading: how.Name}
	score := func(said string) float64 {
		switch said {
		case response:
			return 1
		case Tie, "":
			return 0.5
		}
		return 0
	}
	var label, of, rest, all []float64
	var units []stats.Unit
	clusters := map[string]int{}
	var right, wrong [2]int
	said, ties := 0, 0
	majority := p.file.Majority()
	for _, item := range slices.Sorted(maps.Keys(j.Of)) {
		verdict := j.Of[item]
		if verdict == "" {
			e.NoVerdict++
		}
		f := score(verdict)
		all = append(all, f)
		truth, is := majority[item]
		u := stats.Unit{Cluster: len(clusters), Predicted: f}
		if at, seen := clusters[p.cluster(item)]; seen {
			u.Cluster = at
		}
		if clusters[p.cluster(item)] = u.Cluster; is {
			u.Truth, u.Weight = score(truth), cmp.Or(p.weight(item), 1)
		}
		units = append(units, u)
		if !is {
			if rest = append(rest, f); verdict == response {
				said++
			}
			continue
		}
		label, of = append(label, score(truth)), append(of, f)
		on := &wrong
		switch truth {
		case response:
			on = &right
		case Tie:
			ties++
		}
		if on[1]++; verdict == response {
			on[0]++
		}
	}
	e.Labelled = len(label)
	if e.Labelled < leastLabels {
		return nil, fmt.Errorf("%s: %d of the pairs of %s have a label: at least %d are needed", p.file.Path, e.Labelled, dir, leastLabels)
	}
	design := p.weights != nil || len(clusters) < len(units)
	if design {
		e.byDesign(units, widths, level)
	} else {
		e.fill(label, of, rest, all, widths, level)
	}
	if !design && ties == 0 && len(rest) > 0 && right[1] > 0 && wrong[1] > 0 {
		if g := stats.RoganGladen(said, len(rest), right, wrong, level); !math.IsNaN(g.Mean) {
			n := percents(g.Mean, g.Interval, ByGladen)
			e.RoganGladen = &n
		}
	}
	if e.Warnings = append([]string{}, p.warnings...); len(rest) == 0 {
		e.Warnings = append(e.Warnings, "every pair has a label: the judge adds nothing")
	}
	if e.Weighted = p.weights != nil; len(clusters) < len(units) {
		e.Clusters = len(clusters)
	}
	return e, nil
}

// leastLabels is below how many nothing is estimated.
const leastLabels = 10

func (e *Estimated) fill(label, of, rest, all []float64, widths []float64, level float64) {
	powered := stats.PredictionPowered(label, of, rest, level)
	e.Share, e.Weight = percents(powered.Mean, powered.Interval, ByPredictions), *scoring.Fraction(powered.Weight)
	e.JudgeAlone, e.LabelsAlone = halves(all, level), halves(label, level)
	e.labelsFor(powered, widths, len(rest), len(all), level)
}

// byDesign is fill for pairs that hang together, or were drawn with probabilities that differ.
func (e *Estimated) byDesign(units []stats.Unit, widths []float64, level float64) {
	powered, labels := stats.Clustered(units, 1, level), stats.Clustered(units, 0, level)
	judge := make([]stats.Unit, len(units))
	for i, u := range units {
		judge[i] = stats.Unit{Cluster: u.Cluster, Truth: u.Predicted, Weight: 1}
	}
	alone := stats.Clustered(judge, 0, level)
	e.Share, e.Weight = percents(powered.Mean, powered.Interval, ByPredictions), *scoring.Fraction(powered.Weight)
	e.JudgeAlone, e.LabelsAlone = percents(alone.Mean, alone.Interval, ByDesign), percents(labels.Mean, labels.Interval, ByDesign)
	e.labelsFor(powered, widths, len(units), len(units), level)
}

// labelsFor says how many labels the widths take, where rest of all pairs have none.
func (e *Estimated) labelsFor(p stats.Powered, widths []float64, rest, all int, level float64) {
	for _, width := range widths {
		x := LabelsFor{Width: width}
		if n := p.LabelsFor(width/100, rest, level); n > 0 && n <= all {
			x.Labels = &n
		}
		e.LabelsFor = append(e.LabelsFor, x)
	}
}

// halves is the mean of scores of 0, ½ and 1.
func halves(scores []float64, level float64) Number {
	sum, best, worst := 0.0, 0.0, 0.0
	for _, s := range scores {
		sum += s
		switch s {
		case 1:
			best++
		case 0:
			worst++
		}
	}
	n := float64(len(scores))
	iv := stats.Paired(best, worst, n, level) // of score·2 − 1, from −1 to 1
	return percents(sum/n, stats.Interval{Low: (1 + iv.Low) / 2, High: (1 + iv.High) / 2}, scoring.ByPairs)
}
