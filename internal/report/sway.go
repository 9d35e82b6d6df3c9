package report

import (
	"fmt"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Sway lays out the biases of a judge for `gavel sway`: what its verdicts correlate with, such as length.
type Sway struct{ *scoring.BiasAnalysis }

// Document returns the biases as a document, with a row for each.
func (s Sway) Document() doc.Document {
	d := doc.Document{
		Title:  fmt.Sprintf("%s · %s · %s", scoring.JudgeName(s.Judge), s.Dataset, table.Count(s.Pairs, "pair")),
		Answer: s.Says,
		Blocks: []doc.Block{s.block()},
		Sheet:  [][]string{{"what", "names more", "pairs", "right, more", "right, less", "odds", "p"}},
	}
	for _, c := range s.Causes {
		odds, p := oddsWords(c.Odds)
		d.Sheet = append(d.Sheet, []string{c.Name, table.RoundedInterval(c.Named.Result()), fmt.Sprint(c.Pairs),
			table.RoundedInterval(c.More.Result()), table.RoundedInterval(c.Less.Result()), odds, p})
	}
	return d
}

// oddsWords returns an odds ratio with its interval, and its p-value, in words; "" if o is nil.
func oddsWords(o *scoring.Odds) (odds, p string) {
	if o == nil {
		return "", ""
	}
	return fmt.Sprintf("×%.2f [%.2f, %.2f]", o.Ratio, o.Low, o.High), table.PValue(&o.P)
}

// block returns a table with a row for each bias. Significant biases are coloured.
func (s Sway) block() doc.Block {
	t := &doc.Table{RowHead: "what", Columns: []doc.Column{
		{Name: "prefers more", Kind: doc.Number, Axis: &doc.PercentAxis},
		{Name: "correct if the better has more", Short: "correct, more", Kind: doc.ShareWithN},
		{Name: "if it has less", Short: "correct, less", Kind: doc.ShareWithN},
		{Name: "odds", Kind: doc.Bare, In: doc.Printed}, {Name: "p", Kind: doc.Bare, In: doc.Printed},
	}}
	for _, c := range s.Causes {
		look := scoring.Unknown
		if c.Odds != nil && c.Sways() {
			look = scoring.Weak
		}
		odds, p := oddsWords(c.Odds)
		t.Add(doc.Row{Name: c.Label(), N: c.Pairs, Look: "level-" + string(look), Cells: doc.Cells(
			c.Named.Result(), c.More.Result(), c.Less.Result(), odds, p,
		)})
	}
	b := doc.Block{
		ID:    "sway",
		Title: "Biases",
		About: phrases.Say(s.Phrase("sway.about")),
		Table: t,
		Keys:  []doc.Key{{Words: "coloured: significant"}},
	}
	rule := s.Best()
	if s.Level != nil {
		b.Remark(s.Phrase("sway.level"), *s.Right, table.RoundedInterval(s.Level.Result()))
	}
	b.Remark(s.Phrase("sway.baseline"), table.RoundedInterval(s.Strict.Result()), rule.Name, rule.Value)
	if s.Itself != "" {
		b.Remark("sway.own-family", s.Itself)
	}
	b.Remark(s.Phrase("sway.columns"))
	b.Remark(s.Phrase("sway.odds"))
	return b
}

// Biases returns the table of the judge's biases for the page of a run; nothing if they are unknown.
func Biases(p *RunPage) []doc.Block {
	if p.Sway == nil || p.Sway.Why != "" {
		return nil
	}
	b := Sway{p.Sway}.block()
	b.Notes = append([]doc.Note{doc.Plain(p.Sway.Says)}, b.Notes...)
	return []doc.Block{b}
}
