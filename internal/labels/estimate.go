package labels

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Estimated is how often one response of a pair is better in truth, from verdicts on all pairs and labels of some.
type Estimated struct {
	Says     string `json:"says"`     // the answer in a sentence
	Run      string `json:"run"`      // its folder
	Model    string `json:"model"`    // the judge
	Labels   string `json:"labels"`   // the file
	Response string `json:"response"` // whose share it is: A or B
	Judged   int    `json:"judged"`   // pairs
	Labelled int    `json:"labelled"` // of them; of several people the majority counts
	// NoVerdict is how many pairs have none; they count as ties of the judge, as do those on which it says
	// another thing in another order.
	NoVerdict int `json:"no_verdict"`
	// Share is the corrected one, in percent, a tie as one half: PPI++ (arXiv 2311.01453).
	Share Number `json:"share"`
	// JudgeAlone and LabelsAlone are what it is beside: the first is wrong where the judge is.
	// of all pairs
	JudgeAlone Number `json:"judge_alone"`
	// of those with a label
	LabelsAlone Number `json:"labels_alone"`
	// where no label is a tie, and pairs are independent and drawn at random (arXiv 2511.21140)
	RoganGladen *Number `json:"rogan_gladen,omitempty"`
	// λ: how far the judge is relied on, 0 to 1
	Weight float64 `json:"weight"`
	// in how many questions the pairs are, where several hang together
	Clusters int `json:"clusters,omitempty"`
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

// Methods of intervals, as the estimate names them.
const (
	ByPredictions = "prediction-powered" // of PPI++
	ByGladen      = "rogan-gladen"       // Rogan and Gladen's, by Lang and Reiczigel
	ByDesign      = "design-based"       // of items that hang together
)

// Estimate corrects the share of verdicts for one response. The labelled pairs must have been drawn from all at random.
func Estimate(
	dir string, file *File, response string, widths []float64, how judging.Reading, level float64,
) (*Estimated, error) {
	p, err := newPanel([]string{dir}, file, how, stats.Default, false)
	if err != nil {
		return nil, err
	}
	j := p.judges[0]
	switch {
	case !p.ofPairs():
		return nil, fmt.Errorf("%s: shares are estimated of pairs, whose labels are A, B and tie", dir)
	case p.file.byDisagreement():
		return nil, fmt.Errorf("%s: some items were chosen by disagreement: use labels of items drawn at random",
			p.file.Path)
	}
	e := &Estimated{
		Run:      dir,
		Model:    j.Manifest.Spec.Model.Name,
		Labels:   p.file.Path,
		Response: response,
		Judged:   len(j.Of),
		Reading:  how.Name,
	}
	for _, verdict := range j.Of {
		e.NoVerdict += int(scoring.One(verdict == ""))
	}
	units, clusters := p.units(response)
	var label, of, rest []float64 // of pairs with a label this and the verdict, of others the verdict
	for _, u := range units {
		if u.Weight == 0 {
			rest = append(rest, u.Predicted)
			continue
		}
		label = append(label, u.Truth)
		of = append(of, u.Predicted)
	}
	e.Labelled = len(label)
	if e.Labelled < leastLabels {
		return nil, fmt.Errorf("%s: %d of the pairs of %s have a label: at least %d are needed",
			p.file.Path, e.Labelled, dir, leastLabels)
	}
	if clusters < len(units) {
		e.Clusters = clusters
		judge := slices.Clone(units)
		for i := range judge {
			judge[i].Truth = judge[i].Predicted
			judge[i].Weight = 1
		}
		e.JudgeAlone = byDesign(judge, level)
		e.LabelsAlone = byDesign(units, level)
		e.correct(stats.Clustered(units, 1, level), widths, len(units), level)
	} else {
		e.JudgeAlone = halves(slices.Concat(of, rest), level)
		e.LabelsAlone = halves(label, level)
		e.correct(stats.PredictionPowered(label, of, rest, level), widths, len(rest), level)
		e.RoganGladen = roganGladen(label, of, rest, level)
	}
	e.Warnings = append([]string{}, p.warnings...)
	if len(rest) == 0 {
		e.Warnings = append(e.Warnings, "every pair has a label: the judge adds nothing")
	}
	e.Says = e.answer()
	return e, nil
}

// leastLabels is the number of labels below which nothing is estimated.
const leastLabels = 10

// units returns the pairs of the first judge, with its verdicts as predictions and what most people say as truth, and
// the number of clusters that they are in. A score is 1 for the response, 0 for the other one, and else ½.
func (p *panel) units(response string) (units []stats.Unit, clusters int) {
	score := func(said string) float64 {
		switch said {
		case response:
			return 1
		case Tie, "":
			return 0.5
		}
		return 0
	}
	majority, numbers := p.file.Majority(), map[string]int{}
	verdicts := p.judges[0].Of
	for _, item := range slices.Sorted(maps.Keys(verdicts)) {
		cluster := p.cluster(item)
		if _, seen := numbers[cluster]; !seen {
			numbers[cluster] = len(numbers)
		}
		u := stats.Unit{Cluster: numbers[cluster], Predicted: score(verdicts[item])}
		if truth, labelled := majority[item]; labelled {
			u.Truth = score(truth)
			u.Weight = 1
		}
		units = append(units, u)
	}
	return units, len(numbers)
}

// roganGladen returns their estimate from the scores of labels, of verdicts on these and of the other verdicts; nil
// where it cannot be made. Ties, with those on which people are evenly split, cannot be left out: the other labelled
// pairs are no random sample of all.
func roganGladen(label, of, rest []float64, level float64) *Number {
	if slices.Contains(label, 0.5) {
		return nil
	}
	named := 0 // how often the judge names the response without a label
	for _, verdict := range rest {
		named += int(verdict)
	}
	var known [2][2]int // of labels against the response and for it: how often the judge names it, and how many there are
	for i, truth := range label {
		row := &known[int(truth)]
		row[0] += int(of[i])
		row[1]++
	}
	g := stats.RoganGladen(named, len(rest), known[1], known[0], level)
	if math.IsNaN(g.Mean) {
		return nil
	}
	return new(percents(g.Mean, g.Interval, ByGladen))
}

// byDesign returns the mean truth of units that hang together.
func byDesign(units []stats.Unit, level float64) Number {
	p := stats.Clustered(units, 0, level)
	return percents(p.Mean, p.Interval, ByDesign)
}

// correct takes in the corrected share, and how many labels the widths take, where rest of the pairs have none.
func (e *Estimated) correct(p stats.Powered, widths []float64, rest int, level float64) {
	e.Share = percents(p.Mean, p.Interval, ByPredictions)
	e.Weight = *scoring.Fraction(p.Weight)
	for _, width := range widths {
		x := LabelsFor{Width: width}
		if n := p.LabelsFor(width/100, rest, level); n > 0 && n <= e.Judged {
			x.Labels = &n
		}
		e.LabelsFor = append(e.LabelsFor, x)
	}
}

// halves returns the mean of scores of 0, ½ and 1.
func halves(scores []float64, level float64) Number {
	best := 0.0
	worst := 0.0
	for _, s := range scores {
		best += scoring.One(s == 1)
		worst += scoring.One(s == 0)
	}
	iv := stats.Paired(best, worst, float64(len(scores)), level) // of score·2 − 1, from −1 to 1
	iv.Low = (1 + iv.Low) / 2
	iv.High = (1 + iv.High) / 2
	return percents(stat.Mean(scores, nil), iv, scoring.ByPairs)
}
