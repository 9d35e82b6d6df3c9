package server

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gavel/internal/server/jobs"
)

const token = "correct-horse-battery"

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if name == "Host" { // which net/http keeps apart
			r.Host = value
		}
		r.Header.Set(name, value)
	}
}

var asJSON, asForm = header("Content-Type", "application/json"), header("Content-Type", "application/x-www-form-urlencoded")

// A client that still waits at the time limit gets an error.
func TestTimeIsOver(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&slowRunner{}))
	s.answerTimeout = 20 * time.Millisecond
	for target, want := range map[string]string{"/start": "<p", "/api/v1/offer": `"status": 503`} {
		if w := s.ask("GET", target, ""); w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "request timed out") || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}

// slowRunner waits until nobody does.
type slowRunner struct{ fakeRunner }

func (*slowRunner) Offer(ctx context.Context, _ string) (jobs.Offer, error) {
	<-ctx.Done()
	return jobs.Offer{}, ctx.Err()
}

// Every route but the free ones asks for the token: a new one cannot forget it.
func TestEveryRouteAsksForTheToken(t *testing.T) {
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token = token; o.Runner = &fakeRunner{} })
	free := 0
	for _, r := range s.routes() {
		if r.needsNoToken {
			free++
			continue
		}
		method, path, ok := strings.Cut(r.pattern, " ")
		if !ok {
			method, path = "GET", "/nowhere"
		}
		path = strings.NewReplacer("{$}", "", "{run}", "a", "{item}", "b", "{job}", "c", "{file}", "d").Replace(path)
		if w := s.ask(method, path, "{}", asJSON); w.Code != 401 {
			t.Errorf("%s: %d without a token", r.pattern, w.Code)
		}
	}
	if free != 4 {
		t.Errorf("%d routes are free: health, assets and the two of signing in are meant to be", free)
	}
}

func TestSignIn(t *testing.T) {
	now := testTime
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token = token; o.Now = func() time.Time { return now } })
	in := func(token string, change ...func(*http.Request)) *http.Response {
		form := url.Values{"token": {token}, "to": {"/compare"}}.Encode()
		return s.ask("POST", "/login", form, append(change, asForm)...).Result()
	}
	if r := in("wrong"); r.StatusCode != 401 || len(r.Cookies()) != 0 {
		t.Errorf("a wrong token: %d, cookies %v", r.StatusCode, r.Cookies())
	}
	r := in(token)
	if r.StatusCode != 303 || r.Header.Get("Location") != "/compare" || len(r.Cookies()) != 1 {
		t.Fatalf("the token: %d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	c := r.Cookies()[0]
	if behind := in(token, header("X-Forwarded-Proto", "https")).Cookies()[0]; c.Secure || !behind.Secure {
		t.Errorf("the cookie is for TLS alone: %v, and behind a proxy with TLS: %v", c.Secure, behind.Secure)
	}
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Value == token {
		t.Errorf("cookie %+v", c)
	}
	with := header("Cookie", c.Name+"="+c.Value)
	if w := s.ask("GET", "/", "", with); w.Code != 200 {
		t.Errorf("with the session: %d", w.Code)
	}
	out := header("Cookie", in(token).Cookies()[0].String())
	if w := s.ask("POST", "/logout", "", out, asForm); w.Code != 303 || s.ask("GET", "/api/v1/runs", "", out).Code != 401 {
		t.Errorf("signed out with %d, and the session is still good", w.Code)
	}
	now = now.Add(12*time.Hour + time.Minute)
	if w := s.ask("GET", "/api/v1/runs", "", with); w.Code != 401 {
		t.Errorf("with a session of yesterday: %d", w.Code)
	}
	for range 10 {
		in("wrong")
	}
	if r := in(token); r.StatusCode != 429 {
		t.Errorf("after too many wrong tokens: %d", r.StatusCode)
	}
	now = now.Add(2 * time.Minute)
	if r := in(token); r.StatusCode != 303 {
		t.Errorf("some minutes later: %d", r.StatusCode)
	}
}

func TestLongBodies(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&fakeRunner{}))
	long := strings.Repeat("x", maxBody+1)
	if w := s.ask("POST", "/api/v1/plan", `{"model":"`+long+`"}`, asJSON); w.Code != 413 {
		t.Errorf("JSON: %d", w.Code)
	}
	if w := s.ask("POST", "/start", "model="+long, asForm); w.Code != 413 {
		t.Errorf("a form: %d", w.Code)
	}
}

// A page that fails takes nothing else down, and tells whoever asked nothing of
// what went wrong inside.
func TestPanic(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&fakeRunner{panics: "a secret path"}))
	w := s.ask("GET", "/jobs/none", "")
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") || !strings.Contains(s.log.String(), "a secret path") {
		t.Errorf("%d\n%s\nlog: %s", w.Code, w.Body, s.log)
	}
}
