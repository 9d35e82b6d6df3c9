package backends

import (
	"context"
	"errors"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"gavel/internal/trials"
)

// failed checks that err is an *Error with a message of one line.
func failed(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("not an *Error: %v", err)
	}
	if strings.ContainsAny(err.Error(), "\r\n") || len(err.Error()) > 500 || e.Message == "" {
		t.Errorf("not a short line: %q", err)
	}
	return e
}

func TestRetryAfter(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for name, tc := range map[string]struct {
		header   string
		low, top time.Duration
	}{
		"seconds":   {"7", 7 * time.Second, 7 * time.Second},
		"date":      {date(time.Hour), 50 * time.Minute, time.Hour},
		"past date": {date(-time.Hour), 0, 0},
		"negative":  {"-5", 0, 0},
		"nonsense":  {"soon", 0, 0},
		"for ever":  {"18446744074", 24 * time.Hour, 1<<63 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				_, err := w.ask(t, func(rw http.ResponseWriter, r *http.Request) {
					rw.Header().Set("Retry-After", tc.header)
					respond(429, w.fail(429, "slow down"))(rw, r)
				})
				if got := failed(t, err).RetryAfter; got < tc.low || got > tc.top {
					t.Errorf("RetryAfter = %s, want %s to %s", got, tc.low, tc.top)
				}
			})
		})
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	hangUp := func(written string) http.HandlerFunc {
		return func(rw http.ResponseWriter, _ *http.Request) {
			conn, buf, err := http.NewResponseController(rw).Hijack()
			if err != nil {
				panic(err)
			}
			buf.WriteString(written)
			buf.Flush()
			conn.Close()
		}
	}
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		text   string
	}{
		"hung up":       {hangUp(""), "EOF"},
		"half a body":   {hangUp("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"choices\":["), "the answer broke off after 12 bytes"},
		"half a chunk":  {hangUp("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{\"message\""), "the answer broke off after 10 bytes"},
		"not HTTP":      {hangUp("SSH-2.0-OpenSSH_9.6\r\n\r\n"), "malformed HTTP"},
		"half an error": {hangUp("HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n{\"error\""), "the answer broke off after 8 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			eachWire(t, func(t *testing.T, w wire) {
				got, err := w.ask(t, tc.answer)
				if err == nil {
					t.Fatalf("taken for a reply: %+v", got)
				}
				if e := failed(t, err); e.Kind != ErrorTransport || !e.IsRetryable() || !strings.Contains(e.Error(), tc.text) {
					t.Errorf("kind %s: %s", e.Kind, e)
				}
			})
		})
	}
}

// An answer without an end is not read to its end, not kept in memory, and not
// asked for again.
func TestEndlessAnswer(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		closed := make(chan struct{})
		s := w.start(t, func(rw http.ResponseWriter, _ *http.Request) {
			defer close(closed)
			for piece, n := make([]byte, 1<<20), 0; n < 4*maxBody; n += len(piece) {
				if _, err := rw.Write(piece); err != nil {
					return
				}
			}
			t.Error("it was read to its end")
		})
		_, err := s.client(w, "").Ask(context.Background(), question)
		if e := failed(t, err); e.IsRetryable() || !strings.HasPrefix(e.Message, "the answer is longer than ") {
			t.Errorf("got %+v", e)
		}
		<-closed
	})
}

// TestAShortAnswerTakesLittle: ollama/api makes a buffer of 8 MB for an answer that it is given.
func TestAShortAnswerTakesLittle(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		s := w.start(t, func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, w.reply(content("A"), "stop")) })
		client := s.client(w, "")
		const n = 10
		var before, after runtime.MemStats
		for i := range n + 1 {
			if i == 1 { // the first also asks what the server is
				runtime.ReadMemStats(&before)
			}
			if got, err := client.Ask(context.Background(), question); err != nil || got.Text != "A" {
				t.Fatalf("%+v, %v", got, err)
			}
		}
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) / n; took > 1<<20 {
			t.Errorf("an answer took %d KiB", took>>10)
		}
	})
}

// TestAnAnswerLongerThanItsTokens: what so many tokens cannot have made is not read, whether its length is told or not;
// what they can have made is, also with the alternatives of each token.
func TestAnAnswerLongerThanItsTokens(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		for name, c := range map[string]struct {
			tokens, bytes int
			labels        []string
			fails         string
		}{
			"60 MB of 4096 tokens":          {tokens: 4096, bytes: 60_000_000, fails: "the answer is longer than 16 MiB, too long for the requested tokens"},
			"15 MB of 4096 tokens":          {tokens: 4096, bytes: 15_000_000},
			"30 MB with their alternatives": {tokens: 4096, bytes: 30_000_000, labels: []string{"A", "B"}},
			"as many as nobody allows":      {tokens: 1 << 40, bytes: 64<<20 + 1, fails: "the answer is longer than 64 MiB, too long for the requested tokens"},
		} {
			t.Run(name, func(t *testing.T) {
				if c.fails == "" {
					trials.SkipUnlessSlowTests(t)
				}
				req := question
				req.MaxTokens, req.Labels = c.tokens, c.labels
				text := strings.Repeat("x", c.bytes)
				var before, after runtime.MemStats
				s := w.start(t, func(rw http.ResponseWriter, _ *http.Request) {
					body := w.reply(content(text), "stop")
					rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
					runtime.ReadMemStats(&before)
					io.WriteString(rw, body)
				})
				got, err := s.client(w, "").Ask(context.Background(), req)
				runtime.ReadMemStats(&after)
				if c.fails == "" {
					if err != nil || len(got.Text) != c.bytes {
						t.Errorf("%d bytes, %v", len(got.Text), err)
					}
					return
				}
				if e := failed(t, err); e.IsRetryable() || e.Message != c.fails {
					t.Errorf("got %+v", e)
				}
				if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 16 {
					t.Errorf("it took %d MiB", took)
				}
			})
		}
	})
}

func TestWrongContentTypeIsNoMatter(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		got, err := w.ask(t, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			rw.Write([]byte(w.reply(content("[[A>B]]"), "stop")))
		})
		if err != nil || got.Text != "[[A>B]]" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestRefusedConnection(t *testing.T) {
	for _, w := range wires {
		_, err := w.dial(unusedAddress, "", NewHTTPClient(1)).Ask(context.Background(), question)
		if e := failed(t, err); e.Kind != ErrorTransport || !e.IsRetryable() || e.Message != "connection refused" {
			t.Errorf("%s: %+v", w.name, e)
		}
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	cause := errors.New("interrupted")
	eachWire(t, func(t *testing.T, w wire) {
		ctx, cancel := context.WithCancelCause(context.Background())
		s := w.start(t, func(_ http.ResponseWriter, r *http.Request) {
			cancel(cause)
			<-r.Context().Done()
		})
		if _, err := s.client(w, "").Ask(ctx, question); err != cause {
			t.Errorf("got %v, want the cause of the cancelling", err)
		}
	})
}
