package jury

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Document returns the tables of the jury among its members, what it gains over the best of them, which members agree,
// and how the votes ended.
func (r *Jury) Document() doc.Document {
	sheet := [][]string{{"kind", "runs", "metric", "value", "low", "high", "n"}}
	add := func(kind, run string, v, low, high *float64) {
		sheet = append(sheet, []string{
			kind, run, r.Metric, table.CSVNumber(v, 4), table.CSVNumber(low, 4), table.CSVNumber(high, 4), strconv.Itoa(r.N),
		})
	}
	add("jury", r.JuryRun, r.Value.Value, r.Value.Low, r.Value.High)
	for _, m := range r.Members {
		add("member", m.Run, m.Value, m.Low, m.High)
	}
	add("gain", r.JuryRun, r.Gain.BMinusA, r.Gain.Low, r.Gain.High)
	return doc.Document{Answer: r.Says, Also: r.Also, Blocks: r.Blocks(), CSVRows: sheet}
}

// Blocks returns the parts of the document, which the page of the jury's run shows too.
func (r *Jury) Blocks() []doc.Block {
	sure := doc.Block{ID: "sure", Surfaces: doc.SurfacePage, FoldLabel: "How sure is that? How to read this"}
	sure.Remark("jury.paired", r.N)
	sure.Remark("jury.best-on-these")
	sure.Remark("jury.calls")
	sure.Remark("jury.err-alike")
	return []doc.Block{r.membersBlock(), r.gainBlock(), r.agreementBlock(), r.votesBlock(), sure}
}

// metricLabel returns the label of the headline metric, such as "correct in both orders".
func (r *Jury) metricLabel() string { return doc.MetricName(r.Report.Protocol, r.Metric) }

// membersBlock returns the table with a row for the jury and for each of its members, the best first.
func (r *Jury) membersBlock() doc.Block {
	consistent := doc.MetricColumn(r.Report.Protocol, scoring.AccuracyWhenConsistent, doc.ColumnShareWithN)
	consistent.HidePriority = 3
	coverage := doc.MetricColumn(r.Report.Protocol, scoring.Coverage, doc.ColumnBareNumber)
	coverage.HidePriority = 2
	coverage.Surfaces = doc.SurfaceAnyText
	t := &doc.Table{RowHead: "judge", Columns: []doc.Column{
		{Name: "level", Kind: doc.ColumnLevel},
		{Name: r.metricLabel(), Kind: doc.ColumnNumber, Axis: doc.AxisForUnit(r.Value.Unit)},
		consistent, coverage, {Name: "calls", Kind: doc.ColumnInteger},
	}}
	row := func(name string, value scoring.Result, calls int, scored *scoring.Report) doc.Row {
		level := scored.Level()
		return doc.Row{Name: name, Look: "level-" + string(level), Cells: doc.Cells(
			level,
			doc.Value{Result: value, ExtraDecimals: 1},
			doc.Value{Result: scored.Overall(scoring.AccuracyWhenConsistent), Text: r.unit + "s"},
			scored.Overall(scoring.Coverage),
			doc.PositiveCountCell(calls),
		)}
	}
	rank := 0 // of the jury among its members
	for i := range r.Members {
		m := &r.Members[i]
		value := scoring.Result{Metric: r.Metric, Value: m.Value, Low: m.Low, High: m.High, N: r.N}
		member := row(m.Name, value, m.Calls, &m.Report)
		member.Target = doc.RunRef(m.Run)
		t.Add(member)
		if r.Value.Value == nil || *m.Value > *r.Value.Value {
			rank++
		}
	}
	total := row("the jury", r.Value, r.MemberJudgments, &r.Report)
	total.Detail = string(r.Rule) + " of " + scoring.NumberWord(len(r.Members))
	total.Total = true
	total.Mark = doc.MarkSolid
	t.Rows = slices.Insert(t.Rows, rank, total)
	t.DropEmpty()
	b := doc.Block{
		ID:    "members",
		Title: "The jury among its members",
		About: phrases.Sentence("jury.about", r.metricLabel(), table.CountWithNoun(r.N, r.unit)),
		Table: t,
		Keys:  []doc.LegendEntry{{Sign: "dot", Words: "member"}, {Sign: "solid", Words: "the jury"}},
	}
	b.Remark("jury.n", table.CountWithNoun(r.N, r.unit))
	if d := r.Gain; d.Table != nil && len(r.Members) > 0 {
		b.Remark("jury.only-right", table.CountWithNoun(d.Table.OnlyB, r.unit), humanize.Comma(int64(d.Table.OnlyA)),
			scoring.QuoteName(r.Members[0].Name), doc.PValueWithTest(d))
	}
	b.Remark("jury.best-member")
	b.Warn(r.Warnings)
	return b
}

// gainBlock returns the chart of the jury's headline minus that of its best member.
func (r *Jury) gainBlock() doc.Block {
	if r.Gain.BMinusA == nil || len(r.Members) == 0 {
		return doc.Block{}
	}
	x := r.Gain.Result()
	best := r.Members[0]
	axis := doc.DifferenceAxis(x)
	axis.Ends = [2]string{"← " + best.Name + " better", "the jury better →"}
	return doc.Block{
		ID:       "gain",
		Title:    "What the jury gains",
		About:    phrases.Sentence("jury.gain-about", r.unit),
		Surfaces: doc.SurfaceAllButShort,
		Half:     true,
		Table: &doc.Table{Columns: []doc.Column{{Name: "difference", Kind: doc.ColumnNumber, Axis: axis}}, Rows: []doc.Row{{
			Name:  "jury − best member",
			Look:  doc.DifferenceLook(r.Gain.NotSignificant),
			Mark:  doc.MarkSolid,
			Cells: doc.Cells(x),
		}}},
		Links: []doc.Link{{Words: "Read the items that only one is right on", Target: doc.Ref{
			Runs: []string{best.Run, r.JuryRun}, Filter: "differ",
		}}},
	}
}

// maxAgreementPairs is the largest number of pairs of members that the table of their agreement lists.
const maxAgreementPairs = 15

// agreementBlock returns the table of how often two members give the same verdict and how alike they err; the pairs of
// members that err most alike come first.
func (r *Jury) agreementBlock() doc.Block {
	t := &doc.Table{RowHead: "members", Columns: []doc.Column{
		{Name: "κ of errors", Kind: doc.ColumnBareNumber}, {Name: "both wrong", Kind: doc.ColumnInteger},
		{Name: "same verdict, %", Kind: doc.ColumnBareNumber}, {Name: "of", Kind: doc.ColumnInteger},
	}}
	b := doc.Block{
		ID:       "agree",
		Title:    "Who agrees with whom",
		Surfaces: doc.SurfaceAllButShort,
		Half:     true,
		Chart:    doc.ChartTableWithTerms,
		Table:    t,
	}
	names := r.Names()
	kappa := func(l Likeness) float64 { return *cmp.Or(l.Kappa, new(-2.0)) } // one that is undefined is last
	pairs := slices.SortedStableFunc(slices.Values(r.MemberPairs), func(x, y Likeness) int {
		return cmp.Compare(kappa(y), kappa(x))
	})
	if more := len(pairs) - maxAgreementPairs; more > 0 {
		pairs = pairs[:maxAgreementPairs]
		b.Remark("jury.more-pairs", more)
	}
	for _, l := range pairs {
		t.Add(doc.Row{Name: names[l.A] + " and " + names[l.B], Cells: doc.Cells(
			scoring.Result{Unit: scoring.UnitCorrelation, Value: l.Kappa}, l.BothFail,
			scoring.Result{Value: l.SameResponse}, doc.PositiveCountCell(l.ConsistentPairs),
		)})
	}
	t.DropEmpty()
	b.Remark("jury.kappa")
	b.Remark("jury.same")
	return b
}

// Names returns the display names of the members by the folders of their runs.
func (r *Jury) Names() map[string]string {
	names := map[string]string{}
	for _, m := range r.Members {
		names[m.Run] = m.Name
	}
	return names
}

// votesBlock returns a bar of the judged units, divided by the number of members that are right on them.
func (r *Jury) votesBlock() doc.Block {
	members := len(r.Members)
	var runs []string
	for _, m := range r.Members {
		runs = append(runs, m.Run)
	}
	t := &doc.Table{RowHead: "members that are right"}
	for _, v := range r.Votes {
		if v.Units == 0 {
			continue
		}
		look := "wrong-some"
		switch {
		case v.Right == members:
			look = "right"
		case v.Right == 0:
			look = "wrong"
		case 2*v.Right > members:
			look = "right-some"
		}
		note := fmt.Sprintf("the jury is right on %d", v.JuryRight)
		switch v.JuryRight {
		case v.Units:
			note = "the jury is right"
		case 0:
			note = "the jury is wrong"
		}
		t.Add(doc.Row{
			Name:   rightWords(v.Right, members),
			Look:   look,
			Target: doc.Ref{Runs: runs, Filter: fmt.Sprintf("right-%d", v.Right)},
			Cells:  doc.Cells(v.Units, note),
		})
	}
	return doc.Block{
		ID:       "votes",
		Title:    "Votes and outcome",
		About:    "how many members are " + r.metricLabel(),
		Surfaces: doc.SurfaceAllButShort,
		Chart:    doc.ChartStackedBar,
		Table:    t,
	}
}

// rightWords says in words how many members of a jury are right: "all three right", "one right".
func rightWords(right, members int) string {
	words := scoring.NumberWord(right)
	switch {
	case right == 0:
		words = "none"
	case right == 1:
		words = "one"
	case right == members && members == 2:
		words = "both"
	case right == members:
		words = "all " + words
	}
	return words + " right"
}

// Composition says in words which judges became the jury, and by which rule: "majority of A, B and C".
func (r *Jury) Composition() string {
	names := make([]string, len(r.Members))
	for i, m := range r.Members {
		names[i] = scoring.QuoteName(m.Name)
	}
	return RuleName(r.Report.Prompt) + " of " + table.Enumerate(names)
}
