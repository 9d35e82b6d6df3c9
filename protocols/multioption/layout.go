package multioption

import (
	_ "embed"
	"fmt"
	"strconv"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

//go:embed layout.yaml
var layout string

// ReportLayout arranges the reports of runs of protocol multi-option.
var ReportLayout = report.ReadLayout(layout, report.LayoutFuncs{
	ComparisonNotes: goalNotes,
	Blocks:          []report.BlocksFunc{axesBlock, positionChoiceBlock, gradeScoreParts, optionGradeBlocks},
})

// positionChoiceBlock returns a block with how often the judge chooses each position, compared with how often a right
// option was there, or with an even share.
func positionChoiceBlock(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "position", Columns: doc.ColumnsOfKind(doc.ColumnNumber, "chosen, %")}
	baseline := "options.even-share"
	for _, g := range p.Groups() {
		result := func(metric string, position int) scoring.Result {
			return p.Result(metric+strconv.Itoa(position), g, "")
		}
		n := 0
		for result(PositionMetricPrefix, n+1).Value != nil {
			n++
		}
		if n == 0 {
			continue
		}
		t.Add(doc.Row{Name: g, Heading: true, Detail: table.CountWithNoun(result(PositionMetricPrefix, 1).N, "judgment")})
		for i := 1; i <= n; i++ {
			right := result(RightPositionMetricPrefix, i)
			if right.Value != nil {
				baseline = "options.right-position"
			} else {
				right.Value = new(100 / float64(n))
			}
			t.Add(doc.Row{
				Name:  strconv.Itoa(i),
				Cells: []doc.Value{{Result: result(PositionMetricPrefix, i), Reference: &right}},
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "places", Title: "Which position it chooses", About: "percent of judgments with a verdict, with 95 % interval",
		Surfaces: doc.SurfaceAllButShort, Chart: doc.ChartBarPanels, Table: t,
		Keys:  []doc.LegendEntry{{Sign: "bar", Words: "chosen"}, {Sign: "held", Words: phrases.Sentence(baseline)}},
		Notes: []doc.Note{doc.PhraseNote("options.positions")},
	}}
}

// gradeScoreParts returns a block with the Grade score and the two scores of which it is the harmonic mean, each
// compared with a random judge's.
func gradeScoreParts(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "score", Look: "wide", Columns: []doc.Column{
		{Name: "score", Kind: doc.ColumnNumber, Axis: doc.AxisForUnit(scoring.UnitScore)},
		{Name: "random judge", Kind: doc.ColumnBareNumber},
		{Name: "random 0 to perfect 1", Kind: doc.ColumnNumber, Surfaces: doc.SurfaceFullText},
	}}
	grade := p.Overall(GradeScore)
	if grade.Value == nil {
		return nil
	}
	details := map[string]string{ChoiceScore: "keeps the option", LLMScore: "even over the positions"}
	for _, metric := range []string{GradeScore, ChoiceScore, LLMScore} {
		random := p.Overall(metric + RandomJudgeSuffix)
		t.Add(doc.Row{
			Name: doc.MetricName(p.Protocol, metric), Detail: details[metric], Mark: doc.MarkRing, Cells: doc.Cells(
				doc.Value{Result: p.Overall(metric), Reference: &random}, random, p.Overall(metric+overRandomSuffix)),
		})
	}
	t.Rows[0].N = grade.N
	t.Rows[0].Total = true
	t.Rows[0].Mark = doc.MarkDot
	return []doc.Block{{
		ID: "halves", Title: "The Grade score and its two halves", Surfaces: doc.SurfaceAllButShort, Table: t,
		Keys:  []doc.LegendEntry{{Sign: "diamond", Words: "a random judge on the same items"}},
		Notes: []doc.Note{doc.PhraseNote("options.grade-score")},
	}}
}

// axesBlock shows the Grade score over each axis that the run varies.
func axesBlock(p *report.RunPage) []doc.Block {
	t := &doc.Table{RowHead: "over", Columns: doc.ColumnsOfKind(doc.ColumnNumber, "Grade score", "minus positions")}
	b := doc.Block{ID: "axes", Title: "Stable over what?", ShowTitle: true, Table: t}
	for _, w := range axes {
		x, d := p.Result(GradeScore, scoring.Overall, w.Name), p.Result(axisMinusPosition, scoring.Overall, w.Name)
		if x.Value != nil {
			t.Add(doc.Row{Name: w.About, N: x.N, Cells: doc.Cells(x, d)})
		}
		switch {
		case d.Low == nil:
		case *d.Value+1.275*(*d.High-*d.Value) < 0: // Bonferroni, of four axes
			b.Remark("options.less-stable", w.Name)
		default:
			b.Remark("options.stable", w.Name)
		}
	}
	if len(t.Rows) < 2 {
		return nil
	}
	return []doc.Block{b}
}

// optionGradeBlocks says how the grades of the options agree with the choice and with the labels.
func optionGradeBlocks(p *report.RunPage) []doc.Block {
	b := doc.Block{ID: "option-grades", Title: "The grades of the options"}
	for _, m := range gradeMetrics {
		if x := p.Overall(m.Name); x.Value != nil {
			b.Remark("options.metric-"+m.Name, table.WithInterval(x), x.N)
		}
	}
	return []doc.Block{b}
}

// goalNotes returns notes on two runs with opposite goals (best and worst): whether they name different options.
func goalNotes(cmp *scoring.Comparison) (notes []string) {
	sentences := map[string]string{
		bestAndWorstDiffer:     "the option most often called best and the one most often called worst are two",
		bestAndWorstContradict: "shown in the same order, one option is called both best and worst",
		bestAndWorstByChance:   "two judges that name any position would call one option both",
	}
	for _, x := range cmp.BestWorstChoices {
		text := fmt.Sprintf("%s: %s %% (n=%d)", sentences[x.Metric], table.WithInterval(x), x.N)
		if x.Value == nil {
			text = sentences[x.Metric] + ": " + x.Note
		}
		notes = append(notes, text)
	}
	return notes
}
