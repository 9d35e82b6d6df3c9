package report

import (
	"io"

	"gavel/internal/doc"
)

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
