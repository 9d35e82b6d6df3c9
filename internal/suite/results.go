package suite

import (
	"errors"
	"io/fs"
	"path/filepath"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// Results scores every run that is there, and holds those of one condition against each other.
func (s *Suite) Results() (*report.Ranking, error) {
	return report.NewRanking(s.summary(), func(run string) (report.Cell, *scoring.Run) {
		cell := report.Cell{Run: filepath.Join(s.Out, run), Status: report.NotBegun}
		loaded, err := scoring.Load(cell.Run, scoring.DefaultOptions.Reading)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return cell, nil
		case err != nil:
			cell.Status, cell.Error = report.Unreadable, err.Error()
			return cell, nil
		}
		m := loaded.Manifest
		cell.Status = m.Status
		cell.Expected = m.Judgments
		cell.Answered = loaded.Answered
		if m.Status == judging.Running && loaded.Answered == m.Judgments {
			cell.Status = judging.Complete
		}
		return cell, loaded
	})
}

// summary is what the suite's folder says of it.
func (s *Suite) summary() *scoring.Suite {
	out := &scoring.Suite{Name: s.Name, File: s.Text, Shard: s.shard}
	if s.shard != "" {
		out.Path = s.path
	}
	for _, j := range s.judges {
		out.Judges = append(out.Judges, j.name)
	}
	for _, p := range s.points {
		out.Conditions = append(out.Conditions, p.SuiteCondition)
	}
	for _, c := range s.Cells {
		out.Cells = append(out.Cells, scoring.SuiteCell{Judge: c.judge.name, Condition: c.point.Name, Run: c.name})
	}
	return out
}
