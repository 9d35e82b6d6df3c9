package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/server/failure"
	"gavel/server/markup"
)

// guard decides who is let in. Each piece of middleware is a function of its own.
type guard struct {
	opts     Options
	token    [sha256.Size]byte
	origins  *http.CrossOriginProtection
	mu       sync.Mutex
	sessions map[string]time.Time   // until when each is good
	tries    map[string][]time.Time // of wrong tokens, of late, by the address they came from
}

// Limits of what is asked.
const (
	maxBody       = 1 << 20
	maxHeader     = 64 << 10
	maxConns      = 1024
	maxConnsEach  = 256 // of one address
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = time.Minute
	requestTime   = 45 * time.Second // for everything but a stream
	copyTime      = time.Hour        // for a page that is copied into a file

	sessionTime = 12 * time.Hour
	maxSessions = 1000
	maxTries    = 10 // wrong tokens a minute from one address
)

var errTooSlow = failure.New(http.StatusServiceUnavailable, "request timed out; use the command line for runs this large")

// MinToken is the length of the shortest token.
const MinToken = 16

func newGuard(o Options) (*guard, error) {
	if o.Token != "" && len(o.Token) < MinToken {
		return nil, fmt.Errorf("the token is too short: it needs at least %d characters", MinToken)
	}
	if o.Token == "" && (!o.Loopback || len(o.Hosts) > 0) {
		return nil, errors.New("access from other machines needs a token")
	}
	return &guard{opts: o, token: sha256.Sum256([]byte(o.Token)), origins: http.NewCrossOriginProtection(), sessions: map[string]time.Time{}, tries: map[string][]time.Time{}}, nil
}

// answer wraps a route with everything that is seen to before it is asked. The
// order matters: who may not ask is told nothing.
func (s *Server) answer(rt route) http.HandlerFunc {
	return func(out http.ResponseWriter, r *http.Request) {
		began, asked := s.now(), r // r gets a context that has ended by the time of the next function
		w := &response{ResponseWriter: out}
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.opts.Log("%s %s: %v\n%s", r.Method, markup.Shortened(r.URL.Path, 200), p, debug.Stack())
				if w.status == 0 {
					s.fail(w, asked, errors.New("gavel could not make this page; the server's log says why"))
				}
			}
			s.metrics.request(rt.pattern, w.status, s.now().Sub(began), rt.stream)
		}()
		s.headers(w)
		for _, check := range []func(*http.Request) error{s.guard.host, s.guard.sameOrigin} {
			if err := check(r); err != nil {
				s.fail(w, r, err)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		if !rt.stream {
			ctx, cancel := context.WithTimeout(r.Context(), s.patience)
			defer cancel()
			r = r.WithContext(ctx)
		}
		if !rt.free {
			if err := s.guard.known(r); err != nil {
				s.refuse(w, r, err)
				return
			}
			r, asked = markAuthenticated(r), markAuthenticated(asked)
		}
		if r.Method == http.MethodPost {
			if err := readForm(r); err != nil {
				s.fail(w, r, err)
				return
			}
		}
		if err := rt.handle(w, r); err != nil {
			if to, ok := s.elsewhere(r, err); ok {
				http.Redirect(w, r, to, http.StatusFound)
				return
			}
			if r.Context().Err() != nil {
				err = errTooSlow // unless nobody listens any more
			}
			s.fail(w, asked, err)
		}
	}
}

// authenticated marks the context of a request that the token's middleware let pass.
type authenticated struct{}

func markAuthenticated(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), authenticated{}, true))
}

// isAuthenticated tells whether the token's middleware let a request pass: strangers are shown no way into the site. It does not
// look at the token again, so that nothing but that middleware, which counts the tries, tells whether one is right.
func isAuthenticated(r *http.Request) bool { return r.Context().Value(authenticated{}) != nil }

// response remembers what was answered.
type response struct {
	http.ResponseWriter
	status int
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

// policy: nothing but what comes from here, and no script or style in a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func (s *Server) headers(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with "no-referrer" the origin of our own forms would be "null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

// host refuses names that this server does not go by: a page elsewhere could
// have its own name lead here (DNS rebinding). Addresses cannot be made to.
func (g *guard) host(r *http.Request) error {
	name := r.Host
	if h, _, err := net.SplitHostPort(r.Host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip, err := netip.ParseAddr(name); err == nil {
		if !g.opts.Loopback || ip.IsLoopback() {
			return nil
		}
	} else if name == "localhost" {
		return nil
	}
	for _, h := range g.opts.Hosts {
		if strings.EqualFold(h, name) {
			return nil
		}
	}
	return failure.New(http.StatusMisdirectedRequest, "this server does not accept the host name %q; whoever runs it can allow it with --host", markup.Shortened(name, 100))
}

// sameOrigin refuses what a page from elsewhere sends.
func (g *guard) sameOrigin(r *http.Request) error {
	if g.origins.Check(r) != nil {
		return failure.New(http.StatusForbidden, "this request came from a page of another site")
	}
	return nil
}

const cookieName = "gavel_session"

var errNoToken = failure.New(http.StatusUnauthorized, "this server needs a token: sign in, or send it as \"Authorization: Bearer TOKEN\"")

// known lets in who has the token, or a session that was begun with it.
func (g *guard) known(r *http.Request) error {
	if g.opts.Token == "" {
		return nil
	}
	if given, ok := bearer(r); ok {
		return g.check(r, given)
	}
	if g.session(r) != "" {
		return nil
	}
	return errNoToken
}

func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// right compares in a time that tells nothing, not even the length.
func (g *guard) right(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// check compares a token, unless too many wrong ones came from where it comes.
func (g *guard) check(r *http.Request, token string) error {
	from := hostOf(r.RemoteAddr)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opts.Now()
	tries := slices.DeleteFunc(g.tries[from], func(t time.Time) bool { return now.Sub(t) > time.Minute })
	switch {
	case len(tries) >= maxTries:
		return failure.New(http.StatusTooManyRequests, "too many wrong tokens: wait a minute")
	case g.right(token):
		return nil
	}
	if len(g.tries) >= maxSessions {
		clear(g.tries)
	}
	g.tries[from] = append(tries, now)
	return errNoToken
}

// begin starts a session for who has the token.
func (g *guard) begin() string {
	id := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opts.Now()
	for k, until := range g.sessions {
		if now.After(until) || len(g.sessions) >= maxSessions {
			delete(g.sessions, k)
		}
	}
	g.sessions[id] = now.Add(sessionTime)
	return id
}

// session is the id of the request's session; "" where it has none that is good.
func (g *guard) session(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	until, ok := g.sessions[c.Value]
	if !ok || g.opts.Now().After(until) {
		return ""
	}
	return c.Value
}

func (g *guard) end(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, id)
}

// readForm holds what is sent to forms and, for programs, JSON. That nobody was
// made to send it by a page of another site is sameOrigin's business.
func readForm(r *http.Request) error {
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
		if failure.Status(err) == http.StatusRequestEntityTooLarge {
			return err
		}
		return failure.Bad("the form cannot be read")
	}
	r.PostForm.Del("csrf") // of a page of an earlier gavel
	return nil
}
