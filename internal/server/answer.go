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
	maxBody      = 1 << 20          // bytes
	maxHeader    = 64 << 10         // bytes
	maxConns     = 1024             // open connections
	maxConnsEach = 256              // open connections of one client address
	readTimeout  = 10 * time.Second // for headers and body
	writeTimeout = 60 * time.Second // for writing an answer
	idleTimeout  = time.Minute      // between two requests of a connection
	requestTime  = 45 * time.Second // for computing an answer, except for streams
)

// errRequestTimeout reports a request that was not answered within requestTime.
var errRequestTimeout = failure.New(http.StatusServiceUnavailable,
	"request timed out; use the command line for runs this large")

// guarded returns a handler that checks a request, and then answers it as rt says. The order of the checks matters: a
// client without access learns nothing.
func (s *Server) guarded(rt route) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		original := r // r below gets a context that has ended when the deferred function runs
		w := &response{ResponseWriter: out}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.Log("%s %s: %v\n%s", r.Method, markup.Shorten(r.URL.Path, 200), p, debug.Stack())
				if w.status == 0 {
					s.fail(w, original, memo.ErrPanic)
				}
			}
		}()
		for name, value := range commonHeaders {
			w.Header().Set(name, value)
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if err := cmp.Or(s.guard.CheckHost(r), s.guard.CheckOrigin(r)); err != nil {
			s.fail(w, r, err)
			return
		}
		if !rt.stream {
			ctx, cancel := context.WithTimeout(r.Context(), s.answerTimeout)
			defer cancel()
			r = r.WithContext(ctx)
		}
		if !rt.needsNoToken {
			if err := s.guard.Authorize(r); err != nil {
				s.refuse(w, r, err)
				return
			}
			w.signedIn = true
		}
		if err := readForm(r); err != nil {
			s.fail(w, r, err)
			return
		}
		if !rt.needsNoToken { // connections of clients without access keep no place
			guard.MarkBusy(r)
		}
		if err := rt.answer(s, w, r); err != nil {
			if r.Context().Err() != nil {
				err = errRequestTimeout // fail stays silent if the client has gone
			}
			s.fail(w, original, err)
		}
	}
}

// response is a ResponseWriter that records the status of the answer, and whether the client has access: pages for
// others have no links into the site. It does not check tokens itself, since the guard counts wrong ones.
type response struct {
	http.ResponseWriter
	status   int  // HTTP status; 0 before the answer begins
	signedIn bool // the client sent the token, or has a session
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

// Unwrap returns the wrapped writer to http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// answer answers a request with the view of the route, as a page or as JSON, or by the route's handler or form.
func (r route) answer(s *Server, w http.ResponseWriter, req *http.Request) error {
	if r.missingError != nil {
		return r.missingError
	}
	if r.handle != nil {
		return r.handle(w, req)
	}
	if r.form != nil {
		to, err := r.form(req)
		if err != nil {
			return err
		}
		return seeOther(w, req, to)
	}
	v, err := r.view.make(req)
	if err != nil {
		return err
	}
	if r.template != "" {
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

// frame holds the data of a page's template: the view, and what all pages show around it.
type frame struct {
	View      any    // what the route shows
	Name      string // name of the page's template
	Version   string // version of gavel
	Start     bool   // this server can start runs
	HasAccess bool   // the client has access
	Session   bool   // the client can sign out
	Reloads   bool   // a part is still being computed: the browser loads the page again, by live.js or by itself
	Labels    bool   // this server has labels
}

// render answers with the page called name. It builds the whole page before it sends the first byte, so that an error
// never leaves half a page.
func (s *Server) render(w http.ResponseWriter, r *http.Request, status int, name string, view any) {
	to, _ := w.(*response)
	f := frame{
		View:      view,
		Name:      name,
		Version:   s.Version,
		Start:     s.Runner != nil,
		HasAccess: to != nil && to.signedIn,
		Session:   s.guard.InSession(r),
		Labels:    s.Labels != "",
	}
	var b bytes.Buffer
	err := s.pages.templates[name].ExecuteTemplate(&b, "base", f)
	if bytes.Contains(b.Bytes(), []byte(" data-reload=")) {
		f.Reloads = true
		b.Reset()
		err = s.pages.templates[name].ExecuteTemplate(&b, "base", f)
	}
	if err != nil {
		s.Log("page %s: %v", name, err)
		http.Error(w, memo.ErrPanic.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// fail answers a request with an error: as a page, or as JSON for a call of the API. It logs errors with a status from
// 500.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	status := failure.Status(err)
	if r.Context().Err() != nil && status != http.StatusRequestTimeout { // net/http has ended the context
		return // the client has gone
	}
	if status >= 500 {
		s.Log("%s %s: %v", r.Method, markup.Shorten(r.URL.Path, 200), err)
	}
	v := errorView{Field: jobs.ErrorField(err), Message: err.Error(), Status: status, Name: http.StatusText(status)}
	if isAPI(r) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		codec.WriteIndented(w, errorAnswer{Error: v})
		return
	}
	s.render(w, r, status, "error", v)
}

// errorAnswer holds the JSON with which a failed call of the API is answered.
type errorAnswer struct {
	Error errorView `json:"error"`
}

// errorView holds an error as pages and the API show it. It has no name of its own, so that openapi.json describes it
// within errorAnswer.
type errorView = struct {
	Field   string `json:"field,omitempty" jsonschema:"field of the request that is wrong"`
	Message string `json:"message"`
	Status  int    `json:"status"`
	Name    string `json:"-"` // name of the status
}

// commonHeaders are set on every answer. Pages load scripts, styles and images from this server alone, and have no
// scripts or styles within their HTML.
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

// readForm reads the body of a POST request: JSON for a call of the API, else a form. The guard has already refused
// requests from pages of other sites.
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
		return failure.BadRequest("the form cannot be read")
	}
	r.PostForm.Del("csrf") // sent by pages of earlier versions
	return nil
}

// seeOther redirects a browser to another address of this server.
func seeOther(w http.ResponseWriter, r *http.Request, to string) error {
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// refuse answers a request without access: a browser is redirected to the page to sign in, others get the error.
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
	seeOther(w, r, to)
}

// loginView holds the data of the page on which people sign in.
type loginView struct {
	To    string // path to open afterwards
	Wrong string // error of the last try; "" for none
}

// Hours returns the hours after which a session ends.
func (loginView) Hours() float64 { return guard.SessionTime.Hours() }

// loginPage shows the form to sign in. It redirects clients that need not sign in.
func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) error {
	if s.Token == "" || s.guard.InSession(r) {
		return seeOther(w, r, "/")
	}
	s.render(w, r, http.StatusOK, "login", loginView{To: guard.LocalPathOrRoot(r.URL.Query().Get("to"))})
	return nil
}

// login begins a session for a browser that sends the right token, and redirects it to the page it came for.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	to := guard.LocalPathOrRoot(r.PostForm.Get("to"))
	if s.Token == "" {
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

// logout ends the browser's session.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	s.guard.SignOut(w, r)
	return seeOther(w, r, "/login")
}

// setWriteDeadline sets the time by which an answer must be written, for answers that take longer than writeTimeout.
func setWriteDeadline(w http.ResponseWriter, deadline time.Time) error {
	err := http.NewResponseController(w).SetWriteDeadline(deadline)
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// asset answers with a script, style or image of the pages. Browsers may keep it, since its name contains a hash of its
// content.
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

// healthz answers "ok" to programs that check whether the server works.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	if _, err := s.runs.Stat("."); err != nil {
		return failure.New(http.StatusServiceUnavailable, "the folder of runs cannot be read")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err := fmt.Fprintln(w, "ok")
	return err
}

// answerNotFound answers requests whose address or method belongs to no route.
func (s *Server) answerNotFound(_ http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return failure.New(http.StatusMethodNotAllowed, "this address does not accept %s", markup.MakeVisible(r.Method))
	}
	return failure.NotFound("there is nothing at this address")
}
