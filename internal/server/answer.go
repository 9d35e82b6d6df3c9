package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"gavel/internal/codec"
	"gavel/internal/server/failure"
	"gavel/internal/server/guard"
	"gavel/internal/server/jobs"
	"gavel/internal/server/markup"
	"gavel/internal/server/memo"
)

// Limits of requests.
const (
	maxBody      = 1 << 20
	maxHeader    = 64 << 10
	maxConns     = 1024
	maxConnsEach = 256              // of one address
	readTimeout  = 10 * time.Second // for headers and body
	writeTimeout = 60 * time.Second
	idleTimeout  = time.Minute
	requestTime  = 45 * time.Second // for everything but a stream
)

var errTooSlow = failure.New(http.StatusServiceUnavailable,
	"request timed out; use the command line for runs this large")

// guarded wraps a route with everything that is seen to before it is asked. The
// order matters: who may not ask is told nothing.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		original := r // r gets a context that has ended by the time of the next function
		w := &response{ResponseWriter: out}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.opts.Log("%s %s: %v\n%s", r.Method, markup.Shortened(r.URL.Path, 200), p, debug.Stack())
				if w.status == 0 {
					s.fail(w, original, memo.ErrPanic)
				}
			}
		}()
		for name, value := range commonHeaders {
			w.Header().Set(name, value)
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := cmp.Or(s.guard.Host(r), s.guard.SameOrigin(r)); err != nil {
			s.fail(w, r, err)
			return
		}
		if !rt.stream {
			ctx, cancel := context.WithTimeout(r.Context(), s.patience)
			defer cancel()
			r = r.WithContext(ctx)
		}
		if !rt.free {
			if err := s.guard.Known(r); err != nil {
				s.refuse(w, r, err)
				return
			}
			w.signedIn = true
		}
		if err := readForm(r); err != nil {
			s.fail(w, r, err)
			return
		}
		if !rt.free { // strangers' connections keep no place, whatever they send
			guard.Answering(r)
		}
		if err := rt.answer(s, w, r); err != nil {
			if r.Context().Err() != nil {
				err = errTooSlow // unless nobody listens any more
			}
			s.fail(w, original, err)
		}
	}
}

// response records what was answered, and whether the client is signed in: others are shown no links into the site.
// Only the token's middleware, which counts tries, checks a token.
type response struct {
	http.ResponseWriter
	status   int
	signedIn bool
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answer answers a request: with the view as a page or as JSON, or in the route's own way.
func (r route) answer(s *Server, w http.ResponseWriter, req *http.Request) error {
	if r.needs != nil && !r.needs(s.opts) {
		return r.without
	}
	if r.handle != nil {
		return r.handle(s, w, req)
	}
	if r.form != nil {
		to, err := r.form(s, req)
		if err != nil {
			return err
		}
		return seeOther(w, req, to)
	}
	v, err := r.view.make(s, req)
	if err != nil {
		return err
	}
	if r.isPage() {
		s.render(w, req, http.StatusOK, r.template, v)
		return nil
	}
	if job, ok := v.(jobs.Job); ok {
		w.Header().Set("Location", apiPath+"/jobs/"+url.PathEscape(job.ID))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(cmp.Or(r.status, http.StatusOK))
	return codec.WriteIndented(w, v)
}

// frame has the data of a page around its view.
type frame struct {
	View       any
	Name       string // of the page
	Version    string
	Start      bool // runs can be started
	Inside     bool // whoever asks was let in
	Session    bool // there is one to end
	Reloads    bool // some of it is still being made: live.js loads the page again, or else the browser
	Navigation []Option
}

// render answers with a page. It is made before a byte is sent, so that one that
// cannot be made is an error and no half page.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, view any) {
	to, _ := w.(*response)
	f := frame{
		View:       view,
		Name:       name,
		Version:    s.opts.Version,
		Start:      s.opts.Runner != nil,
		Inside:     to != nil && to.signedIn,
		Session:    s.guard.InSession(r),
		Navigation: s.navigation(name),
	}
	var b bytes.Buffer
	err := s.pages.templates[name].ExecuteTemplate(&b, "base", f)
	if bytes.Contains(b.Bytes(), []byte(" data-reload=")) {
		f.Reloads = true
		b.Reset()
		err = s.pages.templates[name].ExecuteTemplate(&b, "base", f)
	}
	if err != nil {
		s.opts.Log("page %s: %v", name, err)
		http.Error(w, memo.ErrPanic.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
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
	s.render(w, r, status, "error", errorView{
		Name:    http.StatusText(status),
		Message: err.Error(),
	})
}

// errorAnswer is the answer of a call of the API that fails.
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

// commonHeaders are set on every answer. A page loads nothing from elsewhere and has no script or style of its own.
var commonHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
		"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "same-origin", // with "no-referrer" the origin of our own forms would be "null"
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Cache-Control":                "no-store",
}

// readForm reads what is sent, and holds it to forms and, for programs, JSON. That nobody was
// made to send it by a page of another site is SameOrigin's business.
func readForm(r *http.Request) error {
	if err := guard.ReadBody(r); err != nil || r.Method != http.MethodPost {
		return err
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if isAPI(r) {
		if kind != "application/json" {
			return failure.New(http.StatusUnsupportedMediaType, "send JSON, with Content-Type: application/json")
		}
		return nil
	}
	if kind != "application/x-www-form-urlencoded" {
		return failure.New(http.StatusUnsupportedMediaType, "send a form")
	}
	if err := r.ParseForm(); err != nil {
		return failure.Bad("the form cannot be read")
	}
	r.PostForm.Del("csrf") // of a page of an earlier gavel
	return nil
}

// seeOther leads a browser on.
func seeOther(w http.ResponseWriter, r *http.Request, to string) error {
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// refuse answers who is not let in: people are shown where to sign in.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isAPI(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if isAPI(r) || failure.Status(err) != http.StatusUnauthorized || r.Method != http.MethodGet ||
		!strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.fail(w, r, err)
		return
	}
	to := "/login"
	if r.URL.Path != "/" {
		to += "?to=" + url.QueryEscape(r.URL.RequestURI())
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// loginView is the page on which people sign in.
type loginView struct {
	To    string
	Wrong string
}

// Hours of a session.
func (loginView) Hours() float64 { return guard.SessionTime.Hours() }

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Token == "" || s.guard.InSession(r) {
		return seeOther(w, r, "/")
	}
	s.render(w, r, http.StatusOK, "login", loginView{To: guard.Here(r.URL.Query().Get("to"))})
	return nil
}

// login begins a session for who has the token.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	to := guard.Here(r.PostForm.Get("to"))
	if s.opts.Token == "" {
		return seeOther(w, r, "/")
	}
	switch err := s.guard.SignIn(w, r, strings.TrimSpace(r.PostForm.Get("token"))); {
	case err == guard.ErrNoToken:
		s.render(w, r, http.StatusUnauthorized, "login", loginView{To: to, Wrong: "This is not the token."})
		return nil
	case err != nil:
		return err
	}
	return seeOther(w, r, to)
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	s.guard.SignOut(w, r)
	return seeOther(w, r, "/login")
}

// writeBy sets a later deadline for writing an answer than other answers have.
func writeBy(w http.ResponseWriter, deadline time.Time) error {
	err := http.NewResponseController(w).SetWriteDeadline(deadline)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	text, ok := s.pages.assets[name]
	if !ok {
		return failure.NotFound("there is no such file")
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, err := w.Write(text)
	return err
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	if _, err := s.runs.Stat("."); err != nil {
		return failure.New(http.StatusServiceUnavailable, "the folder of runs cannot be read")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// nothing answers at every address without a route.
func (s *Server) nothing(_ http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return failure.New(http.StatusMethodNotAllowed, "this address does not accept %s", markup.Visible(r.Method))
	}
	return failure.NotFound("there is nothing at this address")
}
