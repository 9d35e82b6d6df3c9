package multioption

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// pageParts are the page of a run, from top to bottom.
var pageParts = []report.PagePart{
	worstAsked, report.Became, report.Cards, places, halves, byOptions, report.Sureness, report.Lists,
	report.Among, report.Caveats, report.Making,
}

// worstAsked says so where the worst option is asked for.
func worstAsked(p *report.RunPage) []report.Section {
	if p.Goal != GoalWorst {
		return nil
	}
	return report.Notice("It was asked which option is the worst: “right” here means that it names the worst one.")
}

// bracket joins the items whose choice does not follow the place.
func bracket(r *scoring.Report) *report.Bracket {
	b := r.BreakdownOf(scoring.Overall)
	right := b.Count(PartRight)
	kept := right + b.Count(PartWrong)
	words := ""
	if kept > 0 {
		words = fmt.Sprintf("right on %d of %d", right, kept)
	}
	kept += b.Count(PartSame)
	if kept == 0 {
		return nil
	}
	beyond := "whose choice changes with the order"
	if b.Count(PartMissing) > 0 {
		beyond += ", or lacks a verdict"
	}
	return &report.Bracket{
		N:            kept,
		Bold:         "by content: the same choice in every order",
		Words:        words,
		Beyond:       beyond,
		BeyondLength: b.N - kept,
	}
}

// optionGroups are the groups by number of options that have a metric.
func optionGroups(p *report.RunPage, metric string) (groups []string) {
	for _, g := range p.Groups() {
		if g != scoring.Overall && p.Result(metric, g, "").Metric != "" {
			groups = append(groups, g)
		}
	}
	return groups
}

// places are how often each place is chosen, beside how often a right option stood there, else an even share.
func places(p *report.RunPage) []report.Section {
	var panels []report.Bars
	labelled := false
	for _, g := range optionGroups(p, PositionMetric+"1") {
		panel := report.Bars{Title: g}
		var words []string
		for i := 1; ; i++ {
			x := p.Result(PositionMetric+strconv.Itoa(i), g, "")
			if x.Metric == "" {
				break
			}
			bar := report.UprightBar{Name: strconv.Itoa(i), Result: x}
			right := p.Result(RightPositionMetric+strconv.Itoa(i), g, "")
			bar.Mark = right.Value
			panel.About = table.Count(x.N, "judgment")
			if x.Value != nil {
				text := fmt.Sprintf("place %d is chosen in %.0f %%", i, *x.Value)
				if right.Value != nil {
					labelled = true
					text += fmt.Sprintf(", a right option stands there in %.0f %%", *right.Value)
				}
				words = append(words, text)
			}
			panel.Of = append(panel.Of, bar)
		}
		if len(words) == 0 {
			continue
		}
		for i := range panel.Of {
			if panel.Of[i].Mark == nil {
				panel.Of[i].Mark = new(100 / float64(len(panel.Of)))
			}
		}
		panel.Words = g + ": " + strings.Join(words, "; ")
		panels = append(panels, panel)
	}
	if len(panels) == 0 {
		return nil
	}
	mark := "an even share"
	if labelled {
		mark = "how often a right option stood there"
	}
	return []report.Section{{
		ID:    "places",
		Title: "Which place it chooses",
		About: "percent of judgments with a verdict that choose the 1st, 2nd, … option shown, with 95 % interval",
		Body:  report.Panels(panels) + report.Key(report.SignBar+"chosen", report.SignHeld+template.HTML(mark)),
	}}
}

// unitAxis is of scores from 0 to 1.
var unitAxis = report.Axis{Min: 0, Max: 1, Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}

// halves are the Grade score and the two scores that it is the harmonic mean of, each beside a random judge's.
func halves(p *report.RunPage) []report.Section {
	c := report.Chart{
		Label: "Grade score and its halves",
		Class: "wide",
		Columns: []report.ChartColumn{
			{Class: "pl", Axis: &unitAxis}, {Class: "val r", Head: "Score"}, {Class: "ab", Head: "Random judge"},
		},
	}
	for _, row := range []struct{ metric, name, about, sign string }{
		{metric: GradeScore, name: "Grade score", sign: "dot"},
		{metric: ChoiceScore, name: "Choice score", about: "keeps to the option", sign: "ring"},
		{metric: LLMScore, name: "LLM score", about: "is even over the places", sign: "ring"},
	} {
		x := p.Overall(row.metric)
		if x.Value == nil {
			continue
		}
		random := p.Overall(row.metric + OfRandom)
		if row.about == "" {
			row.about = table.Count(x.N, "item")
		}
		c.Rows = append(c.Rows, report.ChartRow{
			Name:  row.name,
			Count: row.about,
			All:   row.metric == GradeScore,
			Cells: []template.HTML{
				report.Signs(unitAxis, report.Sign{Result: random, Look: "diamond"}, report.Sign{Result: x, Look: row.sign}),
				report.ValueCell(x), report.BareCell(random),
			},
		})
	}
	if len(c.Rows) == 0 {
		return nil
	}
	return []report.Section{{
		ID:    "halves",
		Title: "The Grade score and its two halves",
		About: "of each item the harmonic mean of the two, then the mean over items: 1 is content alone, 0 is place alone",
		Body:  c.HTML() + report.Key(report.SignDiamond+"a random judge on the same items"),
	}}
}

// byOptions is how often the choice is right, by number of options; where nobody knows that, how often it is the same.
func byOptions(p *report.RunPage) []report.Section {
	groups := optionGroups(p, GradeScore)
	if len(groups) < 2 {
		return nil
	}
	metric := optionAccuracy
	head := "Right"
	about := "right choices over all orders"
	key := report.Key(report.SignDiamond + "a random judge on the same items")
	if p.Overall(optionAccuracy).Value == nil {
		metric = sameChoice
		head = "Same"
		about = "items with the same choice in every order"
		key = ""
	}
	c := report.Chart{Label: "By number of options", Columns: []report.ChartColumn{
		{Class: "pl", Axis: &report.PercentAxis}, {Class: "val", Head: head},
		{Class: "mini", Head: "What became of the items"}, {Class: "ab", Head: "Grade score"},
	}}
	for _, g := range append([]string{scoring.Overall}, groups...) {
		x := p.Result(metric, g, "")
		row := report.ChartRow{Name: g, Count: fmt.Sprintf("n = %d", x.N), Look: "level-" + string(p.Level())}
		if g == scoring.Overall {
			row.Name = "All"
			row.All = true
		}
		pieces, of := p.Pieces(g)
		random := report.Sign{Result: p.Result(metric+OfRandom, g, ""), Look: "diamond"}
		row.Cells = []template.HTML{
			report.Signs(report.PercentAxis, random, report.Sign{Result: x, Look: "dot"}), report.ValueCell(x),
			report.Stack(report.Thin, of, pieces), report.BareCell(p.Result(GradeScore, g, "")),
		}
		c.Rows = append(c.Rows, row)
	}
	return []report.Section{{
		ID:    "groups",
		Title: "By number of options",
		About: about + ", percent, with 95 % interval",
		Body:  c.HTML() + key,
	}}
}
