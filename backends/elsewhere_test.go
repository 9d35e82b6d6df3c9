package backends

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// everyWord returns every kind of request to a server, through the client that the commands use.
func (w wire) everyWord(url, key string) map[string]func(context.Context) error {
	client := NewHTTPClient(2)
	b := func() Backend { return w.dial(url, key, client) }
	words := map[string]func(context.Context) error{
		"Ask":    func(ctx context.Context) error { _, err := b().Ask(ctx, question); return err },
		"Server": func(ctx context.Context) error { _, err := b().Server(ctx); return err },
		"Models": func(ctx context.Context) error { _, err := b().Models(ctx); return err },
		"Model":  func(ctx context.Context) error { _, err := b().Model(ctx, "tiny"); return err },
		"Probe":  func(ctx context.Context) error { _, err := Probe(ctx, client, url, key); return err },
	}
	if o, ok := b().(*OpenAI); ok {
		o.server = &ServerInfo{WireFormat: "openai", Name: w.name}
		words["Ask, known"] = func(ctx context.Context) error { _, err := o.Ask(ctx, question); return err }
		if w.name != LMStudio {
			words["CountTokens"] = func(ctx context.Context) error { _, err := o.CountTokens(ctx, question); return err }
		}
	}
	return words
}

// Where a redirect leads nothing arrives: no prompt, no key, no question even.
func TestNoRedirectIsFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("%s %s came, Authorization %q: %s", r.Method, r.URL, r.Header.Get("Authorization"), body)
	}))
	defer elsewhere.Close()
	to := strings.Replace(elsewhere.URL, "http://", "http://me:secret@", 1) // another port of the same name
	for _, status := range []int{301, 302, 303, 307, 308} {
		eachWire(t, func(t *testing.T, w wire) {
			here := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				http.Redirect(rw, r, to+r.URL.Path+"?token=secret#secret", status)
			}))
			defer here.Close()
			for name, ask := range w.everyWord(here.URL, "sk-key") {
				err := ask(context.Background())
				if err == nil {
					t.Fatalf("%d: %s has no error", status, name)
				}
				if e := failed(t, err); e.Kind != ErrorRedirect || e.IsRetryable() || e.Status != status || strings.Contains(e.Error(), "secret") ||
					!strings.Contains(e.Message, "it redirects to "+elsewhere.URL+"/") || !strings.Contains(e.Message, "put "+elsewhere.URL+" in --base-url") {
					t.Errorf("%d: %s: kind %s, %v", status, name, e.Kind, e)
				}
			}
		})
	}
}

func TestRedirectToNowhere(t *testing.T) {
	for says, header := range map[string][]string{
		"redirects without saying where":          {"X", "y"},
		"redirects without saying where ":         {"Location", "http://[half an address"},
		"it redirects to http://h/%20%E2%80%AE, ": {"Location", "http://h/ \u202e"},
	} {
		for _, status := range []int{300, 302, 304, 399} {
			_, err := llamaWire.ask(t, func(rw http.ResponseWriter, _ *http.Request) {
				rw.Header().Set(header[0], header[1])
				rw.WriteHeader(status)
			})
			if e := failed(t, err); e.Kind != ErrorRedirect || !strings.Contains(e.Message, strings.TrimSuffix(says, " ")) {
				t.Errorf("%d %s: %v", status, header, err)
			}
		}
	}
}

// listen answers every connection with the same words, once a request has come,
// and then waits until the other side hangs up.
func listen(t *testing.T, answer func(net.Conn)) (url string, hungUp <-chan struct{}) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	up := make(chan struct{}, 64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					io.Copy(io.Discard, r.Body)
					answer(c)
					io.Copy(io.Discard, c)
				}
				up <- struct{}{}
			}()
		}
	}()
	return "http://" + l.Addr().String(), up
}

// finishInTime fails the test if work does not end; how long it takes does not matter.
func finishInTime(t *testing.T, name string, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s does not end", name)
	}
}

// After 101 the connection itself is the body, and no time limit ends that: such
// an answer is refused at once, and its connection closed.
func TestSwitchingProtocols(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		url, hungUp := listen(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n{\"models\":")
		})
		for name, ask := range w.everyWord(url, "") {
			finishInTime(t, name, func() {
				err := ask(context.Background()) // without a limit: it needs none
				if e := failed(t, err); e.Kind != ErrorServer || e.Status != 101 || !strings.Contains(e.Message, "unexpected status of a model server: Switching Protocols") {
					t.Errorf("%s: %v", name, err)
				}
			})
			finishInTime(t, "the connection of "+name, func() { <-hungUp })
		}
		finishInTime(t, "Discover", func() {
			if servers := Discover(context.Background(), NewHTTPClient(2), []CandidateAddress{{URL: url, Source: "port"}}, ""); servers != nil {
				t.Errorf("found %+v", servers)
			}
		})
	})
}

func TestStatusesOfNoUse(t *testing.T) {
	for _, status := range []string{"101 Switching Protocols", "000 None", "099 Odd"} { // 101 without an upgrade has no body
		url, _ := listen(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 "+status+"\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
		})
		for _, w := range []wire{ollamaWire, llamaWire} {
			finishInTime(t, status, func() {
				_, err := w.dial(url, "", NewHTTPClient(1)).Models(context.Background())
				if e := failed(t, err); e.Kind != ErrorServer || !strings.Contains(e.Message, "unexpected status of a model server") {
					t.Errorf("%s: %v", status, err)
				}
			})
		}
	}
}

// Whatever never ends is ended by the time limit.
func TestWhatNeverEnds(t *testing.T) {
	drip := func(begin, piece string) func(net.Conn) {
		return func(c net.Conn) {
			for _, err := io.WriteString(c, begin); err == nil; _, err = io.WriteString(c, piece) {
				time.Sleep(time.Millisecond)
			}
		}
	}
	for name, answer := range map[string]func(net.Conn){
		"silence":        func(net.Conn) {},
		"status line":    drip("HTTP/1.1 20", "0"),
		"header":         drip("HTTP/1.1 200 OK\r\nX: ", "x"),
		"headers":        drip("HTTP/1.1 200 OK\r\n", "X: x\r\n"),
		"100 Continue":   drip("", "HTTP/1.1 100 Continue\r\n\r\n"),
		"early hints":    drip("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
		"body":           drip("HTTP/1.1 200 OK\r\n\r\n{\"model\":\"", "m"),
		"chunks":         drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
		"trailers":       drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X: x\r\n"),
		"body of a 400":  drip("HTTP/1.1 400 Bad Request\r\n\r\n{\"error\":\"", "e"),
		"body of a 307":  drip("HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\n\r\n", "x"),
		"body of a 101":  drip("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", "x"),
		"length is 1 TB": drip("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n", " "),
	} {
		t.Run(name, func(t *testing.T) {
			for _, w := range []wire{ollamaWire, llamaWire} {
				url, _ := listen(t, answer)
				ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
				defer cancel()
				var calls sync.WaitGroup
				for name, ask := range w.everyWord(url, "") {
					calls.Go(func() {
						if err := ask(ctx); err == nil {
							t.Errorf("%s, %s: it has no error", w.name, name)
						}
					})
				}
				finishInTime(t, w.name, calls.Wait)
			}
		})
	}
}

// What is said to be put in --base-url is a server, and not one page of it.
func TestBaseOfARedirect(t *testing.T) {
	for to, want := range map[string]string{
		"https://h/v1/chat/completions":     "https://h",
		"https://h/a/api/v1/models/":        "https://h/a/api",
		"https://h:1/ollama/api/chat":       "https://h:1/ollama",
		"https://h/tokenize":                "https://h",
		"https://login.h/api/sign-in/v1/go": "https://login.h/api/sign-in/v1/go",
	} {
		page, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		if got := publicURL(trimAPIPath(page)); got != want {
			t.Errorf("%s: %s, want %s", to, got, want)
		}
	}
}
