package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"gavel/internal/report"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// RunRow holds a run as lists and leaderboards show it: its head, and its numbers once it has been scored.
type RunRow struct {
	RunHead
	runNumbers
	Suite string `json:"suite,omitempty" jsonschema:"folder of the suite that the run belongs to"`
	Job   string `json:"job,omitempty" jsonschema:"the job that makes it"`
	Error string `json:"error,omitempty" jsonschema:"why the folder cannot be read as a run"`

	manifest    *judging.Manifest
	stamps      store.Stamps    // state of the run's files
	itemSet     judging.ItemSet // the run's items
	scoredItems judging.ItemSet // items that the numbers cover; empty for all items of the run
}

// runNumbers holds the numbers of a run that lists and leaderboards show.
type runNumbers struct {
	Headline  *scoring.Result    `json:"headline" jsonschema:"null without numbers"`
	Diagnosis *scoring.Diagnosis `json:"diagnosis" jsonschema:"null without numbers"`
	Outcomes  map[string]int     `json:"outcomes,omitempty"`
	Records   int                `json:"records"`
	Warnings  int                `json:"warnings" jsonschema:"number of warnings"`

	report     *scoring.Report // the part that leaderboards need; nil before the run is scored
	unscorable bool            // the run cannot be scored; its page shows the error
}

// Asks returns the question that the run asks its judge; "" before the run is scored.
func (r RunRow) Asks() string {
	if r.report == nil {
		return ""
	}
	return report.JudgeQuestion(*r.report)
}

// metricKey returns a key of what the headline score measures, by which the list keeps comparable runs together. Runs
// without a score sort last.
func (r RunRow) metricKey() string {
	if !r.hasHeadlineScore() {
		return "\uffff"
	}
	return r.Headline.Unit + "\x00" + r.Headline.Metric + "\x00" + r.Headline.Mode
}

// hasHeadlineScore reports whether the run has a headline score.
func (r runNumbers) hasHeadlineScore() bool { return r.Headline != nil && r.Headline.Value != nil }

// headlineScore returns the headline score; 0 if there is none.
func (r runNumbers) headlineScore() float64 {
	if !r.hasHeadlineScore() {
		return 0
	}
	return *r.Headline.Value
}

// maxSmallRunBytes is the size in bytes of the largest records.jsonl that is read for a list of runs.
const maxSmallRunBytes = 64 << 20

// row returns a run of the folder as lists show it. It reads the records only of a small run in progress.
func (s *Server) row(ctx context.Context, run store.FoundRun) RunRow {
	if run.Err != nil {
		return RunRow{RunHead: RunHead{Name: run.Name, Status: damagedStatus}, Error: run.Err.Error()}
	}
	row := RunRow{
		RunHead:  s.runHead(run.Name, run.Manifest),
		Suite:    s.runs.SuiteOf(run.Name),
		manifest: run.Manifest,
	}
	if row.Status == judging.Running {
		info, err := s.runs.Stat(path.Join(run.Name, judging.RecordsFile))
		if err != nil || info.Size() > maxSmallRunBytes {
			return row
		}
		if x, err := s.runs.Index(ctx, run.Name); err == nil {
			row.Records = x.Counts.Records
			row.Outcomes = x.Counts.Outcomes
			row.Stalled = s.isStalled(info.ModTime())
		} else {
			row.Error = err.Error()
		}
		return row
	}
	row.stamps = s.runs.Stamps(run.Name)
	row.itemSet = s.runs.ItemSet(run.Name, run.Manifest)
	row.runNumbers = s.storedNumbers(run, row.stamps)
	return row
}

// isStalled reports whether the last write to a run's records was more than stalledAfter ago.
func (s *Server) isStalled(written time.Time) bool {
	return !written.IsZero() && s.Now().Sub(written) > stalledAfter
}

// storedNumbers returns the numbers of a run that has ended from results.json, without reading its records. They are
// empty if results.json is missing or old.
func (s *Server) storedNumbers(run store.FoundRun, stamps store.Stamps) runNumbers {
	if numbers, ok := memo.Peek[runNumbers](s.runNumbersMemo, listNumbersKey(run.Name, ""), stamps); ok {
		return numbers
	}
	rep := s.runs.WrittenReport(run.Name, run.Manifest, stamps)
	if rep == nil {
		return runNumbers{} // not remembered, since a later call may find them
	}
	return s.cacheRunNumbers(run.Name, "", stamps, rep)
}

// listNumbersKey returns the name under which runNumbersMemo keeps the numbers of a run on the items of set; an empty
// set stands for all items.
func listNumbersKey(run string, set judging.ItemSet) string { return run + " " + string(set) }

// cacheRunNumbers caches and returns the part of a run's report that lists and leaderboards show. set holds the items
// that the report covers; it is empty for all items.
func (s *Server) cacheRunNumbers(run string, set judging.ItemSet, stamps store.Stamps, rep *scoring.Report) runNumbers {
	out := runNumbers{
		Diagnosis: rep.Diagnosis,
		Outcomes:  maps.Clone(rep.Outcomes),
		Records:   rep.Judgments(),
		Warnings:  len(rep.Cautions()),
		report:    report.ReportForBoard(rep),
	}
	out.report.Run = run
	out.Headline = report.Headline(out.report)
	s.runNumbersMemo.Put(listNumbersKey(run, set), stamps, out)
	return out
}

// scoreOnItems returns the numbers of a run on the items of a set, or on all of its items if the set is empty. They are
// computed in the background; if ctx ends before they are ready, it returns the error of ctx.
func (s *Server) scoreOnItems(ctx context.Context, r *RunRow, set judging.ItemSet) (runNumbers, error) {
	name := listNumbersKey(r.Name, set)
	if numbers, ok := memo.Peek[runNumbers](s.runNumbersMemo, name, r.stamps); ok {
		return numbers, nil
	}
	return memo.Get(ctx, s.backgroundMemo, "numbers of "+name, r.stamps, func() (runNumbers, error) {
		rep, err := s.runs.Score(r.Name, set)
		if err != nil {
			return runNumbers{unscorable: true}, nil
		}
		return s.cacheRunNumbers(r.Name, set, r.stamps, rep), nil
	})
}

// maxBackgroundScores limits the runs that are scored in the background for one request.
const maxBackgroundScores = 50

// scoreMissing fills in the numbers of ended runs that have none, such as copied runs, and returns the number of runs
// that are still being scored in the background. Large runs are scored when their own page is opened.
func (s *Server) scoreMissing(ctx context.Context, rows []RunRow) (pending int) {
	ctx, cancel := s.pageWaitContext(ctx)
	defer cancel()
	for i, r := range rows {
		if pending == maxBackgroundScores {
			break
		}
		if !r.needsScoring() {
			continue
		}
		numbers, err := s.scoreOnItems(ctx, &r, "")
		if err != nil {
			pending++
			continue
		}
		rows[i].runNumbers = numbers
	}
	return pending
}

// needsScoring reports whether the run has ended but has no numbers yet, and is small enough to be scored for a list.
func (r RunRow) needsScoring() bool {
	return r.manifest != nil && r.report == nil && !r.unscorable && r.Status != judging.Running && r.Error == "" &&
		r.stamps.Records.Size > 0 && r.stamps.Records.Size <= maxSmallRunBytes
}

// filesState returns a text that changes whenever a file of one of these runs changes.
func (s *Server) filesState(runs ...string) string {
	var state strings.Builder
	for _, run := range runs {
		fmt.Fprintln(&state, run, s.runs.Stamps(run))
	}
	return state.String()
}

// namesOf returns the names of these runs.
func namesOf(rows []RunRow) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.Name
	}
	return names
}

// rows returns all runs of the folder as lists show them.
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

// listRunsForPages returns all runs as pages list them. For a large folder they may be some seconds old, and are nil
// while the folder is being read for the first time.
func (s *Server) listRunsForPages(ctx context.Context) ([]RunRow, error) {
	if !s.runs.HasManyRuns() {
		return s.rows(ctx)
	}
	latest := func() []RunRow {
		return memo.GetAndRefresh(s.listings, "rows", s.Now(), func() ([]RunRow, error) { return s.rows(s.ending) })
	}
	ctx, cancel := s.pageWaitContext(ctx)
	defer cancel()
	rows := latest()
	for rows == nil && ctx.Err() == nil {
		time.Sleep(20 * time.Millisecond)
		rows = latest()
	}
	return slices.Clone(rows), nil
}

// requestedRunRows returns all runs for a request: current ones for a call of the API, else those of listRunsForPages.
func (s *Server) requestedRunRows(r *http.Request) ([]RunRow, error) {
	if isAPI(r) {
		return s.rows(r.Context())
	}
	return s.listRunsForPages(r.Context())
}

// runReport returns the report of a run from its results.json. If that is missing or was written by an earlier version
// of gavel, or if the run's files were changed, it scores the records. It returns nil for a run in progress.
func (s *Server) runReport(ctx context.Context, run string) (*scoring.Report, error) {
	m, err := s.runs.Manifest(run)
	if err != nil || m.Status == judging.Running {
		return nil, err
	}
	now := s.runs.Stamps(run)
	return memo.Get(ctx, s.memo, "numbers "+run, now, func() (rep *scoring.Report, err error) {
		rep = s.runs.WrittenReport(run, m, now)
		if rep == nil || rep.ScoringVersion < scoring.Version || len(s.runs.AlteredFiles(run, m)) > len(m.Altered) {
			rep, err = s.runs.Score(run, "")
			if err != nil {
				return nil, err
			}
		}
		rep.Run = run
		s.cacheRunNumbers(run, "", now, rep)
		return rep, nil
	})
}

// stalledAfter is the time without a new record after which a run in progress counts as stalled. It exceeds the default
// time limit of a call to a model.
const stalledAfter = 15 * time.Minute

// jobs returns the jobs of this server, the newest first.
func (s *Server) jobs() []jobs.Job {
	if s.Runner == nil {
		return nil
	}
	return s.Runner.Jobs()
}

// activeJobs returns the jobs that have not ended.
func (s *Server) activeJobs() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool { return !j.Active() })
}

// requestedRunName returns the name of the run in a request's path, or an error if there is no such run.
func (s *Server) requestedRunName(r *http.Request) (string, error) {
	name := r.PathValue("run")
	_, err := s.runs.Manifest(name)
	return name, err
}

// lastMatchingJob returns the newest job for which match returns true; nil if there is none.
func (s *Server) lastMatchingJob(match func(jobs.Job) bool) *jobs.Job {
	for _, j := range s.jobs() {
		if match(j) {
			return &j
		}
	}
	return nil
}

// jobsWithoutRun returns the jobs without a run: jobs that are being prepared, and jobs that failed before their first
// run.
func (s *Server) jobsWithoutRun() []jobs.Job {
	return slices.DeleteFunc(s.jobs(), func(j jobs.Job) bool {
		return len(j.Runs) > 0 || !j.Active() && j.Error == ""
	})
}
