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
	return func(r *http.Request) { r.Header.Set(name, value) }
}

var asJSON, asForm = header("Content-Type", "application/json"), header("Content-Type", "application/x-www-form-urlencoded")

func asHost(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

// Somebody who still waits when the time is over is told so.
func TestTimeIsOver(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&slowRunner{}))
	s.patience = 20 * time.Millisecond
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

// What a page of another site sends is refused before anything else is looked at.
func TestCrossSitePosts(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&fakeRunner{}))
	form := url.Values{"action": {"start"}, "protocol": {"pairwise"}}.Encode()
	send := []func(*http.Request){asForm}
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"from the form", header("Sec-Fetch-Site", "same-origin"), 303},
		{"from no browser", func(*http.Request) {}, 303},
		{"from this origin", header("Origin", "http://127.0.0.1:7070"), 303},
		{"another site's", header("Sec-Fetch-Site", "cross-site"), 403},
		{"another port's", header("Sec-Fetch-Site", "same-site"), 403},
		{"another origin", header("Origin", "http://evil.example"), 403},
		{"another port of this machine", header("Origin", "http://127.0.0.1:8080"), 403},
		{"no origin", header("Origin", "null"), 403},
	} {
		if w := s.ask("POST", "/start", form, append(send, c.change)...); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.want)
		}
	}
	if w := s.ask("POST", "/start", form+"&csrf=of+a+page+of+before", send...); w.Code != 303 {
		t.Errorf("from a page of an earlier gavel: %d", w.Code)
	}
}

// JSON cannot be sent from another site without being asked for first; a form
// that looks like JSON can.
func TestAPIPostsAreJSON(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&fakeRunner{}))
	for kind, want := range map[string]int{"application/json": 202, "application/json; charset=utf-8": 202, "text/plain": 415, "application/x-www-form-urlencoded": 415, "": 415} {
		if w := s.ask("POST", "/api/v1/start", `{"protocol":"pairwise"}`, header("Content-Type", kind)); w.Code != want {
			t.Errorf("%q: %d, want %d", kind, w.Code, want)
		}
	}
	if w := s.ask("POST", "/start", "action=start", header("Content-Type", "text/plain")); w.Code != 415 {
		t.Errorf("a form that is none: %d", w.Code)
	}
}

func TestToken(t *testing.T) {
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token = token })
	for _, c := range []struct {
		name, target string
		change       func(*http.Request)
		want         int
	}{
		{"a page without", "/", header("Accept", "text/html"), 303},
		{"data without", "/api/v1/runs", func(*http.Request) {}, 401},
		{"health is free", "/healthz", func(*http.Request) {}, 200},
		{"with it", "/api/v1/runs", header("Authorization", "Bearer "+token), 200},
		{"as it is written", "/api/v1/runs", header("Authorization", "bearer "+token), 200},
		{"a wrong one", "/api/v1/runs", header("Authorization", "Bearer "+token+"x"), 401},
		{"another scheme", "/api/v1/runs", header("Authorization", "Basic "+token), 401},
		{"a made-up session", "/api/v1/runs", header("Cookie", "gavel_session=guessed"), 401},
	} {
		if w := s.ask("GET", c.target, "", c.change); w.Code != c.want {
			t.Errorf("%s: %d, want %d", c.name, w.Code, c.want)
		}
	}
}

// Every route but the free ones asks for the token: a new one cannot forget it.
func TestEveryRouteAsksForTheToken(t *testing.T) {
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token = token; o.Runner = &fakeRunner{} })
	free := 0
	for _, r := range allRoutes {
		if r.free {
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
	now := begun
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

// Strangers are shown where to sign in, and nothing that they could not open.
func TestStrangersAreShownNoWayIn(t *testing.T) {
	s := newSite(t, t.TempDir(), func(o *Options) { o.Token, o.Runner = token, &fakeRunner{} })
	links := func(target string, change ...func(*http.Request)) string {
		var to []string
		for _, a := range elements(parse(t, s.ask("GET", target, "", change...).Body.String()), "a") {
			to = append(to, attr(a, "href"))
		}
		return strings.Join(to, " ")
	}
	for target, change := range map[string]func(*http.Request){
		"/login": header("Accept", "text/html"), "/assets/none": header("Accept", "text/html"), "/start": asHost("evil.example"),
		"/login?to=/": header("Authorization", "Bearer "+token), // which would tell whether a token is right
	} {
		if got := links(target, change); strings.Trim(got, "#main/ ") != "" {
			t.Errorf("%s has links to %s", target, got)
		}
	}
	known := header("Authorization", "Bearer "+token)
	for _, target := range []string{"/", "/nowhere", "/runs/none"} {
		if got := links(target, known); !strings.Contains(got, "/compare /start ") || !strings.HasSuffix(got, "/api/v1/openapi.json") {
			t.Errorf("%s, let in, has links to %s", target, got)
		}
	}
	own := newSite(t, t.TempDir(), running(&fakeRunner{panics: "oh"}))
	if page := own.ask("GET", "/jobs/none", "").Body.String(); !strings.Contains(page, `href="/compare"`) {
		t.Errorf("a page that failed leads nowhere:\n%s", page)
	}
}

func TestHeaders(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	for _, target := range []string{"/", "/nowhere", "/api/v1/runs", "/healthz", "/api/v1/runs/none"} {
		h := s.ask("GET", target, "").Header()
		if h.Get("Content-Security-Policy") != policy || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" || h.Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", target, h)
		}
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %s", policy)
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

func TestMethods(t *testing.T) {
	s := newSite(t, t.TempDir(), running(&fakeRunner{}))
	for _, c := range []struct{ method, target string }{{"POST", "/"}, {"DELETE", "/runs/a"}, {"PUT", "/api/v1/runs"}, {"GET", "/jobs/a/stop"}} {
		if w := s.ask(c.method, c.target, "{}", asJSON); w.Code != 405 && w.Code != 404 && w.Code != 415 {
			t.Errorf("%s %s: %d", c.method, c.target, w.Code)
		}
	}
}
