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
	BoardColumns: []report.BoardColumn{
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
	answering, fourfold, dependence, belief, numbers, report.CaveatBlocks, byGroup, report.Analyses, report.ItemLists,
	report.Among, report.Making,
}

// numbers are those that stand for a run on a terminal; a page has them in its charts.
func numbers(p *report.RunPage) []doc.Block {
	all := report.Cards(p)
	if len(all) > 0 {
		all[0].In = doc.Short | doc.Full
	}
	return all
}

// modeNames are the modes in words, in their order.
var modeNames = [2]string{"reasoning alone", "own answer shown"}

// rowsByMode returns a row with a metric of all answers for each mode in which it has a value.
func rowsByMode(p *report.RunPage, metric string, names [2]string) (rows []doc.Row) {
	for i, mode := range modes {
		x := p.Result(metric, scoring.Overall, mode)
		if x.Value == nil {
			continue
		}
		row := doc.Row{Name: names[i], Cells: doc.Cells(x)}
		if mode == ModeCoT {
			row.Mark = doc.Ring
			row.Look = "look-b"
		}
		rows = append(rows, row)
	}
	return rows
}

// answering compares how well the judge answers with how well it judges.
func answering(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "task", Look: "wide", Columns: []doc.Column{
		{Name: "value", Kind: doc.Number, Axis: &doc.PercentAxis},
	}}
	own := p.Overall(scoring.GenerationAccuracy)
	if own.Value != nil {
		t.Add(doc.Row{
			Name: "Answers right itself", Detail: table.Count(own.N, "question"), Look: "level-unknown",
			Cells: doc.Cells(own),
		})
	}
	names := [2]string{"Judges, by reasoning alone", "Judges, with its own answer shown"}
	for _, row := range rowsByMode(p, F1, names) {
		row.Detail = "F1, " + table.Count(row.Cells[0].N, "answer")
		t.Add(row)
	}
	about := "percent, with 95 % interval"
	if e, ok := p.Overall(AgentAccuracy).Held(0); ok {
		by := cmp.Or(strings.Join(agents(p), ", "), "agents")
		about += fmt.Sprintf(" · it judges %s by %s, right on %s", table.Count(e.N, "answer"), by, e)
	}
	return []doc.Block{{ID: "answering", Title: "Answering against judging", About: about, Table: t}}
}

// agents returns the names of those who gave the answers, as far as they are known.
func agents(p *report.RunPage) (names []string) {
	for _, m := range p.Run.Metadata {
		if m.Name == "agent's answers" {
			model, _, _ := strings.Cut(m.Value, " (run ")
			names = append(names, model)
		}
	}
	return names
}

// fourfold returns how often the judge is correct where its own answer is right, and where it is wrong. Without own
// answers it returns the outcomes of the answers.
func fourfold(p *report.RunPage) []doc.Block {
	wrong := "judged wrong"
	if p.Outcomes[scoring.Decided] < p.Judgments() {
		wrong += ", or no verdict"
	}
	t := &doc.Table{First: "own answer", Columns: []doc.Column{
		{Name: "judgments", Kind: doc.LargeBar}, {Name: "judged right", Kind: doc.Share},
	}}
	unit := "answer"
	if p.Overall(scoring.GenerationAccuracy).N == p.Overall(AgentAccuracy).N {
		unit = "question"
	}
	most := 0
	for _, own := range []struct{ metric, name string }{
		{metric: OwnRightAccuracy, name: "right"}, {metric: OwnWrongAccuracy, name: "wrong"},
	} {
		rows := rowsByMode(p, own.metric, modeNames)
		n := 0
		for i := range rows {
			x := rows[i].Cells[0].Result
			n = max(n, x.N)
			var bar doc.Value
			part := func(n int, judged, words string) {
				if n > 0 {
					target := p.ItemsOf("own-"+own.name+"-"+x.Mode+"-"+judged, scoring.Overall)
					bar.Parts = append(bar.Parts, doc.Part{N: n, Look: judged, Name: words, Target: target})
				}
			}
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			part(right, "right", "judged right")
			part(x.N-right, "wrong", wrong)
			rows[i].Cells = doc.Cells(bar, x)
		}
		if n > 0 {
			t.Add(doc.Row{Name: "Its own answer is " + own.name, Detail: table.Count(n, unit), Heading: true})
			t.Add(rows...)
		}
		most = max(most, n)
	}
	if most == 0 {
		return report.OutcomeBar(p)
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

// dependence says whether the judge judges better where it can answer.
func dependence(p *report.RunPage) []doc.Block {
	rows := rowsByMode(p, PartialGJ, modeNames)
	if len(rows) == 0 {
		return nil
	}
	axis := &doc.Axis{Unit: scoring.UnitCorrelation, Min: -0.25, Max: 1, Ticks: []float64{-0.25, 0, 0.25, 0.5, 0.75, 1}}
	words := ""
	var all []scoring.Evidence
	for _, row := range rows {
		e, known := row.Cells[0].Result.Held(0)
		if known {
			all = append(all, e)
		}
		if e.Low < axis.Min {
			axis = doc.AxisOf(axis.Unit)
		}
		words += doc.Capital(row.Name) + ": " + strength(e, known) + ". "
	}
	if len(all) == 2 && all[1].Low > max(strongR, all[0].High) {
		words += doc.Phrase("self.compares")
	}
	return []doc.Block{{
		ID: "dependence", Title: "Does one depend on the other?", In: doc.Full | doc.Page, Half: true,
		Table: &doc.Table{First: "asked by", Rows: rows, Columns: []doc.Column{
			{Name: doc.MetricName(p.Protocol, PartialGJ), Kind: doc.Number, Axis: axis},
		}},
		Notes: []doc.Note{
			doc.Say("self.correlation", table.Count(rows[0].Cells[0].N, "answer")), doc.Plain(strings.TrimSpace(words)),
		},
	}}
}

// A dependence is clear or strong where the whole interval of the correlation is above these: Cohen's medium and large
// effect (Statistical Power Analysis for the Behavioral Sciences, 1988, 3.2). Within clearR of 0 there is none.
const (
	clearR  = 0.1
	strongR = 0.3
)

// strength says in words how large a correlation is.
func strength(e scoring.Evidence, known bool) string {
	switch {
	case !known:
		return "not known, there is no interval"
	case e.Low > strongR:
		return "strong"
	case e.Low > clearR:
		return "clear"
	case e.Above:
		return "slight"
	case e.Below:
		return "negative, it judges better where it does not know"
	case e.Low > -clearR && e.High < clearR:
		return "no dependence seen"
	}
	return "not known, the interval contains 0"
}

// belief says how often the judge sides with its own answer.
func belief(p *report.RunPage) []doc.Block {
	sided := rowsByMode(p, OwnSided, modeNames)
	if len(sided) == 0 {
		return nil
	}
	t := &doc.Table{First: "judgments", Look: "keep", Columns: doc.Columns(doc.Share, modeNames[:]...)}
	for _, metric := range []string{OwnSameCorrect, OwnOtherIncorrect, OwnSided, Overconfidence} {
		row := doc.Row{Name: doc.Capital(doc.MetricName(p.Protocol, metric))}
		for _, mode := range modes {
			x := p.Result(metric, scoring.Overall, mode)
			if metric == Overconfidence {
				row.Name = doc.Phrase("self.overconfidence")
				x.Mode = scoring.ModeDifference // it has a sign
			}
			row.Cells = append(row.Cells, doc.Num(x))
		}
		t.Add(row)
	}
	t.DropEmpty()
	b := doc.Block{
		ID: "belief", Title: "Does it believe its own answer?", In: doc.Full | doc.Page, Half: true, Table: t,
	}
	x := sided[0].Cells[0]
	if all := p.Result(PartialGJ, scoring.Overall, x.Mode).N; x.N < all {
		b.Remark("self.untold", table.Count(all-x.N, "answer"))
	}
	return []doc.Block{b}
}

// byGroup returns a block with F1 in both modes by category and agent, the largest difference first.
func byGroup(p *report.RunPage) []doc.Block {
	groups := p.Groups()
	if len(groups) < 2 {
		return nil
	}
	b := doc.Block{ID: "groups", Title: "By category", About: "F1, percent", In: doc.Full | doc.Page}
	switch {
	case isAgent(groups[1]):
		b.Title = "By agent"
	case isAgent(groups[len(groups)-1]):
		b.Title = "By category and agent"
	}
	kind := doc.Number
	if p.Has(ModeCoT) && p.Has(ModeSelf) {
		kind = doc.Side
		b.About += ", and the difference in points with 95 % interval · sorted by the difference"
		b.Keys = []doc.Key{
			{Sign: "b", Words: "by reasoning alone"}, {Sign: "a", Words: "with its own answer shown"},
			{Words: "a grey interval contains 0: not significant"},
		}
	}
	difference := func(group string) scoring.Result { return p.Result(F1, group, scoring.ModeDifference) }
	slices.SortStableFunc(groups[1:], func(a, b string) int {
		size := func(group string) float64 { return *cmp.Or(difference(group).Value, new(math.Inf(-1))) }
		return cmp.Or(cmp.Compare(scoring.One(isAgent(a)), scoring.One(isAgent(b))), cmp.Compare(size(b), size(a)))
	})
	axis := &doc.Axis{Signed: true, Ends: [2]string{"← own answer harms", "helps →"}}
	t := &doc.Table{First: "group", Columns: []doc.Column{
		{Name: "answers right", Kind: doc.Bare}, {Name: "F1 shown", Kind: kind, Axis: &doc.PercentAxis},
		{Name: "F1 alone", Kind: kind, Axis: &doc.PercentAxis}, {Name: "points", Kind: doc.Number, Axis: axis},
	}}
	known := 0
	beyond := 0
	for _, g := range groups {
		alone := p.Result(F1, g, ModeCoT)
		shown := p.Result(F1, g, ModeSelf)
		d := difference(g)
		row := doc.Row{Name: g, N: max(alone.N, shown.N)}
		row.Cells = doc.Cells(p.Result(scoring.GenerationAccuracy, g, ""), shown, alone, d)
		e, ok := d.Held(0)
		if d.Value != nil {
			row.Look = doc.DifferenceLook(!e.Above && !e.Below)
		}
		switch {
		case g == scoring.Overall:
			row.Name = "All"
			row.Total = true
		case ok:
			known++
			beyond += int(scoring.One(e.Above || e.Below))
		}
		t.Add(row)
	}
	if known > 0 {
		b.About += fmt.Sprintf(" · beyond noise: %d of %d", beyond, known)
	}
	t.DropEmpty()
	b.Table = t
	return []doc.Block{b}
}

// caveats are what the numbers come to for who uses the judge.
func caveats(p *report.RunPage) (all []string) {
	harm, _ := p.Result(OwnWrongAccuracy, scoring.Overall, scoring.ModeDifference).Held(0)
	if harm.Below {
		own := p.Overall(scoring.GenerationAccuracy)
		wrong := own.N - int(math.Round(*own.Value/100*float64(own.N)))
		all = append(all, fmt.Sprintf("Its own answer is wrong on %d of %s. "+
			"That is where showing it does harm: it costs %.0f points [%.0f, %.0f].",
			wrong, table.Count(own.N, "question"), -harm.Value, -harm.High, -harm.Low))
	}
	if names := agents(p); len(names) == 1 {
		all = append(all,
			"One agent only, "+names[0]+". An agent that errs as the judge does would be believed more often.")
	}
	help, known := p.Result(F1, scoring.Overall, scoring.ModeDifference).Held(0)
	if harm.Below && known && !help.Above {
		all = append(all, "To judge better, use a judge that answers better, not one that is reminded of its answer.")
	}
	return all
}

// isAgent reports whether a group is that of an agent's answers, not a category.
func isAgent(group string) bool { return strings.HasPrefix(group, agentPrefix) }
