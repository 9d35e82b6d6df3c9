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
	Noun:     "judgments",
	Item:     "answer",
	Question: "is this answer correct",
	Ways:     ways,
	Values:   values,
	Parts:    pageParts,
	Caveats:  caveats,
	Ends: []report.End{
		{Part: PartRight, Look: "right", Words: "judged right", Show: "right"},
		{Part: PartHelped, Look: "helped", Words: "right with its own answer only", Show: "second-only"},
		{Part: PartHarmed, Look: "first", Words: "right without its own answer only", Show: "first-only"},
		{Part: PartWrong, Look: "wrong", Words: "judged wrong", Show: "confident"},
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

// manners are the modes in words, and how their values are drawn: as the two sides of a dumbbell.
var manners = map[string]struct {
	words string
	mark  doc.Mark
	look  string
}{
	ModeCoT:  {words: "reasoning alone", mark: doc.Ring, look: "look-b"},
	ModeSelf: {words: "own answer shown"},
}

// askedIn lists the modes of a run.
func askedIn(p *report.RunPage) []string {
	return slices.DeleteFunc(slices.Clone(modes[:]), func(mode string) bool { return !p.Has(mode) })
}

// answering compares how well the judge answers with how well it judges.
func answering(p *report.RunPage) []doc.Block {
	t := &doc.Table{First: "task", Look: "wide", Columns: []doc.Column{
		{Name: "value", Kind: doc.Number, Axis: &doc.PercentAxis},
	}}
	for _, v := range values(p) {
		t.Rows = append(t.Rows, doc.Row{
			Name: v.Name, Detail: v.Count, Look: v.Look, Mark: v.Mark, Cells: []doc.Value{doc.Num(v.Result)},
		})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return []doc.Block{{
		ID: "answering", Title: "Answering against judging", About: "percent, with 95 % interval" + baseRate(p),
		Table: t,
	}}
}

// values are how well the judge answers, and how well it judges.
func values(p *report.RunPage) []report.NamedValue {
	own := p.Overall(scoring.GenerationAccuracy)
	all := []report.NamedValue{{
		Name:   "Answers right itself",
		Count:  table.Count(own.N, "question"),
		Result: own,
		Look:   "level-unknown",
	}}
	names := map[string]string{ModeCoT: "Judges, by reasoning alone", ModeSelf: "Judges, with its own answer shown"}
	for _, mode := range askedIn(p) {
		x := p.Result(F1, scoring.Overall, mode)
		all = append(all, report.NamedValue{
			Name:   names[mode],
			Count:  "F1, " + table.Count(x.N, "answer"),
			Result: x,
			Mark:   manners[mode].mark,
			Look:   manners[mode].look,
		})
	}
	return slices.DeleteFunc(all, func(v report.NamedValue) bool { return v.Result.Value == nil })
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
	kinds := []struct {
		metric, words, name string
		n                   int
	}{
		{metric: OwnRightAccuracy, words: "Its own answer is right", name: "right"},
		{metric: OwnWrongAccuracy, words: "Its own answer is wrong", name: "wrong"},
	}
	asked := askedIn(p)
	most := 0
	for i := range kinds {
		for _, mode := range asked {
			kinds[i].n = max(kinds[i].n, p.Result(kinds[i].metric, scoring.Overall, mode).N)
		}
		most = max(most, kinds[i].n)
	}
	if most == 0 {
		return report.Became(p)
	}
	wrong := "judged wrong"
	if p.Verdictless().N > 0 && p.Outcomes[scoring.Decided] < p.Judgments() {
		wrong = "judged wrong, or no verdict"
	}
	t := &doc.Table{First: "own answer", Columns: []doc.Column{
		{Name: "judgments", Kind: doc.LargeBar}, {Name: "judged right", Kind: doc.Share},
	}}
	for _, kind := range kinds {
		if kind.n == 0 {
			continue
		}
		t.Rows = append(t.Rows, doc.Row{Name: kind.words, Detail: answersOf(p, kind.n), Heading: true})
		for _, mode := range asked {
			x := p.Result(kind.metric, scoring.Overall, mode)
			if x.Value == nil {
				continue
			}
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			items := func(judged string) doc.Ref {
				return p.ItemsOf("own-"+kind.name+"-"+mode+"-"+judged, scoring.Overall)
			}
			parts := slices.DeleteFunc([]doc.Part{
				{N: right, Look: "right", Name: "judged right", Target: items("right")},
				{N: x.N - right, Look: "wrong", Name: wrong, Target: items("wrong")},
			}, func(part doc.Part) bool { return part.N == 0 })
			t.Rows = append(t.Rows, doc.Row{Name: manners[mode].words, Cells: []doc.Value{
				{Parts: parts, Length: most}, doc.Num(x),
			}})
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
	asked := askedIn(p)
	var all []scoring.Result
	for _, mode := range asked {
		all = append(all, p.Result(PartialGJ, scoring.Overall, mode))
	}
	t := &doc.Table{First: "asked by", Columns: []doc.Column{
		{Name: report.MetricName(p.Protocol, PartialGJ), Kind: doc.Number, Axis: correlationAxis(all)},
	}}
	words := ""
	for i, mode := range asked {
		x := all[i]
		if x.Value == nil {
			continue
		}
		t.Rows = append(t.Rows, doc.Row{
			Name: manners[mode].words, Look: manners[mode].look, Mark: manners[mode].mark, Cells: []doc.Value{doc.Num(x)},
		})
		words += doc.Capital(manners[mode].words) + ": " + strength(x) + ". "
	}
	if len(t.Rows) == 0 {
		return nil
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
	for _, mode := range asked {
		t.Columns = append(t.Columns, doc.Column{Name: manners[mode].words, Kind: doc.Share})
	}
	told := 0
	add := func(name, metric, unit string) {
		row := doc.Row{Name: doc.Capital(name)}
		for _, mode := range asked {
			x := p.Result(metric, scoring.Overall, mode)
			if x.Value == nil {
				return
			}
			x.Mode = unit
			row.Cells = append(row.Cells, doc.Num(x))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, m := range ownMetrics[2:] {
		add(m.Term.Label, m.Name, "")
		told = max(told, p.Result(m.Name, scoring.Overall, asked[0]).N)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	add(doc.Phrase("self.overconfidence"), Overconfidence, scoring.ModeDifference)
	b := doc.Block{ID: "belief", Title: "Does it believe its own answer?", In: doc.Full | doc.Page, Half: true, Table: t}
	if all := p.Result(PartialGJ, scoring.Overall, asked[0]).N; told < all {
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

// isAgent tells whether a group is the answers of an agent.
func isAgent(group string) bool { return strings.HasPrefix(group, agentPrefix) }

// byGroup is F1 of both modes, and their difference, by category and agent.
func byGroup(p *report.RunPage) []doc.Block {
	groups := p.Groups()
	asked := askedIn(p)
	if len(groups) < 2 || len(asked) == 0 {
		return nil
	}
	both := len(asked) == len(modes)
	difference := func(g string) scoring.Result { return p.Result(F1, g, scoring.ModeDifference) }
	about := "F1, percent"
	title := "By category"
	agents := 0
	for _, g := range groups {
		agents += int(scoring.One(isAgent(g)))
	}
	switch {
	case agents == len(groups)-1:
		title = "By agent"
	case agents > 0:
		title = "By category and agent"
	}
	rest := groups[1:]
	if both {
		slices.SortStableFunc(rest, func(a, b string) int {
			if of := cmp.Compare(scoring.One(isAgent(a)), scoring.One(isAgent(b))); of != 0 {
				return of // categories first
			}
			x, y := difference(a).Value, difference(b).Value
			if x == nil || y == nil {
				return cmp.Compare(scoring.One(x == nil), scoring.One(y == nil))
			}
			return cmp.Compare(*y, *x)
		})
		about += ", and the difference in points with 95 % interval · sorted by the difference"
		known := 0
		sure := 0
		for _, g := range rest {
			d := difference(g)
			if d.Low != nil && d.High != nil {
				known++
				sure += int(scoring.One(*d.Low > 0 || *d.High < 0))
			}
		}
		switch {
		case sure > 0:
			about += fmt.Sprintf(" · %d of the %d intervals without 0", sure, known)
		case known > 1:
			about += fmt.Sprintf(" · none of the %d is beyond noise", known)
		}
	}
	b := groupsBlock(p, groups, asked)
	b.Title = title
	b.About = about
	return []doc.Block{b}
}

// groupsBlock is a row for all answers, and one for each group.
func groupsBlock(p *report.RunPage, groups, asked []string) doc.Block {
	var differences []scoring.Result
	for _, g := range groups {
		differences = append(differences, p.Result(F1, g, scoring.ModeDifference))
	}
	t := &doc.Table{First: "group", Columns: []doc.Column{{Name: "answers right", Kind: doc.Bare}}}
	b := doc.Block{ID: "groups", In: doc.Full | doc.Page, Table: t}
	both := len(asked) == len(modes)
	if both {
		axis := doc.DifferenceAxis(differences...)
		axis.Ends = [2]string{"← own answer harms", "helps →"}
		t.Columns = append(t.Columns, doc.Column{Name: "F1 shown", Kind: doc.Side, Axis: &doc.PercentAxis},
			doc.Column{Name: "F1 alone", Kind: doc.Side, Axis: &doc.PercentAxis},
			doc.Column{Name: "points", Kind: doc.Number, Axis: axis})
		b.Keys = []doc.Key{{Sign: "b", Words: "by reasoning alone"}, {Sign: "a", Words: "with its own answer shown"},
			{Words: "a grey interval contains 0: not significant"}}
	} else {
		t.Columns = append(t.Columns, doc.Column{Name: "F1", Kind: doc.Number, Axis: &doc.PercentAxis})
	}
	for i, g := range groups {
		first := p.Result(F1, g, asked[0])
		row := doc.Row{Name: g, N: first.N, Cells: []doc.Value{doc.Num(p.Result(scoring.GenerationAccuracy, g, ""))}}
		if g == scoring.Overall {
			row.Name = "All"
			row.Total = true
		}
		if both {
			d := differences[i]
			row.Look = report.DifferenceLook(d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0)
			row.Cells = append(row.Cells, doc.Num(p.Result(F1, g, ModeSelf)), doc.Num(first), doc.Num(d))
		} else {
			row.Cells = append(row.Cells, doc.Num(first))
		}
		t.Rows = append(t.Rows, row)
	}
	return b
}
