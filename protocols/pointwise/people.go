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
	spearman      = "spearman"
	weightedKappa = "weighted-kappa"
	meanError     = "mae"
	bias          = "bias"
	accuracy      = "accuracy"
	balanced      = "balanced-accuracy"

	raterPrefix    = "people:"   // the metric of a person against the mean of the others, over all people
	constantPrefix = "constant:" // the metric of a constant answer: people's mean, or yes
)

// agreement is a statistic of two raters' scores of the same responses.
type agreement struct {
	name    string
	compute func(people, judge []float64) float64
}

// agreements lists the statistics: those of yes and no, as 1 and 0, up to Spearman's; those of scores on one scale from
// weighted κ on; those of any scores from Spearman's to Pearson's.
var agreements = []agreement{
	{accuracy, func(x, y []float64) float64 { return 1 - meanDistance(x, y) }}, {balanced, balancedAccuracy},
	{weightedKappa, stats.WeightedKappa}, {spearman, stats.Spearman}, {"kendall", stats.Kendall},
	{"pearson", func(x, y []float64) float64 { return stat.Correlation(x, y, nil) }},
	{"icc", stats.ICC}, {meanError, meanDistance},
	{bias, func(x, y []float64) float64 { return stat.Mean(y, nil) - stat.Mean(x, nil) }},
}

func meanDistance(x, y []float64) float64 { return floats.Distance(x, y, 1) / float64(len(x)) }

// balancedAccuracy returns the mean of the shares of people's yes, and of their no, that the judge gives too.
func balancedAccuracy(people, judge []float64) float64 {
	yes, judgeYes := floats.Sum(people), floats.Sum(judge)
	both := floats.Dot(people, judge)
	return (1 + both/yes - (judgeYes-both)/(float64(len(people))-yes)) / 2
}

// absent fills up the columns of a response that fewer people have scored than others.
var absent = math.Inf(1)

// units computes the statistic from rows of pairs of columns: people's score and the other one.
func (a agreement) units(rows [][]float64) float64 {
	var people, other []float64
	for _, row := range rows {
		for k := 0; k < len(row) && row[k] != absent; k += 2 {
			people, other = append(people, row[k]), append(other, row[k+1])
		}
	}
	return a.compute(people, other)
}

// fewQuestions is the number of questions from which on the responses to one question are resampled together. With
// fewer, intervals are for these questions alone.
const fewQuestions = 10

// addPeople sets the metrics and columns of responses that people have scored. The columns are pairs of scores:
// people's mean and the judge's; people's mean and a constant one; the mean of the others and the score of each person.
func (f *scores) addPeople(s *scoring.Sheet) {
	var means, ends []float64
	questions := map[string]bool{}
	raters := 0
	for _, u := range f.rows {
		questions[u.question] = true
		means = append(means, u.people.Mean())
		raters = max(raters, len(u.people.Scores))
		ends = slices.AppendSeq(ends, maps.Values(u.people.Scores))
		if u.people.Scale != nil {
			ends = append(ends, u.people.Scale[:]...)
		}
	}
	constant, statistics := stat.Mean(means, nil), agreements[3:6]
	prompt := f.manifest.Spec.Prompt
	levels := prompt.Labels
	if slices.Min(ends) == prompt.Level(levels[0]) && slices.Max(ends) == prompt.Level(levels[len(levels)-1]) {
		statistics = agreements[2:]
		if levels[0] == no {
			statistics, constant = agreements[:4], 1
		}
	}
	s.Width = 4 + 2*raters
	s.Metrics = nil
	for _, a := range statistics {
		add := func(prefix string, from, to int) {
			s.Metrics = append(s.Metrics, scoring.Metric{
				Name:     prefix + a.name,
				Columns:  scoring.ColumnRange{from, to},
				Units:    a.units,
				Headline: prefix+a.name == spearman,
			})
		}
		add("", 0, 2)
		if raters > 1 && a.name != bias {
			add(raterPrefix, 4, s.Width)
		}
		if a.name == meanError || a.name == accuracy {
			add(constantPrefix, 2, 4)
		}
	}
	for i, u := range f.rows {
		x := &s.Units[i]
		x.Row = []float64{means[i], u.scores[0], means[i], constant}
		for _, name := range slices.Sorted(maps.Keys(u.people.Scores)) {
			others := datasets.PeopleScores{Scores: maps.Clone(u.people.Scores)}
			delete(others.Scores, name)
			x.Row = append(x.Row, others.Mean(), u.people.Scores[name])
		}
		x.Row = append(x.Row, slices.Repeat([]float64{absent}, s.Width-len(x.Row))...)
		if len(questions) >= fewQuestions {
			x.Cluster = u.question
		}
	}
}

// diagnosePeople returns the level of a judge by how it ranks responses, or answers yes and no, compared with people.
func diagnosePeople(r *scoring.Report) (d scoring.Diagnosis) {
	if e, ok := r.Overall(balanced).Against(50); ok {
		return e.Diagnose("pointwise.yes-no-", e)
	}
	rank, ok := r.Overall(spearman).Against(0)
	if !ok {
		return scoring.UnknownDiagnosis(scoring.CodeFew, "pointwise.no-rank", r.Items)
	}
	percent := rank // the levels of a share: from 0.5 usable, from 0.75 strong
	for _, x := range []*float64{&percent.Value, &percent.Low, &percent.High} {
		*x *= 100
	}
	d = percent.Diagnose("pointwise.ranks-", rank)
	d.Evidence[0] = rank
	if level, _ := r.Overall(bias).Against(0); level.Above99() || level.Below99() {
		d.Text += " " + phrases.Say("pointwise.levels-off", level, -level.Value)
	}
	if people, ok := r.Overall(raterPrefix + spearman).Against(0); ok {
		d.Also = phrases.Say("pointwise.people", people)
	}
	return d
}

// againstPeople shows each statistic of the judge, of people among themselves and of a constant answer.
func againstPeople(p *report.RunPage) []doc.Block {
	t := &doc.Table{
		RowHead: "statistic",
		Columns: doc.Columns(doc.Number, "judge", "a person, against the others", "constant answer"),
	}
	for _, a := range agreements {
		if x := p.Overall(a.name); x.Metric != "" {
			cells := doc.Cells(x, p.Overall(raterPrefix+a.name), p.Overall(constantPrefix+a.name))
			t.Add(doc.Row{Name: doc.MetricName(p.Protocol, a.name), N: x.N, Cells: cells})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.DropEmpty()
	return []doc.Block{{
		ID: "people", Title: "Against people's scores", ShowTitle: true, In: doc.Detail, Table: t,
		Notes: []doc.Note{doc.Say("pointwise.levels-compared")},
	}}
}
