// Package server shows runs: pages for people, JSON for programs.
//
// It stands at the end of the flow, beside report, and reads what runs have written. It asks no model and writes no
// file: runs are made by the [Runner] that it is handed. Texts of models and datasets are taken for hostile, and so is
// whoever sends a request.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/internal/labels"
	"gavel/internal/server/failure"
	"gavel/internal/server/guard"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
	"gavel/internal/server/store"
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
	background *memo.Memo
	briefs     *memo.Memo // what the list of runs says of each
	listings   *memo.Memo // the rows of a large folder
	guard      *guard.Guard
	streams    chan struct{}   // a place for each that is listened to
	ending     context.Context // what is streamed ends with it
	end        context.CancelFunc
	pages      *pages
	patience   time.Duration // with a request
	mux        *http.ServeMux
}

// rememberedValues is how many values of whole runs are remembered.
const rememberedValues = 64

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
		opts:       o,
		now:        o.Now,
		runs:       runs,
		memo:       memo.New(rememberedValues, o.Now),
		background: memo.New(rememberedValues, o.Now),
		listings:   memo.New(1, o.Now),
		briefs:     memo.New(store.MaxFolders, o.Now),
		streams:    make(chan struct{}, maxStreams),
		patience:   requestTime,
		mux:        http.NewServeMux(),
	}
	for _, m := range []*memo.Memo{s.memo, s.background, s.listings} {
		m.Log = o.Log
	}
	runs.LogTo(o.Log)
	s.guard, err = guard.New(guard.Options{Token: o.Token, Loopback: o.Loopback, Hosts: o.Hosts, Now: o.Now})
	if err != nil {
		return nil, err
	}
	s.pages, err = loadPages(s)
	if err != nil {
		return nil, err
	}
	s.ending, s.end = context.WithCancel(context.Background())
	for _, r := range allRoutes {
		s.mux.HandleFunc(r.pattern, s.guarded(r))
	}
	return s, nil
}

// Close ends what is streamed, and lets go of the folder.
func (s *Server) Close() error {
	s.end()
	s.runs.End()
	s.memo.Wait()
	s.background.Wait()
	s.listings.Wait()
	return s.runs.Close()
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
		var answer errorAnswer
		answer.Error.Status = status
		answer.Error.Message = err.Error()
		answer.Error.Field = jobs.FieldOf(err)
		codec.WriteIndented(w, answer)
		return
	}
	s.pages.render(w, r, status, "error", errorView{
		Name:    http.StatusText(status),
		Message: err.Error(),
	})
}

// errorAnswer is what a call of the API answers that does not succeed.
type errorAnswer struct {
	Error struct {
		Field   string `json:"field,omitempty" jsonschema:"field of the request that is wrong"`
		Message string `json:"message"`
		Status  int    `json:"status"`
	} `json:"error"`
}

// errorView is the page of an error.
type errorView struct {
	Name    string
	Message string
}

func isAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

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
	return failure.NotFound("there is nothing at this address")
}

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
