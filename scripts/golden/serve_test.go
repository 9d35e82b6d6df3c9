package golden

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// site is a running `gavel serve`.
type site struct {
	w    *world
	base string
}

var servedAt = regexp.MustCompile(`at (http://[^/ ]+)/`)

// serve starts `gavel serve`. It is stopped when the test ends, and must exit without an error.
func (w *world) serve(args ...string) *site {
	w.t.Helper()
	cmd := w.command(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	address, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer close(address)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if m := servedAt.FindStringSubmatch(lines.Text()); m != nil {
				select {
				case address <- m[1]:
				default:
				}
			}
		}
	}()
	w.t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil { // Windows has none
			cmd.Process.Kill()
		}
		timer := time.AfterFunc(commandLimit, func() { cmd.Process.Kill() })
		defer timer.Stop()
		<-ended
		var status *exec.ExitError
		if err := cmd.Wait(); err != nil && !errors.As(err, &status) {
			w.t.Error(err)
		}
	})
	select {
	case base := <-address:
		if base == "" {
			w.t.Fatal("gavel serve ended without an address")
		}
		w.rename(strings.TrimPrefix(base, "http://"), "<site>")
		return &site{w, base}
	case <-time.After(commandLimit):
		cmd.Process.Kill()
		w.t.Fatalf("gavel serve told no address in %s", commandLimit)
		return nil
	}
}

// ask sends a request and returns the answer as plain text. A body makes it a POST of JSON.
func (s *site) ask(target, body string) (status int, text string) {
	s.w.t.Helper()
	method := "GET"
	if body != "" {
		method = "POST"
	}
	req, err := http.NewRequest(method, s.base+target, strings.NewReader(body))
	if err != nil {
		s.w.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	client := &http.Client{
		Timeout:       commandLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	if err != nil {
		s.w.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.w.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// add sends a request and records the answer.
func (s *site) add(b *book, target, body string) string {
	s.w.t.Helper()
	status, text := s.ask(target, body)
	title, answer := "GET "+target, untimed(s.w.plain(text))
	if body != "" {
		title = "POST " + target + " " + s.w.plain(clip(body, 200))
	}
	b.add(title, fmt.Sprintf("%d\n%s", status, answer))
	return text
}

// order starts a job, waits for its end, and records it with its results.
func (s *site) order(b *book, title, target, body string) {
	s.w.t.Helper()
	status, text := s.ask(target, body)
	var job struct {
		ID, State string
		Runs      []string
	}
	if err := json.Unmarshal([]byte(text), &job); err != nil || job.ID == "" {
		s.w.t.Errorf("%s: %d %s", title, status, text)
		return
	}
	s.w.rename(job.ID, "<job>")
	for end := time.Now().Add(commandLimit); ; {
		_, text = s.ask("/api/v1/jobs/"+job.ID, "")
		var view struct{ Job json.RawMessage }
		if json.Unmarshal([]byte(text), &view) == nil && view.Job != nil {
			text = string(view.Job)
		}
		if err := json.Unmarshal([]byte(text), &job); err != nil {
			s.w.t.Fatal(err)
		}
		if !slices.Contains([]string{"preparing", "running", "stopping", "waiting"}, job.State) {
			break
		}
		if time.Now().After(end) {
			s.w.t.Fatalf("%s: no end in %s: %s", title, commandLimit, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.add(title, fmt.Sprintf("%d\n%s\n", status, untimed(s.w.plain(pick(s.w.t, text, "state", "order", "runs", "suite", "error")))))
}

func esc(name string) string { return url.PathEscape(name) }

var fieldNamed = regexp.MustCompile(`<(input|select|textarea)[^>]* name="([^"]*)"[^>]*>`)
var fieldValue = regexp.MustCompile(` value="([^"]*)"`)

// fieldsOfForm returns the fields of a page's form with their values.
func fieldsOfForm(page string) string {
	var out strings.Builder
	for _, m := range fieldNamed.FindAllStringSubmatch(page, -1) {
		out.WriteString(m[1] + " " + m[2])
		if v := fieldValue.FindStringSubmatch(m[0]); v != nil {
			out.WriteString(" = " + v[1])
		}
		out.WriteString("\n")
	}
	return out.String()
}

// TestServe: the answers of the JSON API about existing runs and suites, and what it creates.
func TestServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "serve")
	writeInputs(w)
	for _, run := range simulated {
		if slices.Contains([]string{"pairwise-sop", "pairwise-repeat", "reversed-sop", "answer-number", "options-unrelated", "judged-number", "pairwise-self-reference"}, run.name) {
			if r := simulate(w, run.name, run.args); r.code != 0 {
				t.Fatal(r.stderr)
			}
		}
	}
	w.write("s.yaml", "name: small\njudges: [{backend: sim, model: coin}, {name: good, backend: sim, model: accuracy=0.9}]\nconditions: [{protocol: [pairwise, reversed], dataset: sample, limit: 8}]\n")
	w.must("suite", "run", "s.yaml")
	stub := newStub(w, "other")
	w.env = append(w.env, "OPENAI_BASE_URL="+stub.URL) // where it is set, the usual ports are not looked at
	s := w.serve()
	for _, target := range []string{
		"/api/v1/runs?sort=name", "/api/v1/runs?protocol=pairwise&sort=headline", "/api/v1/runs?q=options&sort=-name", "/api/v1/runs?sort=odd",
		"/api/v1/runs/pairwise-sop", "/api/v1/runs/judged-number", "/api/v1/runs/options-unrelated", "/api/v1/runs/answer-number", "/api/v1/runs/none", "/api/v1/runs/pairwise-repeat",
		"/api/v1/runs/pairwise-sop/status", "/api/v1/runs/" + esc("small/coin_pairwise_sample_sop_limit-8"),
		"/api/v1/runs/pairwise-sop/items?per=200", "/api/v1/runs/pairwise-sop/items?show=wrong&per=5&page=2", "/api/v1/runs/pairwise-sop/items?show=inconsistent", "/api/v1/runs/pairwise-sop/items?show=first&group=Math",
		"/api/v1/runs/pairwise-repeat/items?show=changed", "/api/v1/runs/pairwise-sop/items?q=metal", "/api/v1/runs/pairwise-sop/items?outcome=decided&per=1", "/api/v1/runs/pairwise-sop/items?show=odd", "/api/v1/runs/pairwise-sop/items?per=1000", "/api/v1/runs/pairwise-sop/items?page=99",
		"/api/v1/runs/judged-number/items?per=3", "/api/v1/runs/options-unrelated/items?per=3", "/api/v1/runs/answer-number/items?show=wrong&per=3",
		"/api/v1/runs/pairwise-sop/items/sample-math-01", "/api/v1/runs/options-unrelated/items/sample-options-01", "/api/v1/runs/pairwise-self-reference/items/sample-knowledge-01", "/api/v1/runs/pairwise-sop/items/none", "/api/v1/runs/pairwise-repeat/items/sample-knowledge-02",
		"/api/v1/runs/judged-number/items/" + esc("sample-money-01@sim:accuracy=0.6,seed=2"),
		"/api/v1/compare?a=pairwise-sop&b=reversed-sop", "/api/v1/compare?a=pairwise-sop&b=reversed-sop&show=differ", "/api/v1/compare?a=pairwise-sop&b=none", "/api/v1/compare?a=pairwise-sop&b=answer-number", "/api/v1/compare/item?a=pairwise-sop&b=reversed-sop&item=sample-math-01",
		"/api/v1/suites", "/api/v1/suites/small", "/api/v1/suites/none", "/api/v1/openapi.json", "/api/v1/jobs", "/api/v1/jobs/none", "/api/v1/nothing", "/healthz",
		"/api/v1/offer", "/api/v1/offer?protocol=pairwise", "/api/v1/offer?protocol=reversed", "/api/v1/offer?protocol=answer", "/api/v1/offer?protocol=self-reference", "/api/v1/offer?protocol=multi-option", "/api/v1/offer?protocol=nope",
	} {
		s.add(b, target, "")
	}
	for _, protocol := range []string{"pairwise", "reversed", "answer", "self-reference", "multi-option"} {
		_, page := s.ask("/start?protocol="+protocol, "")
		b.add("fields of /start?protocol="+protocol, w.plain(fieldsOfForm(page)))
	}
	var pages strings.Builder
	for _, target := range []string{"/", "/runs/pairwise-sop", "/runs/judged-number", "/runs/options-unrelated", "/runs/pairwise-sop/items", "/runs/pairwise-sop/items/sample-math-01", "/suites", "/suites/small", "/compare?a=pairwise-sop&b=reversed-sop", "/start", "/jobs", "/runs/none", "/login", "/nowhere"} {
		status, _ := s.ask(target, "")
		fmt.Fprintf(&pages, "%d %s\n", status, target)
	}
	b.add("pages", pages.String())

	for _, body := range wrongOrders {
		s.add(b, "/api/v1/plan", body)
	}
	s.add(b, "/api/v1/start", `{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","limit":"many"}`)
	for _, c := range wrongSuites {
		body, _ := json.Marshal(map[string]string{"file": c.text})
		status, text := s.ask("/api/v1/suites/plan", string(body))
		b.add("POST /api/v1/suites/plan: "+c.name, fmt.Sprintf("%d\n%s", status, untimed(w.plain(text))))
	}
	stub.silence(t, w, "looked at and planned")

	var offer struct {
		Endpoints []struct{ ID, URL string }
	}
	_, text := s.ask("/api/v1/offer", "")
	if err := json.Unmarshal([]byte(text), &offer); err != nil {
		t.Fatal(err)
	}
	id := ""
	for _, e := range offer.Endpoints {
		if e.ID != "sim" {
			id = e.ID
		}
	}
	for _, c := range []struct{ name, body string }{
		{"pairs", `{"protocol":"pairwise","endpoint":"sim","model":"accuracy=0.8,first=0.2","dataset":"sample","limit":10,"prompt":"cot"}`},
		{"strings for numbers", `{"protocol":"reversed","endpoint":"sim","model":"coin","dataset":"sample","sample":"5","seed":"4","group":["Math","Coding"],"accept-cut":"true","attempts":1}`},
		{"options", `{"protocol":"multi-option","endpoint":"sim","model":"accuracy=0.6","dataset":"sample-options","goal":"worst","unrelated":true,"max-options":3,"orders":"all","prompt":"2","limit":4}`},
		{"stages", `{"protocol":"self-reference","endpoint":"sim","model":"accuracy=0.7","dataset":"sample-number","sample":2,"agents":["sim:accuracy=0.6,seed=2","answer-number"],"mode":"self"}`},
		{"a server", `{"protocol":"pairwise","endpoint":"` + id + `","model":"tiny","dataset":"sample","limit":3,"self-reference":true,"max-tokens":500,"timeout":"1m"}`},
	} {
		s.add(b, "/api/v1/plan", c.body)
		s.order(b, "an order of "+c.name, "/api/v1/start", c.body)
	}
	list, n := stub.take(w)
	b.add(fmt.Sprintf("%d requests to the server", n), list)
	suite, _ := json.Marshal(map[string]string{"file": "name: ordered\njudges: [{backend: sim, model: coin}, {model: tiny}]\nconditions:\n- protocol: [pairwise, answer]\n  dataset: sample\n  limit: 2\n  max-tokens: 700\n"})
	s.add(b, "/api/v1/suites/plan", string(suite))
	s.order(b, "an order of a suite", "/api/v1/suites/start", string(suite))
	list, n = stub.take(w)
	b.add(fmt.Sprintf("%d requests to the server, of the suite", n), list)
	b.add("folders and ids", w.ids("runs"))
	s.add(b, "/api/v1/suites/ordered", "")
	s.add(b, "/api/v1/runs/pairwise-sop/delete", `{"confirm":"other"}`)
	s.add(b, "/api/v1/runs/pairwise-sop/delete", `{"confirm":"pairwise-sop"}`)
	s.add(b, "/api/v1/suites/small/delete", `{"confirm":"small"}`)
	s.add(b, "/api/v1/jobs/none/stop", `{}`)
	b.add("folders, then", w.ids("runs"))
}

var wrongOrders = []string{
	`{`, `[]`, `{}`, `{"protocol":"pairwize"}`, `{"protocol":"pairwise"}`,
	`{"protocol":"pairwise","endpoint":"nope","model":"coin","dataset":"sample"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"quick","dataset":"sample"}`,
	`{"protocol":"pairwise","endpoint":"sim","dataset":"sample"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"questions.jsonl"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample-choice"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","limit":-1}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","limit":1.5}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","temprature":1}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","goal":"worst"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","prompt":"mine.txt"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","out":"x"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","ids":"ids.txt"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","cache":"x"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","base-url":"http://x"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","concurrency":"many"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","constrain":true}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","group":"Art"}`,
	`{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample","limit":{"a":1}}`,
	`{"protocol":"multi-option","endpoint":"sim","model":"coin","dataset":"sample-options","orders":"backwards"}`,
	`{"protocol":"multi-option","endpoint":"sim","model":"coin","dataset":"sample-options","max-options":1}`,
	`{"protocol":"self-reference","endpoint":"sim","model":"coin","dataset":"sample-number"}`,
	`{"protocol":"self-reference","endpoint":"sim","model":"coin","dataset":"sample-number","agents":"answers.jsonl"}`,
	`{"protocol":"self-reference","endpoint":"sim","model":"coin","dataset":"sample-number","agents":"m@http://elsewhere:1"}`,
	`{"protocol":"answer","endpoint":"sim","model":"coin","dataset":"sample-choice","repeat":2}`,
}
