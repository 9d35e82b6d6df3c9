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
		{Metric: AgentAccuracy, Name: "the agents' answers are right", About: "the base rate of F1"},
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
	report.Cards, byMode, fourfold, report.Caveats, byGroup, report.Analyses, report.Lists, report.Among, report.Making,
}

// allWays has the two modes in words, in order.
var allWays = []struct{ mode, words string }{
	{mode: ModeCoT, words: "reasoning alone"}, {mode: ModeSelf, words: "own answer shown"},
}

// line is a row of a table of results in both modes.
type line struct{ name, metric, group string }

// inModes returns a block with results in both modes and, if both were asked, their differences.
func inModes(p *report.RunPage, lines []line) doc.Block {
	t := &doc.Table{First: "metric"}
	b := doc.Block{In: doc.Full | doc.Page, About: "percent, with 95 % interval", Table: t}
	kind := doc.Number
	if p.Has(ModeCoT) && p.Has(ModeSelf) {
		kind = doc.Side
		b.About = "percent, and the difference in points with 95 % interval"
		b.Keys = []doc.Key{{Words: "a grey interval contains 0: not significant"}}
	}
	for i, w := range allWays {
		t.Columns = append(t.Columns, doc.Column{Name: w.words, Kind: kind, Axis: &doc.PercentAxis})
		if p.Has(w.mode) {
			b.Keys = append(b.Keys, doc.Key{Sign: [2]string{"a", "b"}[i], Words: w.words})
		}
	}
	axis := doc.DifferenceAxis()
	axis.Ends = [2]string{"← better alone", "better shown →"}
	t.Columns = append(t.Columns, doc.Column{Name: "points", Kind: doc.Number, Axis: axis})
	for _, l := range lines {
		row := doc.Row{Name: l.name}
		known := false
		for _, w := range allWays {
			x := p.Result(l.metric, l.group, w.mode)
			row.N = max(row.N, x.N)
			row.Cells = append(row.Cells, doc.Num(x))
			known = known || x.Value != nil
		}
		d := p.Result(l.metric, l.group, scoring.ModeDifference)
		if d.Value != nil {
			row.Look = report.DifferenceLook(d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0)
		}
		row.Cells = append(row.Cells, doc.Num(d))
		if known {
			t.Add(row)
		}
	}
	t.DropEmpty()
	return b
}

// strongR is what a whole interval of a correlation must be above to be a strong one: Cohen's large effect (Statistical
// Power Analysis for the Behavioral Sciences, 1988, 3.2).
const strongR = 0.3

// byMode says how well the judge judges in both modes, and how far it follows its own answer.
func byMode(p *report.RunPage) []doc.Block {
	var lines []line
	for _, metric := range []string{
		F1, OwnRightAccuracy, OwnWrongAccuracy, OwnSameCorrect, OwnOtherIncorrect, OwnSided, PartialGJ,
	} {
		name := doc.Capital(report.MetricName(p.Protocol, metric))
		lines = append(lines, line{name: name, metric: metric, group: scoring.Overall})
	}
	b := inModes(p, lines)
	b.ID = "modes"
	b.Title = "Judging without and with its own answer"
	b.Table.Look = "wide"
	alone := p.Result(PartialGJ, scoring.Overall, ModeCoT)
	shown := p.Result(PartialGJ, scoring.Overall, ModeSelf)
	if alone.Value != nil || shown.Value != nil {
		b.Remark("self.correlation")
	}
	if alone.High != nil && shown.Low != nil && *shown.Low > max(strongR, *alone.High) {
		b.Remark("self.compares")
	}
	return []doc.Block{b}
}

// byGroup says how well the judge judges in both modes by category and agent.
func byGroup(p *report.RunPage) []doc.Block {
	var lines []line
	for _, g := range p.Groups() {
		lines = append(lines, line{name: g, metric: F1, group: g})
	}
	if len(lines) < 2 {
		return nil
	}
	lines[0].name = "All"
	b := inModes(p, lines)
	b.ID = "groups"
	b.Title = "F1 by group"
	b.Table.First = "group"
	for i := range b.Table.Rows {
		b.Table.Rows[i].Total = i == 0
	}
	return []doc.Block{b}
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
			x := p.Result(own.metric, scoring.Overall, w.mode)
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
