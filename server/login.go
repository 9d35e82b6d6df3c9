package server

import (
	"net/http"
	"net/url"
	"strings"

	"gavel/server/failure"
	"gavel/server/guard"
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
	if s.opts.Token == "" || s.guard.InSession(r) {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	s.pages.render(w, r, http.StatusOK, "login", loginView{To: guard.Here(r.URL.Query().Get("to"))})
	return nil
}

// login begins a session for who has the token.
func (s *Server) login(w http.ResponseWriter, r *http.Request) error {
	to := guard.Here(r.PostForm.Get("to"))
	if s.opts.Token == "" {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	switch err := s.guard.SignIn(w, r, strings.TrimSpace(r.PostForm.Get("token"))); {
	case err == guard.ErrNoToken:
		s.pages.render(w, r, http.StatusUnauthorized, "login", loginView{To: to, Wrong: "This is not the token."})
		return nil
	case err != nil:
		return err
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

func (s *Server) logout(w http.ResponseWriter, r *http.Request) error {
	s.guard.SignOut(w, r)
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}
