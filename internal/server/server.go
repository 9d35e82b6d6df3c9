// Package server shows runs: pages for people, JSON for programs, metrics for Prometheus.
//
// It stands at the end of the flow, beside report, and reads what runs have written. It asks no model and writes no
// file: runs are made by the [Runner] that it is handed. Texts of models and datasets are taken for hostile, and so is
// whoever sends a request.
package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/internal/labels"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/guard"
	"gavel/internal/server/kept"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/scoring"
)

// Options of a server.
type Options struct {
	Runs     string       // the folder of runs
	Token    string       // whoever asks must have it; "" for none
	Loopback bool         // it listens on this machine's own address alone
	Hosts    []string     // names that it may be asked under, beside its addresses
	Runner   Runner       // makes runs; nil: this server only shows them
	Desk     *labels.Desk // hands items out to be labelled; nil for none
	Labels   string       // the file of people's labels that judges are held against; "" for none
	Metrics  *Metrics     // that whoever makes runs adds to; nil for some of its own
	Version  string
	// Connections is how many there may be at once, where that is fewer than gavel would take; 0 for those.
	Connections int
	Now         func() time.Time
	Log         func(format string, args ...any) // for the one who runs it

	letterWait time.Duration // how long a page waits for the letters of its leaderboard, if not as long as usual
}

// Server answers requests. Make one with [New].
type Server struct {
	opts     Options
	now      func() time.Time
	runs     *store.Store
	scores   *kept.LRU[string, kept.Value[store.Stamps, scored]]
	summed   *kept.LRU[string, summed]
	listing  rowList
	letters  *letters
	compared *kept.LRU[string, kept.Value[string, *scoring.Comparisons]]
	ranked   *kept.LRU[string, kept.Value[string, *report.Ranking]]
	hardest  *kept.LRU[string, kept.Value[string, []tally]]
	agreed   *kept.LRU[string, kept.Value[string, table.Table]]
	scoring  sync.Mutex
	guard    *guard.Guard
	metrics  *Metrics
	streams  chan struct{}   // a place for each that is listened to
	ending   context.Context // what is streamed ends with it
	end      context.CancelFunc
	running  running
	pages    *pages
	patience time.Duration // with a request
	mux      *http.ServeMux
	routes   []route
}

// route is a line of the server's table.
type route struct {
	pattern string
	handle  func(http.ResponseWriter, *http.Request) error
	free    bool // needs no token
	stream  bool // goes on for as long as it is listened to
}

// New makes a server of a folder of runs.
func New(o Options) (*Server, error) {
	if o.Now == nil || o.Log == nil {
		return nil, errors.New("a server needs a clock and somebody to tell")
	}
	runs, err := store.Open(o.Runs, o.Now)
	if err != nil {
		return nil, fmt.Errorf("the folder of runs: %w", err)
	}
	s := &Server{
		opts:     o,
		now:      o.Now,
		runs:     runs,
		scores:   kept.NewLRU[string, kept.Value[store.Stamps, scored]](16),
		summed:   kept.NewLRU[string, summed](store.MaxFolders),
		compared: kept.NewLRU[string, kept.Value[string, *scoring.Comparisons]](8),
		ranked:   kept.NewLRU[string, kept.Value[string, *report.Ranking]](8),
		hardest:  kept.NewLRU[string, kept.Value[string, []tally]](8),
		agreed:   kept.NewLRU[string, kept.Value[string, table.Table]](1),
		streams:  make(chan struct{}, maxStreams),
		metrics:  o.Metrics,
		patience: requestTime,
	}
	s.running.scores = kept.NewLRU[string, *soFar](64)
	if s.metrics == nil {
		s.metrics = NewMetrics()
	}
	s.guard, err = guard.New(guard.Options{Token: o.Token, Loopback: o.Loopback, Hosts: o.Hosts, Now: o.Now})
	if err != nil {
		return nil, err
	}
	s.pages, err = loadPages(s)
	if err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.letters = newLetters(s)
	s.mux, s.routes = http.NewServeMux(), s.table()
	for _, r := range s.routes {
		s.mux.HandleFunc(r.pattern, s.answer(r))
	}
	return s, nil
}

// Close ends what is streamed, and lets go of the folder.
func (s *Server) Close() error {
	s.end()
	s.runs.End()
	s.letters.wait()
	s.running.work.Wait()
	return s.runs.Close()
}

// table lists everything that can be asked for.
func (s *Server) table() []route {
	routes := []route{
		{pattern: "GET /{$}", handle: page(s, "runs", s.runsView)},
		{pattern: "GET /runs/{run}", handle: page(s, "run", s.runView)},
		{pattern: "GET /runs/{run}/items", handle: page(s, "items", s.itemsView)},
		{pattern: "GET /runs/{run}/items/{item}", handle: page(s, "item", s.itemView)},
		{pattern: "GET /runs/{run}/item", handle: page(s, "item", s.itemView)},
		{pattern: "GET /runs/{run}/events", handle: s.runEvents, stream: true},
		{pattern: "GET /runs/{run}/report.html", handle: s.download("text/html; charset=utf-8", ".html", s.writeReport)},
		{pattern: "GET /runs/{run}/results.csv", handle: s.download("text/csv; charset=utf-8", ".csv", s.writeCSV)},
		{
			pattern: "GET /runs/{run}/records.jsonl",
			handle:  s.download("application/jsonl", ".jsonl", s.writeRecords),
			stream:  true,
		},
		{pattern: "GET /runs/{run}/figures/{file}", handle: s.writeFigure},
		{pattern: "GET /suites", handle: page(s, "suites", s.suitesView)},
		{pattern: "GET /suites/{suite}", handle: page(s, "suite", s.suiteView)},
		{pattern: "GET /compare", handle: page(s, "compare", s.compareView)},
		{pattern: "GET /compare/item", handle: page(s, "compare-item", s.compareItemView)},
		{pattern: "GET /compare/figures/{file}", handle: s.compareFigure},
		{pattern: "GET /hardest", handle: page(s, "hardest", s.hardestView)},
		{pattern: "GET /hardest/item", handle: page(s, "across", s.acrossView)},

		{pattern: "GET /api/v1/runs", handle: data(s.runsView)},
		{pattern: "GET /api/v1/runs/{run}", handle: data(s.runView)},
		{pattern: "GET /api/v1/runs/{run}/items", handle: data(s.itemsView)},
		{pattern: "GET /api/v1/runs/{run}/items/{item}", handle: data(s.itemView)},
		{pattern: "GET /api/v1/runs/{run}/status", handle: data(s.statusView)},
		{pattern: "GET /api/v1/suites", handle: data(s.suitesView)},
		{pattern: "GET /api/v1/suites/{suite}", handle: data(s.suiteView)},
		{pattern: "GET /api/v1/compare", handle: data(s.compareView)},
		{pattern: "GET /api/v1/compare/item", handle: data(s.compareItemView)},
		{pattern: "GET /api/v1/openapi.json", handle: s.openAPI},

		{pattern: "GET /metrics", handle: s.serveMetrics},
		{pattern: "GET /healthz", handle: s.healthz, free: true},
		{pattern: "GET /assets/{file}", handle: s.asset, free: true},
		{pattern: "GET /login", handle: s.loginPage, free: true},
		{pattern: "POST /login", handle: s.login, free: true},
		{pattern: "POST /logout", handle: s.logout},
		{pattern: "/", handle: s.nothing},
	}
	return slices.Concat(routes, s.labelTable(), s.runnerTable())
}

// fail answers with an error, as a page or as JSON.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := failure.Status(err)
	if r.Context().Err() != nil && status != http.StatusRequestTimeout { // whose context net/http has ended
		return // nobody listens
	}
	if status >= 500 {
		s.opts.Log("%s %s: %v", r.Method, markup.Shortened(r.URL.Path, 200), err)
	}
	if isAPI(r) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		said := map[string]any{"status": status, "message": err.Error()}
		var at interface{ Field() string }
		if errors.As(err, &at) && at.Field() != "" {
			said["field"] = at.Field()
		}
		report.WriteJSON(w, map[string]any{"error": said})
		return
	}
	s.pages.render(w, r, status, "error", errorView{
		Status:  status,
		Name:    http.StatusText(status),
		Message: err.Error(),
	})
}

type errorView struct {
	Status  int
	Name    string
	Message string
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// page answers with a view laid out by the template of that name.
func page[T any](
	s *Server, name string, view func(*http.Request) (T, error),
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := view(r)
		if err != nil {
			return err
		}
		s.pages.render(w, r, http.StatusOK, name, v)
		return nil
	}
}

// data answers with the same view as JSON.
func data[T any](view func(*http.Request) (T, error)) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, err := view(r)
		if err != nil {
			return err
		}
		return writeData(w, http.StatusOK, v)
	}
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	if _, err := s.runs.Stat("."); err != nil {
		return failure.New(http.StatusServiceUnavailable, "the folder of runs cannot be read")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// nothing is what stands at every other address.
func (s *Server) nothing(_ http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return failure.New(http.StatusMethodNotAllowed, "this address does not accept %s", markup.Visible(r.Method))
	}
	return failure.New(http.StatusNotFound, "there is nothing at this address")
}

// summed is what the list of runs says of a run's numbers.
type summed struct {
	of        store.Stamps
	headline  *scoring.Result
	diagnosis *scoring.Diagnosis
	outcomes  map[string]int
	warnings  int
	numbers   []report.Number
}
