package guard

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const cookieName = "gavel_session"

// SessionTime is the time after which a session ends.
const SessionTime = 12 * time.Hour

const (
	maxSessions = 1000
	maxTries    = 10 // wrong tokens a minute from one address
)

// begin starts a session and returns its id.
func (g *Guard) begin() string {
	id := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.opts.Now()
	for k, until := range g.sessions {
		if now.After(until) || len(g.sessions) >= maxSessions {
			delete(g.sessions, k)
		}
	}
	g.sessions[id] = now.Add(SessionTime)
	return id
}

// SignIn begins a session for a client with the token, and sets its cookie. For a wrong token it returns ErrNoToken.
func (g *Guard) SignIn(w http.ResponseWriter, r *http.Request, token string) error {
	if err := g.check(r, token); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: g.begin(), Path: "/", MaxAge: int(SessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r),
	})
	return nil
}

// SignOut ends the request's session.
func (g *Guard) SignOut(w http.ResponseWriter, r *http.Request) {
	id := g.session(r)
	g.mu.Lock()
	delete(g.sessions, id)
	g.mu.Unlock()
	http.SetCookie(w,
		&http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// InSession reports whether a request has a valid session.
func (g *Guard) InSession(r *http.Request) bool { return g.session(r) != "" }

// session returns the id of the request's session; "" without a valid one.
func (g *Guard) session(r *http.Request) string {
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

// encrypted reports whether the connection to the browser is encrypted, also if only a proxy's header says so: a client
// with a false header loses nothing but its own cookie.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// LocalPath returns an address if it is a path of this server, else "/".
func LocalPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") ||
		strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
