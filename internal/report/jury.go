package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// Jurors of a run: of that of a jury its members, as they were given; nil of any other.
func Jurors(m *judging.Manifest) []judging.StageOf {
	if !jury.IsJury(m) {
		return nil
	}
	return m.Stages
}

// JuryCommand returns the words that make the run of a jury in the folder out, to be followed by its members.
func JuryCommand(m *judging.Manifest, out string) []string { return jury.Command(m, out) }

// NewJury compares the run of a jury with its members, which go by the names that are given.
func NewJury(run *scoring.Run, members []*scoring.Run, names []string, b stats.Bootstrap) (*Jury, error) {
	r, err := jury.Assess(run, members, names, b)
	if err != nil {
		return nil, err
	}
	return &Jury{Report: r}, nil
}

// juryOf returns what a jury among the runs of a document is worth; nil of another run, and where a member is missing.
func juryOf(run *scoring.Run, loaded []*scoring.Run, o scoring.Options) *Jury {
	members := jury.Members(run, loaded, o.Reading)
	if members == nil {
		return nil
	}
	j, err := NewJury(run, members, nil, o.Bootstrap)
	if err != nil {
		return nil // the page of the run shows it as any judge
	}
	return j
}

// JuryRule returns how the verdicts of a jury became one, from the name of its prompt.
func JuryRule(prompt string) string { return strings.TrimPrefix(prompt, "jury by ") }

// TakeJury makes the page that of a jury: its answer is what the jury is worth.
func (p *RunPage) TakeJury(j *Jury) {
	p.Jury = j
	p.juryAlone = strings.TrimSpace(p.Says + " " + p.Also)
	p.Says = j.Says
	p.Also = j.Also
}

// Document returns the jury among its members, what it gains, who agrees with whom, and how the votes ended.
func (j Jury) Document() doc.Document {
	sheet := [][]string{{"kind", "runs", "metric", "value", "low", "high", "n"}}
	add := func(kind, run string, v, low, high *float64) {
		sheet = append(sheet, []string{kind, run, j.Metric, table.Cell(v, 4), table.Cell(low, 4), table.Cell(high, 4),
			fmt.Sprint(j.N)})
	}
	add("jury", j.Report.Jury, j.Value.Value, j.Value.Low, j.Value.High)
	for _, m := range j.Members {
		add("member", m.Run, m.Value, m.Low, m.High)
	}
	add("gain", j.Report.Jury, j.Gain.Diff, j.Gain.Low, j.Gain.High)
	return doc.Document{Answer: j.Says, Also: j.Also, Blocks: j.blocks(), Sheet: sheet}
}

// blocks of the jury, for its own document and the page of its run.
func (j Jury) blocks() []doc.Block {
	return []doc.Block{j.members(), j.gain(), j.agreement(), j.votes(), j.reading()}
}

// unit returns what is judged, in the plural.
func (j Jury) unit() string { return ItemOf(j.Scored.Protocol) + "s" }

// count returns a number of the items that are judged in words, such as "350 pairs".
func (j Jury) count(n int) string { return table.Count(n, ItemOf(j.Scored.Protocol)) }

// members has a row for the jury and each of its members, the best first.
func (j Jury) members() doc.Block {
	t := &doc.Table{First: "judge", Columns: []doc.Column{
		{Name: "level", Kind: doc.Judged},
		{Name: MetricName(j.Scored.Protocol, j.Metric), Kind: doc.Number, Axis: doc.AxisOf(j.Value.Unit)},
		MetricColumn(j.Scored.Protocol, scoring.RightWhereAlike, doc.Of),
		MetricColumn(j.Scored.Protocol, scoring.Coverage, doc.Bare),
		{Name: "calls", Kind: doc.Whole},
	}}
	t.Columns[2].Spare = 3
	t.Columns[3].Spare = 2
	t.Columns[3].In = doc.Short | doc.Full
	row := func(name string, value scoring.Result, calls int, of *scoring.Report) doc.Row {
		r := doc.Row{Name: name, Look: "level-" + string(LevelOf(of)), Cells: doc.Cells(
			LevelOf(of),
			doc.Value{Result: value, Places: 1},
			doc.Value{Result: of.Overall(scoring.RightWhereAlike), Text: j.unit()},
			of.Overall(scoring.Coverage),
			"",
		)}
		if calls > 0 {
			r.Cells[4] = doc.Count(calls)
		}
		return r
	}
	for i := range j.Members {
		m := &j.Members[i]
		value := scoring.Result{Metric: j.Metric, Value: m.Value, Low: m.Low, High: m.High, N: j.N}
		r := row(m.Name, value, m.Calls, &m.Scored)
		r.Target = doc.RunRef(m.Run)
		t.Add(r)
	}
	own := row("the jury", j.Value, j.Calls, &j.Scored)
	own.Detail = string(j.Rule) + " of " + scoring.CountWord(len(j.Members))
	own.Total = true
	own.Mark = doc.Solid
	at := slices.IndexFunc(t.Rows, func(r doc.Row) bool {
		return j.Value.Value != nil && *r.Cells[1].Result.Value <= *j.Value.Value
	})
	if at < 0 {
		at = len(t.Rows)
	}
	t.Rows = slices.Insert(t.Rows, at, own)
	t.DropEmpty()
	b := doc.Block{
		ID:    "members",
		Title: "The jury among its members",
		About: fmt.Sprintf("%s, percent of %d %s, with 95 %% interval",
			MetricName(j.Scored.Protocol, j.Metric), j.N, j.unit()),
		Table: t,
		Keys:  []doc.Key{{Sign: "dot", Words: "member"}, {Sign: "solid", Words: "the jury"}},
		Notes: []doc.Note{doc.Say("jury.n", j.count(j.N))},
	}
	if d := j.Gain; d.Table != nil && len(j.Members) > 0 {
		b.Remark("jury.only-right", j.count(d.Table.OnlyB),
			humanize.Comma(int64(d.Table.OnlyA)), scoring.InSentence(j.Members[0].Name), tested(d))
	}
	b.Remark("jury.best-member")
	b.Warn(j.Warnings)
	return b
}

// gain is the difference to the best member.
func (j Jury) gain() doc.Block {
	d := j.Gain
	if d.Diff == nil || len(j.Members) == 0 {
		return doc.Block{}
	}
	x := d.Result()
	axis := doc.DifferenceAxis(x)
	axis.Ends = [2]string{"← " + j.Members[0].Name + " better", "the jury better →"}
	b := doc.Block{
		ID:    "gain",
		Title: "What the jury gains",
		About: "points against the best member, same " + j.unit(),
		In:    doc.Full | doc.Page,
		Half:  true,
		Table: &doc.Table{Columns: []doc.Column{{Name: "difference", Kind: doc.Number, Axis: axis}}, Rows: []doc.Row{{
			Name: "jury − best member", Look: DifferenceLook(d.Noise), Mark: doc.Solid, Cells: doc.Cells(x),
		}}},
		Links: []doc.Link{{Words: "Read the items that only one is right on", Target: doc.Ref{
			Runs: []string{j.Members[0].Run, j.Report.Jury}, Show: "differ",
		}}},
	}
	return b
}

// agreement is of every two members: how often they give the same verdict, and how alike they err.
func (j Jury) agreement() doc.Block {
	t := &doc.Table{First: "members", Columns: []doc.Column{
		{Name: "κ of errors", Kind: doc.Bare}, {Name: "both wrong", Kind: doc.Whole},
		{Name: "same verdict, %", Kind: doc.Bare}, {Name: "of", Kind: doc.Whole},
	}}
	names := j.names()
	alike := j.mostAlike()
	b := doc.Block{
		ID:    "agree",
		Title: "Who agrees with whom",
		In:    doc.Full | doc.Page,
		Half:  true,
		Chart: doc.Numbers,
		Table: t,
	}
	const most = 15
	if n := len(alike) - most; n > 0 {
		alike = alike[:most]
		b.Remark("jury.more-pairs", n)
	}
	for _, l := range alike {
		r := doc.Row{Name: names[l.A] + " and " + names[l.B], Cells: doc.Cells(
			scoring.Result{Unit: scoring.UnitCorrelation, Value: l.Kappa}, l.BothFail,
			scoring.Result{Value: l.Same}, "",
		)}
		if l.Same != nil {
			r.Cells[3] = doc.Count(l.SameOf)
		}
		t.Add(r)
	}
	t.DropEmpty()
	b.Remark("jury.kappa")
	b.Remark("jury.same")
	return b
}

// names of the members by their runs.
func (j Jury) names() map[string]string {
	names := map[string]string{}
	for _, m := range j.Members {
		names[m.Run] = m.Name
	}
	return names
}

// mostAlike returns every two members, those that err most alike first.
func (j Jury) mostAlike() []jury.Likeness {
	orLeast := func(kappa *float64) float64 {
		if kappa == nil {
			return -2
		}
		return *kappa
	}
	return slices.SortedStableFunc(slices.Values(j.Errors), func(a, b jury.Likeness) int {
		return cmp.Compare(orLeast(b.Kappa), orLeast(a.Kappa))
	})
}

// votes is a bar of the units by how many members are right on them.
func (j Jury) votes() doc.Block {
	of := len(j.Members)
	var runs []string
	for _, m := range j.Members {
		runs = append(runs, m.Run)
	}
	t := &doc.Table{First: "members that are right"}
	for _, v := range j.Votes {
		if v.N == 0 {
			continue
		}
		r := doc.Row{
			Name:   rightWords(v.Right, of),
			Target: doc.Ref{Runs: runs, Show: fmt.Sprintf("right-%d", v.Right)},
			Cells:  doc.Cells(v.N),
		}
		switch {
		case v.Right == of:
			r.Look = "right"
		case v.Right == 0:
			r.Look = "wrong"
		case 2*v.Right > of:
			r.Look = "right-some"
		default:
			r.Look = "wrong-some"
		}
		note := ""
		switch {
		case v.Jury == v.N:
			note = "the jury is right"
		case v.Jury == 0:
			note = "the jury is wrong"
		default:
			note = fmt.Sprintf("the jury is right on %d", v.Jury)
		}
		r.Cells = append(r.Cells, doc.Text(note))
		t.Add(r)
	}
	return doc.Block{
		ID:    "votes",
		Title: "Votes and outcome",
		About: "how many members are " + MetricName(j.Scored.Protocol, j.Metric),
		In:    doc.Full | doc.Page,
		Chart: doc.StackedBar,
		Table: t,
	}
}

// reading says how sure the answer is.
func (j Jury) reading() doc.Block {
	return doc.Block{
		ID:   "sure",
		In:   doc.Page,
		Fold: "How sure is that? How to read this",
		Notes: []doc.Note{
			doc.Say("jury.paired", j.N), doc.Say("jury.best-on-these"), doc.Say("jury.calls"), doc.Say("jury.err-alike"),
		},
	}
}

// rightWords says how many of so many are right: "all three right", "one right".
func rightWords(right, of int) string {
	switch right {
	case 0:
		return "none right"
	case 1:
		return "one right"
	case of:
		if of == 2 {
			return "both right"
		}
		return "all " + scoring.CountWord(of) + " right"
	}
	return scoring.CountWord(right) + " right"
}

// made says how the members became one: "majority of A, B and C".
func (j Jury) made() string {
	names := make([]string, len(j.Members))
	for i, m := range j.Members {
		names[i] = scoring.InSentence(m.Name)
	}
	return JuryRule(j.Scored.Prompt) + " of " + Enumerate(names)
}
