package main

import (
	"errors"
	"io/fs"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

func (e *env) suiteResults(s *suite, format string) error {
	out, err := e.standings(s)
	if err != nil {
		return err
	}
	return e.print(format, out)
}

// standings scores every run that is there, and holds those of one condition
// against each other.
func (e *env) standings(s *suite) (*report.Standings, error) {
	out := &report.Standings{Suite: s.name}
	for _, j := range s.judges {
		out.Judges = append(out.Judges, j.name)
	}
	for _, p := range s.points {
		row := report.Condition{Name: p.name, Protocol: p.kind.Name, Dataset: p.dataset, Prompt: p.prompt, Options: p.options}
		var runs []*scoring.Run
		for _, c := range s.cells {
			if c.point != p {
				continue
			}
			cell := report.Cell{Judge: c.judge.name, Run: c.opts.out, Status: notBegun, Place: -1}
			run, err := scoring.Load(c.opts.out, scoring.DefaultOptions.Reading)
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				cell.Status, cell.Error = unreadable, err.Error()
			default:
				cell.Status, cell.Expected, cell.Answered = run.Manifest.Status, run.Manifest.Judgments, run.Answered
				if cell.Status == judging.Running && run.Answered == run.Manifest.Judgments {
					cell.Status = judging.Complete
				}
				if run.Records > 0 {
					cell.Place = len(runs)
					runs = append(runs, run)
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		var err error
		if row.Standings, err = scoring.Standings(runs, scoring.DefaultOptions.Bootstrap); err != nil {
			return nil, err
		}
		out.Conditions = append(out.Conditions, row)
	}
	return out, nil
}
