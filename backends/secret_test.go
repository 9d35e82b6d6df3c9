package backends

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"gavel/internal/trials"
)

// TestKeyIsNotSaidAgain: answers that echo the key in some writing, "raw" where they are no HTTP, and what is made of
// them where a question or a list is asked for. Nothing of the key is in that, nor in the errors beneath.
func TestKeyIsNotSaidAgain(t *testing.T) {
	const key = `sk-proj/"Ab+12345`
	trials.RunCases(t, "secrets.txt", func(t *testing.T, input []string) []string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			sent := r.Header.Get("Authorization")
			written, escapes := string(mustJSON(sent)), ""
			for _, c := range sent {
				escapes += fmt.Sprintf(`\u%04X`, c)
			}
			written = written[1 : len(written)-1]
			half := strings.Index(written, "12345")
			status, body, _ := strings.Cut(strings.NewReplacer("PLAIN", sent, "QUERY", url.QueryEscape(sent),
				"PATH", url.PathEscape(sent), "SOME", strings.NewReplacer("+", `\u002B`, "/", `\/`).Replace(written),
				"ALL", escapes, "TWICE", string(mustJSON(strings.NewReplacer("+", `\u002b`, `"`, `\"`).Replace(sent))),
				"JSON", written, "FIRST", written[:half], "SECOND", written[half:]).Replace(input[0]), " ")
			number, err := strconv.Atoi(status)
			switch {
			case r.URL.Path != "/v1/chat/completions" && r.URL.Path != "/v1/models":
				http.NotFound(w, r)
			case err != nil:
				conn, _, _ := w.(http.Hijacker).Hijack()
				fmt.Fprint(conn, body+"\r\n\r\n")
				conn.Close()
			default:
				w.Header().Set("Location", body)
				w.WriteHeader(number)
				fmt.Fprint(w, body)
			}
		}))
		defer s.Close()
		o := NewOpenAI(s.URL, key, NewHTTPClient(1))
		req := question
		req.Messages = []Message{{RoleUser, "who?"}}
		resp, err := o.Ask(t.Context(), req)
		models, merr := o.Models(t.Context())
		resp.Took = 0
		results := []string{
			fmt.Sprintf("asked: %s %v", mustJSON(resp), err),
			fmt.Sprintf("listed: %s %v", mustJSON(models), merr),
		}
		all := strings.Join(results, " ")
		for e := err; e != nil; e, _ = unwrapped(e) {
			all += e.Error()
		}
		if all = unescape(all); strings.Contains(all, "Ab+12345") || strings.Contains(all, "Ab%2B12345") {
			t.Errorf("the key is in %s", all)
		}
		return results
	})
}

func unwrapped(err error) (error, bool) {
	u, ok := err.(interface{ Unwrap() error })
	if !ok {
		return nil, false
	}
	return u.Unwrap(), true
}

// A key in base64 is hidden wherever it stands in what is encoded, but for the letters that it shares with what is
// beside it.
func TestKeyInBase64(t *testing.T) {
	for _, key := range []string{`sk-proj/"Ab`, `sk-proj/"Ab+`, "??>>~~??>>~~??>>", "sk-" + strings.Repeat("aZ9-", 12) + "e", "clé de la ferme"} {
		req, _ := http.NewRequest("GET", "http://localhost", nil)
		req.Header.Set("Authorization", "Bearer "+key)
		forms := redactor(req)
		for _, before := range []string{"", "a", "ab", "abc", "user:", "user-x:"} {
			for _, after := range []string{"", "z", "zy", "zyx"} {
				for name, encode := range map[string]func(string) string{
					"standard": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
					"of URLs":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
					"in a URL": func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
					"in JSON": func(s string) string {
						return strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
					},
				} {
					text := "said " + encode(before+key+after) + " to me"
					got := redact(forms, text)
					if len(key) < minBase64KeyLength {
						if got != text {
							t.Errorf("%q, short: %s", key, got)
						}
						continue
					}
					rest := strings.NewReplacer(redacted, "", "%3D", "", "=", "").Replace(got)
					if !strings.Contains(got, redacted) || !strings.HasPrefix(got, "said ") || !strings.HasSuffix(got, " to me") || len(rest) > len("said  to me")+len(encode(before))+len(encode(after))+2 {
						t.Errorf("%q after %q, %s: %s of %s", key, before, name, got, text)
					}
				}
			}
		}
		if text := "nothing of it: " + base64.StdEncoding.EncodeToString([]byte("another one altogether, and longer")); redact(forms, text) != text {
			t.Errorf("%q is found where it is not", key)
		}
	}
}

// A key that is none, such as vLLM's examples have, is a word like others.
func TestPlaceholderKey(t *testing.T) {
	req, _ := http.NewRequest("GET", "http://localhost", nil)
	req.Header.Set("Authorization", "Bearer EMPTY")
	if got := redact(redactor(req), "the list is EMPTY"); got != "the list is EMPTY" {
		t.Errorf("%s", got)
	}
	req.Header.Del("Authorization")
	req.SetBasicAuth("me", "open sesame")
	if got := redact(redactor(req), "me:open sesame, "+strings.TrimPrefix(req.Header.Get("Authorization"), "Basic ")); got != "me:[API key], [API key]" {
		t.Errorf("%s", got)
	}
}

// What hiding a key costs a reply in which it is not.
func BenchmarkHide(b *testing.B) {
	req, _ := http.NewRequest("GET", "http://localhost", nil)
	req.Header.Set("Authorization", "Bearer sk-proj-"+strings.Repeat("aZ9-", 10))
	forms, body := redactor(req), `{"content":"`+strings.Repeat(`Assistant A is better, since it says so.\n`, 500)+`"}`
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		redact(forms, body)
	}
}
