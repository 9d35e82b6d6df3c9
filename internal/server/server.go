// Package server shows runs: pages for people, JSON for programs.
//
// It stands at the end of the flow, beside report, and reads the files of runs. It asks no model and writes no file: a
// [RunMaker] makes the runs. Texts of models and datasets count as hostile, and so do requests.
package server

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"gavel/internal/labels"
	"gavel/internal/server/guard"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
)

// Options holds the settings of a server.
type Options struct {
	guard.Options // which requests are answered; and the clock

	Dir     string       // folder of the runs
	Runner  RunMaker     // makes runs; nil if this server only shows them
	Desk    *labels.Desk // hands out items to label; nil for none
	Labels  string       // file of the labels that judges are compared with; "" for none
	Version string       // version of gavel
	// MaxConnections limits the open connections; 0 for the default.
	MaxConnections int
	Log            func(format string, args ...any) // log for whoever runs the server

	pageWait time.Duration // time for which pages wait for background work; 0 for [pageWait]
}

// A RunMaker makes runs. Its methods may be called from many goroutines. Their errors are shown to the client; an error
// of package failure sets the status.
type RunMaker interface {
	// Offer returns the choices of the form for a new run of a protocol; "" stands for the first protocol.
	Offer(ctx context.Context, protocol string) (jobs.Offer, error)
	// Plan returns what a run would ask its judge, and asks nothing.
	Plan(ctx context.Context, o jobs.JobRequest) (jobs.Planned, error)
	// Start begins a job that makes or continues a run.
	Start(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// Resume begins a job that continues a run of the folder.
	Resume(ctx context.Context, run string) (jobs.Job, error)
	// PlanSuite returns what the runs of a suite would ask their judges, and asks nothing.
	PlanSuite(ctx context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error)
	// StartSuite begins a job that makes or continues the runs of a suite.
	StartSuite(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// ResumeSuite begins a job that continues the suite in a folder; file is the text of the suite's YAML file.
	ResumeSuite(ctx context.Context, folder, file string) (jobs.Job, error)
	// Stop ends a job after its requests in flight; when called again, it gives them up.
	Stop(id string) error
	// Jobs returns the jobs, the newest first.
	Jobs() []jobs.Job
	// Describe stores the name, tags and note that people gave a run.
	Describe(run string, details judging.RunDescription) error
	// Delete removes a run, unless a process is writing to it.
	Delete(run string) error
	// DeleteSuite removes a suite with all runs in its folder.
	DeleteSuite(folder string) error
}

// pageWait is the time for which a page waits for background work. Then it says what is missing, and is loaded again.
const pageWait = 2 * time.Second

// pageWaitContext returns a context that ends after the time for which a page waits for background work.
func (s *Server) pageWaitContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(s.pageWait, pageWait))
}

// A Server answers requests. [New] returns one.
type Server struct {
	Options

	runs *store.Store // reads the folder of runs
	memo *memo.Memo   // values computed from whole runs, for which pages wait
	// backgroundMemo has values that are computed in the background, for which pages wait briefly.
	backgroundMemo *memo.Memo
	runNumbersMemo *memo.Memo // numbers of runs in lists and leaderboards
	listings       *memo.Memo // the list of runs of a large folder
	guard          *guard.Guard
	streamSlots    chan struct{}      // semaphore of the open streams of events
	ending         context.Context    // ends when the server closes, and ends all streams
	end            context.CancelFunc // ends ending
	pages          *pages
	answerTimeout  time.Duration // time limit for computing an answer
	mux            *http.ServeMux
}

// isAPI reports whether a request is a call of the API, and not one of a page.
func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// folder returns the path of a run's folder, for commands that pages show.
func (s *Server) folder(run string) string {
	return filepath.Join(s.Dir, filepath.FromSlash(run))
}
