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

	"gavel/datasets"
	"gavel/internal/labels"
	"gavel/internal/server/guard"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
	"gavel/judging"
)

// Options holds the settings of a server.
type Options struct {
	Runs     string       // folder of the runs
	Token    string       // needed by every client; "" for none
	Loopback bool         // the server listens on loopback addresses only
	Hosts    []string     // accepted host names, besides the server's addresses
	Runner   RunMaker     // makes runs; nil if this server only shows them
	Desk     *labels.Desk // hands out items to label; nil for none
	Labels   string       // file of the labels that judges are compared with; "" for none
	Version  string
	// Connections limits the connections at once; 0 for the default.
	Connections int
	Now         func() time.Time
	Log         func(format string, args ...any) // for whoever runs the server

	pageWait time.Duration // see [pageWait], the default
}

// A RunMaker makes runs. Its methods may be called from many goroutines. Their errors are shown to the client; an error
// of package failure sets the status.
type RunMaker interface {
	// Offer returns the choices for a run of a protocol, the first protocol if it is "".
	Offer(ctx context.Context, protocol string) (jobs.Offer, error)
	// Plan returns what a run would ask, and asks nothing.
	Plan(ctx context.Context, o jobs.JobRequest) (jobs.Planned, error)
	// Start begins a job that makes or continues a run.
	Start(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// Resume begins a job that continues a run of the folder.
	Resume(ctx context.Context, run string) (jobs.Job, error)
	// PlanSuite returns what a suite would ask, and asks nothing.
	PlanSuite(ctx context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error)
	// StartSuite begins a job that makes or continues the runs of a suite.
	StartSuite(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// ResumeSuite begins a job that continues the suite of a folder; file is the text of its YAML.
	ResumeSuite(ctx context.Context, folder, file string) (jobs.Job, error)
	// Stop ends a job after the requests in flight, the second time at once.
	Stop(id string) error
	// Jobs returns the jobs, the newest first.
	Jobs() []jobs.Job
	// Describe stores the name, tags and note that people gave a run.
	Describe(run string, details judging.About) error
	// Delete removes a run that no program is writing to.
	Delete(run string) error
	// DeleteSuite removes a suite with all runs in its folder.
	DeleteSuite(folder string) error
}

// pageWait is the time for which a page waits for background work. Then it says what is missing, and is loaded again.
const pageWait = 2 * time.Second

// briefly returns a context that ends after pageWait, for a page's background work.
func (s *Server) briefly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(s.opts.pageWait, pageWait))
}

// A Server answers requests. [New] returns one.
type Server struct {
	opts Options
	now  func() time.Time
	runs *store.Store
	memo *memo.Memo // values computed from whole runs, for which pages wait
	// background has the values for which pages wait briefly.
	background  *memo.Memo
	listNumbers *memo.Memo // numbers of runs in lists
	listings    *memo.Memo // rows of a large folder
	guard       *guard.Guard
	streams     chan struct{}   // a place for each open stream
	ending      context.Context // ends with the server, and streams with it
	end         context.CancelFunc
	pages       *pages
	patience    time.Duration // time limit of a request
	mux         *http.ServeMux
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// folder returns the path of a run's folder, for commands shown on pages.
func (s *Server) folder(run string) string {
	return filepath.Join(s.opts.Runs, filepath.FromSlash(run))
}

// shellLine quotes the words of a command for a shell.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = datasets.ShellQuote(word)
	}
	return strings.Join(quoted, " ")
}
