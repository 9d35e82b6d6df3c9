package server

import (
	"net/http"
	"net/url"
	"strings"

	"gavel/server/failure"
)

// refuse answers who is not let in: people are shown where to sign in.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if isAPI(r) || r.URL.Path == "/metrics" {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if isAPI(r) || failure.Status(err) != http.StatusUnauthorized || r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.fail(w, r, err)
		return
	}
	to := "/login"
	if r.URL.Path != "/" {
		to += "?to=" + url.QueryEscape(r.URL.RequestURI())
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

type loginView struct {
	To    string
	Wrong string
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) error {
	if s.opts.Token == "" || s.guard.session(r) != "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	s.pages.render(w, r, http.StatusOK, "login", loginView{To: here(r.URL.Query().Get("to"))})
	return nil
}

// login begins a session for who has the token.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	to := here(r.PostForm.Get("to"))
	if s.opts.Token == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	switch err := s.guard.check(r, strings.TrimSpace(r.PostForm.Get("token"))); {
	case err == errNoToken:
		s.pages.render(w, r, http.StatusUnauthorized, "login", loginView{To: to, Wrong: "This is not the token."})
		return nil
	case err != nil:
		return err
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: s.guard.begin(), Path: "/", MaxAge: int(sessionTime.Seconds()),
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r),
	})
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// encrypted tells whether the way to the browser is, by the word of a proxy too:
// whoever lies about it keeps only their own cookie from themselves.
func encrypted(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	s.guard.end(s.guard.session(r))
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}

// here keeps a way back within this server.
func here(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return "/"
	}
	return to
}
