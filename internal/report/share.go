package report

import (
	"errors"
	"io"

	"gavel/internal/doc"
)

// document returns the leaderboard as Markdown files and pictures show it, with the question and dataset in a note.
func (l *Leaderboard) document() doc.Document {
	judges := l.judgesChart()
	judges.AddPlainNotes(l.About)
	return doc.Document{Answer: l.Says, Blocks: []doc.Block{judges}}
}

// Markdown writes the comparison or study, the leaderboards and then the results of each run as Markdown.
func (d RunsReport) Markdown(w io.Writer) error {
	var all []doc.Document
	if d.Comparison != nil {
		all = append(all, d.Comparison.Document())
	}
	for _, l := range d.Boards {
		all = append(all, l.document())
	}
	for _, r := range d.Runs {
		all = append(all, NewRunPage(r).Document())
	}
	for _, part := range all {
		if err := part.Markdown(w); err != nil {
			return err
		}
	}
	return nil
}

// Picture writes an SVG picture of the report's only run, or else of its only leaderboard.
func (d RunsReport) Picture(w io.Writer) error {
	switch {
	case len(d.Runs) == 1:
		return NewRunPage(d.Runs[0]).Document().Picture(w)
	case len(d.Boards) == 1:
		board := d.Boards[0].document()
		board.Title = d.Boards[0].About
		return board.Picture(w)
	}
	return errors.New("a picture shows one run, or runs that were asked the same about the same items")
}
