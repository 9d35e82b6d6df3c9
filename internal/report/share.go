package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"gavel/internal/doc"
	"gavel/scoring"
)

// SVG writes a picture of the leaderboard to share, of 1200 by 630 pixels. about names the question and the dataset.
func (l *Leaderboard) SVG(w io.Writer, about string) error {
	first, rest := l.sentences()
	s := picture{
		About: about,
		Says:  strings.Replace(first, "of the "+l.Unit+"s.", "of "+l.of()+".", 1),
		Also:  strings.TrimSpace(rest + " " + l.beyond()),
		Foot:  "gavel · " + l.headline() + ", with 95 % intervals",
	}
	if len(l.Rows) > 0 {
		axis := doc.AxisOf(l.Rows[0].Headline.Unit)
		s.Min = axis.Min
		s.Max = axis.Max
	}
	simulated := false
	for _, r := range l.placed() {
		row := pictureRow{
			Name:    r.Name,
			Value:   doc.Brief(r.Headline),
			Level:   string(r.Level),
			Diamond: r.Reference,
			At:      r.Headline.Value,
			Low:     r.Headline.Low,
			High:    r.Headline.High,
		}
		if x := r.RightWhereAlike; x.Value != nil {
			row.Beside = fmt.Sprintf("%s %% of %d agreed", doc.Brief(x), x.N)
		}
		simulated = simulated || r.Simulated
		s.Rows = append(s.Rows, row)
	}
	if shown := mostPictureRows; len(s.Rows) > shown {
		s.Foot += fmt.Sprintf(" · the first %d of %d judges", shown, len(s.Rows))
	}
	if simulated {
		s.Foot += " · some judges are simulated"
	}
	return s.SVG(w)
}

// SVG writes a picture of a run to share, of 1200 by 630 pixels.
func (p *RunPage) SVG(w io.Writer) error {
	s := picture{
		About: p.Judge() + " (" + string(p.Level()) + ") · " + Question(p.Report) + " · " + p.Dataset,
		Says:  cmp.Or(p.Says, "There is no score yet."),
		Also:  p.Also,
		Foot:  "gavel",
		Max:   doc.PercentAxis.Max,
	}
	switch {
	case p.Simulated && isJury(p.Model):
		s.Foot += " · " + simulatedMember
	case p.Simulated:
		s.Foot += " · a simulated judge: no model was asked"
	}
	if values := layoutOf(p.Protocol).Values; values != nil {
		for _, v := range values(p) {
			s.Rows = append(s.Rows, p.shareRow(v.Name, v.Result))
			s.Rows[len(s.Rows)-1].Beside = v.Count
		}
		s.Foot += " · 95 % intervals"
		return s.SVG(w)
	}
	parts := p.Parts(scoring.Overall)
	for _, piece := range parts {
		s.Pieces = append(s.Pieces, picturePiece{
			N:     piece.N,
			Look:  piece.Look,
			Words: fmt.Sprintf("%d %s, %.0f %%", piece.N, piece.Name, 100*float64(piece.N)/float64(sumTo(parts, len(parts)))),
		})
	}
	head := Headline(&p.Report)
	groups := p.Groups()
	if head == nil || head.Unit != "" || len(groups) > mostShared {
		groups = nil
	}
	for _, g := range groups {
		x := p.Result(head.Metric, g, head.Mode)
		if g == scoring.Overall || x.Value == nil {
			continue
		}
		s.Rows = append(s.Rows, p.shareRow(fmt.Sprintf("%s, n = %d", g, x.N), x))
	}
	if len(s.Rows) > 0 {
		s.Foot += " · " + MetricName(p.Protocol, head.Metric) + " by category, with 95 % intervals"
	}
	return s.SVG(w)
}

// shareRow is a number of the run on its picture.
func (p *RunPage) shareRow(name string, x scoring.Result) pictureRow {
	return pictureRow{
		Name:  name,
		Value: doc.Brief(x),
		Level: string(p.Level()),
		At:    x.Value,
		Low:   x.Low,
		High:  x.High,
	}
}

// mostShared is how many categories find room on a picture, all of them together included.
const mostShared = 5

// Markdown writes the leaderboard as Markdown: the answer and a table.
func (l *Leaderboard) Markdown(w io.Writer, about string) error {
	judges := l.judges()
	judges.Plain(about)
	return doc.Document{Answer: l.Says, Blocks: []doc.Block{judges}}.Markdown(w)
}

// Markdown writes what a run comes to: the answer and the numbers that stand for it.
func (p *RunPage) Markdown(w io.Writer) error { return p.Document().Markdown(w) }

// Markdown writes the leaderboards and then what each run comes to.
func (d Document) Markdown(w io.Writer) error {
	for _, l := range d.Boards {
		if err := l.Markdown(w, l.About); err != nil {
			return err
		}
	}
	for _, r := range d.Runs {
		if err := NewRunPage(r).Markdown(w); err != nil {
			return err
		}
	}
	return nil
}

// Picture writes the picture of a single run, or of the leaderboard of several.
func (d Document) Picture(w io.Writer) error {
	switch {
	case len(d.Runs) == 1:
		return NewRunPage(d.Runs[0]).SVG(w)
	case len(d.Boards) == 1:
		return d.Boards[0].SVG(w, d.Boards[0].About)
	}
	return errors.New("a picture shows one run, or runs that were asked the same about the same items")
}
