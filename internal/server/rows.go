package server

import (
	"context"
	"html/template"
	"maps"
	"os"
	"path"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

func (s *Server) row(ctx context.Context, run store.Found) RunRow {
	if run.Err != nil {
		return RunRow{RunHead: RunHead{Name: run.Name, Status: damagedStatus}, Error: run.Err.Error()}
	}
	row := RunRow{
		RunHead: headOf(run.Name, run.Manifest),
		Suite:   s.runs.SuiteOf(run.Name),
		data:    run.Manifest.Spec.Dataset.SHA256,
		ids:     run.Manifest.Spec.Dataset.IDs,
	}
	row.About = s.runs.About(run.Name)
	if row.Status == judging.Running {
		info, err := s.runs.Stat(path.Join(run.Name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, err := s.runs.Index(ctx, run.Name); err == nil {
			row.Records, row.Outcomes = x.Counts.Records, x.Counts.Outcomes
			row.Stalled = s.silent(info)
		} else {
			row.Error = err.Error()
		}
		return row
	}
	row.of = s.runs.Stamps(run.Name)
	brief := s.brief(run, row.of)
	row.Headline = brief.headline
	row.Diagnosis = brief.diagnosis
	row.Outcomes = brief.outcomes
	row.Warnings = brief.warnings
	row.numbers = brief.numbers
	for _, n := range brief.outcomes {
		row.Records += n
	}
	return row
}

// silent tells whether nothing was written for long.
func (s *Server) silent(info os.FileInfo) bool { return s.now().Sub(info.ModTime()) > stalledAfter }

// runBrief is what the list of runs says of a run's numbers.
type runBrief struct {
	headline  *scoring.Result
	diagnosis *scoring.Diagnosis
	outcomes  map[string]int
	warnings  int
	numbers   []report.Number
}

// brief is what the list says of a run that has ended. Runs that wrote no numbers are not read for it.
func (s *Server) brief(run store.Found, at store.Stamps) runBrief {
	if known, ok := memo.Peek[runBrief](s.briefs, run.Name, at); ok {
		return known
	}
	rep := s.runs.Written(run.Name, run.Manifest, at)
	if rep == nil {
		known, ok := memo.Peek[scored](s.memo, "numbers "+run.Name, at)
		if !ok || known.rep == nil {
			return runBrief{} // not remembered: it may be known later
		}
		rep = known.rep
	}
	out := runBrief{
		diagnosis: rep.Diagnosis,
		outcomes:  maps.Clone(rep.Outcomes),
		warnings:  rep.Caveats(),
		numbers:   report.NumbersOf(rep),
	}
	if x := report.Headline(rep); x != nil {
		headline := *x // the rest of the report is let go
		out.headline = &headline
	}
	s.briefs.Put(run.Name, at, out)
	return out
}

// rows are those of all runs.
func (s *Server) rows(ctx context.Context) ([]RunRow, error) {
	runs, err := s.runs.List()
	if err != nil {
		return nil, err
	}
	rows := make([]RunRow, len(runs))
	for i, run := range runs {
		rows[i] = s.row(ctx, run)
	}
	return rows, nil
}

// scored is what a run comes to.
type scored struct {
	rep      *scoring.Report
	every    template.HTML // its figures and tables
	pictures report.Pictures
}

// numbers of a run: those that the run itself wrote, or, where it wrote none, as an imported one, or an earlier gavel
// did, those that its records come to. A run that is being made has none yet.
func (s *Server) numbers(ctx context.Context, run string, m *judging.Manifest) (scored, error) {
	if m.Status == judging.Running {
		return scored{}, nil
	}
	now := s.runs.Stamps(run)
	return memo.Get(ctx, s.memo, "numbers "+run, now, func() (v scored, err error) {
		v.rep = s.runs.Written(run, m, now)
		if v.rep == nil || v.rep.Scoring < scoring.Version || len(s.runs.Altered(run, m)) > len(m.Altered) {
			v.rep, err = s.runs.Score(run, m)
			if err != nil {
				return v, err
			}
		}
		v.rep.Run = run
		v.every, v.pictures, err = report.Every(
			report.Run{Report: *v.rep, Metadata: scoring.Metadata(m)},
			"/runs/"+escaped(run)+"/figures/",
		)
		return v, err
	})
}

// stalledAfter is how long a run may be silent before it is said to be: longer than a call may take by default.
const stalledAfter = 15 * time.Minute
