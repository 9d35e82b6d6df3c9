package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/internal/eval"
	"gavel/internal/server"
	"gavel/internal/server/jobs"
)

// serving is a `gavel serve` that goes on beside a test.
type serving struct {
	t      testing.TB
	stderr overheard
	url    string
	stop   func() // Ctrl-C
	code   chan int
}

func serve(t testing.TB, args ...string) *serving {
	t.Helper()
	return begin(t, append([]string{"serve"}, args...)...)
}

// begin runs a command that serves pages.
func begin(t testing.TB, args ...string) *serving {
	t.Helper()
	s := &serving{t: t, code: make(chan int, 1)}
	in := new(eval.Interrupts)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.stop = func() { in.Interrupt(cancel) }
	go func() {
		s.code <- newEnv(in, io.Discard, &s.stderr).runCommandLine(ctx, append(args, "--addr", "127.0.0.1:0"))
	}()
	t.Cleanup(func() {
		s.stop()
		s.stop()
		if code := <-s.code; code != exitOK {
			t.Errorf("serve ended with %d: %s", code, &s.stderr)
		}
		s.code <- 0
	})
	s.stderr.until("(Ctrl-C ends it)")
	m := regexp.MustCompile(`http://[^/]+`).FindString(s.stderr.String())
	if m == "" {
		t.Fatalf("it does not serve: %s", &s.stderr)
	}
	s.url = m
	return s
}

// end ends it as Ctrl-C does.
func (s *serving) end() {
	s.t.Helper()
	s.stop()
	code := <-s.code
	if code != exitOK {
		s.t.Errorf("it ended with %d: %s", code, &s.stderr)
	}
	s.code <- exitOK
}

// ask sends a request and reads what comes as JSON.
func (s *serving) ask(method, path string, body, v any) (status int, text string) {
	s.t.Helper()
	var b bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&b).Encode(body); err != nil {
			s.t.Fatal(err)
		}
	}
	r, err := http.NewRequest(method, s.url+path, &b)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if v != nil && resp.StatusCode < 300 {
		if err := json.Unmarshal(raw, v); err != nil {
			s.t.Fatalf("%s: %v: %s", path, err, raw)
		}
	}
	return resp.StatusCode, string(raw)
}

func (s *serving) start(request map[string]any) jobs.Job {
	s.t.Helper()
	var j jobs.Job
	if status, text := s.ask("POST", "/api/v1/start", request, &j); status != http.StatusAccepted {
		s.t.Fatalf("it does not start: %d %s", status, text)
	}
	return j
}

func (s *serving) job(id string) server.JobView {
	s.t.Helper()
	var v server.JobView
	if status, text := s.ask("GET", "/api/v1/jobs/"+id, nil, &v); status != http.StatusOK {
		s.t.Fatalf("job %s: %d %s", id, status, text)
	}
	return v
}

// until waits for a job to be as it should; it gives up after two minutes.
func (s *serving) until(id string, done func(server.JobView) bool) server.JobView {
	s.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		v := s.job(id)
		if done(v) {
			return v
		}
		if time.Now().After(end) {
			s.t.Fatalf("the job never came to it: %+v", v)
		}
	}
}

func ended(v server.JobView) bool { return !v.Job.Active() }

func jobRequest(endpoint string, more ...string) map[string]any {
	o := map[string]any{"protocol": "pairwise", "endpoint": endpoint, "model": "tiny", "dataset": "sample", "concurrency": "2"}
	for i := 0; i+1 < len(more); i += 2 {
		o[more[i]] = more[i+1]
	}
	return o
}

var (
	shownCommand = regexp.MustCompile(`<(?:code|pre)[^>]*>(gavel [^<]+)|here: (gavel [^<]+)`)
	shownLink    = regexp.MustCompile(`href="(/[^"]*)`)
	stoodFor     = regexp.MustCompile(`^[A-Z]{3,}$`)
)

// TestCommandsOnPages: every command that a page shows can be copied into a shell where the server was started.
func TestCommandsOnPages(t *testing.T) {
	home(t)
	if err := os.Mkdir("none yet", 0o755); err != nil {
		t.Fatal(err)
	}
	sim := func(out, protocol, model, dataset string, more ...string) {
		mustCall(t, append([]string{"run", protocol, "--backend", "sim", "--model", model, "--dataset", dataset, "--out", "my runs/" + out}, more...)...)
	}
	sim("a", "pairwise", "accuracy=0.9", "sample")
	sim("deep/b", "pairwise", "accuracy=0.8,first=0.1", "sample", "--sample", "20")
	sim("it's c", "pairwise", "coin", "sample")
	sim("worse", "reversed", "accuracy=0.9", "sample")
	sim("options", "multi-option", "accuracy=0.6", "sample-options")
	sim("answers", "answer", "accuracy=0.6", "sample-choice")
	sim("own", "self-reference", "accuracy=0.8", "sample-number", "--agents", "sim:accuracy=0.6,seed=2")
	mustCall(t, "jury", "--out", "my runs/jury", "my runs/a", "my runs/deep/b", "my runs/it's c")
	mustCall(t, "demo", "--out", "my runs/published")
	commands := map[string]string{}
	for _, folder := range []string{"none yet", "my runs"} {
		links := []string{"/", "/runs", "/suites", "/start", "/compare?run=a&run=deep%2Fb&run=it%27s+c", "/compare?a=jury&b=a"}
		crawl(t, serve(t, "--runs", folder).url, links, 30, func(link string, status int, page string) {
			if status != http.StatusOK && folder == "my runs" {
				t.Errorf("%s: %d", link, status)
			}
			if link == "/help" {
				return // TestReadme runs its commands
			}
			for _, m := range shownCommand.FindAllStringSubmatch(page, -1) {
				commands[html.UnescapeString(m[1]+m[2])] = link
			}
		})
	}
	all := strings.Join(slices.Sorted(maps.Keys(commands)), "\n")
	for _, begin := range []string{
		"gavel compare 'my runs/", "gavel jury --out 'my runs/jury' 'my runs/a' 'my runs/deep/b' 'my runs/it'\\''s c'",
		"gavel demo --out 'none yet'", "gavel run pairwise --model MODEL --dataset sample --out 'none yet/first'", "gavel run reversed ",
		"gavel run multi-option ", "gavel run answer ", "gavel run self-reference ", "gavel suite run FILE",
	} {
		if !strings.Contains(all, begin) {
			t.Errorf("no page shows %s…:\n%s", begin, all)
		}
	}
	for command := range commands {
		args := words(strings.ReplaceAll(strings.TrimSpace(command), `'\''`, "\x00"))[1:]
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\x00", "'")
		}
		if args[0] == "serve" || slices.ContainsFunc(args, stoodFor.MatchString) {
			end := slices.IndexFunc(args, func(a string) bool { return a[0] == '-' || stoodFor.MatchString(a) })
			args = append(args[:max(1, end)], "--help")
		}
		mustCall(t, args...)
	}
}

// crawl visits links of a server, and those that stand on their pages, of each kind of page so many at the most.
func crawl(t *testing.T, base string, links []string, limit int, visit func(link string, status int, page string)) {
	t.Helper()
	pages := http.NewServeMux()
	for _, pattern := range server.Pages() {
		pages.HandleFunc(pattern, http.NotFound)
	}
	visited, kinds := map[string]bool{}, map[string]int{}
	for ; len(links) > 0; links = links[1:] {
		r, err := http.NewRequest("GET", base+links[0], nil)
		if err != nil || visited[links[0]] {
			continue
		}
		visited[links[0]] = true
		_, pattern := pages.Handler(r)
		if pattern == "" || kinds[pattern] == limit {
			continue
		}
		kinds[pattern]++
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		visit(links[0], resp.StatusCode, string(page))
		for _, m := range shownLink.FindAllSubmatch(page, -1) {
			link, _, _ := strings.Cut(html.UnescapeString(string(m[1])), "#")
			links = append(links, link)
		}
	}
}
