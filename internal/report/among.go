package report

import (
	"cmp"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// rankSentence returns a sentence with the judge's rank by its headline score: among the judges of the same items that
// have runs, or among published judges if no other has a run; "" if there are neither.
func (p *RunPage) rankSentence() string {
	head := Headline(&p.Report)
	others := p.OtherJudges
	code := "run.rank"
	if len(others) == 0 {
		others = p.otherJudges()
		code = "run.rank-published"
	}
	if len(others) == 0 || head == nil || head.Value == nil {
		return ""
	}
	rank := 1
	for _, o := range others {
		if o.Value > *head.Value {
			rank++
		}
	}
	return phrases.Sentence(code, rank, len(others)+1)
}

// otherJudges returns the judges of the same items: those with runs here, and published ones without a run here.
func (p *RunPage) otherJudges() []OtherJudge {
	all := slices.Clone(p.OtherJudges)
	for _, x := range p.Report.References {
		isHere := func(o OtherJudge) bool { return o.IsPublished && o.Name == x.Judge }
		if x.Metric == Headline(&p.Report).Metric && !slices.ContainsFunc(p.OtherJudges, isHere) {
			all = append(all, OtherJudge{Name: x.Judge, Level: scoring.LevelUnknown, IsPublished: true, Value: x.Value})
		}
	}
	return all
}

// OtherJudgesBlocks returns a chart of the judge among other judges of the same items, and a table with its rank among
// published judges.
func OtherJudgesBlocks(p *RunPage) (all []doc.Block) {
	lines := publishedRankLines(&p.Report)
	if lines != nil {
		t := &doc.Table{Columns: []doc.Column{{}}}
		for _, line := range lines {
			t.Add(doc.WordRow("", line))
		}
		t.Rows[0].Name = "published"
		all = append(all, doc.Block{ID: "published", Surfaces: doc.SurfaceAnyText, Chart: doc.ChartFacts, Table: t})
	}
	head := Headline(&p.Report)
	others := p.otherJudges()
	if len(others) == 0 || head == nil || head.Value == nil {
		return all
	}
	slices.SortFunc(others, func(a, b OtherJudge) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})
	t := &doc.Table{RowHead: "judge", Columns: []doc.Column{
		{Name: doc.MetricName(p.Protocol, head.Metric), Kind: doc.ColumnNumber, Axis: doc.AxisForUnit(head.Unit)},
	}}
	for _, o := range others {
		x := scoring.Result{Unit: head.Unit, Value: &o.Value}
		row := doc.Row{Name: o.Name, Look: "level-" + string(o.Level), Cells: doc.Cells(x)}
		if o.IsPublished {
			row.Mark = doc.MarkDiamond
		}
		t.Add(row)
	}
	t.Add(doc.Row{Name: p.Judge(), Look: "level-" + string(p.Level()), Total: true, Cells: doc.Cells(*head)})
	b := doc.Block{
		ID:       "among",
		Title:    "Among the judges here",
		About:    doc.MetricName(p.Protocol, head.Metric),
		Surfaces: doc.SurfacePage,
		Half:     true,
		Chart:    doc.ChartStrip,
		Table:    t,
		Links:    []doc.Link{{Words: "leaderboard", Target: p.BoardRef}},
	}
	if lines != nil {
		b.Notes = []doc.Note{doc.PhraseNote("run.published", strings.Join(lines, "; "))}
	}
	return append(all, b)
}

// publishedRankLines returns lines of text: the judge's rank among published judges of the same items by each metric,
// and how far that can be relied on.
func publishedRankLines(r *scoring.Report) (lines []string) {
	head := Headline(r)
	if head == nil {
		return nil
	}
	words := r.PublishedComparisonText(head.Metric)
	if words == "" {
		return nil
	}
	lines = append(lines, words)
	metrics := []string{head.Metric}
	for _, x := range r.References {
		if slices.Contains(metrics, x.Metric) {
			continue
		}
		metrics = append(metrics, x.Metric) // which is never compared with the headline
		if words := r.PublishedComparisonText(x.Metric); words != "" {
			lines = append(lines, phrases.Sentence("references.by", doc.MetricName(r.Protocol, x.Metric),
				table.WithInterval(r.Overall(x.Metric)), words))
		}
	}
	if r.OnlyTotalsPublished() {
		lines = append(lines, phrases.Sentence("references.totals"))
	}
	if strings.Contains(words, "*") {
		lines = append(lines, scoring.LabelsFollowFootnote)
	}
	return lines
}
