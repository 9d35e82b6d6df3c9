package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Comparison lays out the comparison of every two of some runs, on the items that both judged. `gavel compare`, its
// page and report files show it.
type Comparison struct {
	*scoring.Comparisons
	Names   []string          `json:"-"` // names of the judges, a different one for each run; nil lets pairs choose them
	Reports []*scoring.Report `json:"-"` // reports of the whole runs, nil for a run without one; only pages need them
	Command string            `json:"-"` // command line that prints the comparison; its page shows it
}

// pair holds the comparison of two runs.
type pair struct {
	*scoring.Comparison
	names, short [2]string // names of the judges; short has letters instead if a name is long, or there are several pairs
}

// longestHead is the length in bytes of the longest name that fits above a column of numbers.
const longestHead = 16

// pairs returns the comparison of every two runs, the runs themselves, and the runs' titles in tables: the names of
// their judges, with a letter in front if letters stand for names.
func (c *Comparison) pairs() (all []pair, sides []scoring.Side, titles []string) {
	rest := c.Comparisons.Comparisons
	sides = []scoring.Side{rest[0].A}
	for _, two := range rest[:int(math.Sqrt(float64(2*len(rest))))] { // n runs have n(n − 1)/2 comparisons
		sides = append(sides, two.B)
	}
	if c.Names == nil {
		c.Names = scoring.DisplayNames(sides)
	}
	names := c.Names
	short := names
	titles = names
	if len(names) > 2 || slices.ContainsFunc(names, func(name string) bool { return len(name) > longestHead }) {
		short = nil
		titles = nil
		for i, name := range names {
			short = append(short, string(rune('A'+i)))
			titles = append(titles, short[i]+": "+name)
		}
	}
	for i, first := range names {
		for j := i + 1; j < len(names); j++ {
			all = append(all, pair{
				Comparison: rest[len(all)],
				names:      [2]string{first, names[j]},
				short:      [2]string{short[i], short[j]},
			})
		}
	}
	return all, sides, titles
}

// Document returns the comparison as a document: which run is better, on which items they differ, and the scores of
// each.
func (c Comparison) Document() doc.Document {
	pairs, sides, titles := c.pairs()
	p := pairs[0]
	judges := c.judgesTable(sides, titles)
	d := doc.Document{
		Answer:  c.bestSentence(pairs),
		CSVRows: c.csvRows(),
		Blocks:  []doc.Block{judges, c.difference(pairs, titles)},
	}
	if len(pairs) == 1 {
		d.Answer, d.Also = p.Sentences(p.names)
		d.Also = strings.TrimSpace(d.Also + " " + p.coverageSentence())
		d.Blocks = []doc.Block{c.difference(pairs, titles), p.correctness(), judges, p.outcomes()}
	}
	if p.SameRun() {
		d.Blocks = []doc.Block{judges}
	}
	for _, p := range pairs {
		d.Blocks = append(d.Blocks, p.equivalence())
	}
	var markdown strings.Builder
	_ = table.Writer(table.Markdown).WriteTables(&markdown, d.Tables(doc.SurfaceShortText)) // writes to memory never fail
	origins := &doc.Table{Columns: []doc.Column{{}}}
	for i, s := range sides {
		origins.Add(doc.WordRow(titles[i], dotted(s.Model, s.Protocol, "prompt "+promptSettingsText(s.RunSetup), s.Dataset,
			textIf(s.Simulated, simulatedMark), s.Run)))
	}
	d.Blocks = append(d.Blocks,
		doc.Block{
			ID:       "made",
			Title:    "How it was made",
			Surfaces: doc.SurfaceAllButShort,
			Chart:    doc.ChartFacts,
			Table:    origins,
			Verbatim: c.Command,
		},
		doc.Block{ID: "markdown", Surfaces: doc.SurfacePage, FoldLabel: "Copy as Markdown", Verbatim: markdown.String()},
		c.certaintyNotes(pairs), doc.Block{Surfaces: doc.SurfaceShortText, Notes: []doc.Note{doc.PhraseNote("compare.more")}})
	return d
}

// csvRows returns the rows of the CSV file: one for each pair of runs, metric and group.
func (c Comparison) csvRows() [][]string {
	rows := [][]string{strings.Fields("run_a run_b metric group a b difference low high n both only_a only_b neither " +
		"p p_holm noise_floor may_be_noise note mode unit")}
	precise := func(p *float64) string {
		if p == nil {
			return ""
		}
		return strconv.FormatFloat(*p, 'g', -1, 64)
	}
	for _, two := range c.Comparisons.Comparisons {
		for _, d := range two.Differences {
			row := []string{two.A.Run, two.B.Run, d.Metric, d.Group}
			for _, v := range []*float64{d.A, d.B, d.BMinusA, d.Low, d.High} {
				row = append(row, table.CSVNumber(v, decimals(d.Unit)))
			}
			row = append(row, strconv.Itoa(d.N), "", "", "", "")
			if t := d.Table; t != nil {
				for i, n := range []int{t.Both, t.OnlyA, t.OnlyB, t.Neither} {
					row[len(row)-4+i] = strconv.Itoa(n)
				}
			}
			rows = append(rows, append(row, precise(d.P), precise(d.Holm), table.CSVNumber(d.Floor, 4),
				strconv.FormatBool(d.NotSignificant), d.Note, d.Mode, d.Unit))
		}
	}
	return dropModeColumns(rows)
}

// bestSentence returns a sentence that names the judges that no other judge beats significantly.
func (c Comparison) bestSentence(pairs []pair) string {
	wins := map[string]int{}
	first := slices.Clone(c.Names)
	for _, p := range pairs {
		d := p.HeadlineDifference()
		if d == nil || d.BMinusA == nil {
			return phrases.Sentence("compare.no-value")
		}
		if !d.NotSignificant {
			ahead := int(scoring.Indicator(*d.BMinusA > 0))
			wins[p.names[ahead]]++
			first = slices.DeleteFunc(first, func(name string) bool { return name == p.names[1-ahead] })
		}
	}
	switch {
	case len(first) == len(c.Names):
		return phrases.Sentence("compare.all-tied", len(first))
	case len(first) == 0:
		return phrases.Sentence("compare.circle")
	case len(first) == 1 && wins[first[0]] == len(c.Names)-1:
		return phrases.Sentence("compare.best", first[0], pairs[0].tileForMetric(*pairs[0].HeadlineDifference()).Name)
	}
	return phrases.Sentence("compare.unbeaten", table.Enumerate(first))
}

// coverageSentence returns a sentence with the coverage of both judges if their accuracy when consistent differs
// significantly; else "".
func (p pair) coverageSentence() string {
	for _, d := range p.Differences {
		if d.Metric == scoring.Coverage && d.Group == scoring.Overall && d.BMinusA != nil &&
			p.WhenConsistent != nil && !p.WhenConsistent.NotSignificant {
			return phrases.Sentence("compare.coverage", p.names[0], *d.A, p.names[1], *d.B)
		}
	}
	return ""
}

// itemsRef returns a reference to the items of the two runs that match a filter (show) and belong to a group.
func (p pair) itemsRef(show, group string) doc.Ref {
	return doc.Ref{Runs: []string{p.A.Run, p.B.Run}, Filter: show, ItemGroup: strings.TrimPrefix(group, scoring.Overall)}
}

// barParts returns the items of a group as parts of a bar: both judges correct, only one of them, or neither.
func (p pair) barParts(t *scoring.Table2x2, group string) []doc.BarPart {
	return []doc.BarPart{
		{N: t.Both, Look: "right", Name: "both correct", Target: p.itemsRef("both", group)},
		{N: t.OnlyA, Look: "a", Name: "only " + p.names[0], Target: p.itemsRef("a", group)},
		{N: t.OnlyB, Look: "b", Name: "only " + p.names[1], Target: p.itemsRef("b", group)},
		{N: t.Neither, Look: "wrong", Name: "neither", Target: p.itemsRef("neither", group)},
	}
}

// betterDirection returns which values of a metric are better, higher or lower ones; "" if neither.
func (p pair) betterDirection(metric string) scoring.Direction {
	term, _ := scoring.FindTerm(scoring.MetricsOf(p.A.Protocol), metric)
	return term.Direction
}

// tileForMetric returns the entry for a difference's metric among the main metrics of the layout, or a folded one if it
// is none of them.
func (p pair) tileForMetric(d scoring.Difference) Tile {
	for _, t := range layoutOf(p.A.Protocol).Tiles {
		if t.Metric == d.Metric && t.Mode == d.Mode {
			return t
		}
	}
	name := doc.MetricName(p.A.Protocol, d.Metric)
	if d.Mode != "" {
		name += ", " + d.Mode
	}
	return Tile{Name: name, Folded: true}
}

// row returns a difference as a row of the table of differences.
func (p pair) row(d scoring.Difference) doc.Row {
	number := func(v *float64) doc.Value {
		return doc.NumberCell(scoring.Result{Metric: d.Metric, Unit: d.Unit, Value: v})
	}
	r := doc.Row{
		Name:  p.tileForMetric(d).Name,
		Term:  d.Metric,
		N:     d.N,
		Look:  doc.DifferenceLook(d.NotSignificant),
		Total: d.Group == scoring.Overall,
		Cells: doc.Cells(
			number(d.A), number(d.B), d.Result(), doc.Value{}, doc.Value{}, table.PValue(d.P), table.PValue(d.Holm),
			d.Test, scoring.Result{Unit: d.Unit, Value: d.Floor},
		),
	}
	switch best := p.betterDirection(d.Metric); {
	case d.BMinusA == nil:
	case d.NotSignificant:
		r.Cells[4].Text = "n.s."
	case best == "":
		r.Cells[4].Text = "differs"
	default:
		r.Cells[4].Text = p.short[int(scoring.Indicator((*d.BMinusA > 0) == (best == scoring.Higher)))]
	}
	return r
}

// rows returns the rows of all differences: those of the headline, then those among pairs on which both judges are
// consistent, then the others. several is true if the table has several pairs of runs; the short text then shows only
// the first row of each.
func (p pair) rows(several bool) (rows []doc.Row) {
	head := cmp.Or(p.HeadlineDifference(), &scoring.Difference{})
	detail := doc.SurfaceAllButShort
	if several {
		detail = doc.SurfaceFullText
	}
	var headlines, consistent, others []scoring.Difference
	for _, d := range p.Differences {
		if d.Metric == head.Metric && d.Mode == head.Mode {
			headlines = append(headlines, d)
		} else {
			others = append(others, d)
		}
	}
	if p.WhenConsistent != nil {
		consistent = append([]scoring.Difference{*p.WhenConsistent}, p.WhenConsistentByGroup...)
	}
	for section, differences := range [][]scoring.Difference{headlines, consistent, others} {
		for _, d := range differences {
			r := p.row(d)
			leading := len(rows) == 0
			if section < 2 && d.Table != nil {
				r.Cells[3].Parts = p.barParts(d.Table, d.Group)
			}
			switch {
			case several && leading:
				r.Name = strings.Join(p.short[:], " · ")
				r.Target = p.itemsRef("", "")
			case !r.Total:
				r.Name = "  " + d.Group
				r.Term = ""
				r.Surfaces = detail
				if section < 2 {
					r.Target = p.itemsRef("differ", d.Group)
				}
			case section == 1:
				r.Name += " *"
			case !leading && (several || p.tileForMetric(d).Folded ||
				p.WhenConsistent != nil && d.Metric == p.WhenConsistent.Metric):
				r.Surfaces = detail
			}
			r.Total = r.Total && (leading || !several)
			rows = append(rows, r)
		}
	}
	return rows
}

// difference returns the table of all differences between the runs of each pair.
func (c Comparison) difference(pairs []pair, titles []string) doc.Block {
	p := pairs[0]
	head := cmp.Or(p.HeadlineDifference(), &scoring.Difference{})
	sides, signs := p.short, titles
	several := len(pairs) > 1
	if several {
		sides = [2]string{"first", "second"}
		signs = sides[:]
	}
	axis := &doc.Axis{Signed: true}
	if p.betterDirection(head.Metric) == scoring.Higher {
		axis.Ends = [2]string{"← " + sides[0] + " better", sides[1] + " better →"}
	}
	t := &doc.Table{Look: "versus", Columns: []doc.Column{
		{Name: sides[0], Head: signs[0], Kind: doc.ColumnComparedRun, Axis: doc.AxisForUnit(head.Unit)},
		{Name: sides[1], Head: signs[1], Kind: doc.ColumnComparedRun},
		{Name: "difference", Kind: doc.ColumnNumber, Axis: axis},
		{Name: "who is correct", Kind: doc.ColumnBar, Surfaces: doc.SurfacePage},
		{Surfaces: doc.SurfaceAnyText},
		{Name: "p", Surfaces: doc.SurfaceFullText},
		{Name: "Holm", Surfaces: doc.SurfaceFullText},
		{Name: "test", Surfaces: doc.SurfaceFullText},
		{Name: "noise floor", Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceFullText},
	}}
	var warnings []string
	for _, p := range pairs {
		t.Add(p.rows(several)...)
		warnings = append(warnings, p.Warnings...)
	}
	t.DropEmpty()
	b := doc.Block{
		ID:    "difference",
		Title: "The difference",
		About: phrases.Sentence("compare.about"),
		Table: t,
		Keys:  []doc.LegendEntry{{Sign: "a", Words: signs[0]}, {Sign: "b", Words: signs[1]}},
	}
	b.Remark("compare.signs", signs[1], signs[0], c.FamilyText)
	if several {
		b.AddPlainNotes(strings.Join(titles, ", "))
	} else if head.Table != nil {
		b.Remark("compare.only", head.Table.OnlyA, sides[0], head.Table.OnlyB, sides[1], doc.PValueWithTest(*head))
	}
	if p.WhenConsistent != nil {
		b.Remark("compare.alike")
	}
	slices.Sort(warnings)
	b.Warn(slices.Compact(warnings))
	return b
}

// correctness returns a bar of the items by whether both judges, one of them or neither is correct.
func (p pair) correctness() doc.Block {
	head := p.HeadlineDifference()
	if head == nil || head.Table == nil {
		return doc.Block{}
	}
	t := head.Table
	b := doc.Block{
		ID:    "who",
		Title: "Who is correct on what",
		About: p.tileForMetric(*head).Name + ", " +
			table.CountWithNoun(t.N(), cmp.Or(p.Unit, layoutOf(p.A.Protocol).ItemNoun)),
		Surfaces: doc.SurfaceAllButShort,
		Chart:    doc.ChartStackedBar,
		Table:    &doc.Table{RowHead: "correct"},
		Bracket: &doc.Bracket{
			FirstPart:    1,
			To:           3,
			N:            t.OnlyA + t.OnlyB,
			BoldWords:    "on which only one is correct",
			Words:        doc.PValueWithTest(*head),
			Beyond:       "on which neither is",
			OutsideCount: t.Neither,
		},
	}
	for _, part := range p.barParts(t, scoring.Overall) {
		b.Table.Add(doc.Row{Name: part.Name, Look: part.Look, Target: part.Target, Cells: doc.Cells(part.N)})
	}
	return b
}

// judgesTable returns a table of the runs with their own scores and costs.
func (c Comparison) judgesTable(sides []scoring.Side, titles []string) doc.Block {
	l := layoutOf(sides[0].Protocol)
	t := &doc.Table{RowHead: "judge", Look: "many"}
	b := doc.Block{ID: "judges", Title: "Each judge, and what it costs", Surfaces: doc.SurfaceAllButShort}
	shared := "" // headline of runs of several protocols
	for _, x := range c.Comparisons.Comparisons {
		if d := x.HeadlineDifference(); d != nil && x.A.Protocol != x.B.Protocol {
			shared = d.Metric
		}
	}
	for i, s := range sides {
		if cost := s.Ledger; cost != nil && cost.PerItem != nil {
			b.Remark("compare.cost", titles[i], cost.Calls, cost.ReadTokens(), cost.ReplyTokens,
				cost.Seconds, cost.PerItem.Seconds, cost.PerItem.ReplyTokens, l.ItemNoun,
				strings.Join(append([]string{""}, tokenDetails(cost)...), "; "))
		}
		if len(c.Reports) == 0 || slices.Contains(c.Reports, nil) {
			continue
		}
		r := c.Reports[i]
		row := doc.Row{Name: titles[i], Target: doc.RunRef(s.Run), Look: "level-" + string(r.Level())}
		add := func(column doc.Column, v doc.Value) {
			if i == 0 {
				t.Columns = append(t.Columns, column)
			}
			row.Cells = append(row.Cells, v)
		}
		add(doc.Column{Name: "level", Kind: doc.ColumnLevel}, doc.Value{Level: diagnosisLevel(r)})
		head := cmp.Or(Headline(r), &scoring.Result{})
		if shared != "" {
			head = new(r.Overall(shared))
		}
		name := doc.MetricName(r.Protocol, head.Metric)
		add(doc.Column{Name: name, Kind: doc.ColumnNumber, Axis: doc.AxisForUnit(head.Unit)}, doc.NumberCell(*head))
		for _, tile := range l.Tiles {
			if (tile.Metric != head.Metric || tile.Mode != head.Mode) && tile.Metric != scoring.WithoutVerdictShare {
				add(doc.Column{Name: tile.Name, Kind: doc.ColumnShareWithN}, doc.NumberCell(tile.value(r)))
			}
		}
		var each doc.Value
		if usable := l.Bracket.barBracket(r); usable != nil && r.Repetitions == nil {
			each.Text = fmt.Sprintf("%.1f", float64(r.Judgments())/float64(usable.N))
		}
		add(doc.Column{Name: l.Noun + " per usable verdict"}, each)
		t.Add(row)
		b.Table = t
	}
	t.DropEmpty()
	return b
}

// outcomes returns a bar for each run with the outcomes of the items that both judged.
func (p pair) outcomes() doc.Block {
	l := layoutOf(p.A.Protocol)
	if p.OutcomeCounts[0].N*len(l.Outcomes) == 0 {
		return doc.Block{}
	}
	b := doc.Block{
		ID:       "outcomes",
		Title:    "Outcomes of the same " + table.CountWithNoun(p.OutcomeCounts[0].N, l.ItemNoun),
		Surfaces: doc.SurfaceAllButShort,
		Table:    &doc.Table{Look: "outcomes", Columns: []doc.Column{{Kind: doc.ColumnLargeBar}}},
	}
	for side, became := range p.OutcomeCounts {
		row := doc.Row{Name: p.names[side]}
		if p.ChangedWithOrder != nil {
			row.Detail = phrases.Sentence("compare.turned", p.ChangedWithOrder[side])
		}
		var bar doc.Value
		for _, end := range l.Outcomes {
			part := doc.BarPart{Name: end.Words, N: became.Count(end.Name), Look: end.Look}
			if p.UnitsOnlyInA+p.UnitsOnlyInB == 0 {
				part.Target = doc.Ref{Runs: []string{p.Sides[side].Run}, Filter: end.Filter}
			}
			bar.Parts = append(bar.Parts, part)
			key := doc.LegendEntry{Sign: end.Look, Words: end.Words}
			if part.N > 0 && !slices.Contains(b.Keys, key) {
				b.Keys = append(b.Keys, key)
			}
		}
		row.Cells = []doc.Value{bar}
		b.Table.Add(row)
	}
	if p.WhenConsistent != nil && p.WhenConsistent.Table.Neither > 0 {
		words := phrases.Sentence("compare.labels", p.WhenConsistent.Table.Neither)
		b.Links = []doc.Link{{Words: words, Target: p.itemsRef("confident", "")}}
	}
	return b
}

// equivalence returns the result of the test whether the two runs are equal within a margin; nothing if none was made.
func (p pair) equivalence() doc.Block {
	w := p.MarginTest
	if w == nil {
		return doc.Block{}
	}
	method := "compare.betting"
	if w.IntervalMethod == scoring.IntervalByTango {
		method = "compare.tango"
	}
	diff := scoring.Result{Value: w.BMinusA, Low: w.Low, High: w.High, Mode: scoring.ModeDifference}
	return doc.Block{ID: "within", Title: "The same within a margin?", Notes: []doc.Note{
		doc.PhraseNote("compare.margin", table.Decimal(w.Points), w.Verdict, p.short[1], p.short[0],
			table.WithInterval(diff), w.N, w.RightToWrong, w.WrongToRight),
		doc.PhraseNote(method),
	}}
}

// certaintyNotes returns the notes on how certain the comparison is, and how to read it.
func (c Comparison) certaintyNotes(pairs []pair) doc.Block {
	b := doc.Block{
		ID:        "sure",
		Title:     "How to read this",
		Surfaces:  doc.SurfaceAllButShort,
		FoldLabel: "How sure is that? How to read this",
		Notes: []doc.Note{
			doc.PhraseNote("compare.paired"),
			doc.PhraseNote("compare.interval"),
			doc.PhraseNote("compare.significant", c.FamilyText),
		},
	}
	if pairs[0].WhenConsistent != nil {
		b.Remark("compare.own")
	}
	var methods, notes []string
	var remarks table.Remarks
	for _, p := range pairs {
		for _, d := range p.Differences {
			remarks.Add(strings.Join(strings.Fields(d.Metric+" "+d.Mode+" "+d.Group), " "), d.Note)
			methods = append(methods, d.IntervalMethod)
		}
		if further := layoutOf(p.A.Protocol).ComparisonNotes; further != nil {
			notes = append(notes, further(p.Comparison)...)
		}
	}
	b.AddPlainNotes(slices.Concat([]string{IntervalMethodsNote(c.Bootstrap, methods)}, remarks.Lines(), notes)...)
	return b
}
