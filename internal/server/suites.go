package server

import (
	"context"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/races"
	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/scoring"
	"gavel/scoring/race"
)

// SuiteHead holds a suite as the list of suites shows it. A cell is the run of one judge under one condition: a
// protocol and dataset with settings that are the same for all judges.
type SuiteHead struct {
	Folder     string         `json:"folder" jsonschema:"folder of its runs, below the folder of runs"`
	Name       string         `json:"suite,omitempty" jsonschema:"its name"`
	Judges     []string       `json:"judges,omitempty"`
	Conditions int            `json:"conditions"`
	Cells      int            `json:"cells" jsonschema:"judges × conditions"`
	Statuses   map[string]int `json:"statuses" jsonschema:"number of runs by status; not begun counts cells without a run"`
	Job        string         `json:"job,omitempty" jsonschema:"id of the job that makes it now"`
	Says       string         `json:"says,omitempty" jsonschema:"the result in a sentence; left out before there is one"`
	Error      string         `json:"error,omitempty" jsonschema:"why its file cannot be read"`
}

// URL returns the address of the suite's page.
func (h SuiteHead) URL() string { return "/suites/" + url.PathEscape(h.Folder) }

// suitesView holds the list of the suites in the folder of runs.
type suitesView struct {
	Suites []SuiteHead `json:"suites"`
	Ended  string      `json:"search_ended,omitempty" jsonschema:"as in the list of runs"`

	Ranking bool `json:"-"` // some suites are still being ranked
}

// suiteRun holds a cell of a suite: the run of a judge under a condition (a protocol and dataset with settings). Begun
// is false as long as the run does not exist.
type suiteRun struct {
	Judge     string `json:"judge"`
	Condition string `json:"condition"`
	Begun     bool   `json:"begun"`
	RunRow
}

// SuiteView holds what a suite's page shows, and what the API returns for the suite.
type SuiteView struct {
	SuiteHead
	Runs      []suiteRun           `json:"runs"`
	Results   *report.SuiteRanking `json:"results" jsonschema:"as gavel suite results --format json; null without runs"`
	File      string               `json:"file" jsonschema:"YAML of the suite as it was run"`
	Progress  *Progress            `json:"progress,omitempty"`
	Race      *race.State          `json:"race,omitempty" jsonschema:"race of its runs, if one was begun"`
	LatestJob *jobs.Job            `json:"-"` // the job that makes the suite, or the last that did
}

// setResultSentence sets Says, the sentence on the suite's results: that of its race if it has one, else that of its
// ranking.
func (h *SuiteHead) setResultSentence(results *report.SuiteRanking, raced *race.State, runs []suiteRun) {
	if results != nil {
		h.Says = results.Says
	}
	if raced != nil && raced.Result != nil {
		h.Says = raceOf(raced, runs).Says
	}
}

// raceOf returns the race among a suite's runs in the form of pages, with the names of its judges.
func raceOf(s *race.State, runs []suiteRun) *races.Race {
	return races.FromState(s, func(run string) string {
		for _, cell := range runs {
			if path.Base(cell.Name) != run {
				continue
			}
			if cell.Condition != runs[0].Condition || cell.Condition != runs[len(runs)-1].Condition {
				return cell.Judge + " · " + cell.Condition
			}
			return cell.Judge
		}
		return run
	})
}

// Blocks returns the HTML of the tables and charts that rank the judges under each condition.
func (v SuiteView) Blocks() (template.HTML, error) {
	return doc.PageContext{Link: v.address, Terms: v.Results.Terms()}.RenderBlocks(v.Results.Blocks())
}

// RaceBlock returns the HTML of a chart of when each judge left the suite's race.
func (v SuiteView) RaceBlock() (template.HTML, error) {
	return doc.PageContext{Link: v.address}.RenderBlocks([]doc.Block{raceOf(v.Race, v.Runs).Block()})
}

// address returns the address of the page of the run that a reference names, by its name or the last part of its name;
// "" if the run has not begun or cannot be read.
func (v SuiteView) address(r doc.Ref) string {
	for _, cell := range v.Runs {
		if len(r.Runs) == 1 && path.Base(cell.Name) == path.Base(r.Runs[0]) && cell.Begun && cell.Error == "" {
			return cell.URL()
		}
	}
	return ""
}

// Finished returns the HTML of a bar that shows how many of the suite's runs have each status.
func (h SuiteHead) Finished() (template.HTML, error) {
	statuses := []string{
		judging.Complete, judging.StoppedByRule, judging.Running, judging.Interrupted, judging.Incomplete, report.Unreadable,
		damagedStatus, report.NotBegun,
	}
	bar := report.StatusBar(statuses, h.Statuses)
	return doc.PageContext{}.RenderBlocks([]doc.Block{bar})
}

// suitesView returns the list of suites.
func (s *Server) suitesView(r *http.Request) (suitesView, error) {
	if _, err := s.runs.List(); err != nil {
		return suitesView{}, err
	}
	ctx, cancel := s.pageWaitContext(r.Context())
	defer cancel()
	view := suitesView{Suites: []SuiteHead{}, Ended: s.runs.ListingWarning()}
	for _, folder := range s.runs.Suites() {
		suite, err := s.runs.Suite(folder)
		if err != nil {
			view.Suites = append(view.Suites, SuiteHead{Folder: folder, Statuses: map[string]int{}, Error: err.Error()})
			continue
		}
		head, runs := s.suiteRuns(r, folder, suite)
		results, err := s.ranking(ctx, folder, suite, runs)
		view.Ranking = view.Ranking || err != nil && ctx.Err() != nil
		head.setResultSentence(results, s.runs.Race(folder), runs)
		view.Suites = append(view.Suites, head)
	}
	return view, nil
}

// suiteRuns returns a suite as the list shows it, and its runs.
func (s *Server) suiteRuns(r *http.Request, folder string, suite *scoring.SuiteMatrix) (SuiteHead, []suiteRun) {
	head := SuiteHead{
		Folder:     folder,
		Name:       suite.Name,
		Judges:     suite.Judges,
		Conditions: len(suite.Conditions),
		Cells:      len(suite.Cells),
		Statuses:   map[string]int{},
	}
	for _, j := range s.activeJobs() {
		if j.Suite == folder {
			head.Job = j.ID
		}
	}
	runs := []suiteRun{}
	for _, c := range suite.Cells {
		name := path.Join(folder, c.Run)
		row := RunRow{RunHead: RunHead{Name: name, Status: report.NotBegun}}
		entry, begun := s.runs.Lookup(name)
		if begun {
			row = s.row(r.Context(), entry)
		}
		run := suiteRun{Judge: c.Judge, Condition: c.Condition, Begun: begun, RunRow: row}
		head.Statuses[run.Status]++
		runs = append(runs, run)
	}
	return head, runs
}

// suiteView returns the suite that a request names.
func (s *Server) suiteView(r *http.Request) (SuiteView, error) {
	folder := r.PathValue("suite")
	suite, err := s.runs.Suite(folder)
	if err != nil {
		return SuiteView{}, err
	}
	v := SuiteView{File: suite.FileText, LatestJob: s.lastMatchingJob(func(j jobs.Job) bool { return j.Suite == folder })}
	v.SuiteHead, v.Runs = s.suiteRuns(r, folder, suite)
	for _, run := range v.Runs {
		if run.Status == judging.Running {
			if p, err := s.progressOf(r.Context(), run.Name); err == nil && !p.Stalled {
				v.Progress = &p
			}
		}
	}
	v.Race = s.runs.Race(folder)
	v.Results, err = s.ranking(r.Context(), folder, suite, v.Runs)
	v.setResultSentence(v.Results, v.Race, v.Runs)
	return v, err
}

// ranking returns the ranking of the judges of a suite's runs; nil if no run has ended.
func (s *Server) ranking(
	ctx context.Context, folder string, suite *scoring.SuiteMatrix, runs []suiteRun,
) (*report.SuiteRanking, error) {
	state, some := s.suiteFilesState(suite, runs)
	if !some {
		return nil, nil
	}
	return memo.Get(ctx, s.memo, "ranking "+folder, state, func() (*report.SuiteRanking, error) {
		return report.NewRanking(suite, folder, s.loadEnded)
	})
}

// suiteFilesState returns a text that changes whenever a file of one of the suite's ended runs changes. some reports
// whether any run has ended.
func (s *Server) suiteFilesState(suite *scoring.SuiteMatrix, runs []suiteRun) (state string, some bool) {
	var b strings.Builder
	fmt.Fprintln(&b, suite.Name, suite.Judges, suite.Conditions)
	for _, run := range runs {
		fmt.Fprintln(&b, run.Name, run.Status, run.Begun)
		if run.Begun && run.Status != judging.Running {
			b.WriteString(s.filesState(run.Name))
			some = true
		}
	}
	return b.String(), some
}

// loadEnded reads the records of a run that has ended. For a run in progress it returns the manifest alone.
func (s *Server) loadEnded(name string) (*scoring.Run, error) {
	entry, ok := s.runs.Lookup(name)
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case entry.Err != nil:
		return nil, entry.Err
	case entry.Manifest.Status == judging.Running:
		return &scoring.Run{Manifest: entry.Manifest}, nil
	}
	return s.runs.Load(name, "")
}

// resumeSuite begins a job that continues the suite in a request's path, and returns the address of the job.
func (s *Server) resumeSuite(r *http.Request) (to string, err error) {
	folder := r.PathValue("suite")
	suite, err := s.runs.Suite(folder)
	if err != nil {
		return "", err
	}
	job, err := s.Runner.ResumeSuite(r.Context(), folder, suite.FileText)
	return jobURL(job.ID), err
}

// checkSuiteFolder returns an error if the folder is not that of a suite. It returns nil for a suite whose file is
// damaged.
func (s *Server) checkSuiteFolder(folder string) error {
	if _, err := s.runs.Suite(folder); err != nil && failure.Status(err) == http.StatusNotFound {
		return err
	}
	return nil
}

// deleteSuite deletes all runs in a suite's folder, and the file that makes it a suite.
func (s *Server) deleteSuite(folder string) error {
	if err := s.checkSuiteFolder(folder); err != nil {
		return err
	}
	defer s.runs.ForgetListing() // even if a part could not be deleted
	return s.Runner.DeleteSuite(folder)
}
