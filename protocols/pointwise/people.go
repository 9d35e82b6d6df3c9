package pointwise

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/protocols/reading"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Metrics that compare the judge's scores with people's, the mean over raters.
const (
	spearman      = "spearman"
	weightedKappa = "weighted-kappa"
	meanError     = "mae"
	bias          = "bias"
	accuracy      = "accuracy" // of yes and no
	balanced      = "balanced-accuracy"

	raterPrefix    = "people:"   // the metric of each person against the mean of the others, averaged over people
	constantPrefix = "constant:" // the metric of a constant answer: people's mean, or always yes
)

// agreement is a statistic of two raters' scores.
type agreement struct {
	name    string
	of      func(people, judge []float64) float64
	link    *stats.Link
	onScale bool // only for scores on people's scale
}

var agreements = []agreement{
	{name: spearman, of: stats.Spearman, link: &stats.FisherLink},
	{name: "kendall", of: stats.Kendall, link: &stats.FisherLink},
	{
		name: "pearson",
		of:   func(x, y []float64) float64 { return stat.Correlation(x, y, nil) },
		link: &stats.FisherLink,
	},
	{name: weightedKappa, of: stats.WeightedKappa, link: &stats.FisherLink, onScale: true},
	{name: "icc", of: stats.ICC, link: &stats.FisherLink, onScale: true},
	{name: meanError, of: meanDistance, link: &stats.LogLink, onScale: true},
	{
		name:    bias,
		of:      func(x, y []float64) float64 { return stat.Mean(y, nil) - stat.Mean(x, nil) },
		link:    &stats.IdentityLink,
		onScale: true,
	},
}

func meanDistance(x, y []float64) (mean float64) {
	for i := range x {
		mean += math.Abs(x[i]-y[i]) / float64(len(x))
	}
	return mean
}

// Columns of a response that people have scored. Those from columnRight on are of yes and no: judged as by most people;
// people's yes, judged so; people's yes; people's no, not judged so; people's no.
const (
	columnPeople = iota // people's mean
	columnJudge         // NaN without a score
	columnTrueYes
	columnYes
	columnFalseYes
	columnNo
	columnRaters // the score of each person, absent without one; NaN in the first column if fewer than two have one
)

// absent stands for a missing score of one person.
var absent = math.Inf(1)

// peopleSheet returns the sheet of responses that people have scored.
func (f *scores) peopleSheet() *scoring.Sheet {
	raters := 0
	questions := map[string]bool{}
	for _, u := range f.rows {
		raters = max(raters, len(u.people.Scores))
		questions[u.question] = true
	}
	s := &scoring.Sheet{
		Metrics:   f.peopleMetrics(raters),
		Width:     columnRaters + raters,
		Divisions: []func(a, b string) int{judging.GroupOrder},
	}
	for _, u := range f.rows {
		x := scoring.Unit{
			ID:     u.item,
			Groups: []string{u.group},
			Row:    u.peopleRow(s.Width),
			Gold:   strconv.FormatFloat(u.people.Mean(), 'g', -1, 64),
			Data:   *u,
		}
		if len(questions) >= fewQuestions {
			x.Cluster = u.question
		}
		s.Units = append(s.Units, x)
	}
	return s
}

// fewQuestions is the number of questions from which on the responses to one question are resampled together. With
// fewer, intervals are for these questions alone.
const fewQuestions = 10

// peopleRow returns the columns of a response.
func (u *responses) peopleRow(width int) []float64 {
	row := make([]float64, width)
	mean := u.people.Mean()
	row[columnPeople], row[columnJudge] = mean, u.scores[0]
	switch {
	case mean > 0.5:
		row[columnTrueYes], row[columnYes] = scoring.Indicator(u.scores[0] == 1), 1
	case mean < 0.5:
		row[columnFalseYes], row[columnNo] = scoring.Indicator(u.scores[0] != 0), 1
	}
	n := 0
	for k := range row[columnRaters:] {
		row[columnRaters+k] = absent
		if k < len(u.people.Scores) && u.people.Scores[k] != nil {
			row[columnRaters+k] = *u.people.Scores[k]
			n++
		}
	}
	if n < 2 && width > columnRaters {
		row[columnRaters] = math.NaN()
	}
	return row
}

// peopleMetrics returns the metrics of responses that so many people have scored.
func (f *scores) peopleMetrics(raters int) (list []scoring.Metric) {
	shared, yesNo := f.scale()
	both := scoring.ColumnRange{columnPeople, columnJudge + 1}
	for _, a := range agreements {
		if a.onScale && !shared || yesNo && a.name != spearman && a.name != weightedKappa {
			continue
		}
		m := scoring.Metric{Name: a.name, Columns: both, Units: a.ofJudge, Link: a.link, Headline: a.name == spearman}
		list = append(list, m)
		if raters > 1 && a.name != bias {
			m.Name, m.Headline = raterPrefix+m.Name, false
			m.Columns = scoring.ColumnRange{columnRaters, columnRaters + raters}
			m.Units = a.ofRaters
			list = append(list, m)
		}
	}
	answers := scoring.ColumnRange{columnTrueYes, columnNo + 1}
	switch {
	case yesNo:
		list = append(list, scoring.Metric{
			Name:    accuracy,
			Columns: answers,
			Share:   func(c []float64) (right, all float64) { return c[0] + c[3] - c[2], c[1] + c[3] },
		}, scoring.Metric{
			Name:    constantPrefix + accuracy,
			Columns: answers,
			Share:   func(c []float64) (right, all float64) { return c[1], c[1] + c[3] },
		}, scoring.Metric{
			Name:    balanced,
			Kind:    scoring.Ratio,
			Columns: answers,
			N:       func(c []float64) float64 { return c[1] + c[3] },
			Value:   func(c []float64) float64 { return (c[0]/c[1] + 1 - c[2]/c[3]) / 2 },
			Parts: []scoring.Metric{
				{
					Share: func(c []float64) (yes, all float64) { return c[0], c[1] },
					Curve: func(share float64) float64 { return share / 2 },
				},
				{
					Share: func(c []float64) (yes, all float64) { return c[2], c[3] },
					Curve: func(share float64) float64 { return (share - 1) / 2 },
				},
			},
		})
	case shared:
		list = append(list, scoring.Metric{
			Name:    constantPrefix + meanError,
			Columns: both,
			Link:    &stats.LogLink,
			Units: func(rows [][]float64) float64 {
				x := column(rows, columnPeople)
				return meanDistance(x, slices.Repeat([]float64{stat.Mean(x, nil)}, len(x)))
			},
		})
	}
	return list
}

// scale reports whether the judge's scale is people's, by its lowest and highest level, and whether people and the
// judge answer yes or no.
func (f *scores) scale() (shared, yesNo bool) {
	levels := f.manifest.Spec.Prompt.Labels
	ends := [2]float64{valueOf(levels[0]), valueOf(levels[len(levels)-1])}
	yesNo = levels[0] == reading.No
	for _, u := range f.rows {
		if u.people.Scale != ends {
			return false, false
		}
		for _, score := range u.people.Scores {
			if yesNo && score != nil && *score != 0 && *score != 1 {
				return false, false
			}
		}
	}
	return true, yesNo
}

// ofJudge returns the statistic of people's means and the judge's scores.
func (a agreement) ofJudge(rows [][]float64) float64 {
	return a.of(column(rows, columnPeople), column(rows, columnJudge))
}

func column(rows [][]float64, k int) (values []float64) {
	for _, row := range rows {
		values = append(values, row[k])
	}
	return values
}

// ofRaters returns the mean of the statistic over people, each against the mean of the others. People count by how many
// responses they and others have scored.
func (a agreement) ofRaters(rows [][]float64) float64 {
	var values, weights []float64
	for k := 0; len(rows) > 0 && k < len(rows[0]); k++ {
		var own, others []float64
		for _, row := range rows {
			rest := slices.DeleteFunc(slices.Delete(slices.Clone(row), k, k+1), func(x float64) bool { return x == absent })
			if row[k] != absent && len(rest) > 0 {
				own = append(own, row[k])
				others = append(others, stat.Mean(rest, nil))
			}
		}
		if v := a.of(others, own); !math.IsNaN(v) {
			values = append(values, v)
			weights = append(weights, float64(len(own)))
		}
	}
	return stat.Mean(values, weights)
}

// Thresholds of a rank correlation with people: at usableRank two of three pairs of responses are in people's order, at
// strongRank three of four.
const (
	usableRank = 0.5
	strongRank = 0.7
)

// diagnosePeople returns the level of a judge by how it ranks responses, or answers yes and no, compared with people.
func diagnosePeople(r *scoring.Report) (d scoring.Diagnosis) {
	rank := r.Overall(spearman)
	if e, ok := r.Overall(balanced).Against(50); ok {
		d = e.Diagnose("pointwise.yes-no-", e)
		d.Also = phrases.Say("pointwise.always-yes", *r.Overall(accuracy).Value, *r.Overall(constantPrefix + accuracy).Value)
		return d
	}
	e, ok := rank.Against(0)
	switch {
	case rank.Value == nil:
		return scoring.UnknownDiagnosis(scoring.CodeNothing, "pointwise.no-order")
	case !ok:
		return scoring.UnknownDiagnosis(scoring.CodeFew, "pointwise.no-interval", *rank.Value, rank.N)
	}
	d.Evidence = []scoring.Evidence{e}
	d.Level, d.Code = e.Chance(e.High >= usableRank)
	switch {
	case d.Code != "":
	case e.Against(strongRank).Above99():
		d.Level, d.Code = scoring.Strong, scoring.CodeStrong
	case e.Low > usableRank:
		d.Level, d.Code = scoring.Usable, scoring.CodeUsable
	default:
		d.Level, d.Code = scoring.Weak, scoring.CodeWeak
	}
	d.Text = phrases.Say("pointwise.ranks-"+d.Code, e)
	level, _ := r.Overall(bias).Against(0)
	switch {
	case level.Above99():
		d.Text += " " + phrases.Say("pointwise.too-high", level.Value, level, level.Value)
	case level.Below99():
		d.Text += " " + phrases.Say("pointwise.too-low", -level.Value, level, -level.Value)
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
	for _, a := range append(slices.Clone(agreements), agreement{name: accuracy}, agreement{name: balanced}) {
		if x := p.Overall(a.name); x.Metric != "" {
			t.Add(doc.Row{
				Name:  doc.MetricName(p.Protocol, a.name),
				N:     x.N,
				Cells: doc.Cells(x, p.Overall(raterPrefix+a.name), p.Overall(constantPrefix+a.name)),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.DropEmpty()
	b := doc.Block{ID: "people", Title: "Against people's scores", ShowTitle: true, In: doc.Detail, Table: t}
	if p.Overall(weightedKappa).Metric == "" {
		b.Remark("pointwise.other-scale")
	} else {
		b.Remark("pointwise.same-scale")
	}
	return []doc.Block{b}
}
