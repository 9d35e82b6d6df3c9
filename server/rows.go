package server

import (
	"context"
	"maps"
	"os"
	"path"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
	"gavel/server/store"
)

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

func (s *Server) row(ctx context.Context, run store.Found) RunRow {
	if run.Err != nil {
		return RunRow{RunHead: RunHead{Name: run.Name, Status: damagedStatus}, Error: run.Err.Error()}
	}
	row := RunRow{RunHead: headOf(run.Name, run.Manifest), Suite: s.runs.SuiteOf(run.Name), data: run.Manifest.Spec.Dataset.SHA256}
	row.About = s.runs.About(run.Name)
	if row.Status == judging.Running {
		info, err := s.runs.Stat(path.Join(run.Name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, done, err := s.runs.Index(ctx, run.Name); err == nil {
			row.Records, row.Outcomes = x.Counts.Records, maps.Clone(x.Counts.Outcomes)
			row.Stalled = s.silent(info)
			done()
		} else {
			row.Error = err.Error()
		}
		return row
	}
	sum := s.sum(run)
	row.Headline, row.Diagnosis, row.Outcomes, row.Warnings = sum.headline, sum.diagnosis, sum.outcomes, sum.warnings
	row.numbers, row.of = sum.numbers, sum.of
	for _, n := range sum.outcomes {
		row.Records += n
	}
	return row
}

// silent tells whether nothing was written for long.
func (s *Server) silent(info os.FileInfo) bool { return s.now().Sub(info.ModTime()) > stalledAfter }

// sum is what the list says of a run that has ended. Runs that wrote no numbers are not read for it: those of them that
// are not large are in the background.
func (s *Server) sum(run store.Found) summed {
	now := s.runs.Stamps(run.Name)
	if at, ok := s.summed.Get(run.Name); ok && at.of == now {
		return at
	}
	rep := s.runs.Written(run.Name, run.Manifest, now)
	if rep == nil {
		at, ok := s.scores.Get(run.Name)
		if !ok || at.Of != now || at.V.rep == nil {
			return summed{of: now} // not kept: it may be known later
		}
		rep = at.V.rep
	}
	return s.summing(run.Name, now, rep)
}

// summing keeps what the list says of a run.
func (s *Server) summing(run string, now store.Stamps, rep *scoring.Report) summed {
	out := summed{of: now, diagnosis: rep.Diagnosis, outcomes: maps.Clone(rep.Outcomes), warnings: rep.Caveats(), numbers: report.NumbersOf(rep)}
	if x := report.Headline(rep); x != nil {
		kept := *x
		out.headline = &kept
	}
	s.summed.Put(run, out)
	return out
}
