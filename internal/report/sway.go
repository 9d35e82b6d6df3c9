package report

import (
	"fmt"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// BiasDocumenter lays out the biases of a judge for `gavel sway`: what its verdicts correlate with, such as length.
type BiasDocumenter struct{ *scoring.BiasAnalysis }

// Document returns the biases as a document, with a row for each.
func (s BiasDocumenter) Document() doc.Document {
	d := doc.Document{
		Title:   fmt.Sprintf("%s · %s · %s", scoring.JudgeName(s.Judge), s.Dataset, table.CountWithNoun(s.Pairs, "pair")),
		Answer:  s.Says,
		Blocks:  []doc.Block{s.block()},
		CSVRows: [][]string{{"what", "names more", "pairs", "right, more", "right, less", "odds", "p"}},
	}
	for _, c := range s.Causes {
		odds, p := oddsWords(c.Odds)
		d.CSVRows = append(d.CSVRows, []string{c.Name, table.RoundedInterval(c.PrefersMore.Result()), fmt.Sprint(c.Pairs),
			table.RoundedInterval(c.CorrectWithMore.Result()), table.RoundedInterval(c.CorrectWithLess.Result()), odds, p})
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
func (s BiasDocumenter) block() doc.Block {
	t := &doc.Table{RowHead: "what", Columns: []doc.Column{
		{Name: "prefers more", Kind: doc.ColumnNumber, Axis: &doc.PercentAxis},
		{Name: "correct if the better has more", Short: "correct, more", Kind: doc.ColumnShareWithN},
		{Name: "if it has less", Short: "correct, less", Kind: doc.ColumnShareWithN},
		{Name: "odds", Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceAnyText},
		{Name: "p", Kind: doc.ColumnBareNumber, Surfaces: doc.SurfaceAnyText},
	}}
	for _, c := range s.Causes {
		look := scoring.LevelUnknown
		if c.Odds != nil && c.IsSignificant() {
			look = scoring.LevelWeak
		}
		odds, p := oddsWords(c.Odds)
		t.Add(doc.Row{Name: c.Label(), N: c.Pairs, Look: "level-" + string(look), Cells: doc.Cells(
			c.PrefersMore.Result(), c.CorrectWithMore.Result(), c.CorrectWithLess.Result(), odds, p,
		)})
	}
	b := doc.Block{
		ID:    "sway",
		Title: "Biases",
		About: phrases.Sentence(s.PhraseCode("sway.about")),
		Table: t,
		Keys:  []doc.LegendEntry{{Words: "coloured: significant"}},
	}
	rule := s.BestBaseline()
	if s.AccuracyAtEqualFeatures != nil {
		b.Remark(s.PhraseCode("sway.level"), *s.VerdictAccuracy, table.RoundedInterval(s.AccuracyAtEqualFeatures.Result()))
	}
	b.Remark(s.PhraseCode("sway.baseline"), table.RoundedInterval(s.CorrectInBothOrders.Result()), rule.Name, rule.Value)
	if s.NoOwnFamilyReason != "" {
		b.Remark("sway.own-family", s.NoOwnFamilyReason)
	}
	b.Remark(s.PhraseCode("sway.columns"))
	b.Remark(s.PhraseCode("sway.odds"))
	return b
}

// Biases returns the table of the judge's biases for the page of a run; nothing if they are unknown.
func Biases(p *RunPage) []doc.Block {
	if p.BiasAnalysis == nil || p.BiasAnalysis.NoRegressionReason != "" {
		return nil
	}
	b := BiasDocumenter{p.BiasAnalysis}.block()
	b.Notes = append([]doc.Note{doc.PlainNote(p.BiasAnalysis.Says)}, b.Notes...)
	return []doc.Block{b}
}
