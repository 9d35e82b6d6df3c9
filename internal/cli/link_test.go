package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// link stands between gavel and a server, a scripted or a real one, and disturbs
// what goes through it. It is ours rather than toxiproxy: a fault has to hit one
// question of several that share a connection, and most faults are in what HTTP
// says, of which a proxy of bytes knows nothing.
type link struct {
	t        *testing.T
	URL      string
	ollama   bool // the format that the server speaks
	upstream string
	toServer http.Client

	mu     sync.Mutex
	fault  *fault
	counts map[string]int // how often, by what was asked
	open   map[net.Conn]bool
	peak   int // connections open at once
}

// fault is a failure of the connection or the reply to a marked question.
type fault struct {
	first int  // only the first so many times it is asked; 0: every time
	alone bool // the server is not asked
	// do answers in the server's place. answer asks the server.
	do func(l *link, w http.ResponseWriter, r *http.Request, answer func() reply)
}

// marker begins a response: the question that shows it first is marked.
const marker = "This one is hit. "

func isHit(question string) bool {
	return strings.Contains(question, "The Start of Assistant A's Answer|>\n"+marker)
}

// reply holds a response of the server.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func newLink(t *testing.T, upstream string, ollama bool) *link {
	t.Helper()
	l := &link{t: t, ollama: ollama, upstream: upstream, counts: map[string]int{}, open: map[net.Conn]bool{}}
	l.toServer.Transport = &http.Transport{DisableKeepAlives: true} // so that what is left open is gavel's
	listener, err := net.Listen("tcp", quietHost()+":0")
	if err != nil {
		t.Fatal(err)
	}
	l.URL = "http://" + listener.Addr().String()
	server := &http.Server{Handler: l, ConnState: l.state}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return l
}

// quietHost is an address of this machine that no other program listens on, and
// no connection is made from: a port that was given up there is still free when
// it is wanted back. Where there is but one such address it is that one.
func quietHost() string {
	const host = "127.0.0.2"
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		return "127.0.0.1"
	}
	l.Close()
	return host
}

func (l *link) state(c net.Conn, s http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch s {
	case http.StateNew:
		l.open[c] = true
		l.peak = max(l.peak, len(l.open))
	case http.StateClosed, http.StateHijacked: // whoever hijacks one closes it
		delete(l.open, c)
	}
}

func (l *link) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			l.t.Errorf("the fault itself is wrong: %v", p)
			panic(http.ErrAbortHandler)
		} else if p != nil {
			panic(p)
		}
	}()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	answer := func() reply {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, l.upstream+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header = r.Header
		resp, err := l.toServer.Do(req)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		return reply{resp.StatusCode, resp.Header, b}
	}
	if f := l.hit(r.URL.Path, body); f != nil {
		f.do(l, w, r, answer)
		return
	}
	answer().write(w)
}

func (a reply) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.status)
	w.Write(a.body)
}

// hit counts a question and picks what is to happen to it.
func (l *link) hit(path string, body []byte) *fault {
	var req struct {
		Messages []struct{ Content string } `json:"messages"`
	}
	if !isChat(path) || json.Unmarshal(body, &req) != nil || len(req.Messages) == 0 {
		return nil // it asks what the server is, or how long a prompt
	}
	question := req.Messages[len(req.Messages)-1].Content
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[question]++
	f := l.fault
	if f == nil || !isHit(question) || f.first > 0 && l.counts[question] > f.first {
		return nil
	}
	return f
}

// isChat tells whether a path is one that asks a judge.
func isChat(path string) bool { return path == "/api/chat" || path == "/v1/chat/completions" }

// begin forgets what was asked and hits marked questions with f from now on.
func (l *link) begin(f *fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault, l.counts, l.peak = f, map[string]int{}, 0
}

// questions counts the requests for each question: the marked ones and the others.
func (l *link) questions() (marked, others []int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for q, n := range l.counts {
		if isHit(q) {
			marked = append(marked, n)
		} else {
			others = append(others, n)
		}
	}
	return marked, others
}

func (l *link) connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}

// raw takes the connection from the HTTP server, to write to it what no HTTP
// server would. reset ends it with RST instead of FIN.
func raw(w http.ResponseWriter, reset bool, write func(net.Conn)) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if write != nil {
		write(conn)
	}
	if reset {
		conn.(*net.TCPConn).SetLinger(0)
	}
	conn.Close()
}

// wire is a reply as it goes over the connection.
func (a reply) wire() (head, body []byte) {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 " + strconv.Itoa(a.status) + " " + http.StatusText(a.status) + "\r\n")
	a.header.Write(&b)
	if a.header.Get("Content-Length") == "" {
		b.WriteString("Content-Length: " + strconv.Itoa(len(a.body)) + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes(), a.body
}

// content changes what the assistant's message of a reply says, in either format.
func (a reply) content(change func(string) string) reply {
	var whole map[string]any
	if err := json.Unmarshal(a.body, &whole); err != nil {
		panic(err)
	}
	m, ok := whole["message"].(map[string]any)
	if !ok {
		m = whole["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
	}
	m["content"] = change(m["content"].(string))
	b, err := json.Marshal(whole)
	if err != nil {
		panic(err)
	}
	a.body = b
	return a
}

// bytes changes the reply's JSON, as no encoder would.
func (a reply) bytes(old, new string) reply {
	if !bytes.Contains(a.body, []byte(old)) {
		panic("no " + old + " in " + string(a.body))
	}
	a.body = bytes.ReplaceAll(a.body, []byte(old), []byte(new))
	return a
}

var goroutineNumber = regexp.MustCompile(`^goroutine (\d+) `)

// goroutines are the stacks of those there are, by number, but for links' own.
func goroutines() map[string]string {
	buf := make([]byte, 4<<20)
	all := map[string]string{}
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		listener := strings.Contains(stack, "created by gavel/internal/cli.newLink ")
		if m := goroutineNumber.FindStringSubmatch(stack); m != nil && !listener {
			all[m[1]] = stack
		}
	}
	return all
}

// leavesNothing runs a command and checks that it leaves neither a goroutine nor
// a connection behind.
func (l *link) leavesNothing(t *testing.T, command func()) {
	t.Helper()
	before := goroutines()
	command()
	var remaining map[string]string
	for range 6000 { // what is not gone after a minute stays
		remaining = goroutines()
		for n := range before {
			delete(remaining, n)
		}
		if len(remaining) == 0 && l.connections() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, stack := range remaining {
		t.Errorf("a goroutine is left:\n%s", stack)
	}
	t.Errorf("%d connections are left", l.connections())
}
