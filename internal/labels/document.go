package labels

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// maxPairs limits the pairs of raters that a table lists.
const maxPairs = 30

// Document returns the tables of judges by agreement with people, of every two raters, and of whether a judge may
// replace a person.
func (a *Agreement) Document() doc.Document {
	return doc.Document{
		Title:   a.LabelsPath + " · " + table.CountWithNoun(a.Items, "item"),
		Answer:  a.Says,
		Blocks:  a.blocks(),
		CSVRows: a.csvRows(),
	}
}

// HTML returns the tables for a page. link returns the address that a reference to a run points to.
func (a *Agreement) HTML(link func(doc.Ref) string) (template.HTML, error) {
	return doc.PageContext{Link: link, Prefix: "labels-"}.RenderBlocks(a.blocks())
}

func (a *Agreement) blocks() []doc.Block {
	return []doc.Block{a.judges(), a.countingNotes(), a.raterPairsTable(), a.altTests()}
}

// csvRows returns the CSV rows: one for each statistic of a judge and the majority, and of every two raters.
func (a *Agreement) csvRows() [][]string {
	rows := [][]string{{"a", "b", "between", "n", "statistic", "value", "low", "high"}}
	add := func(x, y, between string, n int, name string, v *Statistic) {
		if v == nil || v.Value == nil && a.scored() {
			return
		}
		rows = append(rows, []string{
			x, y, between, strconv.Itoa(n), name, table.CSVNumber(v.Value, 6), table.CSVNumber(v.Low, 6),
			table.CSVNumber(v.High, 6),
		})
	}
	for _, j := range a.Judges {
		add(j.Run, "majority", "judge, majority", j.N, "agreement", &j.Agreement)
		add(j.Run, "majority", "judge, majority", j.N-j.NoVerdict, "kappa", &j.Kappa)
		add(j.Run, "mean", "judge, people's mean", j.N, "weighted_kappa", j.WeightedKappa)
		add(j.Run, "mean", "judge, people's mean", j.N, "mae", j.Distance)
	}
	for _, p := range a.Pairs {
		pair := func(name string, v *Statistic) { add(p.A, p.B, p.RaterKinds, p.N, name, v) }
		pair("agreement", &p.Agreement)
		pair("kappa", &p.Kappa)
		pair("ac1", &p.AC1)
		pair("alpha", &p.Alpha)
		pair("alpha_ordinal", p.OrdinalAlpha)
		pair("weighted_kappa", p.WeightedKappa)
		pair("mae", p.Distance)
	}
	return rows
}

// scored reports whether people and judges give scores.
func (a *Agreement) scored() bool { return a.Judges[0].WeightedKappa != nil }

// phraseCode returns the code of a phrase, or of the one that stands in its place for scores.
func (a *Agreement) phraseCode(code string) string {
	if a.scored() {
		code = "scored-" + code
	}
	return code
}

// judges returns a table with a row for each judge, the best first.
func (a *Agreement) judges() doc.Block {
	axis := doc.PercentAxis
	axis.StrongTick = -1 // no line for chance, which depends on the frequency of each label
	t := &doc.Table{RowHead: "judge", Look: "wide many", Columns: []doc.Column{
		{Name: "agreement, %", Kind: doc.ColumnNumber, Axis: &axis},
		{Name: "letters"},
		{Name: "Cohen's κ", Kind: doc.ColumnShareWithN},
		{Name: "quadratic-weighted κ", Short: "weighted κ", Kind: doc.ColumnNumber},
		{Name: "mean distance", Kind: doc.ColumnNumber},
		{Name: "no verdict", Kind: doc.ColumnShareWithN},
		{Name: "calls per 1,000", Kind: doc.ColumnInteger, Surfaces: doc.SurfaceFullText},
		{Name: "tokens per 1,000", Kind: doc.ColumnInteger, Surfaces: doc.SurfaceFullText},
		{Name: "run", Surfaces: doc.SurfaceFullText, HidePriority: 1},
	}}
	names := a.judgeNames()
	for _, j := range a.Judges {
		r := doc.Row{Name: names[j.Run], N: j.N, Target: doc.RunRef(j.Run), Look: "level-" + string(scoring.LevelUnknown)}
		if j.Clusters > 0 {
			r.Detail = "in " + table.CountWithNoun(j.Clusters, "cluster")
		}
		r.Cells = doc.Cells(shareCell(j.Agreement), "", coefficientCell(&j.Kappa), coefficientCell(j.WeightedKappa),
			coefficientCell(j.Distance), j.NoVerdict, j.CallsPerThousandItems, "", j.Run)
		if len(a.Judges) > 1 {
			r.Cells[1].Text = j.Letters
		}
		if j.Tokens > 0 {
			r.Cells[7] = doc.CountCell(j.Tokens)
		}
		t.Add(r)
	}
	t.DropEmpty()
	b := doc.Block{ID: "judges", Title: "Agreement with people", Table: t}
	b.About = phrases.Sentence(a.phraseCode("labels.agreement"))
	if len(a.Judges) > 1 {
		test := "McNemar's test"
		if a.JudgePairTest == "permutation" {
			test = "a permutation test by " + a.Bootstrap.Unit
		}
		b.Remark("labels.letters", test)
	}
	b.Warn(a.Warnings)
	return b
}

// countingNotes returns notes on how the judges' numbers are counted and on the agreement of people with each other.
func (a *Agreement) countingNotes() doc.Block {
	b := doc.Block{ID: "counting", FoldLabel: "How it is counted", Surfaces: doc.SurfaceAllButShort, Notes: []doc.Note{
		doc.PhraseNote(a.phraseCode("labels.counted")), doc.PhraseNote("labels.cost"), doc.PhraseNote("labels.kappa"),
	}}
	if slices.ContainsFunc(a.Judges, func(j JudgeAgreement) bool { return j.Kappa.Constant }) ||
		slices.ContainsFunc(a.Pairs, func(p RaterPair) bool { return p.Kappa.Constant }) {
		b.Remark("labels.constant")
	}
	if p := a.PeopleAgreement; p != nil && p.Alpha.Value != nil {
		code := "labels.people"
		alpha := p.Alpha
		if a.scored() {
			code = "scored-labels.people"
			alpha = *p.Ordinal
		}
		b.Remark(code, p.Raters, table.Interval(alpha.Value, alpha.Low, alpha.High, 3, 2), p.N)
	}
	for _, s := range a.IntraRater {
		b.Remark("labels.twice", table.SanitizeLine(s.Labeller), table.CountWithNoun(s.N, "item"),
			table.Interval(s.Agreement.Value, s.Agreement.Low, s.Agreement.High, 1, 1))
	}
	return b
}

// judgeNames returns the display names of the judges by run, with the run added if two judges have the same name.
func (a *Agreement) judgeNames() map[string]string {
	runs := map[string]int{}
	for _, j := range a.Judges {
		runs[j.Model]++
	}
	names := map[string]string{}
	for _, j := range a.Judges {
		names[j.Run] = scoring.JudgeName(j.Model)
		if runs[j.Model] > 1 {
			names[j.Run] += " · " + j.Run
		}
	}
	return names
}

// raterPairsTable returns a table with a row for every two raters.
func (a *Agreement) raterPairsTable() doc.Block {
	coefficients := doc.ColumnsOfKind(doc.ColumnNumber, "Cohen's κ", "Gwet's AC1", "Krippendorff's α", "ordinal α",
		"quadratic-weighted κ", "mean distance")
	details := coefficients[1:4]
	for i := range details {
		details[i].Surfaces = doc.SurfaceAllButShort
	}
	t := &doc.Table{RowHead: "of", Columns: append([]doc.Column{
		{Name: "and of"}, {Name: "between", HidePriority: 1},
		{Name: "agreement, %", Kind: doc.ColumnNumber}, {Name: "n", Kind: doc.ColumnInteger},
	}, coefficients...)}
	names := a.judgeNames()
	for _, p := range a.Pairs[:min(len(a.Pairs), maxPairs)] {
		t.Add(doc.Row{Name: cmp.Or(names[p.A], p.A), Cells: doc.Cells(
			cmp.Or(names[p.B], p.B), p.RaterKinds, shareCell(p.Agreement), p.N,
			coefficientCell(&p.Kappa), coefficientCell(&p.AC1), coefficientCell(&p.Alpha),
			coefficientCell(p.OrdinalAlpha), coefficientCell(p.WeightedKappa), coefficientCell(p.Distance),
		)})
	}
	t.DropEmpty()
	b := doc.Block{
		ID:    "pairs",
		Title: "Agreement of every two raters",
		Chart: doc.ChartTableWithTerms,
		Table: t,
		Notes: []doc.Note{doc.PhraseNote("labels.pairs", 100*a.Bootstrap.Level, a.Bootstrap.Unit)},
	}
	b.FoldLabel = b.Title
	if more := len(a.Pairs) - len(t.Rows); more > 0 {
		b.Remark("labels.more-pairs", more)
	}
	return b
}

// altTests returns the table of the alternative annotator tests, of whether a judge may replace a person.
func (a *Agreement) altTests() doc.Block {
	t := &doc.Table{RowHead: "person left out", Columns: doc.ColumnsOfKind(doc.ColumnBareNumber,
		"items", "judge at least as good, %", "person at least as good, %", "p", "")}
	t.Columns[0].Kind = doc.ColumnInteger
	t.Columns[4].Kind = doc.ColumnWords
	b := doc.Block{
		ID:        "stand-in",
		Title:     "May a judge replace a person?",
		ShowTitle: true,
		Chart:     doc.ChartTableWithTerms,
		Table:     t,
	}
	b.FoldLabel = b.Title
	for _, s := range a.AltTests {
		name := a.judgeNames()[s.Run]
		t.Add(doc.Row{Name: name, Heading: true})
		skipped := 0
		for _, p := range s.People {
			if p.P == nil {
				skipped++
				continue
			}
			t.Add(doc.Row{Name: p.Labeller, Cells: doc.Cells(
				p.N, scoring.Result{Value: hundredfold(p.JudgeShare)},
				scoring.Result{Value: hundredfold(p.Person)}, table.PValue(p.P),
				map[bool]string{true: "surpassed"}[p.Surpasses],
			)})
		}
		judge, others := table.Fixed(hundredfold(s.Winning), 1), table.Fixed(hundredfold(s.Advantage), 1)
		switch {
		case s.Winning == nil:
			b.Remark("labels.replaces-untested", name)
		case *s.Winning < 0.5:
			b.Remark("labels.replaces-not", name, judge, others)
		default:
			b.Remark("labels.replaces", name, judge, others)
		}
		if skipped > 0 {
			b.Remark("labels.few-common", skipped)
		}
		if s.Run == a.AltTests[len(a.AltTests)-1].Run {
			b.Remark("labels.alt-test", s.Epsilon)
		}
	}
	if len(t.Rows) == 0 {
		return doc.Block{}
	}
	return b
}

// shareCell returns the table cell of a number in percent.
func shareCell(n Statistic) doc.Value {
	return doc.NumberCell(scoring.Result{Metric: "agreement", Value: n.Value, Low: n.Low, High: n.High})
}

// coefficientCell returns the table cell of a number; without a value if κ is 0 for any other rater, empty for nil.
func coefficientCell(n *Statistic) doc.Value {
	if n == nil {
		return doc.TextCell("")
	}
	if n.Constant {
		n = &Statistic{}
	}
	return doc.NumberCell(scoring.Result{
		Metric: "kappa", Unit: scoring.UnitCorrelation, Value: n.Value, Low: n.Low, High: n.High,
	})
}

// hundredfold returns a share from 0 to 1 in percent; nil for nil.
func hundredfold(share *float64) *float64 {
	if share == nil {
		return nil
	}
	return new(100 * *share)
}

// Document returns a table of the estimates of the true share, the corrected ones first.
func (e *ShareEstimate) Document() doc.Document {
	d := doc.Document{Answer: e.Says, CSVRows: [][]string{
		{"run", "response", "estimate", "value", "low", "high", "judged", "labelled"},
	}}
	t := &doc.Table{RowHead: "share of " + e.Response, Columns: []doc.Column{
		{Name: "%", Kind: doc.ColumnNumber, Axis: &doc.PercentAxis},
	}}
	add := func(name string, n *Statistic) {
		if n == nil {
			return
		}
		cell := shareCell(*n)
		cell.ExtraDecimals = 1
		t.Add(doc.Row{Name: name, Cells: []doc.Value{cell}})
		d.CSVRows = append(d.CSVRows, []string{
			e.Run, e.Response, name, table.CSVNumber(n.Value, 4), table.CSVNumber(n.Low, 4), table.CSVNumber(n.High, 4),
			strconv.Itoa(e.Judged), strconv.Itoa(e.Labelled),
		})
	}
	add("corrected (PPI++)", &e.Share)
	add("corrected (Rogan and Gladen)", e.RoganGladen)
	add("the judge alone", &e.JudgeAlone)
	add("the labels alone", &e.LabelsAlone)
	b := doc.Block{Table: t}
	b.Remark("estimate.labels", e.Model, e.Labelled, e.NoVerdict)
	b.Remark("estimate.weight", e.VerdictWeight)
	if e.Clusters > 0 {
		b.Remark("estimate.clusters", e.Clusters)
	}
	for _, x := range e.LabelsNeeded {
		if x.Labels == nil {
			b.Remark("estimate.no-width", x.Width)
		} else {
			b.Remark("estimate.width", *x.Labels, x.Width)
		}
	}
	b.Warn(e.Warnings)
	d.Blocks = []doc.Block{b}
	return d
}

// Document returns a table of the judges of a cascade, in the order in which they are asked.
func (s *CascadeResults) Document() doc.Document {
	d := doc.Document{Answer: s.Says, CSVRows: [][]string{
		{"run", "model", "threshold", "asked", "believed", "right", "of"},
	}}
	t := &doc.Table{RowHead: "judge", Columns: []doc.Column{
		{Name: "run", HidePriority: 1},
		{Name: "accepted from confidence", Kind: doc.ColumnBareNumber},
		{Name: "items asked", Kind: doc.ColumnInteger},
		{Name: "accepted", Kind: doc.ColumnInteger},
		{Name: "correct of labelled", Kind: doc.ColumnBareNumber},
	}}
	b := doc.Block{Table: t}
	b.Remark("select.risk", s.Risk, 100-s.Delta)
	for _, j := range s.Judges {
		name := scoring.JudgeName(j.Model)
		if j.Note != "" {
			b.Remark("select.never", name, j.Note)
		}
		t.Add(doc.Row{Name: name, Cells: doc.Cells(
			j.Run, cmp.Or(table.CSVNumber(j.Threshold, 4), "never"), j.Asked,
			j.Accepted, fmt.Sprintf("%d of %d", j.Right, j.Labelled),
		)})
		d.CSVRows = append(d.CSVRows, []string{
			j.Run, j.Model, table.CSVNumber(j.Threshold, 6), strconv.Itoa(j.Asked), strconv.Itoa(j.Accepted),
			strconv.Itoa(j.Right), strconv.Itoa(j.Labelled),
		})
	}
	b.Remark("select.covered", s.CoveredItems, s.Items)
	b.Remark("select.calls", s.Calls, s.LastJudgeCalls)
	b.Remark("select.labelled", s.Labelled)
	b.Warn(s.Warnings)
	d.Blocks = []doc.Block{b}
	return d
}
