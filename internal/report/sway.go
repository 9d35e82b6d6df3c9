package report

import (
	"fmt"
	"io"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Sway is what sways a judge, as it is printed.
type Sway struct{ *scoring.Sway }

// Sentences are the answer.
func (s Sway) Sentences() []string { return []string{s.Says()} }

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
	best := scoring.Rule{}
	for _, r := range s.Rules {
		if r.Value > best.Value {
			best = r
		}
	}
	if best.Name != "" {
		t.Notef("the best rule that does not read, %q, is right in both orders on %.0f %% of these pairs", best.Name,
			best.Value)
	}
	t.Note("names more: verdicts that name the response that has more of it, or is shown first",
		"right, more; right, less: pairs right in both orders whose better response has more of it, or less",
		"odds: what one standard deviation more, or to be shown first, does to the odds of being named, in one logistic "+
			"regression with what is right and all of these; p: Wald, by Holm")
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
