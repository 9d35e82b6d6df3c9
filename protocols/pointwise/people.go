package pointwise

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"gavel/datasets"
	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics that compare the judge's scores with people's, the mean over raters.
const (
	spearman               = "spearman"
	weightedKappa          = "weighted-kappa"
	meanAbsoluteError      = "mae"
	bias                   = "bias"
	accuracy               = "accuracy"
	brier                  = "brier"
	balancedAccuracyMetric = "balanced-accuracy"

	raterMetricPrefix = "people:"   // the metric of a person against the mean of the others, over all people
	constantPrefix    = "constant:" // the metric of a constant answer: people's mean, or yes
)

// agreement is a statistic of two raters' scores of the same responses.
type agreement struct {
	name    string
	compute func(people, judge []float64) float64
}

// agreements lists the statistics: those of yes and no, as 1 and 0, up to Spearman's, without it for labels; those of
// scores on one scale from the bias on; those of any scores from Spearman's to Pearson's.
var agreements = []agreement{
	{brier, func(x, y []float64) float64 { d := floats.Distance(x, y, 2); return d * d / float64(len(x)) }},
	{accuracy, func(x, y []float64) float64 { return 1 - meanDistance(x, y) }}, {balancedAccuracyMetric, balancedAccuracy},
	{bias, func(x, y []float64) float64 { return stat.Mean(y, nil) - stat.Mean(x, nil) }},
	{weightedKappa, stats.WeightedKappa}, {spearman, stats.Spearman}, {"kendall", stats.Kendall},
	{"pearson", func(x, y []float64) float64 { return stat.Correlation(x, y, nil) }},
	{"icc", stats.ICC}, {meanAbsoluteError, meanDistance},
}

func meanDistance(x, y []float64) float64 { return floats.Distance(x, y, 1) / float64(len(x)) }

// balancedAccuracy returns the mean of the shares of people's yes, and of their no, that the judge gives too.
func balancedAccuracy(people, judge []float64) float64 {
	yes, judgeYes := floats.Sum(people), floats.Sum(judge)
	both := floats.Dot(people, judge)
	return (1 + both/yes - (judgeYes-both)/(float64(len(people))-yes)) / 2
}

// scoreFiller fills up the columns of a response that fewer people have scored than others.
var scoreFiller = math.Inf(1)

// computeFromRows computes the statistic from rows of pairs of columns: people's score and the other one.
func (a agreement) computeFromRows(rows [][]float64) float64 {
	var people, other []float64
	for _, row := range rows {
		for k := 0; k < len(row) && row[k] != scoreFiller; k += 2 {
			people, other = append(people, row[k]), append(other, row[k+1])
		}
	}
	return a.compute(people, other)
}

// minQuestionClusters is the number of questions from which on the responses to one question are resampled together.
// With fewer, intervals are for these questions alone.
const minQuestionClusters = 10

// rightScore returns the score that a response should have: people's mean or, on the scale yes-no, 1 for the labelled
// response and 0 for the others of its item; NaN if this is unknown.
func (u responses) rightScore(k int) float64 {
	switch {
	case len(u.people.Scores) > 0:
		return u.people.Mean()
	case u.gold < 0:
		return math.NaN()
	}
	return scoring.Indicator(k == u.gold)
}

// Blocks of columns that compare pairs of scores.
const (
	judgeColumns    = iota // the right score and the judge's
	expectedColumns        // the right score and the judge's expected one
	constantColumns        // the right score and a constant one
	personColumns          // the mean of the others and the score of each person
	pairColumnBlockCount
)

// agreementStatistics returns the statistics that compare the judge with the right scores, and the constant answer.
func (f *pointwiseScorer) agreementStatistics() (list []agreement, constant float64) {
	if !f.hasPeople {
		return agreements[:5], 1
	}
	var means, ends []float64
	for _, u := range f.rows {
		means = append(means, u.people.Mean())
		ends = slices.AppendSeq(ends, maps.Values(u.people.Scores))
		if u.people.Scale != nil {
			ends = append(ends, u.people.Scale[:]...)
		}
	}
	prompt := f.manifest.Spec.Prompt
	switch {
	case !prompt.HasScale(ends):
		return agreements[5:8], stat.Mean(means, nil)
	case prompt.Labels[0] == levelNo:
		return agreements[:6], 1
	}
	return agreements[3:], stat.Mean(means, nil)
}

// addAgreement adds the metrics and columns of responses whose right score is known. If it is people's, there are no
// other metrics.
func (f *pointwiseScorer) addAgreement(s *scoring.Sheet) {
	list, constant := f.agreementStatistics()
	if f.hasPeople {
		s.Metrics = nil
	}
	questions := map[string]bool{}
	width := 0
	for _, u := range f.rows {
		questions[u.question] = true
		width = max(width, 2*len(u.ids), 2*len(u.people.Scores))
	}
	var has [pairColumnBlockCount]bool
	for i, u := range f.rows {
		var pairs [pairColumnBlockCount][]float64
		add := func(block int, x, y float64) {
			if !math.IsNaN(x + y) {
				pairs[block] = append(pairs[block], x, y)
				has[block] = true
			}
		}
		for k, score := range u.scores {
			add(judgeColumns, u.rightScore(k), score)
			add(expectedColumns, u.rightScore(k), u.expectedScores[k])
			add(constantColumns, u.rightScore(k), constant)
		}
		for _, name := range slices.Sorted(maps.Keys(u.people.Scores)) {
			others := datasets.PeopleScores{Scores: maps.Clone(u.people.Scores)}
			delete(others.Scores, name)
			add(personColumns, others.Mean(), u.people.Scores[name])
		}
		x := &s.Units[i]
		for _, p := range pairs {
			if p == nil {
				p = []float64{math.NaN()}
			}
			x.Row = slices.Concat(x.Row, p, slices.Repeat([]float64{scoreFiller}, width-len(p)))
		}
		if f.hasPeople && len(questions) >= minQuestionClusters {
			x.Cluster = u.question
		}
	}
	for _, a := range list {
		add := func(prefix string, block int) {
			from := s.ColumnCount + block*width
			s.Metrics = append(s.Metrics, scoring.Metric{
				Name:           prefix + a.name,
				Columns:        scoring.ColumnSpan{from, from + width},
				ValueFromUnits: a.computeFromRows,
				Headline:       prefix+a.name == spearman,
			})
		}
		switch {
		case a.name != brier:
			add("", judgeColumns)
		case has[expectedColumns]:
			add("", expectedColumns)
		}
		if has[personColumns] && a.name != brier && a.name != bias {
			add(raterMetricPrefix, personColumns)
		}
		if a.name == brier || a.name == meanAbsoluteError || a.name == accuracy {
			add(constantPrefix, constantColumns)
		}
	}
	s.ColumnCount += pairColumnBlockCount * width
}

// yesBiasSentence returns a sentence on a judge of yes and no that says yes significantly more often than is right; ""
// for another.
func yesBiasSentence(r *scoring.Report) string {
	e, ok := r.Overall(bias).CompareWithThreshold(0)
	if !ok || !e.IsAboveAt99Percent() {
		return ""
	}
	return phrases.Sentence("pointwise.yes-leaning", 100*e.Value, 100*e.Low, 100*e.High)
}

// diagnoseAgainstPeople grades a judge by how it ranks responses, or answers yes and no, compared with people.
func diagnoseAgainstPeople(r *scoring.Report) (d scoring.Diagnosis) {
	if e, ok := r.Overall(balancedAccuracyMetric).CompareWithThreshold(50); ok {
		d = e.Diagnose("pointwise.yes-no-", e)
		d.Also = yesBiasSentence(r)
		return d
	}
	rank, ok := r.Overall(spearman).CompareWithThreshold(0)
	if !ok {
		return scoring.UnknownDiagnosis(scoring.CodeTooFewItems, "pointwise.no-rank", r.Items)
	}
	percent := rank // the levels of a share: from 0.5 usable, from 0.75 strong
	for _, x := range []*float64{&percent.Value, &percent.Low, &percent.High} {
		*x *= 100
	}
	d = percent.Diagnose("pointwise.ranks-", rank)
	d.Evidence[0] = rank
	if level, _ := r.Overall(bias).CompareWithThreshold(0); level.IsAboveAt99Percent() || level.IsBelowAt99Percent() {
		d.Text += " " + phrases.Sentence("pointwise.levels-off", level, -level.Value)
	}
	if people, ok := r.Overall(raterMetricPrefix + spearman).CompareWithThreshold(0); ok {
		d.Also = phrases.Sentence("pointwise.people", people)
	}
	return d
}

// peopleComparisonBlocks shows each statistic of the judge, of people among themselves and of a constant answer, on the
// scale yes-no also against labels.
func peopleComparisonBlocks(p *report.RunPage) []doc.Block {
	t := &doc.Table{
		RowHead: "statistic",
		Columns: doc.ColumnsOfKind(doc.ColumnNumber, "judge", "a person, against the others", "constant answer"),
	}
	for _, a := range agreements {
		if x := p.Overall(a.name); x.Metric != "" {
			cells := doc.Cells(x, p.Overall(raterMetricPrefix+a.name), p.Overall(constantPrefix+a.name))
			t.Add(doc.Row{Name: doc.MetricName(p.Protocol, a.name), N: x.N, Cells: cells})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.DropEmpty()
	b := doc.Block{
		ID:        "people",
		Title:     "Yes and no against the labels",
		ShowTitle: true,
		Surfaces:  doc.SurfaceAllButShort,
		Table:     t,
	}
	if p.Overall(spearman).Metric != "" {
		b.Title = "Against people's scores"
		b.Remark("pointwise.levels-compared")
	}
	return []doc.Block{b}
}
