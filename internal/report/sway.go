package report

import (
	"fmt"
	"html/template"
	"io"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Sway is what sways a judge, as it is printed.
type Sway struct{ *scoring.Sway }

// Sentences are the answer.
func (s Sway) Sentences() []string { return []string{s.Says} }

// Tables has one of the causes.
func (s Sway) Tables() []table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("%s · %s · %s", scoring.JudgeName(s.Judge), s.Dataset, table.Count(s.Pairs, "pair")),
		Columns: table.Left("what").Right("names more", "pairs", "right, more", "right, less", "odds", "p"),
	}
	t.Columns[2].Spare = 1
	for _, c := range s.Causes {
		odds := ""
		p := ""
		if c.Odds != nil {
			odds = fmt.Sprintf("×%.2f [%.2f, %.2f]", c.Odds.Ratio, c.Odds.Low, c.Odds.High)
			p = table.PValue(&c.Odds.P)
		}
		t.Row(c.Name, proportion(c.Named), fmt.Sprint(c.Pairs), proportion(c.More), proportion(c.Less), odds, p)
	}
	if s.Level != nil {
		t.Notef("one verdict is right on %.0f %%; were all of these equal it would be on %s %%", *s.Right,
			proportion(*s.Level))
	}
	rule := s.Best()
	t.Notef("correct in both orders: the judge on %s %% of these pairs, “%s”, the best rule that does not read, "+
		"on %.0f %%", proportion(s.Strict), rule.Name, rule.Value)
	if s.Itself != "" {
		t.Notef("whether it prefers what it wrote itself cannot be told: %s", s.Itself)
	}
	t.Note("names more: verdicts that name the response that has more of it, or is shown first",
		"right, more; right, less: pairs correct in both orders whose better response has more of it, or less",
		"odds: what one standard deviation more, or to be shown first, does to the odds of being named, in one logistic "+
			"regression with what is right and all of these; p: Student's t, by Holm")
	return []table.Table{t}
}

// proportion is a share with its interval.
func proportion(x scoring.Proportion) string {
	if x.Value == nil {
		return "n/a"
	}
	return fmt.Sprintf("%.0f [%.0f, %.0f]", *x.Value, *x.Low, *x.High)
}

// CSV has a row a cause.
func (s Sway) CSV(w io.Writer) error { return table.CSV(w, s.Tables()[0]) }

// Sways is what sways the judge, a row a cause that could be told. Those that do beyond chance are coloured.
func Sways(p *RunPage) []Section {
	s := p.Sway
	if s == nil || s.Why != "" {
		return nil
	}
	c := Chart{
		Label: "What sways it",
		Columns: []ChartColumn{
			{Class: "pl", Axis: &PercentAxis}, {Class: "val", Head: "Names more"},
			{Class: "kp", Head: "Right if the better has more"}, {Class: "kp", Head: "If it has less"},
		},
	}
	for _, cause := range s.Causes {
		if cause.Odds == nil {
			continue
		}
		look := "level-" + string(scoring.Unknown)
		if cause.Sways() {
			look = "level-" + string(scoring.Weak)
		}
		named := cause.Named.Result()
		c.Rows = append(c.Rows, ChartRow{
			Name:  cause.Name,
			Count: fmt.Sprintf("n = %d", cause.Pairs),
			Look:  look,
			Cells: []template.HTML{
				Plot(PercentAxis, named), ValueCell(named), ShareCell(cause.More.Result()), ShareCell(cause.Less.Result()),
			},
		})
	}
	body := Paragraph(s.Says) + c.HTML()
	if s.Level != nil {
		body += Paragraph(fmt.Sprintf("One verdict is right on %.0f %%; were all of these equal it would be on %.0f %% "+
			"(%.0f–%.0f). Coloured: beyond chance in one logistic regression of the verdicts on what is right and all of "+
			"these, by Holm.", *s.Right, *s.Level.Value, *s.Level.Low, *s.Level.High))
	}
	if s.Itself != "" {
		body += Paragraph(fmt.Sprintf("Whether it prefers what it wrote itself cannot be told: %s.", s.Itself))
	}
	return []Section{{
		ID:    "sway",
		Title: "What sways it",
		About: "of the verdicts, how many name the response that has more of it, percent",
		Body:  body,
	}}
}
