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

// ByPredictions is the interval of PPI++.
const ByPredictions = "prediction-powered"

// ByGladen is Rogan and Gladen's, by Lang and Reiczigel.
const ByGladen = "rogan-gladen"

// Estimate corrects the share of verdicts for one response. The labelled pairs must have been drawn from all at random.
func Estimate(
	dir string, file *File, response string, widths []float64, how judging.Reading, level float64,
) (*Estimated, error) {
	p, err := newPanel([]string{dir}, file, how, stats.Default)
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
	majority := p.file.Majority()
	d := sample{response: response, clusters: map[string]int{}}
	for _, item := range slices.Sorted(maps.Keys(j.Of)) {
		if j.Of[item] == "" {
			e.NoVerdict++
		}
		truth, is := majority[item]
		d.add(p.cluster(item), j.Of[item], truth, is)
	}
	e.Labelled = len(d.label)
	if e.Labelled < leastLabels {
		return nil, fmt.Errorf("%s: %d of the pairs of %s have a label: at least %d are needed",
			p.file.Path, e.Labelled, dir, leastLabels)
	}
	if len(d.clusters) < len(d.units) {
		e.Clusters = len(d.clusters)
		e.byClusters(d.units, widths, level)
	} else {
		e.fill(d.label, d.of, d.rest, d.all, widths, level)
		e.RoganGladen = d.roganGladen(level)
	}
	e.Warnings = append([]string{}, p.warnings...)
	if len(d.rest) == 0 {
		e.Warnings = append(e.Warnings, "every pair has a label: the judge adds nothing")
	}
	e.Says = e.answer()
	return e, nil
}

// sample is what the judge says of all pairs, and labels of some.
type sample struct {
	response             string
	label, of, rest, all []float64      // scores: of labels, of verdicts on these, of the other verdicts, of all
	units                []stats.Unit   // the same, with what hangs together and what each weighs
	clusters             map[string]int // their numbers
	// of labels for the response, and against it: how often the judge names it, and how many there are
	right, wrong [2]int
	said, ties   int // how often it does of pairs without a label; labels that are ties
}

func (d *sample) score(said string) float64 {
	switch said {
	case d.response:
		return 1
	case Tie, "":
		return 0.5
	}
	return 0
}

// add adds a pair.
func (d *sample) add(cluster, verdict, truth string, labelled bool) {
	f := d.score(verdict)
	d.all = append(d.all, f)
	at, seen := d.clusters[cluster]
	if !seen {
		at = len(d.clusters)
		d.clusters[cluster] = at
	}
	u := stats.Unit{Cluster: at, Predicted: f}
	if labelled {
		u.Truth = d.score(truth)
		u.Weight = 1
	}
	d.units = append(d.units, u)
	if !labelled {
		d.rest = append(d.rest, f)
		if verdict == d.response {
			d.said++
		}
		return
	}
	d.label, d.of = append(d.label, d.score(truth)), append(d.of, f)
	on := &d.wrong
	switch truth {
	case d.response:
		on = &d.right
	case Tie, "": // evenly split: left out, the labelled pairs were no random sample of all
		d.ties++
	}
	if on[1]++; verdict == d.response {
		on[0]++
	}
}

// roganGladen is their estimate; nil where it cannot be made.
func (d *sample) roganGladen(level float64) *Number {
	if d.ties > 0 || len(d.rest) == 0 || d.right[1] == 0 || d.wrong[1] == 0 {
		return nil
	}
	g := stats.RoganGladen(d.said, len(d.rest), d.right, d.wrong, level)
	if math.IsNaN(g.Mean) {
		return nil
	}
	return new(percents(g.Mean, g.Interval, ByGladen))
}

// leastLabels is below how many nothing is estimated.
const leastLabels = 10

func (e *Estimated) fill(label, of, rest, all []float64, widths []float64, level float64) {
	e.JudgeAlone = halves(all, level)
	e.LabelsAlone = halves(label, level)
	e.correct(stats.PredictionPowered(label, of, rest, level), widths, len(rest), len(all), level)
}

// byClusters is fill for pairs that hang together.
func (e *Estimated) byClusters(units []stats.Unit, widths []float64, level float64) {
	labels := stats.Clustered(units, 0, level)
	judge := make([]stats.Unit, len(units))
	for i, u := range units {
		judge[i] = stats.Unit{Cluster: u.Cluster, Truth: u.Predicted, Weight: 1}
	}
	alone := stats.Clustered(judge, 0, level)
	e.JudgeAlone = percents(alone.Mean, alone.Interval, ByDesign)
	e.LabelsAlone = percents(labels.Mean, labels.Interval, ByDesign)
	e.correct(stats.Clustered(units, 1, level), widths, len(units), len(units), level)
}

// correct takes in the corrected share, and how many labels the widths take, where rest of all pairs have none.
func (e *Estimated) correct(p stats.Powered, widths []float64, rest, all int, level float64) {
	e.Share = percents(p.Mean, p.Interval, ByPredictions)
	e.Weight = *scoring.Fraction(p.Weight)
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
	sum := 0.0
	best := 0.0
	worst := 0.0
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
