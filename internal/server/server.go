// Package server shows runs: pages for people, JSON for programs.
//
// It stands at the end of the flow, beside report, and reads what runs have written. It asks no model and writes no
// file: runs are made by the [Runner] that it is handed. Texts of models and datasets are taken for hostile, and so is
// whoever sends a request.
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

// Options of a server.
type Options struct {
	Runs     string       // the folder of runs
	Token    string       // whoever asks must have it; "" for none
	Loopback bool         // it listens on this machine's own address alone
	Hosts    []string     // names that it may be asked under, beside its addresses
	Runner   RunMaker     // makes runs; nil: this server only shows them
	Desk     *labels.Desk // hands items out to be labelled; nil for none
	Labels   string       // the file of people's labels that judges are held against; "" for none
	Version  string
	// Connections is how many there may be at once, where that is fewer than gavel would take; 0 for those.
	Connections int
	Now         func() time.Time
	Log         func(format string, args ...any) // for the one who runs it

	pageWait time.Duration // how long a page waits for what is made beside it; 0 for [pageWait]
}

// RunMaker makes runs. Its methods may be called from many goroutines. Their errors are in words for whoever asked; one
// of package failure has a status.
type RunMaker interface {
	// Offer is what can be chosen from for runs of a protocol, the first where it is "".
	Offer(ctx context.Context, protocol string) (jobs.Offer, error)
	// Plan says what a run would ask, and asks nothing.
	Plan(ctx context.Context, o jobs.JobRequest) (jobs.Planned, error)
	// Start begins to make a run, or to go on with one.
	Start(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// Resume begins to go on with a run of the folder.
	Resume(ctx context.Context, run string) (jobs.Job, error)
	// PlanSuite says what a suite would ask, and asks nothing.
	PlanSuite(ctx context.Context, o jobs.JobRequest) (jobs.SuitePlanned, error)
	// StartSuite begins to make the runs of a suite, or to go on with them.
	StartSuite(ctx context.Context, o jobs.JobRequest) (jobs.Job, error)
	// ResumeSuite begins to go on with the suite of a folder, whose file has this text.
	ResumeSuite(ctx context.Context, folder, file string) (jobs.Job, error)
	// Stop ends a job gently: what is in flight is waited for and kept.
	Stop(id string) error
	// Jobs lists what was started, the newest first.
	Jobs() []jobs.Job
	// Describe keeps what people say of a run.
	Describe(run string, details judging.About) error
	// Delete removes a run that nobody is writing to.
	Delete(run string) error
	// DeleteSuite removes a suite with all runs in its folder.
	DeleteSuite(folder string) error
}

// pageWait is how long a page waits for what is made beside it. Then it says what is missing, and is loaded again.
const pageWait = 2 * time.Second

// briefly is the context of a part of a page that is made beside it.
func (s *Server) briefly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, cmp.Or(s.opts.pageWait, pageWait))
}

// Server answers requests. Make one with [New].
type Server struct {
	opts Options
	now  func() time.Time
	runs *store.Store
	memo *memo.Memo // what is made of whole runs
	// background is what is made beside the pages, which show what there is.
	background  *memo.Memo
	listNumbers *memo.Memo // the numbers of runs that lists show
	listings    *memo.Memo // the rows of a large folder
	guard       *guard.Guard
	streams     chan struct{}   // a place for each that is listened to
	ending      context.Context // what is streamed ends with it
	end         context.CancelFunc
	pages       *pages
	patience    time.Duration // with a request
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
		quoted[i] = datasets.Quoted(word)
	}
	return strings.Join(quoted, " ")
}
