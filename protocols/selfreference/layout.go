package selfreference

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/scoring"
)

var Layout = &report.Layout{
	Headline: F1,
	Item:     "answer",
	Question: "is this answer correct",
	Ways:     ways,
	Parts:    pageParts,
	Caveats:  caveats,
	Ends: []report.End{
		{Part: PartRight, Words: "judged right"},
		{Part: PartHelped, Words: "right with its own answer only", Show: "second-only"},
		{Part: PartHarmed, Look: "first", Words: "right without its own answer only", Show: "first-only"},
		{Part: PartWrong, Words: "judged wrong", Show: "confident"},
		{Part: PartMissing, Look: "none", Words: "no verdict in one or both", Show: "unread"},
	},
	Tiles: []report.Tile{
		{Metric: Accuracy, Mode: ModeCoT, Name: "judged right, by itself", About: "higher is better"},
		{Metric: Accuracy, Mode: ModeSelf, Name: "judged right, with its own answer", About: "higher is better"},
		{
			Metric: PartialGJ,
			Mode:   ModeCoT,
			Name:   "own answer and judgment, r",
			About:  "given the answer that is judged, from −1 to 1",
		},
		{Metric: scoring.GenerationAccuracy, Name: "its own answers are right", About: "higher is better"},
		report.Verdictless,
	},
	Board: []report.BoardColumn{
		{Metric: F1, Mode: ModeSelf, Column: doc.Column{Name: "own answer shown", Kind: doc.Bare}},
		{Metric: F1JPlus, Mode: ModeSelf, Column: doc.Column{Name: "own is right", Kind: doc.Bare, Spare: 3}},
		{Metric: F1JMinus, Mode: ModeSelf, Column: doc.Column{Name: "own is wrong", Kind: doc.Bare, Spare: 2}},
	},
}

// ways says in which modes a run asks.
func ways(r *scoring.Report) string {
	switch {
	case !r.Has(ModeSelf):
		return "? by reasoning alone"
	case !r.Has(ModeCoT):
		return "? with its own answer shown"
	}
	return "? without and with its own answer"
}

// pageParts are the results of a run, from top to bottom.
var pageParts = []report.PagePart{
	answering, fourfold, dependence, belief, numbers, report.Caveats, byGroup, report.Analyses, report.Lists,
	report.Among, report.Making,
}

// numbers are those that stand for a run on a terminal; a page has them in its charts.
func numbers(p *report.RunPage) []doc.Block {
	all := report.Cards(p)
	for i := range all {
		all[i].In = doc.Short | doc.Full
	}
	return all
}

// way is a mode of asking, in words, with the mark of its values.
type way struct {
	mode, words string
	mark        doc.Mark
	look        string
}

// allWays has the two modes, in order.
var allWays = []way{
	{mode: ModeCoT, words: "reasoning alone", mark: doc.Ring, look: "look-b"},
	{mode: ModeSelf, words: "own answer shown"},
}

// askedIn lists the ways of a run.
func askedIn(p *report.RunPage) []way {
	return slices.DeleteFunc(slices.Clone(allWays), func(w way) bool { return !p.Has(w.mode) })
}

// of returns the result of a metric over all answers in this mode.
func (w way) of(p *report.RunPage, metric string) scoring.Result {
	return p.Result(metric, scoring.Overall, w.mode)
}

// addResult adds a row with a result to a table, unless it has no value.
func addResult(t *doc.Table, row doc.Row, x scoring.Result) {
	if x.Value != nil {
		row.N = x.N
		row.Cells = doc.Cells(x)
		t.Add(row)
	}
}

// answering compares how well the judge and the agents answer with how well it judges.
func answering(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "task", Look: "wide", Columns: []doc.Column{
		{Name: "value", Kind: doc.Number, Axis: &doc.PercentAxis},
	}}
	addResult(t, doc.Row{Name: "Answers right itself", Look: "level-unknown"}, p.Overall(scoring.GenerationAccuracy))
	addResult(t, doc.Row{Name: "The agents answer right", Look: "level-unknown"}, p.Overall(AgentAccuracy))
	for _, w := range allWays {
		addResult(t, doc.Row{Name: "Judges, " + w.words, Detail: "F1", Mark: w.mark, Look: w.look}, w.of(p, F1))
	}
	return []doc.Block{{
		ID: "answering", Title: "Answering against judging", About: "percent, with 95 % interval", Table: t,
	}}
}

// fourfold returns how often the judge is correct where its own answer is right, and where it is wrong. Without own
// answers it returns the outcomes of the answers.
func fourfold(p *report.RunPage) []doc.Block {
	const wrong = "not judged right"
	t := &doc.Table{First: "own answer", Columns: []doc.Column{
		{Name: "judgments", Kind: doc.LargeBar}, {Name: "judged right", Kind: doc.Share},
	}}
	for _, own := range []struct{ metric, name string }{
		{metric: OwnRightAccuracy, name: "right"}, {metric: OwnWrongAccuracy, name: "wrong"},
	} {
		for _, w := range allWays {
			x := w.of(p, own.metric)
			if x.Value == nil {
				continue
			}
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			part := func(n int, judged, words string) doc.Part {
				target := p.ItemsOf("own-"+own.name+"-"+w.mode+"-"+judged, scoring.Overall)
				return doc.Part{N: n, Look: judged, Name: words, Target: target}
			}
			bar := doc.Value{
				Parts:  []doc.Part{part(right, "right", "judged right"), part(x.N-right, "wrong", wrong)},
				Length: p.Overall(AgentAccuracy).N,
			}
			t.Add(doc.Row{Name: "Its own answer is " + own.name, Detail: w.words, Cells: doc.Cells(bar, x)})
		}
	}
	if len(t.Rows) == 0 {
		return report.Became(p)
	}
	return []doc.Block{{
		ID: "fourfold", Title: "Own answer right or wrong, judged right or wrong", About: "with 95 % interval",
		In: doc.Full | doc.Page, Half: true, Table: t,
		Keys: []doc.Key{{Sign: "right", Words: "judged right"}, {Sign: "wrong", Words: wrong}},
	}}
}

// strongR is what a whole interval of a correlation must be above to be a strong one: Cohen's large effect (Statistical
// Power Analysis for the Behavioral Sciences, 1988, 3.2).
const strongR = 0.3

// dependence says whether the judge judges better where it can answer.
func dependence(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "asked by", Columns: []doc.Column{{
		Name: report.MetricName(p.Protocol, PartialGJ), Kind: doc.Number, Axis: doc.AxisOf(scoring.UnitCorrelation),
	}}}
	for _, w := range allWays {
		addResult(t, doc.Row{Name: w.words, Look: w.look, Mark: w.mark}, w.of(p, PartialGJ))
	}
	b := doc.Block{
		ID: "dependence", Title: "Does one depend on the other?", In: doc.Full | doc.Page, Half: true, Table: t,
		Notes: []doc.Note{doc.Say("self.correlation")},
	}
	if len(t.Rows) == 0 {
		return nil
	}
	alone, shown := allWays[0].of(p, PartialGJ), allWays[1].of(p, PartialGJ)
	if alone.High != nil && shown.Low != nil && *shown.Low > max(strongR, *alone.High) {
		b.Remark("self.compares")
	}
	return []doc.Block{b}
}

// belief is how often the judge sides with its own answer.
func belief(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "judgments", Look: "keep"}
	for _, w := range allWays {
		t.Columns = append(t.Columns, doc.Column{Name: w.words, Kind: doc.Share})
	}
	for _, m := range ownMetrics[2:] {
		row := doc.Row{Name: doc.Capital(m.Term.Label)}
		for _, w := range allWays {
			row.Cells = append(row.Cells, doc.Num(w.of(p, m.Name)))
		}
		t.Add(row)
	}
	t.DropEmpty()
	if len(t.Columns) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "belief", Title: "Does it believe its own answer?", In: doc.Full | doc.Page, Half: true, Table: t,
	}}
}

// caveats are what the numbers come to for who uses the judge.
func caveats(p *report.RunPage) (all []string) {
	harm := p.Result(OwnWrongAccuracy, scoring.Overall, scoring.ModeDifference)
	harms := harm.High != nil && *harm.High < 0
	if harms {
		all = append(all, fmt.Sprintf("Where its own answer is wrong, showing it does harm: "+
			"it costs %.0f points [%.0f, %.0f].", -*harm.Value, -*harm.High, -*harm.Low))
	}
	if !slices.ContainsFunc(p.Groups(), isAgent) {
		all = append(all, "One agent only. An agent that errs as the judge does would be believed more often.")
	}
	help := p.Result(F1, scoring.Overall, scoring.ModeDifference)
	if harms && help.Low != nil && *help.Low <= 0 {
		all = append(all, "To judge better, use a judge that answers better, not one that is reminded of its answer.")
	}
	return all
}

// isAgent reports whether a group is that of an agent's answers, not a category.
func isAgent(group string) bool { return strings.HasPrefix(group, agentPrefix) }

// byGroup returns a block with F1 by category and agent, in each mode, and the difference of the two.
func byGroup(p *report.RunPage) []doc.Block {
	groups := p.Groups()
	asked := askedIn(p)
	if len(groups) < 2 || len(asked) == 0 {
		return nil
	}
	both := len(asked) == len(allWays)
	t := &doc.Table{First: "group", Columns: []doc.Column{{Name: "answers right", Kind: doc.Bare}}}
	b := doc.Block{ID: "groups", Title: "By group", About: "F1, percent", In: doc.Full | doc.Page, Table: t}
	kind := doc.Number
	if both {
		kind = doc.Side
		b.About += ", and the difference in points with 95 % interval"
		b.Keys = []doc.Key{{Sign: "b", Words: "by reasoning alone"}, {Sign: "a", Words: "with its own answer shown"},
			{Words: "a grey interval contains 0: not significant"}}
	}
	for _, w := range slices.Backward(asked) {
		t.Columns = append(t.Columns, doc.Column{Name: "F1, " + w.words, Kind: kind, Axis: &doc.PercentAxis})
	}
	axis := doc.DifferenceAxis()
	axis.Ends = [2]string{"← own answer harms", "helps →"}
	t.Columns = append(t.Columns, doc.Column{Name: "points", Kind: doc.Number, Axis: axis})
	for _, g := range groups {
		row := doc.Row{Name: g, N: p.Result(F1, g, asked[0].mode).N}
		if g == scoring.Overall {
			row.Name = "All"
			row.Total = true
		}
		row.Cells = doc.Cells(p.Result(scoring.GenerationAccuracy, g, ""))
		for _, w := range slices.Backward(asked) {
			row.Cells = append(row.Cells, doc.Num(p.Result(F1, g, w.mode)))
		}
		d := p.Result(F1, g, scoring.ModeDifference)
		if both {
			noise := d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0
			row.Look = report.DifferenceLook(noise)
		}
		row.Cells = append(row.Cells, doc.Num(d))
		t.Add(row)
	}
	t.DropEmpty()
	return []doc.Block{b}
}
