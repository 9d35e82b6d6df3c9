package backends

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestKeyIsNotSaidAgain: wherever a server echoes the key that it was sent, in an error, a reply, a header, the status
// line or what is no HTTP at all, nothing of it is in what gavel has of the answer.
func TestKeyIsNotSaidAgain(t *testing.T) {
	const key = `sk-proj/"Ab+12345`
	said := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	reply := func(text string) string {
		return `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":` + said(text) + `}}],"usage":{"prompt_tokens":5,"completion_tokens":5}}`
	}
	raw := func(w http.ResponseWriter, text string) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		buf.WriteString(text)
		buf.Flush()
		conn.Close()
	}
	inEscapes := func(sent string) (text string) {
		for i, r := range sent {
			text += fmt.Sprintf([]string{`\u%04x`, `\u%04X`}[i%2], r)
		}
		return text
	}
	for name, answer := range map[string]func(w http.ResponseWriter, sent string){
		"an error": func(w http.ResponseWriter, sent string) {
			body := said(map[string]any{"error": map[string]string{"message": "bad key: " + sent}})
			http.Error(w, body, http.StatusUnauthorized)
		},
		"no JSON":    func(w http.ResponseWriter, sent string) { http.Error(w, "who is "+sent, 400) },
		"an address": func(w http.ResponseWriter, sent string) { http.Error(w, "/login?with="+url.QueryEscape(sent), 400) },
		"JSON of others": func(w http.ResponseWriter, sent string) {
			http.Error(w, strings.ReplaceAll(said(sent), "/", `\/`), 400)
		},
		"a reply in escapes": func(w http.ResponseWriter, sent string) {
			fmt.Fprint(w, strings.ReplaceAll(reply("I was sent KEY"), "KEY", inEscapes(sent)))
		},
		"a fingerprint in escapes": func(w http.ResponseWriter, sent string) {
			escaped := strings.NewReplacer("+", `\u002B`, "/", `\/`, `"`, `\u0022`).Replace(sent)
			fmt.Fprint(w, strings.Replace(reply("yes"), "{", `{"system_fingerprint":"fp `+escaped+`","data":[{"id":"m","root":"/`+escaped+`"}],`, 1))
		},
		"a fingerprint encoded twice": func(w http.ResponseWriter, sent string) {
			escaped := said(strings.NewReplacer("+", `\u002b`, `"`, `\"`).Replace(sent))
			fmt.Fprint(w, strings.Replace(reply("yes"), "{", `{"system_fingerprint":`+escaped+`,"data":[{"id":"m"}],`, 1))
		},
		"an error in escapes": func(w http.ResponseWriter, sent string) {
			http.Error(w, `{"error":"bad key `+inEscapes(sent)+`"}`, http.StatusUnauthorized)
		},
		"a redirect": func(w http.ResponseWriter, sent string) {
			w.Header().Set("Location", "http://other/"+url.PathEscape(sent))
			w.WriteHeader(302)
		},
		"a reply in parts": func(w http.ResponseWriter, sent string) {
			fmt.Fprint(w, strings.Replace(reply(""), `"content":""`, `"content":[{"text":`+said(sent[:len(sent)-6])+`},{"text":`+said(sent[len(sent)-6:])+`}]`, 1))
		},
		"a reply around thinking": func(w http.ResponseWriter, sent string) {
			fmt.Fprint(w, reply("key "+sent[:len(sent)-6]+"<think>x</think>"+sent[len(sent)-6:]))
		},
		"a reply":             func(w http.ResponseWriter, sent string) { fmt.Fprint(w, reply("I was sent "+sent)) },
		"an error in a reply": func(w http.ResponseWriter, sent string) { fmt.Fprint(w, said(map[string]any{"error": "bad " + sent})) },
		"no HTTP":             func(w http.ResponseWriter, sent string) { raw(w, sent+" is wrong\r\n\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/chat/completions" && r.URL.Path != "/v1/models" {
					http.NotFound(w, r)
					return
				}
				answer(w, r.Header.Get("Authorization"))
			}))
			defer s.Close()
			o := NewOpenAI(s.URL, key, NewHTTPClient(1))
			resp, err := o.Ask(context.Background(), Request{Model: "m", Messages: []Message{{User, "who?"}}, MaxTokens: 5})
			models, merr := o.Models(context.Background())
			all := fmt.Sprintf("%+v %v %+v %v %+v", resp, err, err, merr, models)
			for e := err; e != nil; e, _ = unwrapped(e) {
				all += e.Error()
			}
			for _, encoded := range regexp.MustCompile(`\\u00..`).FindAllString(all, -1) {
				text, _ := strconv.Unquote(`"` + encoded + `"`)
				all = strings.ReplaceAll(all, encoded, text)
			}
			if strings.Contains(all, "Ab+12345") || strings.Contains(all, "Ab%2B12345") {
				t.Errorf("the key is in %s", all)
			}
			if !strings.Contains(all, hidden) && !strings.Contains(all, url.PathEscape(hidden)) {
				t.Errorf("nothing was hidden in %s", all)
			}
		})
	}
}

func unwrapped(err error) (error, bool) {
	u, ok := err.(interface{ Unwrap() error })
	if !ok {
		return nil, false
	}
	return u.Unwrap(), true
}

// A key in base64 is hidden wherever it stands in what is encoded, but for the letters that it shares with what is beside it.
func TestKeyInBase64(t *testing.T) {
	for _, key := range []string{`sk-proj/"Ab`, `sk-proj/"Ab+`, "??>>~~??>>~~??>>", "sk-" + strings.Repeat("aZ9-", 12) + "e", "clé de la ferme"} {
		req, _ := http.NewRequest("GET", "http://localhost", nil)
		req.Header.Set("Authorization", "Bearer "+key)
		forms := secretsOf(req)
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
					got := without(forms, text)
					if len(key) < shortestCoded {
						if got != text {
							t.Errorf("%q, short: %s", key, got)
						}
						continue
					}
					left := strings.NewReplacer(hidden, "", "%3D", "", "=", "").Replace(got)
					if !strings.Contains(got, hidden) || !strings.HasPrefix(got, "said ") || !strings.HasSuffix(got, " to me") || len(left) > len("said  to me")+len(encode(before))+len(encode(after))+2 {
						t.Errorf("%q after %q, %s: %s of %s", key, before, name, got, text)
					}
				}
			}
		}
		if text := "nothing of it: " + base64.StdEncoding.EncodeToString([]byte("another one altogether, and longer")); without(forms, text) != text {
			t.Errorf("%q is found where it is not", key)
		}
	}
}

// A key that is none, such as vLLM's examples have, is a word like others.
func TestPlaceholderKey(t *testing.T) {
	req, _ := http.NewRequest("GET", "http://localhost", nil)
	req.Header.Set("Authorization", "Bearer EMPTY")
	if got := without(secretsOf(req), "the list is EMPTY"); got != "the list is EMPTY" {
		t.Errorf("%s", got)
	}
	req.Header.Del("Authorization")
	req.SetBasicAuth("me", "open sesame")
	if got := without(secretsOf(req), "me:open sesame, "+strings.TrimPrefix(req.Header.Get("Authorization"), "Basic ")); got != "me:[API key], [API key]" {
		t.Errorf("%s", got)
	}
}

// What hiding a key costs a reply in which it is not.
func BenchmarkHide(b *testing.B) {
	req, _ := http.NewRequest("GET", "http://localhost", nil)
	req.Header.Set("Authorization", "Bearer sk-proj-"+strings.Repeat("aZ9-", 10))
	forms, body := secretsOf(req), `{"content":"`+strings.Repeat(`Assistant A is better, since it says so.\n`, 500)+`"}`
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		without(forms, body)
	}
}
