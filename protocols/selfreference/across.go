package selfreference

import (
	"slices"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Results over several judges, each of which is one point.
const (
	AnsweringF1Correlation = "r-answering-f1" // correlation of generation accuracy and F1 over judges (Figures 1, 12)
	Crossover              = "crossover"      // generation accuracy at which both modes have the same F1 (Figure 4)
)

// leastJudges is the smallest number of judges for results over judges.
const leastJudges = 4

// crossoverLevel is the confidence level at which the slope of the change of F1, over generation accuracy, must
// differ from 0 for a crossover.
const crossoverLevel = 0.99

// judgeScatter holds a metric of several judges, each beside how well the judge answers the questions itself.
type judgeScatter struct {
	rows             []doc.Row // by judge: its name and the two values below
	answering, value []float64 // by judge: generation accuracy, and the metric; in percent
}

// judgePointsOf returns the judges with a value of F1 in a mode whose reference is their own answer. Of several runs of
// a model the first counts.
func judgePointsOf(judges []report.BoardRow, mode string) (p judgeScatter) {
	models := map[string]bool{}
	for _, j := range judges {
		answering := j.Report.Overall(scoring.GenerationAccuracy)
		x := j.Report.Result(F1, scoring.Overall, mode)
		if answering.Value == nil || x.Value == nil || models[j.Report.Model] ||
			referenceSetting(j.Report.Settings) != ReferenceOwn {
			continue
		}
		models[j.Report.Model] = true
		p.rows = append(p.rows, doc.Row{Name: j.Name, Cells: doc.Cells(answering, x)})
		p.answering = append(p.answering, *answering.Value)
		p.value = append(p.value, *x.Value)
	}
	return p
}

// completeResult completes x, a result over the judges in p, with a value, its interval and the number of judges.
func (p judgeScatter) completeResult(x scoring.Result, value float64, iv stats.Interval) scoring.Result {
	x.Group = scoring.Overall
	x.N = len(p.rows)
	x.MissingRule = p.rows[0].Cells[1].MissingRule
	x.Value = scoring.RoundFraction(value)
	x.Low = scoring.RoundFraction(iv.Low)
	x.High = scoring.RoundFraction(iv.High)
	return x
}

// acrossJudges returns results over several judges: whether judges that answer better also judge better.
func acrossJudges(judges []report.BoardRow) *report.Across {
	out := &report.Across{}
	t := &doc.Table{RowHead: "judged by", Columns: []doc.Column{
		{Name: "r of own answers and F1", Kind: doc.ColumnNumber, Axis: doc.AxisForUnit(scoring.UnitCorrelation)},
	}}
	for i, row := range modeRows {
		p := judgePointsOf(judges, modes[i])
		if len(p.rows) < leastJudges {
			continue
		}
		r, iv := stats.Pearson(p.answering, p.value, scoring.DefaultOptions.Bootstrap.Level)
		x := p.completeResult(scoring.Result{
			Metric:         AnsweringF1Correlation,
			Mode:           modes[i],
			Unit:           scoring.UnitCorrelation,
			IntervalMethod: scoring.IntervalByFisher,
		}, r, iv)
		out.Results = append(out.Results, x)
		row.N = x.N
		row.Cells = doc.Cells(x)
		t.Add(row)
		out.Blocks = append(out.Blocks, doc.Block{
			ID: "across-" + modes[i], Title: "Answering and judging, " + row.Name,
			Surfaces: doc.SurfaceAllButShort, Half: true, Chart: doc.ChartScatter,
			Table: &doc.Table{RowHead: "judge", Rows: p.rows, Columns: []doc.Column{
				{Name: "own answers correct", Kind: doc.ColumnBareNumber, Axis: &doc.PercentAxis},
				{Name: "F1", Kind: doc.ColumnBareNumber, Axis: &doc.PercentAxis},
			}},
		})
	}
	if out.Results == nil {
		return nil
	}
	b := doc.Block{ID: "across", Title: "Do judges that answer better judge better?", ShowTitle: true, Table: t}
	b.Remark("self.across")
	if p := judgePointsOf(judges, scoring.ModeDifference); len(p.rows) >= leastJudges {
		x, note := p.crossover()
		out.Results = append(out.Results, x)
		b.Notes = append(b.Notes, note)
	}
	out.Blocks = append([]doc.Block{b}, out.Blocks...)
	return out
}

// crossover returns the generation accuracy from which on a judge's own answer raises its F1 (or
// up to which), and a note.
func (p judgeScatter) crossover() (scoring.Result, doc.Note) {
	crossing, iv, _ := stats.ZeroCrossing(p.answering, p.value, scoring.DefaultOptions.Bootstrap.Level)
	_, _, slope := stats.ZeroCrossing(p.answering, p.value, crossoverLevel)
	x := p.completeResult(scoring.Result{
		Metric: Crossover, Mode: scoring.ModeDifference, IntervalMethod: scoring.IntervalByFieller,
	}, crossing, iv)
	weakest, best := slices.Min(p.answering), slices.Max(p.answering)
	switch {
	case slope == 0 || crossing < weakest || crossing > best:
		return x.WithoutValue("the change of F1 is not seen to change its sign"),
			doc.PhraseNote("self.no-crossover", weakest, best)
	case slope > 0:
		return x, doc.PhraseNote("self.crossover", "more", table.WithInterval(x))
	}
	return x, doc.PhraseNote("self.crossover", "less", table.WithInterval(x))
}
