package labels

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"gavel/datasets"
	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// ShareEstimate holds the true share of pairs in which one response is better, estimated from a judge's verdicts on all
// pairs and people's labels of some.
type ShareEstimate struct {
	Says     string `json:"says"`     // the estimated share, in a sentence
	Run      string `json:"run"`      // folder of the judge's run
	Model    string `json:"model"`    // model name of the judge
	Labels   string `json:"labels"`   // path of the file of labels
	Response string `json:"response"` // the response whose share is estimated, A or B
	Judged   int    `json:"judged"`   // pairs that the judge has judged
	Labelled int    `json:"labelled"` // judged pairs with a label; of several people's labels the majority's counts
	// pairs without a verdict; they count as ties, as do pairs whose verdict depends on the order
	NoVerdict int `json:"no_verdict"`
	// share of pairs in which the response is better, in percent, with the judge's errors corrected by PPI++ (arXiv
	// 2311.01453); a tie counts as one half
	Share Statistic `json:"share"`
	// the same share by the judge's verdicts on all pairs, without correction
	JudgeAlone Statistic `json:"judge_alone"`
	// the same share by the labels of the labelled pairs, without verdicts
	LabelsAlone Statistic `json:"labels_alone"`
	// the same share, corrected as by Rogan and Gladen (arXiv 2511.21140); only if no label is a tie and pairs are
	// independent
	RoganGladen *Statistic `json:"rogan_gladen,omitempty"`
	// λ: weight of the judge's verdicts in `share`, 0 to 1
	VerdictWeight float64 `json:"weight"`
	// number of clusters (questions) of the pairs, if pairs come in clusters
	Clusters int `json:"clusters,omitempty"`
	// number of labels needed for an interval of `share` of some widths
	LabelsNeeded []LabelsNeeded `json:"labels_for"`
	// how replies were read; left out for the default rules
	Reading  judging.ReaderSet `json:"reading,omitempty"`
	Warnings []string          `json:"warnings"` // warnings about the labels and the run, printed after `!`
}

// LabelsNeeded holds the number of labels needed for an interval of some width.
type LabelsNeeded struct {
	Width  float64 `json:"width"`  // width of the interval, in percentage points
	Labels *int    `json:"labels"` // labels needed; null if no number of them is enough
}

// Methods of the intervals of a [ShareEstimate], values of Number.Interval.
const (
	IntervalPPI         = "prediction-powered" // PPI++
	IntervalRoganGladen = "rogan-gladen"       // Rogan and Gladen's estimate, by Lang and Reiczigel
	IntervalClustered   = "design-based"       // a share of items in clusters, by Student's t between clusters
)

// Estimate returns the true share of pairs in which one side is better: the judge's verdicts of the run in dir,
// corrected by labels. side returns the side's response to an item, A or B; name names it. The labelled pairs must be
// drawn at random from all. widths are those, in points, for which the number of labels needed is computed.
func Estimate(
	dir string, file *LabelFile, name string, side func(item string) string, widths []float64,
	reading judging.ReadingOptions, level float64,
) (*ShareEstimate, error) {
	p, err := newPanel([]string{dir}, file, reading, stats.DefaultBootstrap, false)
	if err != nil {
		return nil, err
	}
	j := p.judges[0]
	switch {
	case !p.itemsArePairs():
		return nil, fmt.Errorf("%s: shares are estimated of pairs, whose labels are A, B and tie", dir)
	case p.file.hasDisagreementSample():
		return nil, fmt.Errorf("%s: some items were chosen by disagreement: use labels of items drawn at random",
			p.file.Path)
	}
	e := &ShareEstimate{
		Run:      dir,
		Model:    j.Manifest.Spec.Model.Name,
		Labels:   p.file.Path,
		Response: name,
		Judged:   len(j.Verdicts),
		Reading:  reading.Readers,
	}
	for _, verdict := range j.Verdicts {
		if verdict == "" {
			e.NoVerdict++
		}
	}
	units, clusters := p.units(side)
	var label, predictions, rest []float64 // labels and verdicts of labelled pairs, and verdicts of the other pairs
	for _, u := range units {
		if u.Weight == 0 {
			rest = append(rest, u.Predicted)
			continue
		}
		label = append(label, u.Truth)
		predictions = append(predictions, u.Predicted)
	}
	e.Labelled = len(label)
	if e.Labelled < minLabels {
		return nil, fmt.Errorf("%s: %d of the pairs of %s have a label: at least %d are needed",
			p.file.Path, e.Labelled, dir, minLabels)
	}
	if clusters < len(units) {
		e.Clusters = clusters
		judge := slices.Clone(units)
		for i := range judge {
			judge[i].Truth = judge[i].Predicted
			judge[i].Weight = 1
		}
		e.JudgeAlone = clusterMean(judge, level)
		e.LabelsAlone = clusterMean(units, level)
		e.correct(stats.PredictionPoweredClusters(units, 1, level), widths, len(units), level)
	} else {
		e.JudgeAlone = meanScore(slices.Concat(predictions, rest), level)
		e.LabelsAlone = meanScore(label, level)
		e.correct(stats.PredictionPowered(label, predictions, rest, level), widths, len(rest), level)
		e.RoganGladen = roganGladen(label, predictions, rest, level)
	}
	e.Warnings = p.warnings
	if len(rest) == 0 {
		e.Warnings = append(e.Warnings, phrases.Sentence("estimate.all-labelled"))
	}
	e.Says = e.answerSentence()
	return e, nil
}

// minLabels is the smallest number of labelled pairs with which [Estimate] makes an estimate.
const minLabels = 10

// CheckPairs returns an error if the file has labels of fewer of these pairs, from the dataset at path, than [Estimate]
// needs.
func (f *LabelFile) CheckPairs(path string, pairs []datasets.Item) error {
	labelled := 0
	for _, pair := range pairs {
		if slices.ContainsFunc(f.Labels, func(l Label) bool {
			return l.Item == pair.ID && l.Label != "" && (l.SHA256 == "" || l.SHA256 == datasets.HexSum(pair.Raw))
		}) {
			labelled++
		}
	}
	if labelled < minLabels {
		return fmt.Errorf("%s: %d of the pairs of %s have a label: at least %d are needed", f.Path, labelled, path, minLabels)
	}
	return nil
}

// units returns the pairs of the first judge, with its verdicts as predictions and the majority's labels as truth, and
// the number of their clusters. A verdict or label scores 1 for the item's side, 0 for the other response, and else ½.
func (p *panel) units(side func(item string) string) (units []stats.PopulationUnit, clusters int) {
	score := func(item, verdict string) float64 {
		switch verdict {
		case side(item):
			return 1
		case Tie, "":
			return 0.5
		}
		return 0
	}
	majority, numbers := p.file.Majority(), map[string]int{}
	verdicts := p.judges[0].Verdicts
	for _, item := range slices.Sorted(maps.Keys(verdicts)) {
		cluster := p.clusterOf(item)
		numbers[cluster] = cmp.Or(numbers[cluster], len(numbers)+1)
		u := stats.PopulationUnit{Cluster: numbers[cluster], Predicted: score(item, verdicts[item])}
		if truth, labelled := majority[item]; labelled {
			u.Truth = score(item, truth)
			u.Weight = 1
		}
		units = append(units, u)
	}
	return units, len(numbers)
}

// roganGladen returns Rogan and Gladen's estimate from the scores of labels, of the verdicts on the same pairs, and of
// the verdicts on the other pairs (rest); nil if it cannot be made. Ties, and pairs on which people are evenly split,
// cannot be left out: the other labelled pairs would not be a random sample of all.
func roganGladen(label, predictions, rest []float64, level float64) *Statistic {
	if slices.Contains(label, 0.5) {
		return nil
	}
	favoured := 0 // unlabelled pairs in which the judge prefers the response
	for _, verdict := range rest {
		favoured += int(verdict)
	}
	var table [2][2]int // by label, 0 or 1: pairs in which the judge prefers the response, and all pairs
	for i, truth := range label {
		row := &table[int(truth)]
		row[0] += int(predictions[i])
		row[1]++
	}
	g := stats.RoganGladen(favoured, len(rest), table[1], table[0], level)
	if math.IsNaN(g.Mean) {
		return nil
	}
	return new(percentStatistic(g.Mean, g.Interval, IntervalRoganGladen))
}

// clusterMean returns the mean truth of units in clusters, in percent.
func clusterMean(units []stats.PopulationUnit, level float64) Statistic {
	p := stats.PredictionPoweredClusters(units, 0, level)
	return percentStatistic(p.Mean, p.Interval, IntervalClustered)
}

// correct sets the corrected share, and the numbers of labels needed for intervals of these widths, in points; rest is
// the number of unlabelled pairs.
func (e *ShareEstimate) correct(p stats.PredictionPoweredEstimate, widths []float64, rest int, level float64) {
	e.Share = percentStatistic(p.Mean, p.Interval, IntervalPPI)
	e.VerdictWeight = *scoring.RoundFraction(p.PredictionWeight)
	for _, width := range widths {
		x := LabelsNeeded{Width: width}
		if n := p.LabelsFor(width/100, rest, level); n > 0 && n <= e.Judged {
			x.Labels = &n
		}
		e.LabelsNeeded = append(e.LabelsNeeded, x)
	}
}

// meanScore returns the mean of scores of 0, ½ and 1, in percent, with its interval.
func meanScore(scores []float64, level float64) Statistic {
	var best, worst float64
	for _, s := range scores {
		best += scoring.Indicator(s == 1)
		worst += scoring.Indicator(s == 0)
	}
	iv := stats.PairedInterval(best, worst, float64(len(scores)), level) // of score·2 − 1, from −1 to 1
	iv.Low = (1 + iv.Low) / 2
	iv.High = (1 + iv.High) / 2
	return percentStatistic(stat.Mean(scores, nil), iv, scoring.IntervalByBonettPrice)
}
