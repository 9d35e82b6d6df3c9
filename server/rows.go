package server

import (
	"context"
	"maps"
	"os"
	"path"

	"gavel/judging"
	"gavel/report"
	"gavel/scoring"
)

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

func (s *Server) row(ctx context.Context, run found) RunRow {
	if run.err != nil {
		return RunRow{RunHead: RunHead{Name: run.name, Status: damagedStatus}, Error: run.err.Error()}
	}
	row := RunRow{RunHead: headOf(run.name, run.m), Suite: s.runs.suiteOf(run.name), data: run.m.Spec.Dataset.SHA256}
	row.About = s.runs.about(run.name)
	if row.Status == judging.Running {
		info, err := s.runs.root.Stat(path.Join(run.name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, done, err := s.index(ctx, run.name); err == nil {
			row.Records, row.Outcomes = x.counts.Records, maps.Clone(x.counts.Outcomes)
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
func (s *Server) sum(run found) summed {
	now := s.stampsOf(run.name)
	if at, ok := s.summed.get(run.name); ok && at.of == now {
		return at
	}
	rep := s.written(run.name, run.m, now)
	if rep == nil {
		at, ok := s.scores.get(run.name)
		if !ok || at.of != now || at.v.rep == nil {
			return summed{of: now} // not kept: it may be known later
		}
		rep = at.v.rep
	}
	return s.summing(run.name, now, rep)
}

// summing keeps what the list says of a run.
func (s *Server) summing(run string, now stamps, rep *scoring.Report) summed {
	out := summed{of: now, diagnosis: rep.Diagnosis, outcomes: maps.Clone(rep.Outcomes), warnings: rep.Caveats(), numbers: report.NumbersOf(rep)}
	if x := report.Headline(rep); x != nil {
		kept := *x
		out.headline = &kept
	}
	s.summed.put(run, out)
	return out
}
