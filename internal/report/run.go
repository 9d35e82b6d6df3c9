package report

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// NewRunPage returns the page of a run without what only a server knows: links, and the other judges of its items.
func NewRunPage(run Run) *RunPage {
	p := &RunPage{Run: run}
	if run.Jury != nil {
		p.SetJury(run.Jury)
	}
	return p
}

// OutcomeParts returns the outcomes of the items of a group as parts of a bar, with links to the items.
func (p *RunPage) OutcomeParts(group string) (all []doc.BarPart) {
	b := p.BreakdownOf(group)
	for _, end := range layoutOf(p.Protocol).Outcomes {
		if n := b.Count(end.Name); n > 0 {
			all = append(all, doc.BarPart{N: n, Look: end.Look, Name: end.Words, Target: p.ItemsOf(end.Filter, group)})
		}
	}
	return all
}

// Meta returns a line with the question, prompt, dataset and numbers of items and judgments of the run.
func (p *RunPage) Meta() string {
	l := layoutOf(p.Protocol)
	if _, models, ok := scoring.SplitJuryName(p.Model); ok {
		composition := jury.RuleName(p.Report.Prompt) + " of " + models
		if p.Jury != nil {
			composition = p.Jury.Composition()
		}
		return dotted(JudgeQuestion(p.Report)+l.QuestionSuffix, composition, p.Dataset,
			table.CountWithNoun(p.Report.Items, l.ItemNoun), "no model was asked")
	}
	failed := "none failed"
	if n := p.Outcomes["failed"]; n > 0 {
		failed = fmt.Sprintf("%d failed", n)
	}
	suffix := l.QuestionSuffix
	if l.TitleSuffixOfRun != nil {
		suffix = l.TitleSuffixOfRun(&p.Report)
	}
	return dotted(JudgeQuestion(p.Report)+suffix, "prompt "+promptSettingsText(p.RunSetup), p.Dataset,
		fmt.Sprintf("%s, %s, %s",
			itemsText(p.Report), table.CountWithNoun(p.Judgments(), strings.TrimSuffix(l.Noun, "s")), failed),
		textIf(p.Metadatum("imported from") != "", "stored replies"))
}

// Body returns the HTML of the run's blocks, to be a part of a page.
func (p *RunPage) Body() (template.HTML, error) { return p.pageContext().RenderBlocks(p.Blocks()) }

// pageContext returns what the page needs to turn blocks into HTML.
func (p *RunPage) pageContext() doc.PageContext {
	return doc.PageContext{
		Link:         p.Link,
		Prefix:       p.Prefix,
		Terms:        scoring.MetricsOf(p.Protocol),
		DefinedTerms: p.DefinedTerms,
	}
}

// Headline returns the answer in pieces, so that no name of a jury's member is broken into two lines.
func (p *RunPage) Headline() []doc.Segment {
	var names []string
	if p.Jury != nil {
		names = slices.Collect(maps.Values(p.Jury.Names()))
	}
	return doc.SplitForLineBreaks(p.Says, names...)
}

// Blocks returns the blocks of the page below its answer, from top to bottom.
func (p *RunPage) Blocks() (all []doc.Block) {
	l := layoutOf(p.Protocol)
	parts := l.PageParts
	if parts == nil {
		parts = slices.Concat([]BlocksFunc{noticeBlocks, OutcomeBar, Cards}, l.Blocks,
			[]BlocksFunc{GroupBlocks, AnalysisBlocks, ItemLists, Biases, OtherJudgesBlocks, CaveatBlocks, SettingBlocks})
	}
	for _, blocks := range slices.Concat([]BlocksFunc{juryBlocks}, parts, []BlocksFunc{AllNumbersBlocks}) {
		all = append(all, blocks(p)...)
	}
	return all
}

// Document returns the results of the run as a document.
func (p *RunPage) Document() doc.Document {
	return doc.Document{
		Title: dotted(p.Report.Judge(), JudgeQuestion(p.Report), p.Dataset, "prompt "+promptSettingsText(p.RunSetup),
			itemsText(p.Report), textIf(p.Simulated, simulatedMark)),
		Level:   diagnosisLevel(&p.Report),
		Answer:  p.Says,
		Also:    p.Also,
		Blocks:  p.Blocks(),
		CSVRows: csvRowsOf([]scoring.Report{p.Report}),
	}
}

// juryBlocks returns the blocks that only the page of a jury has, which stand above the others.
func juryBlocks(p *RunPage) []doc.Block {
	if p.Jury == nil {
		return nil
	}
	all := p.Jury.Blocks()
	if p.answerWithoutMembers != "" {
		all = append(all, doc.Block{
			ID:    "alone",
			Title: "The jury as one judge",
			Notes: []doc.Note{doc.PlainNote(p.answerWithoutMembers)},
		})
	}
	return all
}

// ItemLists returns the lists of the items that a person should read first.
func ItemLists(p *RunPage) []doc.Block { return p.ItemLists }

// OutcomeBar returns the bar of the outcomes of the run's items, whose parts link to the items.
func OutcomeBar(p *RunPage) []doc.Block {
	l := layoutOf(p.Protocol)
	parts := p.OutcomeParts(scoring.Overall)
	if len(parts) == 0 {
		return nil
	}
	t := &doc.Table{RowHead: "outcome"}
	total := 0
	for _, x := range parts {
		total += x.N
		t.Add(doc.Row{Name: x.Name, Look: x.Look, Target: x.Target, Cells: doc.Cells(x.N)})
	}
	b := doc.Block{
		ID:       "became",
		Title:    "Outcomes of " + table.CountWithNoun(total, l.ItemNoun),
		About:    l.BarTitleNote,
		Surfaces: doc.SurfaceAllButShort,
		Chart:    doc.ChartStackedBar,
		Table:    t,
		Bracket:  l.Bracket.barBracket(&p.Report),
	}
	if b.About == "" && l.TitleSuffixOfRun != nil {
		b.About = strings.Replace(l.TitleSuffixOfRun(&p.Report), "?", "judged", 1)
	}
	return []doc.Block{b}
}

// Cards returns the main metrics of the run: cards on a page, and a table by category in texts.
func Cards(p *RunPage) []doc.Block {
	l := layoutOf(p.Protocol)
	t := &doc.Table{Columns: []doc.Column{{Name: "all", Kind: doc.ColumnNumber}, {Surfaces: doc.SurfacePage}}}
	groups := p.itemGroupNames()
	for i, g := range groups {
		t.Columns = append(t.Columns, doc.Column{
			Name: g, Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceAnyText, HidePriority: len(groups) - i,
		})
	}
	head := Headline(&p.Report)
	for _, tile := range l.Tiles {
		x := tile.value(&p.Report)
		if x.Value == nil || tile.Metric == scoring.WithoutVerdictShare && *x.Value == 0 {
			continue
		}
		name := tile.Name
		if p.LabelsArePreferences && tile.Metric == l.Headline {
			name = agreementWithPeople
		}
		note := tile.note(&p.Report, x)
		if place := p.rankSentence(); place != "" && head != nil && tile.Metric == head.Metric && tile.Mode == head.Mode {
			note = place
		}
		row := doc.Row{Name: name, Folded: tile.Folded, Cells: doc.Cells(x, note)}
		for _, g := range groups {
			row.Cells = append(row.Cells, doc.NumberCell(p.Result(tile.Metric, g, tile.Mode)))
		}
		t.Add(row)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.DropEmpty()
	warnings := slices.DeleteFunc(p.Cautions(), func(w string) bool {
		return strings.HasPrefix(w, scoring.NoIntervalWarningPrefix)
	})
	return []doc.Block{
		{ID: "cards", Chart: doc.ChartCards, Table: t},
		{Surfaces: doc.SurfaceShortText, Notes: doc.WarningNotes(warnings)},
	}
}

// itemGroupNames returns the names of the groups of items, without the group of all items.
func (p *RunPage) itemGroupNames() []string {
	return slices.DeleteFunc(p.Groups(), func(g string) bool { return g == scoring.Overall })
}

// GroupBlocks returns a table of a metric by group of items: the headline by category, unless Grouping names another.
func GroupBlocks(p *RunPage) []doc.Block {
	l := layoutOf(p.Protocol)
	head := Headline(&p.Report)
	for _, metric := range l.Grouping.Metrics {
		if x := p.Overall(metric); x.Value != nil {
			head = &x
			break
		}
	}
	if head == nil || head.Value == nil || head.Unit != "" {
		return nil
	}
	name := doc.MetricName(p.Protocol, head.Metric)
	t := &doc.Table{RowHead: cmp.Or(l.Grouping.GroupHeading, "category"), Columns: []doc.Column{
		{Name: name, Kind: doc.ColumnNumber, Axis: &doc.PercentAxis},
		{Name: "outcomes of the " + l.ItemNoun + "s", Kind: doc.ColumnBar},
	}}
	b := doc.Block{
		ID: "groups", Title: cmp.Or(l.Grouping.Title, "By category"),
		About: name + ", percent, with 95 % interval", Surfaces: doc.SurfacePage,
		Table: t,
	}
	if l.Grouping.ExtraMetric != "" {
		column := doc.Column{Name: doc.MetricName(p.Protocol, l.Grouping.ExtraMetric), Kind: doc.ColumnShareWithN}
		if p.Overall(l.Grouping.ExtraMetric).Unit != "" {
			column.Kind = doc.ColumnBareNumber
		}
		t.Columns = append(t.Columns, column)
	}
	for _, g := range p.Groups() {
		x := p.Result(head.Metric, g, head.Mode)
		if x.Metric == "" {
			continue
		}
		reference := p.Result(strings.Replace(l.Grouping.ReferenceMetric, "*", head.Metric, 1), g, "")
		if reference.Value != nil {
			b.Keys = []doc.LegendEntry{{Sign: "diamond", Words: l.Grouping.ReferenceWords}}
		}
		row := doc.Row{Name: g, N: x.N, Look: "level-" + string(p.Level()), Cells: []doc.Value{
			{Result: x, Reference: &reference}, {Parts: p.OutcomeParts(g)},
		}}
		if g == scoring.Overall {
			row.Name, row.Total = "All", true
		}
		if l.Grouping.ExtraMetric != "" {
			row.Cells = append(row.Cells, doc.NumberCell(p.Result(l.Grouping.ExtraMetric, g, "")))
		}
		t.Add(row)
	}
	if len(t.Rows) < 2 {
		return nil
	}
	return []doc.Block{b}
}

// Caveats returns sentences on what to know before trusting the run, the most important first.
func (p *RunPage) Caveats() (all []string) {
	if caveats := layoutOf(p.Protocol).Caveats; caveats != nil {
		all = caveats(p)
	} else {
		all = p.categoryCaveat()
	}
	for _, w := range p.Cautions() {
		if strings.TrimRight(w, ".!?") == w {
			w += "."
		}
		all = append(all, doc.Capital(w))
	}
	isModelRun := p.Metadatum("imported from") == "" && !p.Simulated && !isJury(p.Model) && p.Judgments() > 0
	if isModelRun && p.Repetitions == nil {
		all = append(all, phrases.Sentence("run.asked-once"))
	}
	return all
}

// mostCaveats is the number of caveats that a page shows unfolded.
const mostCaveats = 4

// wideInterval is the width in percentage points at which the interval of a category's score deserves a caveat.
const wideInterval = 25

// categoryCaveat returns a caveat that names the worst and the best category if their intervals do not overlap, or else
// the category with the widest interval if it is wide; nil if neither holds.
func (p *RunPage) categoryCaveat() []string {
	head := Headline(&p.Report)
	if head == nil || head.Unit != "" {
		return nil
	}
	var worst, best, widest *scoring.Result
	for _, g := range p.Groups() {
		x := p.Result(head.Metric, g, head.Mode)
		if g == scoring.Overall || !x.HasInterval() {
			continue
		}
		if widest == nil || *x.High-*x.Low > *widest.High-*widest.Low {
			widest = &x
		}
		if worst == nil || *x.Value < *worst.Value {
			worst = &x
		}
		if best == nil || *x.Value > *best.Value {
			best = &x
		}
	}
	switch {
	case worst == nil:
		return nil
	case *worst.High < *best.Low:
		return []string{phrases.Sentence("run.worst-category", worst.Group, *worst.Value, ItemCountText(p.Protocol, worst.N),
			best.Group, *best.Value, best.N)}
	case *widest.High-*widest.Low >= wideInterval:
		return []string{phrases.Sentence("run.wide-category", doc.Capital(widest.Group), ItemCountText(p.Protocol, widest.N),
			*widest.Value, *widest.Low, *widest.High)}
	}
	return nil
}

// CaveatBlocks returns the caveats of the run for its page. All but the first mostCaveats are folded.
func CaveatBlocks(p *RunPage) []doc.Block {
	words := p.Caveats()
	n := min(len(words), mostCaveats)
	first := doc.Block{ID: "warnings", Title: "Before you trust it", Half: true, Surfaces: doc.SurfacePage}
	first.AddPlainNotes(words[:n]...)
	rest := doc.Block{
		ID:        "more-warnings",
		FoldLabel: fmt.Sprintf("%d more", len(words)-n),
		Half:      true,
		Surfaces:  doc.SurfacePage,
	}
	rest.AddPlainNotes(words[n:]...)
	return []doc.Block{first, rest}
}

// unfoldedSettings names the settings of a run that its page shows unfolded.
var unfoldedSettings = strings.Fields("model dataset items server prompt run")

// SettingBlocks returns the settings and the prompt of the run for its page.
func SettingBlocks(p *RunPage) []doc.Block {
	first := &doc.Table{Columns: []doc.Column{{}}}
	rest := &doc.Table{Columns: first.Columns}
	for _, m := range p.Metadata {
		t := rest
		if slices.Contains(unfoldedSettings, m.Name) {
			t = first
		}
		t.Add(doc.WordRow(m.Name, m.Value))
	}
	if len(first.Rows) == 0 {
		return nil
	}
	first.Add(doc.WordRow("reading", scoring.ReadingNote(p.Report)))
	return []doc.Block{
		{
			ID:       "made",
			Title:    "How it was made",
			Surfaces: doc.SurfacePage,
			Chart:    doc.ChartFacts,
			Table:    first,
			Verbatim: p.Command,
		},
		{ID: "settings", FoldLabel: "Every setting", Surfaces: doc.SurfacePage, Chart: doc.ChartFacts, Table: rest},
		{ID: "prompt", FoldLabel: "The prompt's text", Surfaces: doc.SurfacePage, Verbatim: p.Prompt},
	}
}

// AllNumbersBlocks returns a folded table with a row for each metric, a column for each category, and the run's costs.
func AllNumbersBlocks(p *RunPage) []doc.Block {
	groups := p.itemGroupNames()
	t := &doc.Table{RowHead: "metric", Columns: []doc.Column{
		{Name: "all", Kind: doc.ColumnNumber}, {Name: "n"}, {Name: "without a verdict"},
	}}
	for i, g := range groups {
		t.Columns = append(t.Columns, doc.Column{Name: g, Kind: doc.ColumnBareNumber, HidePriority: len(groups) - i})
	}
	var remarks table.Remarks
	hasRow := map[[2]string]bool{}
	every := scoring.Report{Results: slices.Concat(p.Results, p.findings().Results)}
	for _, x := range every.Results {
		remarks.Add(strings.TrimSpace(doc.MetricName(p.Protocol, x.Metric)+" "+x.Mode), x.Note)
		key := [2]string{x.Metric, x.Mode}
		if hasRow[key] {
			continue
		}
		hasRow[key] = true
		all := every.Result(x.Metric, scoring.Overall, x.Mode)
		name := doc.MetricName(p.Protocol, x.Metric)
		row := doc.Row{Name: strings.TrimSpace(name + " " + x.Mode), Cells: doc.Cells(
			all, cmp.Or(all, x).CountText(), cmp.Or(all, x).MissingRule,
		)}
		if name != x.Metric {
			row.Detail = x.Metric
		}
		for _, g := range groups {
			row.Cells = append(row.Cells, doc.NumberCell(every.Result(x.Metric, g, x.Mode)))
		}
		t.Add(row)
	}
	b := doc.Block{
		ID:        "every",
		Title:     "Every number",
		Surfaces:  doc.SurfaceAllButShort,
		FoldLabel: "Every number",
		Chart:     doc.ChartTableWithTerms,
		Table:     t,
		Notes: []doc.Note{
			doc.PlainNote(layoutOf(p.Protocol).Noun + ": " + outcomeCountsText(p.Report)), doc.PlainNote(intervalNote(p.Report)),
		},
	}
	b.AddPlainNotes(remarks.Lines()...)
	b.Warn(p.Warnings)
	return append([]doc.Block{b}, costBlocks([]JudgeCost{{Judge: p.Judge(), Ledger: p.Ledger}})...)
}
