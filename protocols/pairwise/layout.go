package pairwise

import (
	"fmt"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Layout lays out runs of pairwise and reversed.
var Layout = &report.Layout{
	Headline:        "strict",
	Item:            "pair",
	ComparisonNotes: compared,
	Manner:          ", in both orders",
	BarNote:         "each asked twice, the second time with the responses swapped",
	Bracket: report.Bracket{
		Parts:  []string{PartRight, PartWrong},
		Metric: AccuracyWhenConsistent,
		Chance: ", by chance 50 %",
		Bold:   "verdicts to keep: both orders agree",
		Beyond: "to ask elsewhere: another judge, or a person",
	},
	Notices:  map[string]string{goalWorse: "pairs.worse-asked"},
	Blocks:   []report.PagePart{bothGoals},
	Grouping: report.Grouping{Extra: AccuracyWhenConsistent},
	Outcomes: []report.Outcome{
		{Part: PartRight, Words: "correct in both orders"},
		{Part: PartWrong, Words: "wrong in both orders", Show: "confident"},
		{Part: PartTie, Words: "a tie in one or both", Show: "tied"},
		{Part: PartFirst, Words: "picks the first shown both times", Show: "by-first"},
		{Part: PartSecond, Look: "last", Words: "picks the second shown both times", Show: "by-last"},
		{Part: PartMissing, Look: "none", Words: "no verdict in one or both", Show: "unread"},
	},
	Tiles: []report.Tile{
		{Metric: "strict", ShowsCount: true},
		{
			Metric: AccuracyWhenConsistent,
			Note: func(r *scoring.Report) string {
				return fmt.Sprintf("on %d of %d pairs; by chance 50 %%", r.Overall(AccuracyWhenConsistent).N, r.Overall(Coverage).N)
			},
		},
		{Metric: "consistency", Folded: true},
		{Metric: firstPicked, About: "50 % is no position bias"},
		report.NoVerdictTile,
	},
	BoardColumns: []report.BoardColumn{
		{Metric: AccuracyWhenConsistent, Kind: doc.ShareWithN}, {Metric: Coverage, In: doc.Short | doc.Full},
		{Metric: firstPicked, Kind: doc.AroundHalf},
	},
	BiasPlot: &report.BiasPlot{
		Title:     "Content or position?",
		About:     "correct in both orders, against position bias",
		Words:     "picks the first response, %",
		Metric:    firstPicked,
		Zero:      50,
		ZeroWords: "no bias",
		Zone:      scoring.MostByPlace,
		ZoneWords: "position decides",
	},
}

// firstPicked is the metric of position bias.
const firstPicked = "first-position"

// bothGoals compares the run with the same judge's run with the opposite goal.
func bothGoals(p *report.RunPage) []doc.Block {
	t := p.Opposite
	if t == nil {
		return nil
	}
	runs := []*scoring.Report{&p.Report, t.Report}
	names := []string{p.Run.Run, t.Run}
	if p.Goal == goalWorse {
		slices.Reverse(runs)
		slices.Reverse(names)
	}
	metrics := []string{"strict", AccuracyWhenConsistent, firstPicked}
	c := &doc.Table{RowHead: "goal"}
	for _, metric := range metrics {
		c.Columns = append(c.Columns, doc.MetricColumn(p.Protocol, metric, doc.ShareWithN))
	}
	c.Columns[0].Kind = doc.Number
	c.Columns[0].Axis = &doc.PercentAxis
	for i, r := range runs {
		row := doc.Row{
			Name: [2]string{"Asked which is better", "Asked which is worse"}[i],
			N:    r.Overall("strict").N, Look: "level-" + string(r.Level()), Total: r == &p.Report,
		}
		row.Cells = doc.Cells(r.Overall("strict"))
		for _, metric := range metrics[1:] {
			cell := doc.Num(r.Overall(metric))
			cell.Text = doc.Ends(cell.Result)
			row.Cells = append(row.Cells, cell)
		}
		c.Add(row)
	}
	b := doc.Block{
		ID: "goals", Title: "Does the reversed goal help?", In: doc.Page, Table: c,
		Links: []doc.Link{{Words: "the run with the opposite goal", Target: doc.RunRef(t.Run)},
			{Words: "compare both", Target: doc.Ref{Runs: names}}},
	}
	if t.Comparison != nil {
		if d := t.Headline(); d != nil && d.Diff != nil {
			points := strings.ReplaceAll(table.Interval(d.Diff, d.Low, d.High, 1, 1), "-", "−")
			b.Remark(goalsVerdict(d), points, table.Count(t.N, "pair"))
		}
		b.Plain(compared(t.Comparison)...)
	}
	return []doc.Block{b}
}

// goalsVerdict returns the code of the phrase that says whether asking for the worse response helps.
func goalsVerdict(d *scoring.Difference) string {
	switch {
	case d.Low == nil || d.High == nil || d.Noise:
		return "goals.no-difference"
	case *d.Diff < 0:
		return "goals.harms"
	}
	return "goals.helps"
}

// compared describes both goals as one judge.
func compared(c *scoring.Comparison) (notes []string) {
	if e := c.Ensemble; e != nil && e.Strict.Value != nil && e.Coverage.Value != nil {
		notes = append(notes, doc.Phrase("pairs.both-goals", table.WithInterval(e.Coverage), table.Count(e.Coverage.N, "pair"),
			table.WithInterval(e.Strict), e.Strict.N))
	}
	return notes
}
