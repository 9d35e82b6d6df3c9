package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gavel/internal/trials"
	"gavel/judging"
)

// Every fault is a whole command: some items of a run meet it, the others do
// not, and once it is gone the same command asks for what failed.

// faultCase is a fault and what is to come of it.
type faultCase struct {
	name    string
	long    bool // left out where tests are to be quick
	fault   fault
	args    []string        // more flags of the command
	short   bool            // with a time limit that the fault runs into
	outcome judging.Outcome // of the judgments that were hit; "": as if they had not been
	pattern string          // regular expression for their error
	tries   string          // how often they were asked: once, twice, again (twice or more)
}

// in answers in the server's place.
func in(do func(w http.ResponseWriter)) fault {
	return fault{alone: true, do: func(_ *link, w http.ResponseWriter, _ *http.Request, _ func() reply) { do(w) }}
}

// with changes what the server answers.
func with(change func(reply) reply) fault {
	return fault{do: func(_ *link, w http.ResponseWriter, _ *http.Request, answer func() reply) { change(answer()).write(w) }}
}

// withContent changes what the judge says.
func withContent(change func(string) string) fault {
	return with(func(a reply) reply { return a.content(change) })
}

// statusFault answers with a status and a body.
func statusFault(status int, body string, header ...string) fault {
	return in(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		w.Write([]byte(body))
	})
}

// refuses answers with a status and an error in the words of the server's format.
func refuses(status int, sentence string, header ...string) fault {
	return fault{alone: true, do: func(l *link, w http.ResponseWriter, r *http.Request, answer func() reply) {
		body := fmt.Sprintf(`{"error":{"code":%d,"message":%q,"type":"some_error"}}`, status, sentence)
		if l.ollama {
			body = fmt.Sprintf(`{"error":%q}`, sentence)
		}
		statusFault(status, body, header...).do(l, w, r, answer)
	}}
}

func (f fault) times(n int) fault {
	f.first = n
	return f
}

// breaks sends the beginning of what the server answers.
func breaks(reset bool, upTo func(head, body []byte) []byte) fault {
	return fault{do: func(_ *link, w http.ResponseWriter, _ *http.Request, answer func() reply) {
		head, body := answer().wire()
		raw(w, reset, func(c net.Conn) {
			c.Write(upTo(head, body))
			if reset {
				time.Sleep(10 * time.Millisecond) // RST throws away what was not read
			}
		})
	}}
}

// drips sends what the server answers in pieces.
func drips(size int, pause time.Duration) fault {
	return fault{do: func(_ *link, w http.ResponseWriter, _ *http.Request, answer func() reply) {
		head, body := answer().wire()
		raw(w, false, func(c net.Conn) {
			for piece := range slices.Chunk(append(head, body...), size) {
				if _, err := c.Write(piece); err != nil {
					return // it was given up
				}
				time.Sleep(pause)
			}
		})
	}}
}

// stalls sends the beginning of the answer and then nothing, until gavel hangs up.
func stalls(body string) fault {
	return fault{do: func(_ *link, w http.ResponseWriter, r *http.Request, _ func() reply) {
		if body != "" {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(body))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}}
}

// later leaves time for a second try, on a busy machine too. None of it is spent
// where that is answered, or where two tries are too slow.
var later = []string{"--retry-for", "1m"}

var faultCases = slices.Concat(brokenConnections(), []faultCase{
	{name: "half a body, once", fault: breaks(false, halfBody).times(1), args: later, tries: "twice"},
	{name: "not HTTP", fault: in(func(w http.ResponseWriter) { raw(w, false, func(c net.Conn) { c.Write([]byte("220 smtp\xff\r\n")) }) }),
		outcome: judging.Failed, pattern: `malformed HTTP`, tries: "again"},

	{name: "a stall before the headers", fault: stalls(""), short: true, outcome: judging.Failed, pattern: noAnswer + ` \(tried 2 times\)$`, tries: "twice"},
	{name: "a stall in the body", fault: stalls(`{"message":`), short: true, outcome: judging.Failed, pattern: noAnswer + ` \(tried 2 times\)$`, tries: "twice"},
	{name: "a stall, once", fault: stalls(`{"choices":`).times(1), short: true, tries: "twice"},
	{name: "slow bytes", fault: drips(8, time.Millisecond), tries: "once"},
	{name: "bytes slower than the limit", fault: drips(8, mostPatience/20), short: true, outcome: judging.Failed, pattern: noAnswer, tries: "twice"},

	{name: "HTML for JSON", fault: statusFault(200, "<!DOCTYPE html>\n<title>Log in</title>", "Content-Type", "text/html"),
		outcome: judging.Failed, pattern: `not an answer of this kind of server: Log in`, tries: "again"},
	{name: "a redirect", fault: statusFault(307, "", "Location", "http://me:secret@127.0.0.1:1/elsewhere?key=secret"),
		outcome: judging.Failed, pattern: `^HTTP 307: it redirects to http://127\.0\.0\.1:1/elsewhere, and no redirect is followed: .*--base-url$`, tries: "once"},
	{name: "another content type", fault: with(func(a reply) reply { a.header.Set("Content-Type", "text/html"); return a }), tries: "once"},
	{name: "empty content", fault: withContent(func(string) string { return "" }), outcome: judging.NoVerdict, tries: "once"},
	{name: "a reply of megabytes", fault: withContent(func(text string) string {
		return strings.Repeat("\u20ac and more. ", 1<<20/13) + text
	}), tries: "once"},
	{name: "invalid UTF-8", fault: with(func(a reply) reply {
		return a.content(func(text string) string { return "?bad?" + text }).bytes("?bad?", "\xff\xed\xa0\x80\\ud83d\xe2\x82")
	}), tries: "once"},
	{name: "doubled fields", fault: with(func(a reply) reply {
		return a.bytes(`"content":`, `"content":"I say nothing.","content":`).bytes(`"role":`, `"role":"judge","role":`)
	}), tries: "once"},
	{name: "unknown fields", fault: with(func(a reply) reply {
		return a.bytes(`"content":`, `"contents":"[[B>A]]","verdict":{"A":[null,1e9]},"content":`)
	}), tries: "once"},

	{name: "429 with Retry-After", fault: refuses(429, "slow down", "Retry-After", "1").times(1), args: later, tries: "twice"},
	{name: "429 with a Retry-After beyond --retry-for", fault: refuses(429, "slow down", "Retry-After", "3600"),
		outcome: judging.Failed, pattern: `^HTTP 429: slow down; the server asks to wait for 1h0m0s, longer than --retry-for$`, tries: "once"},
	{name: "500", fault: refuses(500, "out of memory"), outcome: judging.Failed, pattern: `^HTTP 500: out of memory \(tried \d+ times\)$`, tries: "again"},
	{name: "503 while it loads", fault: refuses(503, "Loading model").times(1), args: later, tries: "twice"},
	{name: "401", fault: refuses(401, "Invalid API Key"), outcome: judging.Failed, pattern: `^HTTP 401: Invalid API Key$`, tries: "once"},
	{name: "too long", fault: refuses(400, "the input length exceeds the context length"), outcome: judging.PromptTooLong, tries: "once"},
})

const noAnswer = `^no answer within [\d.]+m?s \(--timeout\)`

// brokenConnections are connections that end, or are reset, before the headers, in them, after them, and in the body.
func brokenConnections() (cases []faultCase) {
	for _, reset := range []bool{true, false} {
		for _, at := range []struct {
			name string
			upTo func(head, body []byte) []byte
		}{
			{"before the headers", func(_, _ []byte) []byte { return nil }},
			{"in the headers", func(head, _ []byte) []byte { return head[:20] }},
			{"after the headers", func(head, _ []byte) []byte { return head }},
			{"in the body", halfBody},
		} {
			cases = append(cases, faultCase{
				name: fmt.Sprintf("broken off %s, reset %t", at.name, reset), fault: breaks(reset, at.upTo),
				outcome: judging.Failed, pattern: `reset|forcibly|EOF|malformed|broke off after \d+ bytes`, tries: "again",
			})
		}
	}
	return cases
}

func halfBody(head, body []byte) []byte { return append(head, body[:len(body)/2]...) }

// Of each marked item one judgment is hit: the one that shows its response A first.
const (
	faultItems     = 6
	faultMarked    = 2
	faultJudgments = 2 * faultItems
)

// faultIDs are the ids of the items, which so stand in the order in which they are asked about.
var faultIDs = judging.ShuffleIDs([]string{"p0", "p1", "p2", "p3", "p4", "p5"}, 1)

func isMarked(item int) bool { return item >= faultItems-faultMarked }

// faultDataset writes pairs of which some are marked.
func faultDataset(t *testing.T) {
	t.Helper()
	var lines strings.Builder
	for i := range faultItems {
		a, b := strings.Repeat("a", 1+i*i%5), "bbb"
		if isMarked(i) {
			a, b = marker+a, marker[1:]+b
		}
		lines.WriteString(strings.NewReplacer(`"p1"`, strconv.Quote(faultIDs[i]), `"q"`, fmt.Sprintf(`"Question %d."`, i),
			`"response_A":"a"`, `"response_A":"`+a+`"`, `"response_B":"b"`, `"response_B":"`+b+`"`).Replace(goodPair))
	}
	write(t, "faults.jsonl", lines.String())
}

// TestFaultsOfOllama and TestFaultsOfOpenAI: each fault against a scripted server of that format. A fault that both may
// have is met by one of them where tests are to be quick, in turn. They wait more than they work, so there are two.
func TestFaultsOfOllama(t *testing.T) { testScriptedFaults(t, true, 0) }
func TestFaultsOfOpenAI(t *testing.T) { testScriptedFaults(t, false, 1) }

func testScriptedFaults(t *testing.T, ollama bool, turn int) {
	cases := slices.Clone(faultCases)
	for i := range cases {
		cases[i].long = i%2 != turn
	}
	home(t)
	testFaults(t, newLink(t, newJudge(t, ollama, prefersLonger).URL, ollama), 150*time.Millisecond, cases)
}

// TestServersFaults: the same before the real servers, for the faults in which
// what they answer has a part.
func TestServersFaults(t *testing.T) {
	realServers(t, func(t *testing.T, url string) {
		ollama := url == os.Getenv("GAVEL_OLLAMA_URL")
		cases := slices.DeleteFunc(slices.Clone(faultCases), func(c faultCase) bool { return c.fault.alone })
		// By day each meets one in four, the two not the same: the stub meets all, and faults are between it and gavel.
		every, first := itemCount(url, 1, 4, 4), 0
		if !ollama {
			first = every / 2
		}
		var some []faultCase
		for i := first; i < len(cases); i += every {
			some = append(some, cases[i])
		}
		for round := range trials.TrialCount(1) {
			t.Run(fmt.Sprint("round ", round+1), func(t *testing.T) {
				t.Chdir(t.TempDir())
				testFaults(t, newLink(t, url, ollama), 700*time.Millisecond, some)
			})
		}
	})
}

// mostPatience bounds the patience that is had with a slow machine.
const mostPatience = 45 * time.Second

// testFaults gives a server patience to answer what it is asked, and a call as
// much to be tried again. Where that was too little for this machine to do what
// was to be seen, the case is made again with twice as much.
func testFaults(t *testing.T, l *link, patience time.Duration, cases []faultCase) {
	faultDataset(t)
	mustCall(t, faultCommand(l, "undisturbed", "--retry-for", "1m")...)
	u := undisturbed{records(t, "undisturbed"), read(t, "undisturbed/results.json")}
	for i, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			if tt.long {
				trials.SkipUnlessSlowTests(t)
			}
			for n := patience; !tt.checkFault(t, l, u, fmt.Sprintf("r%d-%s", i, n), n); n *= 2 {
				t.Logf("%s are too little here", n)
			}
		})
	}
}

// undisturbed holds the results of a run without a fault.
type undisturbed struct {
	records []*judging.Record
	results string
}

func faultCommand(l *link, out string, more ...string) []string {
	return append([]string{
		"run", "pairwise", "--base-url", l.URL, "--model", "tiny", "--dataset", "faults.jsonl", "--prompt", "direct", "--max-tokens", "8",
		"--attempts", "1", "--concurrency", "2", "--no-cache", "--out", out,
	}, more...)
}

// checkFault makes a run that meets the fault and one that goes on with it, and checks
// both. It is false where the machine was too slow for the patience given.
func (tt faultCase) checkFault(t *testing.T, l *link, u undisturbed, out string, patience time.Duration) bool {
	failed := 0
	if tt.outcome == judging.Failed {
		failed = faultMarked
	}
	more := append([]string{"--retry-for", patience.String()}, tt.args...)
	if tt.short {
		more = append([]string{"--timeout", patience.String()}, later...)
	}
	l.begin(&tt.fault)
	var stderr string
	var code int
	l.leavesNothing(t, func() { _, stderr, code = call(t, faultCommand(l, out, more...)...) })
	first, requests := records(t, out), extraRequests(t, out)
	if 2*patience <= mostPatience && tt.tooSlow(l, first) {
		return false
	}
	end := exitOK
	if tt.outcome == judging.PromptTooLong {
		end = exitIncomplete
		if code != end {
			t.Errorf("exit status %d, want %d\n%s", code, end, stderr)
		}
		code = exitOK
	}
	checkEnd(t, stderr, code, failed, tt.pattern)
	tt.checkTries(t, l)
	tt.checkRecords(t, first, u.records)

	l.begin(nil)
	l.leavesNothing(t, func() { _, stderr, code = call(t, faultCommand(l, out)...) })
	if code != end {
		t.Errorf("going on: exit status %d, want %d\n%s", code, end, stderr)
	}
	marked, others := l.questions()
	if len(marked) != failed || len(others) != 0 || slices.ContainsFunc(marked, func(n int) bool { return n != 1 }) {
		t.Errorf("after the fault it asked %d marked and %d other questions, want the %d that failed", len(marked), len(others), failed)
	}
	second := records(t, out)
	if len(second) != faultJudgments || !holds(second, first) {
		t.Errorf("%d records, or some of the first %d are not what they were", len(second), len(first))
	}
	if now := extraRequests(t, out); requests == 0 || now < requests || now == requests && failed > 0 {
		t.Errorf("%d requests beside judgments after the first try, %d after the second", requests, now)
	}
	if same := read(t, out+"/results.json") == u.results; same != (tt.outcome == "" || tt.outcome == judging.Failed) && u.records[0].Outcome == judging.Decided {
		t.Errorf("results.json is that of an undisturbed run: %v", same)
	}
	return true
}

// extraRequests counts the requests of a run other than judgments, over all of its tries.
func extraRequests(t *testing.T, out string) (n int) {
	t.Helper()
	m, err := judging.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range m.AuxiliaryRequestCounts {
		n += each
	}
	return n
}

// tooSlow tells whether a limit, and not the fault, decided what was seen: it
// ended what was not hit, or left no time for a second try.
func (tt faultCase) tooSlow(l *link, got []*judging.Record) bool {
	marked, others := l.questions()
	if tt.tries == "again" && slices.Contains(marked, 1) {
		return true
	}
	return tt.short && (slices.ContainsFunc(others, func(n int) bool { return n > 1 }) || slices.ContainsFunc(got, func(r *judging.Record) bool {
		return r.Outcome == judging.Failed && !(isHitRecord(r) && tt.outcome == judging.Failed)
	}))
}

// isHitRecord tells whether a judgment was one of those that met the fault.
func isHitRecord(r *judging.Record) bool {
	return slices.Contains(faultIDs[faultItems-faultMarked:], r.Item) && r.Presentation == 0
}

// checkEnd looks at the exit status and at what is said of failures: what,
// where, and what to do.
func checkEnd(t *testing.T, stderr string, code, failed int, pattern string) {
	t.Helper()
	last := fmt.Sprintf("gavel: %d of %d judgments failed or are missing; run the same command again to go on\n", failed, faultJudgments)
	switch {
	case failed == 0:
		if code != 0 || strings.Contains(stderr, "fail") {
			t.Errorf("exit status %d\n%s", code, stderr)
		}
	case code != exitIncomplete || !strings.HasSuffix(stderr, last):
		t.Errorf("exit status %d, and the last line is not %q:\n%s", code, last, stderr)
	default:
		m := regexp.MustCompile(`(?m)^last failure: item p\d, presentation [12]: (.*)$`).FindStringSubmatch(stderr)
		if m == nil || !regexp.MustCompile(pattern).MatchString(m[1]) {
			t.Errorf("no line says which failed and why:\n%s", stderr)
		}
	}
	for line := range strings.Lines(stderr) {
		if !utf8.ValidString(line) || len(line) > 600 {
			t.Errorf("not a line for people: %.700q", line)
		}
	}
}

// checkTries: what will not pass is asked once, what may pass again, and the
// others once. Never are many more connections open than there are questions.
func (tt faultCase) checkTries(t *testing.T, l *link) {
	t.Helper()
	marked, others := l.questions()
	if len(others) != faultJudgments-faultMarked || slices.Max(others) != 1 {
		t.Errorf("the other judgments were asked %v times", others)
	}
	low, high := 1, 1
	switch tt.tries {
	case "twice":
		low, high = 2, 2
	case "again":
		// The waits begin with at least a sixteenth of the time for retries, or
		// 250 ms, and grow by half: within mostPatience no ninth try begins.
		low, high = 2, 10
	}
	if len(marked) != faultMarked || slices.Min(marked) < low || slices.Max(marked) > high {
		t.Errorf("the judgments that were hit were asked %v times, want %s", marked, tt.tries)
	}
	// Two are for the questions in flight, and a third may have been dialled for
	// one that got another. Those that gavel hung up are open until the server
	// has noticed: one for each stall.
	bound := 5
	if tt.short {
		bound += faultMarked * high
	}
	if l.peak > bound {
		t.Errorf("%d connections at once for 2 questions at once", l.peak)
	}
}

func (tt faultCase) checkRecords(t *testing.T, got, undisturbed []*judging.Record) {
	t.Helper()
	if len(got) != faultJudgments {
		t.Fatalf("%d records for %d judgments", len(got), faultJudgments)
	}
	for _, r := range got {
		i := slices.IndexFunc(undisturbed, func(u *judging.Record) bool { return u.Item == r.Item && u.Presentation == r.Presentation })
		want := undisturbed[i]
		switch {
		case isHitRecord(r) && tt.outcome != "":
			if r.Outcome != tt.outcome || (r.Error != "") != (r.Outcome == judging.Failed) || !regexp.MustCompile(tt.pattern).MatchString(r.Error) {
				t.Errorf("%s, presentation %d: %s, %q; want %s, %q", r.Item, r.Presentation, r.Outcome, r.Error, tt.outcome, tt.pattern)
			}
			if r.Choice != "" || r.Label != "" {
				t.Errorf("%s, presentation %d: a verdict %q without an answer", r.Item, r.Presentation, r.Label)
			}
		case r.Outcome != want.Outcome || r.Label != want.Label || r.Choice != want.Choice || r.Error != "":
			t.Errorf("%s, presentation %d: %s %s for %s (%s), undisturbed %s %s for %s", r.Item, r.Presentation, r.Outcome, r.Label, r.Choice, r.Error, want.Outcome, want.Label, want.Choice)
		}
	}
}

// holds tells whether the second list has every record of the first that did
// not fail, unchanged.
func holds(second, first []*judging.Record) bool {
	line := func(r *judging.Record) string {
		text, err := json.Marshal(r)
		return fmt.Sprint(string(text), err)
	}
	for _, r := range first {
		if r.Outcome != judging.Failed && !slices.ContainsFunc(second, func(s *judging.Record) bool { return line(s) == line(r) }) {
			return false
		}
	}
	return true
}
