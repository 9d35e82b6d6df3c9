package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"gavel/internal/doc"
	"gavel/internal/report"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// RunRow is a run in the list.
type RunRow struct {
	RunHead
	runNumbers
	Suite string `json:"suite,omitempty" jsonschema:"folder of the suite that it is part of"`
	Job   string `json:"job,omitempty" jsonschema:"that makes it"`
	Error string `json:"error,omitempty" jsonschema:"why the folder is no run"`

	manifest *judging.Manifest
	of       store.Stamps
	items    judging.ItemSet
	on       judging.ItemSet // the items that the numbers are of; empty for all
}

// runNumbers has the numbers of a run that lists and leaderboards show.
type runNumbers struct {
	Headline  *scoring.Result    `json:"headline" jsonschema:"null while there are no numbers"`
	Diagnosis *scoring.Diagnosis `json:"diagnosis" jsonschema:"null while there are no numbers"`
	Outcomes  map[string]int     `json:"outcomes,omitempty"`
	Records   int                `json:"records"`
	Warnings  int                `json:"warnings" jsonschema:"how many"`

	report *scoring.Report // what a leaderboard shows of it; nil while there are no numbers
	failed bool            // it cannot be scored: its page says why
}

// Asks returns the question of the run; "" while there are no numbers.
func (r RunRow) Asks() string {
	if r.report == nil {
		return ""
	}
	return report.Question(*r.report)
}

// Metric returns the label of the headline.
func (r RunRow) Metric() string { return doc.MetricName(r.Protocol, r.Headline.Metric) }

// unit returns the metric of the headline; a run without one sorts below all others.
func (r RunRow) unit() string {
	if !r.valued() {
		return "\uffff"
	}
	return r.Headline.Unit + "\x00" + r.Headline.Metric + "\x00" + r.Headline.Mode
}

// valued reports whether the run has a headline value.
func (r runNumbers) valued() bool { return r.Headline != nil && r.Headline.Value != nil }

// value returns the value of the headline; 0 without one.
func (r runNumbers) value() float64 {
	if !r.valued() {
		return 0
	}
	return *r.Headline.Value
}

// smallRun is how long the records of a run may be for the list to read them.
const smallRun = 64 << 20

// row returns the row of a run of the folder.
func (s *Server) row(ctx context.Context, run store.Found) RunRow {
	if run.Err != nil {
		return RunRow{RunHead: RunHead{Name: run.Name, Status: damagedStatus}, Error: run.Err.Error()}
	}
	row := RunRow{
		RunHead:  s.head(run.Name, run.Manifest),
		Suite:    s.runs.SuiteOf(run.Name),
		manifest: run.Manifest,
	}
	if row.Status == judging.Running {
		info, err := s.runs.Stat(path.Join(run.Name, judging.RecordsFile))
		if err != nil || info.Size() > smallRun {
			return row
		}
		if x, err := s.runs.Index(ctx, run.Name); err == nil {
			row.Records = x.Counts.Records
			row.Outcomes = x.Counts.Outcomes
			row.Stalled = s.silent(info)
		} else {
			row.Error = err.Error()
		}
		return row
	}
	row.of = s.runs.Stamps(run.Name)
	row.items = s.runs.ItemSet(run.Name, run.Manifest)
	row.runNumbers = s.brief(run, row.of)
	return row
}

// silent reports whether nothing was written to a file for long.
func (s *Server) silent(info os.FileInfo) bool { return s.now().Sub(info.ModTime()) > stalledAfter }

// brief returns the numbers of a run that has ended, as far as they are known without reading its records.
func (s *Server) brief(run store.Found, at store.Stamps) runNumbers {
	if known, ok := memo.Peek[runNumbers](s.listNumbers, briefKey(run.Name, ""), at); ok {
		return known
	}
	rep := s.runs.Written(run.Name, run.Manifest, at)
	if rep == nil {
		return runNumbers{} // not remembered: it may be known later
	}
	return s.remember(run.Name, "", at, rep)
}

// briefKey names the numbers of a run on the items of a set, or on all items if the set is empty.
func briefKey(run string, on judging.ItemSet) string { return run + " " + string(on) }

// remember keeps the part of a run's report that lists and leaderboards show.
func (s *Server) remember(run string, on judging.ItemSet, at store.Stamps, rep *scoring.Report) runNumbers {
	out := runNumbers{
		Diagnosis: rep.Diagnosis,
		Outcomes:  maps.Clone(rep.Outcomes),
		Records:   rep.Judgments(),
		Warnings:  rep.Caveats(),
		report:    report.ForBoard(rep),
	}
	out.report.Run = run
	out.Headline = report.Headline(out.report)
	s.listNumbers.Put(briefKey(run, on), at, out)
	return out
}

// numbersBeside returns the numbers of a run on some items, or on all items if the set is empty. They are made in the
// background; an error says that they are not there yet.
func (s *Server) numbersBeside(ctx context.Context, r *RunRow, on judging.ItemSet) (runNumbers, error) {
	name := briefKey(r.Name, on)
	if known, ok := memo.Peek[runNumbers](s.listNumbers, name, r.of); ok {
		return known, nil
	}
	return memo.Get(ctx, s.background, "numbers of "+name, r.of, func() (runNumbers, error) {
		rep, err := s.runs.Score(r.Name, r.manifest, on)
		if err != nil {
			return runNumbers{failed: true}, nil
		}
		return s.remember(r.Name, on, r.of, rep), nil
	})
}

// mostScored is how many runs without numbers are scored for one look at a leaderboard.
const mostScored = 50

// score gives numbers to rows without any, such as those of copied runs, and returns how many it is still scoring in
// the background. Large runs wait until their own page is opened.
func (s *Server) score(ctx context.Context, rows []RunRow) (left int) {
	ctx, cancel := s.briefly(ctx)
	defer cancel()
	for i, r := range rows {
		if left == mostScored {
			break
		}
		if !r.unscored() {
			continue
		}
		numbers, err := s.numbersBeside(ctx, &r, "")
		if err != nil {
			left++
			continue
		}
		rows[i].runNumbers = numbers
	}
	return left
}

// unscored reports whether a run has no numbers yet and is scored for leaderboards.
func (r RunRow) unscored() bool {
	return r.manifest != nil && r.report == nil && !r.failed && r.Status != judging.Running && r.Error == "" &&
		r.of.Records.Size > 0 && r.of.Records.Size <= smallRun
}

// state identifies the state of some runs' files.
func (s *Server) state(runs ...string) string {
	var state strings.Builder
	for _, run := range runs {
		fmt.Fprintln(&state, run, s.runs.Stamps(run))
	}
	return state.String()
}

func namesOf(rows []RunRow) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	return names
}

// rows returns the rows of all runs.
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

// rowsForPage returns the rows of all runs as a page shows them: those of a large folder may be some seconds old, and
// are nil while they are read for the first time.
func (s *Server) rowsForPage(ctx context.Context) ([]RunRow, error) {
	if !s.runs.Large() {
		return s.rows(ctx)
	}
	latest := func() []RunRow {
		return memo.Latest(s.listings, "rows", s.now(), func() ([]RunRow, error) { return s.rows(s.ending) })
	}
	ctx, cancel := s.briefly(ctx)
	defer cancel()
	rows := latest()
	for rows == nil && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		rows = latest()
	}
	return slices.Clone(rows), nil
}

// rowsOf returns the rows of all runs as a request needs them.
func (s *Server) rowsOf(r *http.Request) ([]RunRow, error) {
	if isAPI(r) {
		return s.rows(r.Context())
	}
	return s.rowsForPage(r.Context())
}

// numbers returns the numbers of a run: as the run wrote them, or scored from its records if it wrote none, if an
// earlier gavel did, or if its files were changed. It returns nil for a run in progress.
func (s *Server) numbers(ctx context.Context, run string, m *judging.Manifest) (*scoring.Report, error) {
	if m.Status == judging.Running {
		return nil, nil
	}
	now := s.runs.Stamps(run)
	return memo.Get(ctx, s.memo, "numbers "+run, now, func() (rep *scoring.Report, err error) {
		rep = s.runs.Written(run, m, now)
		if rep == nil || rep.Scoring < scoring.Version || len(s.runs.Altered(run, m)) > len(m.Altered) {
			rep, err = s.runs.Score(run, m, "")
			if err != nil {
				return nil, err
			}
		}
		rep.Run = run
		s.remember(run, "", now, rep)
		return rep, nil
	})
}

// stalledAfter is how long a run may be silent before it is said to be: longer than a call may take by default.
const stalledAfter = 15 * time.Minute

// jobs returns the jobs of this server, the newest first.
func (s *Server) jobs() []jobs.Job {
	if s.opts.Runner == nil {
		return nil
	}
	return s.opts.Runner.Jobs()
}

// activeJobs returns the jobs that are not done.
func (s *Server) activeJobs() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool { return !j.Active() })
}

// runNamed returns the run that a request names; an error if there is no such run.
func (s *Server) runNamed(r *http.Request) (string, error) {
	name := r.PathValue("run")
	_, err := s.runs.Manifest(name)
	return name, err
}

// lastJob returns the newest job for which is returns true; nil without one.
func (s *Server) lastJob(is func(jobs.Job) bool) *jobs.Job {
	all := s.jobs()
	if i := slices.IndexFunc(all, is); i >= 0 {
		return &all[i]
	}
	return nil
}

// pendingJobs returns the jobs that no run's page shows: they are being prepared, or failed before they had a run.
func (s *Server) pendingJobs() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool {
		return len(j.Runs) > 0 || !j.Active() && j.Error == ""
	})
}
