package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Leaderboard holds a board and what its page adds: a chart of the judges, a table of where they fail, and a chart of
// their bias.
type Leaderboard struct {
	Board
	MaxRows       int      `json:"-"` // most judges in the chart; 0: no limit
	AllJudgesLink doc.Ref  `json:"-"` // link to the page with all judges
	Hardest       doc.Ref  `json:"-"` // link to the items that most judges get wrong
	Notes         []string `json:"-"` // notes below the chart
	IDPrefix      string   `json:"-"` // prefix of the ids of HTML elements, if a page has several boards
	About         string   `json:"-"` // question and dataset, for outputs that do not name them elsewhere

	Link func(doc.Ref) string `json:"-"` // returns the address of a run; nil if the page has no links
}

// Headline returns the first sentence of the answer in pieces, so that no name of a judge is broken into two lines.
func (l *Leaderboard) Headline() []doc.Segment {
	first, _ := l.sentences()
	first = strings.Replace(first, "of the "+l.Unit+"s.", "of "+l.itemCount()+".", 1)
	var names []string
	for _, s := range l.scoredRows() {
		names = append(names, s.Name)
	}
	return doc.SplitForLineBreaks(first, names...)
}

// Also returns the sentences of the answer after the first.
func (l *Leaderboard) Also() string {
	_, rest := l.sentences()
	return strings.TrimSpace(rest + " " + l.bestVersusRest())
}

// bestVersusRest returns a sentence if the best judges are significantly better than every other judge; else "".
func (l *Leaderboard) bestVersusRest() string {
	best := l.BestJudges()
	others := len(l.scoredRows()) - len(best)
	behind := func(s BoardRow) bool { return s.LastRank > len(best) }
	if l.Test == "" || len(best) == 0 || others == 0 || slices.ContainsFunc(best, behind) {
		return ""
	}
	if others == 1 {
		return phrases.Sentence("board.beyond-one")
	}
	return phrases.Sentence("board.beyond-all")
}

// Body returns the HTML below the answer.
func (l *Leaderboard) Body() (template.HTML, error) {
	return doc.PageContext{Link: l.Link, Prefix: l.IDPrefix}.RenderBlocks(l.Blocks())
}

// Blocks returns the blocks of the page below the answer.
func (l *Leaderboard) Blocks() []doc.Block {
	if len(l.Rows) == 0 {
		return nil
	}
	return slices.Concat([]doc.Block{l.cards(), l.judgesChart()}, l.AcrossAllJudges.blocks(""),
		[]doc.Block{l.baselines(), l.categoriesBlock(), l.biasChart(), l.reading()})
}

// leastCoverage is the coverage in percent that a judge needs for the card of the most accurate when consistent.
const leastCoverage = 50

// cards returns cards that name judges for a purpose: the most accurate, the most accurate when consistent, the
// fastest, and those not to use.
func (l *Leaderboard) cards() doc.Block {
	standings := l.scoredRows()
	if len(standings) < 2 {
		return doc.Block{}
	}
	t := &doc.Table{}
	add := func(name, value, note string) { t.Add(doc.WordRow(name, value, note)) }
	if l.Test != "" && l.warning() == "" && len(l.BestJudges()) < len(standings) {
		add(l.bestCard(standings))
	}
	var surest, fastest *BoardRow
	for i := range standings {
		s := &standings[i]
		if s.Level != scoring.LevelUsable && s.Level != scoring.LevelStrong {
			continue
		}
		covers := s.AccuracyWhenConsistent.Value != nil && s.Coverage.Value != nil && *s.Coverage.Value >= leastCoverage
		if covers && (surest == nil || *s.AccuracyWhenConsistent.Value > *surest.AccuracyWhenConsistent.Value) {
			surest = s
		}
		if s.Seconds != nil && (fastest == nil || *s.Seconds < *fastest.Seconds) {
			fastest = s
		}
	}
	if surest != nil {
		add("Most accurate when consistent", surest.Name,
			phrases.Sentence("board.surest", *surest.AccuracyWhenConsistent.Value, *surest.Coverage.Value, l.Unit))
	}
	if fastest != nil {
		add("Fastest that is usable", fastest.Name+" · "+seconds1(*fastest.Seconds)+" a "+l.Unit,
			doc.Capital(l.Board.headlineScoresSentence([]BoardRow{*fastest})))
	}
	for _, bad := range []struct {
		level scoring.UsabilityLevel
		name  string
	}{{scoring.LevelUnusable, "Do not use"}, {scoring.LevelWeak, "Do not rely on alone"}} {
		rows := slices.DeleteFunc(slices.Clone(standings), func(s BoardRow) bool { return s.Level != bad.level })
		if len(rows) == 0 {
			continue
		}
		slices.Reverse(rows)
		note := rows[0].Report.Says
		if len(rows) > 1 {
			note = fmt.Sprintf("%s: %s", rows[0].Name, lower(note))
		}
		add(bad.name, judgeNames(rows), note)
		break
	}
	return doc.Block{ID: "cards", Surfaces: doc.SurfacePage, Chart: doc.ChartCards, Table: t}
}

// bestCard returns the card of the best judges: its title, their names, and their distance from each other, or from the
// next judge if there is one best.
func (l *Leaderboard) bestCard(standings []BoardRow) (name, value, note string) {
	best := l.BestJudges()
	name = "Most accurate"
	if !l.measuresCorrectness() {
		name = "Highest " + l.headlineLabel()
	}
	points := func(a, b BoardRow) string {
		x := scoring.Result{Unit: a.Headline.Unit, Value: new(*a.Headline.Value - *b.Headline.Value)}
		return table.Rounded(x.Value, x) + textIf(x.Unit == "", " points")
	}
	note = phrases.Sentence("board.within", points(best[0], best[len(best)-1]))
	if len(best) == 1 {
		note = phrases.Sentence("board.above", points(best[0], standings[1]), standings[1].Name)
	}
	return name, judgeNames(best), note
}

// lower returns a sentence with its first letter in lower case.
func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// seconds1 returns a time of s seconds in words, with one decimal if it is short.
func seconds1(s float64) string {
	if s < 9.95 {
		return fmt.Sprintf("%.1f s", s)
	}
	return durationText(s)
}

// judgesChart returns the chart of the judges' scores, the best first, with at most MaxRows rows.
func (l *Leaderboard) judgesChart() doc.Block {
	b := l.block()
	b.Title = doc.Capital(l.headlineLabel())
	b.About = phrases.Sentence("board.about-percent", l.itemCount())
	if axis := l.axis(); axis.Unit != "" {
		b.About = phrases.Sentence("board.about-scale", axis.Min, axis.Max, l.itemCount())
	}
	b.About += phrases.Sentence("board.about-order")
	if n := len(b.Table.Rows) - l.MaxRows; l.MaxRows > 0 && n > 0 {
		b.Links = []doc.Link{{Words: fmt.Sprintf("All %d judges", len(b.Table.Rows)), Target: l.AllJudgesLink}}
		b.Table.Rows = b.Table.Rows[:l.MaxRows]
	}
	b.AddPlainNotes(l.Notes...)
	return b
}

// column returns the column of a table for this metric of a protocol.
func (c BoardColumn) column(protocol string) doc.Column {
	column := doc.MetricColumn(protocol, c.Metric, doc.ColumnBareNumber)
	switch {
	case c.ShowsN:
		column.Kind = doc.ColumnShareWithN
	case c.Metric == layoutOf(protocol).BiasPlot.Metric:
		column.Kind = doc.ColumnShareFrom50
	}
	if c.TextOnly {
		column.Surfaces = doc.SurfaceAnyText
	}
	column.Name = cmp.Or(c.Name, column.Name)
	column.Short = cmp.Or(c.Name, column.Short)
	return column
}

// block returns the table of the board: a row for each judge, the best first.
func (b Board) block() doc.Block {
	t := &doc.Table{RowHead: "judge", Board: true, Columns: []doc.Column{
		{Name: "level", Kind: doc.ColumnLevel}, {Name: b.headlineLabel(), Kind: doc.ColumnNumber, Axis: b.axis()},
	}}
	var extras []BoardColumn
	for i, c := range b.layout().BoardColumns {
		if c.Metric == b.Metric {
			continue
		}
		column := c.column(b.Rows[0].Report.Protocol)
		if i > 0 {
			column.HidePriority = 4 - i
		}
		extras = append(extras, c)
		t.Columns = append(t.Columns, column)
	}
	t.Columns = append(t.Columns, doc.Column{Name: "time a " + b.Unit, Surfaces: doc.SurfaceAllButShort})
	signs := map[string]bool{"brace": b.Test != ""}
	for _, r := range b.Rows {
		row := doc.Row{
			Name: r.Name + r.Mark, Detail: r.Detail, Target: r.target, Look: "level-" + string(r.Level),
			Ranks: [2]int{r.FirstRank, r.LastRank}, Simulated: r.Simulated,
			Cells: doc.Cells(r.Level, r.Headline),
		}
		if b.Test == "" {
			row.Ranks = [2]int{}
		}
		sign := "interval"
		if r.IsPublished {
			row.Mark = doc.MarkDiamond
			sign = "reference"
		}
		signs[sign] = true
		for _, c := range extras {
			v := doc.NumberCell(r.Report.Result(c.Metric, scoring.Overall, c.Mode))
			if c.ShowsN && v.Value != nil {
				v.Text = b.Unit + "s"
			}
			row.Cells = append(row.Cells, v)
		}
		time := doc.TextCell("")
		if r.Seconds != nil {
			time.Text = seconds1(*r.Seconds)
		}
		row.Cells = append(row.Cells, time)
		t.Add(row)
	}
	t.DropEmpty()
	out := doc.Block{ID: "judges", Table: t}
	for _, sign := range []string{"interval", "reference", "brace"} {
		if signs[sign] {
			out.Keys = append(out.Keys, doc.LegendEntry{Sign: sign, Words: phrases.Sentence("board.key-" + sign)})
		}
	}
	return out
}

// Document returns the board as a document: the answer and the table.
func (b Board) Document() doc.Document {
	return doc.Document{Title: b.Says, Blocks: []doc.Block{b.block()}}
}

// baselines returns the table of baselines: what rules that do not read score on the same items.
func (l *Leaderboard) baselines() doc.Block {
	ruled := func(s BoardRow) int {
		if len(s.Report.Baselines) == 0 {
			return 0
		}
		return s.Headline.N
	}
	source := slices.MaxFunc(l.Rows, func(a, b BoardRow) int { return cmp.Compare(ruled(a), ruled(b)) }).Report
	if len(source.Baselines) == 0 || !l.measuresCorrectness() {
		return doc.Block{}
	}
	return baselinesBlock(source.Baselines, l.headlineLabel(), l.Unit)
}

// Limits of the table of scores by category.
const (
	maxCategoryRows    = 12 // judges, the best
	maxCategoryColumns = 8  // categories, those with most items
)

// categoriesBlock returns the table of the judges' headline scores by category, with darker cells for higher scores.
func (l *Leaderboard) categoriesBlock() doc.Block {
	rows := l.scoredRows()
	rows = rows[:min(len(rows), maxCategoryRows)]
	if len(rows) == 0 || doc.AxisForUnit(rows[0].Headline.Unit).Min != 0 {
		return doc.Block{}
	}
	head := rows[0].Headline
	var groups []string
	counts := map[string]int{}
	for _, s := range rows {
		for _, g := range s.Report.Groups() {
			x := s.Report.Result(head.Metric, g, head.Mode)
			if g == scoring.Overall || x.Value == nil {
				continue
			}
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
			counts[g] = max(counts[g], x.N)
		}
	}
	if len(groups) < 2 {
		return doc.Block{}
	}
	b := doc.Block{
		ID:       "fails",
		Title:    "Where they fail",
		About:    l.headlineLabel(),
		Surfaces: doc.SurfaceAllButShort,
		Half:     true,
		Chart:    doc.ChartHeat,
		Links:    []doc.Link{{Words: "Items that most judges get wrong", Target: l.Hardest}},
	}
	if rest := len(groups) - maxCategoryColumns; rest > 0 { // the largest categories stay
		slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
		groups = groups[:maxCategoryColumns]
		b.Remark("board.smaller-categories", table.CountWithNoun(rest, "smaller categorie"))
	}
	if more := len(l.scoredRows()) - len(rows); more > 0 {
		b.Remark("board.best-rows", len(rows))
	}
	b.Table = &doc.Table{RowHead: "judge"}
	for _, g := range groups {
		b.Table.Columns = append(b.Table.Columns, doc.Column{
			Name: g, Kind: doc.ColumnBareNumber, Axis: doc.AxisForUnit(head.Unit), Head: fmt.Sprintf("n = %d", counts[g]),
		})
	}
	for _, s := range rows {
		row := doc.Row{Name: s.Name, Target: s.target}
		for _, g := range groups {
			x := s.Report.Result(head.Metric, g, head.Mode)
			x.Note = ""
			if x.Value != nil {
				x.Note = fmt.Sprintf("%s, %s: %s of %d", s.Name, g, table.RoundedInterval(x), x.N)
			}
			row.Cells = append(row.Cells, doc.NumberCell(x))
		}
		b.Table.Add(row)
	}
	return b
}

// biasChart returns the chart that plots the judges' headline scores against a bias, as the layout's BiasPlot says.
func (l *Leaderboard) biasChart() doc.Block {
	a := l.layout().BiasPlot
	low, high := 100.0, 0.0
	t := &doc.Table{RowHead: "judge"}
	for _, s := range l.scoredRows() {
		x := s.Report.Overall(a.Metric)
		if x.Value == nil {
			continue
		}
		low = min(low, *x.Value)
		high = max(high, *x.Value)
		row := doc.Row{Name: s.Name, Look: "level-" + string(s.Level), Cells: doc.Cells(x, s.Headline)}
		if s.IsPublished {
			row.Mark = doc.MarkDiamond
		}
		t.Add(row)
	}
	if len(t.Rows) < 2 {
		return doc.Block{}
	}
	axis := &doc.Axis{
		Min:        max(0, 10*math.Floor(min(low-2, 42)/10)),
		Max:        min(100, 10*math.Ceil(max(high+2, 58)/10)),
		StrongTick: 50,
		ZoneStart:  scoring.MaxOnePositionPercent,
		Ends:       [2]string{a.HalfLabel, a.ZoneWords},
	}
	step := 10.0
	if axis.Max-axis.Min > 60 {
		step = 20
	}
	for v := axis.Min; v <= axis.Max; v += step {
		axis.Ticks = append(axis.Ticks, v)
	}
	t.Columns = []doc.Column{
		{Name: a.AxisLabel, Kind: doc.ColumnBareNumber, Axis: axis},
		{Name: l.headlineLabel(), Kind: doc.ColumnBareNumber, Axis: l.axis()},
	}
	return doc.Block{
		ID:       "against",
		Title:    a.Title,
		About:    a.About,
		Surfaces: doc.SurfacePage,
		Half:     true,
		Chart:    doc.ChartScatter,
		Table:    t,
	}
}

// reading returns the notes on how certain the answer is, and how to read the page.
func (l *Leaderboard) reading() doc.Block {
	head := l.Rows[0].Headline
	b := doc.Block{ID: "sure", FoldLabel: "How sure is that? How to read this", Surfaces: doc.SurfacePage}
	b.Remark("board.interval", l.itemCount(), cmp.Or(head.IntervalMethod, "resampling"))
	if l.Test != "" {
		b.Remark("board.test", l.Test, l.TestFamily)
	} else {
		b.Remark("board.untested")
	}
	if slices.ContainsFunc(l.Rows, func(s BoardRow) bool { return s.AccuracyWhenConsistent.Value != nil }) {
		b.Remark("board.when-consistent")
		b.Remark("board.position-bias")
	}
	b.Remark("board.level")
	return b
}
