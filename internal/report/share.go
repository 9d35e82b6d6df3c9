package report

import (
	"errors"
	"io"

	"gavel/internal/doc"
)

// document returns the leaderboard as its files show it. about names the question and the dataset.
func (l *Leaderboard) document(about string) doc.Document {
	judges := l.judges()
	judges.Plain(about)
	return doc.Document{Title: about, Answer: l.Says, Blocks: []doc.Block{judges}}
}

// Markdown writes the leaderboard as Markdown: the answer and a table.
func (l *Leaderboard) Markdown(w io.Writer, about string) error {
	d := l.document(about)
	d.Title = "" // it is in the notes
	return d.Markdown(w)
}

// Picture writes the leaderboard as an SVG to share.
func (l *Leaderboard) Picture(w io.Writer, about string) error { return l.document(about).Picture(w) }

// Markdown writes what a run comes to: the answer and the numbers that stand for it.
func (p *RunPage) Markdown(w io.Writer) error { return p.Document().Markdown(w) }

// Picture writes the run's result as an SVG to share.
func (p *RunPage) Picture(w io.Writer) error { return p.Document().Picture(w) }

// Markdown writes the leaderboards and then what each run comes to.
func (d RunReport) Markdown(w io.Writer) error {
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
func (d RunReport) Picture(w io.Writer) error {
	switch {
	case len(d.Runs) == 1:
		return NewRunPage(d.Runs[0]).Picture(w)
	case len(d.Boards) == 1:
		return d.Boards[0].Picture(w, d.Boards[0].About)
	}
	return errors.New("a picture shows one run, or runs that were asked the same about the same items")
}
