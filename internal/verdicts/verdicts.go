// Package verdicts applies a measured judge to items without labels: its verdict on each item, which side wins by them
// once the judge's measured errors are corrected, and the items that a person should decide.
package verdicts

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/internal/phrases"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics of results.
const (
	uncorrected = "uncorrected" // by the verdicts as they are
	scoreMetric = "scores"      // the only response of a judge that scores
)

var scoringOptions = scoring.DefaultOptions

// level is the confidence level of intervals.
var level = scoringOptions.Bootstrap.Level

// Result holds a judge's verdicts on items without labels, and what they show.
type Result struct {
	Says          string   `json:"says"`      // the answer in sentences
	Judge         string   `json:"judge"`     // name of the judge
	ResponseNames []string `json:"responses"` // names of the responses' models, A and B, or scores
	// of consistent verdicts, or of those in one order, as measured; 0 if unknown
	Accuracy          scoring.Evidence      `json:"accuracy"`
	Counts            map[string]int        `json:"counts"`              // wins or scores by response, and other outcomes
	Persons           int                   `json:"persons"`             // items that need a person
	Estimates         []scoring.Result      `json:"results"`             // win rates of `responses[0]`, or mean scores
	Ranking           []ModelRank           `json:"ranking,omitempty"`   // of three models or more, by `responses`
	CorrectedByLabels *labels.ShareEstimate `json:"by_labels,omitempty"` // corrected by people's labels
	Warnings          []string              `json:"warnings"`            // what differs from the measurement
	File              string                `json:"verdicts"`            // path of the file of verdicts
	Verdicts          []Row                 `json:"-"`                   // one for each item, in the order of the file

	prompt      judging.Template
	verdictKind string  // the verdicts to keep: consistent verdicts, oneOrder or scores
	rated       []*item // items that the rates count
	// the most confident measured judgments are significantly more often correct than all
	confidencePredictsAccuracy bool
}

// Measurement holds what is known of a judge from the run in which it was measured with labels.
type Measurement struct {
	Coverage scoring.Evidence // share of labelled pairs on which both orders name the same response
	// OneOrderIsEnough says that hardly any verdict changes with the order, by the rule of the run's report; but pairs
	// without a verdict count as changed.
	OneOrderIsEnough bool

	usable        bool // the judge's level is usable or strong
	spec          judging.Spec
	serverVersion string
	report        scoring.Report
	items         []*item
}

// oneOrder names the verdicts of a run that asks in one order.
const oneOrder = "verdicts in one order"

// ReadMeasurement scores the run in dir, in which the judge was measured.
func ReadMeasurement(dir string) (*Measurement, error) {
	items, _, err := readItems(dir)
	run, runErr := scoring.Load(dir, scoringOptions.Reading)
	if err := cmp.Or(err, runErr); err != nil {
		return nil, err
	}
	m := &Measurement{
		spec:          run.Manifest.Spec,
		serverVersion: run.Manifest.Server.Version,
		report:        run.Score(scoringOptions.Bootstrap),
		items:         items,
	}
	m.Coverage, _ = m.report.Overall(scoring.Coverage).CompareWithThreshold(scoring.MinConsistentLowerPercent)
	usability := m.report.Level()
	m.usable = usability == scoring.LevelUsable || usability == scoring.LevelStrong
	m.OneOrderIsEnough = m.usable && m.Coverage.AboveThreshold && m.Coverage.Value > scoring.MinConsistentPercent
	return m, nil
}

// ReadVerdicts returns the verdicts of the run in dir over items without labels, by the judge that m measured. file
// holds people's labels of some items, or is nil.
func (m *Measurement) ReadVerdicts(dir string, file *labels.LabelFile) (*Result, error) {
	items, judge, err := readItems(dir)
	if err != nil {
		return nil, err
	}
	spec := judge.Manifest.Spec
	metric, kind := scoring.AccuracyWhenConsistent, "consistent verdicts"
	if judge.CallsPerItem == 1 {
		metric, kind = "half-tie", oneOrder // accuracy in an order drawn at random
	}
	accuracy, _ := m.report.Overall(metric).CompareWithThreshold(50)
	r := &Result{
		Judge:         scoring.JudgeName(spec.Model.Name),
		ResponseNames: []string{scoreMetric},
		Counts:        map[string]int{},
		Estimates:     []scoring.Result{},
		Accuracy:      accuracy,
		prompt:        spec.Prompt,
		verdictKind:   kind,
	}
	if c := m.report.Calibration; c != nil {
		surest := c.AccuracyOverCoverage[0].Accuracy
		r.confidencePredictsAccuracy = surest.Low != nil && *surest.Low > *c.Accuracy.Value
	}
	spec.Dataset = m.spec.Dataset
	spec.ProtocolOptions = m.spec.ProtocolOptions
	r.Warnings = m.spec.Differences(spec)
	if !m.usable {
		r.Warnings = append(r.Warnings, phrases.Sentence("judge.level", m.report.Level(), m.report.Says))
	}
	if now := judge.Manifest.Server.Version; now != m.serverVersion {
		r.Warnings = append(r.Warnings, phrases.Sentence("judge.server", m.serverVersion, now))
	}
	if len(items[0].models) > 1 {
		r.nameResponses(items)
	} else {
		r.verdictKind = scoreMetric
		r.rated = items
	}
	if unnamed := len(items) - len(r.rated); unnamed > 0 {
		if file != nil {
			return nil, errors.New(phrases.Sentence("judge.labels"))
		}
		r.Warnings = append(r.Warnings, phrases.Sentence("judge.unnamed", unnamed, len(items)))
	}
	r.warnOfUnlikeItems(items, m.items)
	for _, x := range items {
		r.Verdicts = append(r.Verdicts, x.Row)
		if x.ReasonToAskPerson != "" {
			r.Persons++
		}
	}
	r.addResults()
	if file != nil {
		sides := map[string]string{}
		for _, x := range items {
			sides[x.Item] = sideNames[slices.Index(x.models, r.ResponseNames[0])]
		}
		r.CorrectedByLabels, err = labels.Estimate(dir, file, r.ResponseNames[0], func(id string) string { return sides[id] },
			nil, scoringOptions.Reading, level)
	}
	r.Says, _ = r.answer()
	return r, err
}

// pointwise is the protocol of judges that score.
const pointwise = "pointwise"

// CheckItems returns an error if ReadVerdicts could not use a run over these items of the file at path, or the people's
// labels in file, or nil for none.
func (m *Measurement) CheckItems(path string, items []datasets.Item, file *labels.LabelFile) error {
	models := map[string]bool{}
	for _, x := range items {
		if m.spec.Protocol == pointwise && len(x.Candidates) > 1 {
			return errors.New(phrases.Sentence("judge.one-response"))
		}
		for _, c := range x.Candidates {
			models[c.Model] = true
		}
	}
	switch {
	case file == nil:
		return nil
	case m.spec.Protocol == pointwise || len(models) > 2:
		return errors.New(phrases.Sentence("judge.labels"))
	}
	return file.CheckPairs(path, items)
}

// addResults adds the counts and results of the items that rates count.
func (r *Result) addResults() {
	groups := map[string][]*item{}
	for _, x := range r.rated {
		groups[x.group] = append(groups[x.group], x)
		switch {
		case x.ReasonToAskPerson != "":
			r.Counts[x.ReasonToAskPerson]++
		case r.verdictKind == scoreMetric:
			r.Counts[scoreMetric]++
		}
	}
	if len(r.ResponseNames) > 2 {
		r.setRanking(r.rated)
	} else {
		r.add(scoring.Overall, r.rated)
		for _, group := range slices.Sorted(maps.Keys(groups)) {
			if len(groups) > 1 {
				r.add(group, groups[group])
			}
		}
	}
}

// add adds the results of a group, in percent: the win rate of the first of the responses, uncorrected and corrected,
// or the mean score, from 0 for the lowest level of the scale to 100 for the highest.
func (r *Result) add(group string, items []*item) {
	var units []stats.PopulationUnit
	for _, x := range items {
		u := stats.PopulationUnit{Cluster: x.cluster, Weight: 1, Truth: scoring.Indicator(x.Verdict == r.ResponseNames[0])}
		if levels := r.prompt.Labels; len(r.ResponseNames) == 1 { // whole numbers in a row
			u.Truth = (r.prompt.ScaleValue(x.Verdict) - r.prompt.ScaleValue(levels[0])) / float64(len(levels)-1)
		}
		if x.ReasonToAskPerson == "" {
			units = append(units, u)
		}
	}
	share := stats.PredictionPoweredClusters(units, 0, level).MeanEstimate
	a := r.Accuracy
	rate := stats.AdjustWinRate(share, a.Value/100, a.Low/100, a.High/100)
	for i, e := range []stats.MeanEstimate{share, rate}[:len(r.ResponseNames)] { // scores are not corrected
		r.Estimates = append(r.Estimates, scoring.Result{
			Metric: []string{uncorrected, "corrected"}[i],
			Group:  group,
			N:      len(units),
			Value:  scoring.Percent(e.Mean),
			Low:    scoring.Percent(e.Low),
			High:   scoring.Percent(e.High),
		})
	}
}

// ModelRank holds a model's place among several.
type ModelRank struct {
	Ranks          [2]int         `json:"ranks"`         // first and last possible rank
	WinProbability scoring.Result `json:"against_first"` // estimated share of wins against `responses[0]`, in percent
}

// setRanking sorts three models or more by their strength in the model of Bradley and Terry, a logistic regression of
// consistent verdicts, and sets their ranking. One win of each side is added between every two models, so that all
// strengths are finite. Ranks count the models that are significantly better or worse, with Bonferroni's correction for
// all pairs of models.
//
// Source: Agresti, Categorical Data Analysis (2013), §11.6.
func (r *Result) setRanking(items []*item) {
	var games [][2]string // winner and loser of each pair
	var clusters []int
	for _, x := range items {
		if x.ReasonToAskPerson == "" {
			k := slices.Index(x.models, x.Verdict)
			games = append(games, [2]string{x.Verdict, x.models[1-k]})
			clusters = append(clusters, x.cluster)
		}
	}
	n := len(r.ResponseNames)
	for i := range n * n { // games of a model with itself have no effect
		games = append(games, [2]string{r.ResponseNames[i/n], r.ResponseNames[i%n]})
		clusters = append(clusters, -i)
	}
	fit := func(zero int) *stats.Logistic { // the strengths of the others, relative to zero
		var rows [][]float64
		for _, g := range games {
			row := make([]float64, n)
			row[slices.Index(r.ResponseNames, g[0])]++
			row[slices.Index(r.ResponseNames, g[1])]--
			rows = append(rows, slices.Delete(row, zero, zero+1))
		}
		return stats.FitLogistic(rows, slices.Repeat([]bool{true}, len(games)), clusters)
	}
	strengths := map[string]float64{}
	for j, lead := range fit(0).Beta {
		strengths[r.ResponseNames[j+1]] = lead
	}
	slices.SortStableFunc(r.ResponseNames, func(a, b string) int { return cmp.Compare(strengths[b], strengths[a]) })
	chance := func(odds float64) *float64 { return scoring.Percent(1 / (1 + math.Exp(-odds))) }
	r.Ranking = make([]ModelRank, n)
	for zero := range r.ResponseNames {
		fit := fit(zero)
		x := &r.Ranking[zero]
		x.Ranks = [2]int{1, n}
		x.WinProbability.Metric = uncorrected
		x.WinProbability.N = len(games) - n*n
		for j, lead := range fit.Beta {
			if zero == 0 {
				iv := fit.Interval(j, level)
				r.Ranking[j+1].WinProbability = scoring.Result{Value: chance(lead), Low: chance(iv.Low), High: chance(iv.High)}
			}
			switch p := fit.Test(j) * float64(n*(n-1)/2); {
			case p >= 1-level:
			case lead > 0:
				x.Ranks[0]++
			default:
				x.Ranks[1]--
			}
		}
	}
}
