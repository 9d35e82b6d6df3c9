package selfreference

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// pageParts are the page of a run, from top to bottom.
var pageParts = []report.PagePart{
	answering, fourfold, dependence, belief, report.Caveats, byGroup, report.Sureness, report.Lists,
	report.Among, report.Making,
}

// manners are the modes in words, and how their values are drawn: as the two sides of a dumbbell.
var manners = map[string]struct{ words, sign, look string }{
	ModeCoT:  {words: "reasoning alone", sign: "ring", look: "look-b"},
	ModeSelf: {words: "own answer shown", sign: "dot"},
}

// askedIn lists the modes of a run.
func askedIn(p *report.RunPage) []string {
	return slices.DeleteFunc(slices.Clone(modes[:]), func(mode string) bool { return !p.Has(mode) })
}

// answering holds how well the judge answers against how well it judges.
func answering(p *report.RunPage) []report.Section {
	c := report.Chart{
		Label:   "Answering against judging",
		Class:   "wide",
		Columns: []report.ChartColumn{{Class: "pl", Axis: &report.PercentAxis}, {Class: "val"}},
	}
	for _, v := range values(p) {
		c.Rows = append(c.Rows, report.ChartRow{
			Name:  v.Name,
			Count: v.Count,
			Look:  v.Look,
			Cells: []template.HTML{
				report.Signs(report.PercentAxis, report.Sign{Result: v.Result, Look: v.Sign}), report.ValueCell(v.Result),
			},
		})
	}
	if len(c.Rows) == 0 {
		return nil
	}
	return []report.Section{{
		ID:    "answering",
		Title: "Answering against judging",
		About: "percent, with 95 % interval" + baseRate(p),
		Body:  c.HTML(),
	}}
}

// values are how well the judge answers, and how well it judges.
func values(p *report.RunPage) []report.NamedValue {
	own := p.Overall(scoring.GenerationAccuracy)
	all := []report.NamedValue{{
		Name:   "Answers right itself",
		Count:  table.Count(own.N, "question"),
		Result: own,
		Sign:   "dot",
		Look:   "level-unknown",
	}}
	names := map[string]string{ModeCoT: "Judges, by reasoning alone", ModeSelf: "Judges, with its own answer shown"}
	for _, mode := range askedIn(p) {
		x := p.Result(F1, scoring.Overall, mode)
		all = append(all, report.NamedValue{
			Name:   names[mode],
			Count:  "F1, " + table.Count(x.N, "answer"),
			Result: x,
			Sign:   manners[mode].sign,
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
	return fmt.Sprintf(" · the answers that it judges%s are right on %s", of, percent(*right.Value))
}

// fourfold is how often it judges right where its own answer is right, and where it is wrong. Without own answers it is
// what became of the answers.
func fourfold(p *report.RunPage) []report.Section {
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
	c := report.Chart{
		Label:   "Own answer right or wrong, judged right or wrong",
		Columns: []report.ChartColumn{{Class: "bar"}, {Class: "val r"}},
	}
	for _, kind := range kinds {
		if kind.n == 0 {
			continue
		}
		c.Rows = append(c.Rows, report.ChartRow{Name: kind.words, Count: answersOf(p, kind.n)})
		for _, mode := range asked {
			x := p.Result(kind.metric, scoring.Overall, mode)
			if x.Value == nil {
				continue
			}
			right := int(math.Round(*x.Value / 100 * float64(x.N)))
			link := func(judged string) string {
				return p.ItemsOf("own-"+kind.name+"-"+mode+"-"+judged, scoring.Overall)
			}
			pieces := slices.DeleteFunc([]report.Piece{
				{N: right, Of: x.N, Look: "right", Words: "judged right", Link: link("right")},
				{N: x.N - right, Of: x.N, Look: "wrong", Words: wrong, Link: link("wrong")},
			}, func(piece report.Piece) bool { return piece.N == 0 })
			c.Rows = append(c.Rows, report.ChartRow{
				Name:  manners[mode].words,
				Cells: []template.HTML{report.Stack(report.InRow, most, pieces), report.ShareCell(x)},
			})
		}
	}
	key := `<ul class="leg"><li><i class="part-right" aria-hidden="true"></i>judged right</li>` +
		`<li><i class="part-wrong" aria-hidden="true"></i>` + wrong + `</li></ul>`
	about := "judged right, with 95 % interval"
	if p.Items != nil {
		about += " · click a part to read its items"
	}
	return []report.Section{{
		ID:    "fourfold",
		Title: "Own answer right or wrong, judged right or wrong",
		About: about,
		Half:  true,
		Body:  c.HTML() + template.HTML(key),
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
func correlationAxis(all []scoring.Result) report.Axis {
	low := slices.ContainsFunc(all, func(x scoring.Result) bool { return x.Low != nil && *x.Low < -0.25 })
	if low {
		return report.Axis{Min: -1, Max: 1, Ticks: []float64{-1, -0.5, 0, 0.5, 1}}
	}
	return report.Axis{Min: -0.25, Max: 1, Ticks: []float64{-0.25, 0, 0.25, 0.5, 0.75, 1}}
}

// dependence says whether the judge judges better where it can answer.
func dependence(p *report.RunPage) []report.Section {
	asked := askedIn(p)
	var all []scoring.Result
	for _, mode := range asked {
		all = append(all, p.Result(PartialGJ, scoring.Overall, mode))
	}
	axis := correlationAxis(all)
	c := report.Chart{
		Label:   "Correlation of its own answer being right and its judgment being right",
		Columns: []report.ChartColumn{{Class: "pl", Axis: &axis}, {Class: "val r"}},
	}
	words := ""
	for _, mode := range asked {
		x := p.Result(PartialGJ, scoring.Overall, mode)
		if x.Value == nil {
			continue
		}
		c.Rows = append(c.Rows, report.ChartRow{
			Name: manners[mode].words,
			Look: manners[mode].look,
			Cells: []template.HTML{
				report.Signs(axis, report.Sign{Result: x, Look: manners[mode].sign}), report.ValueCell(x),
			},
		})
		if words != "" {
			words += " "
		}
		words += "With its own answer shown: "
		if mode == ModeCoT {
			words = "By reasoning alone: "
		}
		words += strength(x) + "."
	}
	if len(c.Rows) == 0 {
		return nil
	}
	if compares(p) {
		words += " It seems to compare the answer with its own instead of checking it."
	}
	n := all[0].N
	about := "Correlation r of “its own answer is right” and “it judges right”, " +
		"with the agent's answer held fixed, of " + table.Count(n, "answer") +
		". 0: its judging does not depend on its knowing."
	return []report.Section{{
		ID:    "dependence",
		Title: "Does one depend on the other?",
		Half:  true,
		Body:  report.Paragraph(about) + c.HTML() + report.Paragraph(words),
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
func belief(p *report.RunPage) []report.Section {
	asked := askedIn(p)
	c := report.Chart{Label: "Does it believe its own answer?", Class: "keep"}
	for _, mode := range asked {
		c.Columns = append(c.Columns, report.ChartColumn{Class: "said", Head: manners[mode].words})
	}
	told := 0
	add := func(name, metric string, cell func(x scoring.Result) template.HTML) {
		row := report.ChartRow{Name: name}
		for _, mode := range asked {
			x := p.Result(metric, scoring.Overall, mode)
			if x.Value == nil {
				return
			}
			row.Cells = append(row.Cells, cell(x))
		}
		c.Rows = append(c.Rows, row)
	}
	for _, m := range ownMetrics[2:] {
		add(m.Term.Name, m.Name, func(x scoring.Result) template.HTML {
			told = max(told, x.N)
			return report.ShareCell(x)
		})
	}
	if len(c.Rows) == 0 {
		return nil
	}
	add("calls Correct more often than is so, points", Overconfidence, func(x scoring.Result) template.HTML {
		x.Mode = scoring.ModeDifference // with a sign
		return report.ValueCell(x)
	})
	for i := range c.Rows {
		c.Rows[i].Name = strings.ToUpper(c.Rows[i].Name[:1]) + c.Rows[i].Name[1:]
	}
	body := c.HTML()
	if all := p.Result(PartialGJ, scoring.Overall, asked[0]).N; told < all {
		body += report.Paragraph(fmt.Sprintf("Of %s it cannot be told whether they say the same: neither is right.",
			table.Count(all-told, "answer")))
	}
	return []report.Section{{ID: "belief", Title: "Does it believe its own answer?", Half: true, Body: body}}
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
func byGroup(p *report.RunPage) []report.Section {
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
	return []report.Section{{ID: "groups", Title: title, About: about, Body: groupsChart(p, title, groups, asked)}}
}

// groupsChart is a row for all answers, and one for each group.
func groupsChart(p *report.RunPage, title string, groups, asked []string) template.HTML {
	var differences []scoring.Result
	for _, g := range groups {
		differences = append(differences, p.Result(F1, g, scoring.ModeDifference))
	}
	axis := report.DifferenceAxis(differences...)
	c := report.Chart{Label: title, Columns: []report.ChartColumn{
		{Class: "ab", Head: "Answers right"}, {Class: "pl", Axis: &report.PercentAxis},
	}}
	var key template.HTML
	both := len(asked) == len(modes)
	if both {
		c.Columns = append(c.Columns,
			report.ChartColumn{Class: "ab more", Head: "alone"}, report.ChartColumn{Class: "ab more", Head: "shown"},
			report.ChartColumn{Class: "pl df", Head: "← own answer harms · helps →", Axis: &axis},
			report.ChartColumn{Class: "val diff", Head: "Points"})
		key = report.Key(report.SignB+"by reasoning alone", report.SignA+"with its own answer shown",
			"a grey interval holds 0: may be noise")
	} else {
		c.Columns = append(c.Columns, report.ChartColumn{Class: "val", Head: "F1"})
	}
	for i, g := range groups {
		first := p.Result(F1, g, asked[0])
		row := report.ChartRow{Name: g, Count: fmt.Sprintf("n = %d", first.N)}
		if g == scoring.Overall {
			row.Name = "All"
			row.All = true
		}
		row.Cells = []template.HTML{report.BareCell(p.Result(scoring.GenerationAccuracy, g, ""))}
		if both {
			shown := p.Result(F1, g, ModeSelf)
			d := differences[i]
			row.Look = report.DifferenceLook(d.Low == nil || d.High == nil || *d.Low <= 0 && *d.High >= 0)
			row.Cells = append(row.Cells, report.Dumbbell(report.PercentAxis, shown.Value, first.Value), report.BareCell(first),
				report.BareCell(shown), report.Plot(axis, d), report.ValueCell(d))
		} else {
			row.Cells = append(row.Cells, report.Plot(report.PercentAxis, first), report.ValueCell(first))
		}
		c.Rows = append(c.Rows, row)
	}
	return c.HTML() + key
}
