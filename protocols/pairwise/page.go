package pairwise

import (
	"fmt"
	"html/template"
	"strings"

	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// pageParts are the page of a run, from top to bottom.
var pageParts = []report.PagePart{
	worseAsked, report.Became, report.Cards, bothGoals, report.ByGroup, report.Sureness, report.Lists, report.Sways,
	report.Among, report.Caveats, report.Making,
}

// worseAsked says so where the worse response is asked for.
func worseAsked(p *report.RunPage) []report.Section {
	if p.Goal != goalWorse {
		return nil
	}
	return report.Notice("It was asked which response is the worse. Its choice is the response that it does not name: " +
		"“right” means that this is the labelled one.")
}

// goalNames are the goals in words, in the order of a comparison.
var goalNames = [2]string{"Asked which is better", "Asked which is worse"}

// bothGoals holds the run against that of the same judge which was asked the opposite.
func bothGoals(p *report.RunPage) []report.Section {
	t := p.Twin
	if t == nil {
		return nil
	}
	runs := [2]*scoring.Report{&p.Report, t.Report}
	if p.Goal == goalWorse {
		runs = [2]*scoring.Report{t.Report, &p.Report}
	}
	c := report.Chart{
		Label: "Both goals",
		Columns: []report.ChartColumn{
			{Class: "pl", Axis: &report.PercentAxis}, {Class: "val", Head: "Right in both orders"},
			{Class: "kp", Head: "Where both agree"}, {Class: "kp", Head: "Picks the first"},
		},
	}
	for i, r := range runs {
		strict := r.Overall("strict")
		first := r.Overall(firstPicked)
		c.Rows = append(c.Rows, report.ChartRow{
			Name:  goalNames[i],
			Count: fmt.Sprintf("n = %d", strict.N),
			Look:  "level-" + string(levelOf(r)),
			All:   r == &p.Report,
			Cells: []template.HTML{
				report.Plot(report.PercentAxis, strict), report.ValueCell(strict),
				report.ShareCell(r.Overall(RightWhereAlike)), report.ShareCell(first),
			},
		})
	}
	says, difference := goalsDiffer(t.Comparison)
	body := c.HTML() + difference
	if e := t.Ensemble; e != nil && e.Strict.Value != nil && e.Coverage.Value != nil {
		body += report.Paragraph(fmt.Sprintf("Both goals as one judge: they name the same response in all four judgments "+
			"of %s %% of %s, and are right there on %s %% (n = %d).", table.Whole(e.Coverage),
			table.Count(e.Coverage.N, "pair"), table.Whole(e.Strict), e.Strict.N))
	}
	other := goalNames[1]
	if p.Goal == goalWorse {
		other = goalNames[0]
	}
	body += report.Links([2]string{"the run that was " + strings.ToLower(other[:1]) + other[1:], t.Link},
		[2]string{"compare both", t.Compare})
	return []report.Section{{ID: "goals", Title: "Does the reversed goal help?", About: says, Body: body}}
}

// levelOf is what a judge is good for.
func levelOf(r *scoring.Report) scoring.Level {
	if r.Diagnosis == nil {
		return scoring.Unknown
	}
	return r.Diagnosis.Level
}

// goalsDiffer says what asking for the worse changes, and draws it: the difference of strict, and of pairs where each
// of the two agrees with itself.
func goalsDiffer(c *scoring.Comparison) (says string, drawn template.HTML) {
	if c == nil {
		return "", ""
	}
	type row struct {
		name string
		*scoring.Difference
	}
	var rows []row
	for i := range c.Differences {
		if d := &c.Differences[i]; d.Metric == "strict" && d.Group == scoring.Overall && d.Mode == "" {
			rows = append(rows, row{name: "Right in both orders", Difference: d})
		}
	}
	if len(rows) == 0 || rows[0].Diff == nil {
		return "", ""
	}
	if c.Alike != nil && c.Alike.Diff != nil {
		rows = append(rows, row{name: "Right where each agrees in both orders", Difference: c.Alike})
	}
	d := rows[0]
	verdict := "it helps"
	switch {
	case d.Low == nil || d.High == nil || d.Noise:
		verdict = "no difference beyond noise"
	case *d.Diff < 0:
		verdict = "it harms"
	}
	var results []scoring.Result
	for _, r := range rows {
		results = append(results, r.Difference.Result())
	}
	axis := report.DifferenceAxis(results...)
	chart := report.Chart{
		Label: "Difference of the goals",
		Class: "wide",
		Columns: []report.ChartColumn{
			{Class: "pl df", Head: "← better goal · worse goal →", Axis: &axis}, {Class: "val diff", Head: "Points"},
		},
	}
	for i, r := range rows {
		chart.Rows = append(chart.Rows, report.ChartRow{
			Name:  r.name,
			Count: table.Count(r.N, "pair"),
			Look:  report.DifferenceLook(r.Noise),
			Cells: []template.HTML{report.Plot(axis, results[i]), report.ValueCell(results[i])},
		})
	}
	says = fmt.Sprintf("asked for the worse, %s, on the %s that both judged", verdict, table.Count(c.N, "pair"))
	return says, chart.HTML()
}
