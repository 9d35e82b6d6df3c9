package guard

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// cookieName names the cookie with the id of a session.
const cookieName = "gavel_session"

// SessionTime is the time from signing in to the end of the session.
const SessionTime = 12 * time.Hour

const (
	maxSessions = 1000 // sessions in memory, and addresses in Guard.tries
	maxTries    = 10   // wrong tokens a minute from one address
)

// begin starts a session and returns its random id. It removes sessions that have ended, and others if there are too
// many.
func (g *Guard) begin() string {
	id := rand.Text()
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.Now()
	for k, until := range g.sessions {
		if now.After(until) || len(g.sessions) >= maxSessions {
			delete(g.sessions, k)
		}
	}
	g.sessions[id] = now.Add(SessionTime)
	return id
}

// SignIn starts a session for a client that sent the right token, and sets the session's cookie. For a wrong token it
// returns ErrNoToken.
func (g *Guard) SignIn(w http.ResponseWriter, r *http.Request, token string) error {
	if err := g.checkToken(r, token); err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: g.begin(), Path: "/", MaxAge: int(SessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r),
	})
	return nil
}

// SignOut ends the request's session and removes its cookie.
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

// session returns the id of the request's session; "" if the request has no cookie of a session that is still open.
func (g *Guard) session(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	until, ok := g.sessions[c.Value]
	if !ok || g.Now().After(until) {
		return ""
	}
	return c.Value
}

// encrypted reports whether the connection to the browser is encrypted, even if only a proxy's header says so. A client
// that sends a false header harms nobody but itself: its browser does not return the cookie.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// LocalPathOrRoot returns to if it is a path of this server, else "/". A link to the login page cannot lead to another
// site.
func LocalPathOrRoot(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") ||
		strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
