package selfreference

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/report/table"
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

// way is a mode of asking: its words, and which end of a dumbbell shows its values.
type way struct {
	mode, words, judges string
	mark                doc.Mark
	look                string
}

// allWays has the two modes, in order.
var allWays = []way{
	{
		mode: ModeCoT, words: "reasoning alone", judges: "Judges, by reasoning alone",
		mark: doc.Ring, look: "look-b",
	},
	{mode: ModeSelf, words: "own answer shown", judges: "Judges, with its own answer shown"},
}

// askedIn lists the ways of a run.
func askedIn(p *report.RunPage) []way {
	return slices.DeleteFunc(slices.Clone(allWays), func(w way) bool { return !p.Has(w.mode) })
}

// of returns the result of a metric over all answers in this mode.
func (w way) of(p *report.RunPage, metric string) scoring.Result {
	return p.Result(metric, scoring.Overall, w.mode)
}

// answering compares how well the judge answers with how well it judges.
func answering(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "task", Look: "wide", Columns: []doc.Column{
		{Name: "value", Kind: doc.Number, Axis: &doc.PercentAxis},
	}}
	add := func(x scoring.Result, row doc.Row) {
		if x.Value != nil {
			row.Cells = doc.Cells(x)
			t.Add(row)
		}
	}
	own := p.Overall(scoring.GenerationAccuracy)
	add(own, doc.Row{Name: "Answers right itself", Detail: table.Count(own.N, "question"), Look: "level-unknown"})
	for _, w := range askedIn(p) {
		x := w.of(p, F1)
		add(x, doc.Row{Name: w.judges, Detail: "F1, " + table.Count(x.N, "answer"), Mark: w.mark, Look: w.look})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "answering", Title: "Answering against judging", About: "percent, with 95 % interval" + baseRate(p),
		Table: t,
	}}
}

// agentsOf are the names of who gave the answers.
func agentsOf(p *report.RunPage) (names []string) {
	for _, m := range p.Run.Metadata {
		if m.Name == "agent's answers" {
			model, _, _ := strings.Cut(m.Value, " (run ")
			names = append(names, model)
		}
	}
	return names
}

// baseRate says whose answers are judged, and how many of them are right.
func baseRate(p *report.RunPage) string {
	right := p.Overall(AgentAccuracy)
	if right.Value == nil {
		return ""
	}
	of := ""
	switch names := agentsOf(p); {
	case len(names) == 1:
		of = " by " + names[0]
	case len(names) > 1:
		of = fmt.Sprintf(" by %d agents", len(names))
	}
	return fmt.Sprintf(" · the answers that it judges%s are right on %s", of, scoring.Percentage(*right.Value))
}

// fourfold returns how often the judge is correct where its own answer is right, and where it is wrong. Without own
// answers it returns the outcomes of the answers.
func fourfold(p *report.RunPage) []doc.Block {
	wrong := "judged wrong"
	if p.Verdictless().N > 0 && p.Outcomes[scoring.Decided] < p.Judgments() {
		wrong = "judged wrong, or no verdict"
	}
	t := &doc.Table{First: "own answer", Columns: []doc.Column{
		{Name: "judgments", Kind: doc.LargeBar}, {Name: "judged right", Kind: doc.Share},
	}}
	most := 0
	for _, kind := range []struct{ metric, name string }{
		{metric: OwnRightAccuracy, name: "right"}, {metric: OwnWrongAccuracy, name: "wrong"},
	} {
		n := 0
		var rows []doc.Row
		for _, w := range askedIn(p) {
			x := w.of(p, kind.metric)
			n = max(n, x.N)
			if x.Value == nil {
				continue
			}
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			items := func(judged string) doc.Ref {
				return p.ItemsOf("own-"+kind.name+"-"+w.mode+"-"+judged, scoring.Overall)
			}
			parts := slices.DeleteFunc([]doc.Part{
				{N: right, Look: "right", Name: "judged right", Target: items("right")},
				{N: x.N - right, Look: "wrong", Name: wrong, Target: items("wrong")},
			}, func(part doc.Part) bool { return part.N == 0 })
			rows = append(rows, doc.Row{Name: w.words, Cells: []doc.Value{{Parts: parts}, doc.Num(x)}})
		}
		if n > 0 {
			most = max(most, n)
			t.Add(doc.Row{Name: "Its own answer is " + kind.name, Detail: answersOf(p, n), Heading: true})
			t.Add(rows...)
		}
	}
	if most == 0 {
		return report.Became(p)
	}
	for _, row := range t.Rows {
		if !row.Heading {
			row.Cells[0].Length = most
		}
	}
	return []doc.Block{{
		ID: "fourfold", Title: "Own answer right or wrong, judged right or wrong", About: "with 95 % interval",
		In: doc.Full | doc.Page, Half: true, Table: t,
		Keys: []doc.Key{{Sign: "right", Words: "judged right"}, {Sign: "wrong", Words: wrong}},
	}}
}

// answersOf says how many there are: of one agent as many as questions.
func answersOf(p *report.RunPage, n int) string {
	if p.Overall(scoring.GenerationAccuracy).N == p.Overall(AgentAccuracy).N {
		return table.Count(n, "question")
	}
	return table.Count(n, "answer")
}

// correlationAxis has room for correlations: where none is far below 0, for the others alone.
func correlationAxis(all []scoring.Result) *doc.Axis {
	low := slices.ContainsFunc(all, func(x scoring.Result) bool { return x.Low != nil && *x.Low < -0.25 })
	if low {
		return doc.AxisOf(scoring.UnitCorrelation)
	}
	return &doc.Axis{Unit: scoring.UnitCorrelation, Min: -0.25, Max: 1, Ticks: []float64{-0.25, 0, 0.25, 0.5, 0.75, 1}}
}

// dependence says whether the judge judges better where it can answer.
func dependence(p *report.RunPage) []doc.Block {
	var all []scoring.Result
	t := &doc.Table{First: "asked by"}
	words := ""
	for _, w := range askedIn(p) {
		x := w.of(p, PartialGJ)
		all = append(all, x)
		if x.Value != nil {
			t.Add(doc.Row{Name: w.words, Look: w.look, Mark: w.mark, Cells: doc.Cells(x)})
			words += doc.Capital(w.words) + ": " + strength(x) + ". "
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Columns = []doc.Column{
		{Name: report.MetricName(p.Protocol, PartialGJ), Kind: doc.Number, Axis: correlationAxis(all)},
	}
	if compares(p) {
		words += doc.Phrase("self.compares")
	}
	return []doc.Block{{
		ID: "dependence", Title: "Does one depend on the other?", In: doc.Full | doc.Page, Half: true, Table: t,
		Notes: []doc.Note{doc.Say("self.correlation", table.Count(all[0].N, "answer")), doc.Plain(strings.TrimSpace(words))},
	}}
}

// Correlations from which on a dependence is clear, and strong: Cohen's medium and large, of the whole interval
// (Statistical Power Analysis for the Behavioral Sciences, 1988, 3.2). One within hardlyAny of 0 is none to speak of.
const (
	clearFrom  = 0.1
	strongR    = 0.3
	hardlyAny  = 0.1
	whatIsSeen = "no dependence seen"
)

// strength says in words how large a correlation surely is.
func strength(x scoring.Result) string {
	switch {
	case x.Low == nil || x.High == nil:
		return "not known, there is no interval"
	case *x.Low > strongR:
		return "strong"
	case *x.Low > clearFrom:
		return "clear"
	case *x.Low > 0:
		return "slight"
	case *x.High < 0:
		return "negative, it judges better where it does not know"
	case *x.Low > -hardlyAny && *x.High < hardlyAny:
		return whatIsSeen
	}
	return "not known, the interval holds 0"
}

// compares tells whether its judgments surely follow its own answer once that is shown, and did so less before.
func compares(p *report.RunPage) bool {
	alone := p.Result(PartialGJ, scoring.Overall, ModeCoT)
	shown := p.Result(PartialGJ, scoring.Overall, ModeSelf)
	return alone.High != nil && shown.Low != nil && *shown.Low > strongR && *shown.Low > *alone.High
}

// belief is how often the judge sides with its own answer.
func belief(p *report.RunPage) []doc.Block {
	asked := askedIn(p)
	if len(asked) == 0 {
		return nil
	}
	t := &doc.Table{First: "judgments", Look: "keep"}
	for _, w := range asked {
		t.Columns = append(t.Columns, doc.Column{Name: w.words, Kind: doc.Share})
	}
	told := 0
	add := func(name, metric, unit string) {
		row := doc.Row{Name: doc.Capital(name)}
		for _, w := range asked {
			x := w.of(p, metric)
			if x.Value == nil {
				return
			}
			x.Mode = unit
			row.Cells = append(row.Cells, doc.Num(x))
		}
		t.Add(row)
	}
	for _, m := range ownMetrics[2:] {
		add(m.Term.Label, m.Name, "")
		told = max(told, asked[0].of(p, m.Name).N)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	add(doc.Phrase("self.overconfidence"), Overconfidence, scoring.ModeDifference)
	b := doc.Block{ID: "belief", Title: "Does it believe its own answer?", In: doc.Full | doc.Page, Half: true, Table: t}
	if all := asked[0].of(p, PartialGJ).N; told < all {
		b.Notes = []doc.Note{doc.Say("self.untold", table.Count(all-told, "answer"))}
	}
	return []doc.Block{b}
}

// caveats are what the numbers come to for who uses the judge.
func caveats(p *report.RunPage) (all []string) {
	own := p.Overall(scoring.GenerationAccuracy)
	harm := p.Result(OwnWrongAccuracy, scoring.Overall, scoring.ModeDifference)
	harms := harm.High != nil && *harm.High < 0
	if own.Value != nil && harms {
		wrong := own.N - int(math.Round(*own.Value/100*float64(own.N)))
		all = append(all, fmt.Sprintf("Its own answer is wrong on %d of %s. "+
			"That is where showing it does harm: it costs %s points [%s, %s].", wrong, table.Count(own.N, "question"),
			signed(-*harm.Value)[1:], signed(-*harm.High)[1:], signed(-*harm.Low)[1:]))
	}
	if agents := agentsOf(p); len(agents) == 1 {
		all = append(all, "One agent only, "+agents[0]+". An agent that errs as the judge does would be believed more often.")
	}
	help := p.Result(F1, scoring.Overall, scoring.ModeDifference)
	if harms && help.Low != nil && *help.Low <= 0 {
		all = append(all, "To judge better, use a judge that answers better, not one that is reminded of its answer.")
	}
	return all
}

// byGroup returns a block with F1 by category and agent; if both modes were asked, also their difference, the largest
// first.
func byGroup(p *report.RunPage) []doc.Block {
	groups := p.Groups()
	asked := askedIn(p)
	if len(groups) < 2 || len(asked) == 0 {
		return nil
	}
	t := &doc.Table{First: "group", Columns: []doc.Column{{Name: "answers right", Kind: doc.Bare}}}
	b := doc.Block{ID: "groups", Title: "By category", About: "F1, percent", In: doc.Full | doc.Page, Table: t}
	rest := groups[1:]
	switch agents := len(slices.DeleteFunc(slices.Clone(rest), isCategory)); {
	case agents == len(rest):
		b.Title = "By agent"
	case agents > 0:
		b.Title = "By category and agent"
	}
	both := len(asked) == len(allWays)
	if both {
		compareModes(p, groups, &b)
	} else {
		t.Columns = append(t.Columns, doc.Column{Name: "F1", Kind: doc.Number, Axis: &doc.PercentAxis})
	}
	for _, g := range groups {
		first := p.Result(F1, g, asked[0].mode)
		row := doc.Row{Name: g, N: first.N, Cells: doc.Cells(p.Result(scoring.GenerationAccuracy, g, ""))}
		if g == scoring.Overall {
			row.Name = "All"
			row.Total = true
		}
		if both {
			d := difference(p, g)
			row.Look = report.DifferenceLook(isNoise(d))
			row.Cells = append(row.Cells, doc.Num(p.Result(F1, g, ModeSelf)), doc.Num(first), doc.Num(d))
		} else {
			row.Cells = append(row.Cells, doc.Num(first))
		}
		t.Add(row)
	}
	return []doc.Block{b}
}

// isCategory reports whether a group is a category, not an agent.
func isCategory(group string) bool { return !strings.HasPrefix(group, agentPrefix) }

// difference returns the difference of F1 with and without the judge's own answer.
func difference(p *report.RunPage, group string) scoring.Result {
	return p.Result(F1, group, scoring.ModeDifference)
}

// isNoise reports whether a difference is not significant.
func isNoise(d scoring.Result) bool {
	return d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0
}

// compareModes sorts all groups but the first by difference, categories before agents, says so in the block, and gives
// it columns of both modes.
func compareModes(p *report.RunPage, groups []string, b *doc.Block) {
	rest := groups[1:]
	slices.SortStableFunc(rest, func(a, b string) int {
		size := func(group string) float64 { return *cmp.Or(difference(p, group).Value, new(math.Inf(-1))) }
		return cmp.Or(cmp.Compare(scoring.One(isCategory(b)), scoring.One(isCategory(a))), cmp.Compare(size(b), size(a)))
	})
	var all []scoring.Result
	known := 0
	sure := 0
	for i, g := range groups {
		d := difference(p, g)
		all = append(all, d)
		if i > 0 && d.Low != nil && d.High != nil {
			known++
			sure += int(scoring.One(!isNoise(d)))
		}
	}
	b.About += ", and the difference in points with 95 % interval · sorted by the difference"
	switch {
	case sure > 0:
		b.About += fmt.Sprintf(" · %d of the %d intervals without 0", sure, known)
	case known > 1:
		b.About += fmt.Sprintf(" · none of the %d is beyond noise", known)
	}
	axis := doc.DifferenceAxis(all...)
	axis.Ends = [2]string{"← own answer harms", "helps →"}
	b.Table.Columns = append(b.Table.Columns, doc.Column{Name: "F1 shown", Kind: doc.Side, Axis: &doc.PercentAxis},
		doc.Column{Name: "F1 alone", Kind: doc.Side, Axis: &doc.PercentAxis},
		doc.Column{Name: "points", Kind: doc.Number, Axis: axis})
	b.Keys = []doc.Key{{Sign: "b", Words: "by reasoning alone"}, {Sign: "a", Words: "with its own answer shown"},
		{Words: "a grey interval contains 0: not significant"}}
}
