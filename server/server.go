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

	"gavel/labels"
	"gavel/report"
	"gavel/report/table"
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
	Static   bool         // its pages are copied into files: nothing in them needs a server, and they wait for all they show
	Only     []string     // the runs of the folder that are shown; nil for all
	Metrics  *Metrics     // that whoever makes runs adds to; nil for some of its own
	Version  string
	Now      func() time.Time
	Log      func(format string, args ...any) // for the one who runs it
}

// Server answers requests. Make one with [New].
type Server struct {
	opts     Options
	now      func() time.Time
	runs     *store
	indexes  *lru[string, *index]
	scores   *lru[string, kept[stamps, scored]]
	summed   *lru[string, summed]
	listing  rowList
	letters  *letters
	compared *lru[string, kept[string, *scoring.Comparisons]]
	ranked   *lru[string, kept[string, *report.Ranking]]
	searches *lru[searchKey, []uint64]
	hardest  *lru[string, kept[string, []tally]]
	lessened *lru[string, kept[string, *without]]
	disputed *lru[string, kept[stamp, labels.Contested]]
	agreed   *lru[string, kept[string, table.Table]]
	scoring  sync.Mutex
	reading  chan struct{} // a place for each index that is read, or search that is made, at once
	guard    *guard
	metrics  *Metrics
	streams  chan struct{}   // a place for each that is listened to
	ending   context.Context // what is streamed ends with it
	end      context.CancelFunc
	prefetch *prefetcher
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
	runs, err := openStore(o.Runs, o.Now)
	if err != nil {
		return nil, fmt.Errorf("the folder of runs: %w", err)
	}
	runs.only = o.Only
	s := &Server{
		opts: o, now: o.Now, runs: runs,
		indexes: newLRU[string, *index](8), scores: newLRU[string, kept[stamps, scored]](16), summed: newLRU[string, summed](maxFolders),
		compared: newLRU[string, kept[string, *scoring.Comparisons]](8), ranked: newLRU[string, kept[string, *report.Ranking]](8), searches: newLRU[searchKey, []uint64](64), hardest: newLRU[string, kept[string, []tally]](8),
		lessened: newLRU[string, kept[string, *without]](64), disputed: newLRU[string, kept[stamp, labels.Contested]](1), agreed: newLRU[string, kept[string, table.Table]](1), reading: make(chan struct{}, 2), streams: make(chan struct{}, maxStreams), metrics: o.Metrics, patience: requestTime,
	}
	s.running.scores = newLRU[string, *soFar](64)
	if s.metrics == nil {
		s.metrics = NewMetrics()
	}
	if o.Static {
		s.patience = copyTime
	}
	if s.guard, err = newGuard(o); err != nil {
		return nil, err
	}
	if s.pages, err = loadPages(s); err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancel(context.Background())
	s.prefetch, s.letters = newPrefetcher(s), newLetters(s)
	s.mux, s.routes = http.NewServeMux(), s.table()
	for _, r := range s.routes {
		s.mux.HandleFunc(r.pattern, s.answer(r))
	}
	return s, nil
}

// Close ends what is streamed and what is prefetched, and lets go of the folder.
func (s *Server) Close() error {
	s.end()
	s.runs.close()
	s.prefetch.wait()
	s.letters.wait()
	s.running.work.Wait()
	return s.runs.root.Close()
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
		{pattern: "GET /runs/{run}/records.jsonl", handle: s.download("application/jsonl", ".jsonl", s.writeRecords), stream: true},
		{pattern: "GET /runs/{run}/figures/{file}", handle: s.writeFigure},
		{pattern: "GET /suites", handle: page(s, "suites", s.suitesView)},
		{pattern: "GET /suites/{suite}", handle: page(s, "suite", s.suiteView)},
		{pattern: "GET /compare", handle: page(s, "compare", s.compareView)},
		{pattern: "GET /compare/ticked", handle: s.compareTicked},
		{pattern: "GET /report", handle: s.reportTicked},
		{pattern: "GET /scores.csv", handle: s.scoresTicked},
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

// failure is an error with its HTTP status, in words for whoever asked.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

// unread is a failure to read what a run holds, with what it comes from.
type unread struct {
	failure
	from error
}

func (u *unread) Unwrap() []error { return []error{&u.failure, u.from} }

// unreadable says in words, the error among the last of them, why something cannot be read.
func unreadable(err error, format string, args ...any) error {
	return &unread{failure{http.StatusUnprocessableEntity, fmt.Sprintf(format, args...)}, err}
}

func bad(format string, args ...any) error {
	return &failure{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// statusOf an error.
func statusOf(err error) int {
	var f *failure
	if errors.As(err, &f) {
		return f.status
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	var coded interface{ Status() int }
	if errors.As(err, &coded) {
		return coded.Status()
	}
	return http.StatusInternalServerError
}

// fail answers with an error, as a page or as JSON.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody listens
	}
	status := statusOf(err)
	if status >= 500 {
		s.opts.Log("%s %s: %v", r.Method, shortened(r.URL.Path, 200), err)
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
	s.pages.render(w, r, status, "error", errorView{status, http.StatusText(status), err.Error()})
}

type errorView struct {
	Status  int
	Name    string
	Message string
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// page answers with a view laid out by the template of that name.
func page[T any](s *Server, name string, view func(*http.Request) (T, error)) func(http.ResponseWriter, *http.Request) error {
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
	if _, err := s.runs.root.Stat("."); err != nil {
		return &failure{http.StatusServiceUnavailable, "the folder of runs cannot be read"}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// nothing is what stands at every other address.
func (s *Server) nothing(_ http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return &failure{http.StatusMethodNotAllowed, fmt.Sprintf("this address does not accept %s", visible(r.Method))}
	}
	return &failure{http.StatusNotFound, "there is nothing at this address"}
}

// index of a run, up to date and held for reading until done is called.
func (s *Server) index(ctx context.Context, run string) (x *index, done func(), err error) {
	x, err = s.fresh(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	x.mu.RLock()
	if x.m == nil { // read by somebody else meanwhile, who found it damaged
		x.mu.RUnlock()
		return nil, nil, errChanged
	}
	return x, x.mu.RUnlock, nil
}

// fresh is an index that is up to date, or was brought there. Only who has something to read waits for a place.
func (s *Server) fresh(ctx context.Context, run string) (*index, error) {
	m, err := s.runs.manifest(run)
	if err != nil {
		s.indexes.drop(run)
		return nil, err
	}
	x := s.indexes.getOr(run, func() *index { return newIndex(s.runs, run) })
	if x.current(m) {
		return x, nil
	}
	done, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return x, x.refresh()
}

// read waits until records may be read; then they are, until done is called.
func (s *Server) read(ctx context.Context) (done func(), err error) {
	select {
	case s.reading <- struct{}{}:
		return func() { <-s.reading }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// summed is what the list of runs says of a run's numbers.
type summed struct {
	of        stamps
	headline  *scoring.Result
	diagnosis *scoring.Diagnosis
	outcomes  map[string]int
	warnings  int
	numbers   []report.Number
}
