package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gavel/server"
)

// commandsOf are the command lines of a page of the docs that begin so, without
// that beginning.
func commandsOf(t *testing.T, page, begin string) (all []string) {
	t.Helper()
	for line := range strings.Lines(read(t, filepath.Join(sourceDir, "../../docs", page))) {
		if args, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    "+begin+" "); ok {
			all = append(all, args)
		}
	}
	return all
}

// TestSuitesPage: every command of docs/suites.md runs.
func TestSuitesPage(t *testing.T) {
	home(t)
	file := write(t, "first.yaml", read(t, filepath.Join(sourceDir, "../../docs/examples/first.yaml")))
	all := commandsOf(t, "suites.md", "gavel")
	for _, line := range all {
		line, _, _ = strings.Cut(line, "  ") // what it does stands behind it
		mustCall(t, words(strings.Replace(line, "FILE.yaml", file, 1))...)
	}
	if len(all) != 4 {
		t.Errorf("%d commands found in docs/suites.md", len(all))
	}
}

// TestServerPage: every command and every request of docs/server.md does what it
// is there for, in the order in which they stand there.
func TestServerPage(t *testing.T) {
	home(t)
	for _, line := range commandsOf(t, "server.md", "gavel") {
		if args := words(line); args[0] == "serve" {
			mustCall(t, append(args, "--help")...) // its flags are known
		} else {
			mustCall(t, args...)
		}
	}
	s := serve(t)
	all := commandsOf(t, "server.md", "curl")
	for _, line := range all {
		for name, value := range map[string]func() string{"JOB": s.lastJob, "RUN": s.lastRun, "SUITE": s.lastSuite} {
			if strings.Contains(line, name) {
				line = strings.ReplaceAll(line, name, value())
			}
		}
		s.curl(line)
	}
	if len(all) < 15 {
		t.Errorf("%d requests found in docs/server.md", len(all))
	}
}

// TestServerPageNamesTheMetrics: all of them, and no others.
func TestServerPageNamesTheMetrics(t *testing.T) {
	home(t)
	s := serve(t)
	s.ask("GET", "/healthz", nil, nil) // so that there is a request to count
	_, text := s.ask("GET", "/metrics", nil, nil)
	var there, named []string
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(text, -1) {
		there = append(there, m[1])
	}
	for _, m := range regexp.MustCompile("`(gavel_[a-z_]+)`").FindAllStringSubmatch(read(t, filepath.Join(sourceDir, "../../docs/server.md")), -1) {
		named = append(named, m[1])
	}
	slices.Sort(there)
	slices.Sort(named)
	if !slices.Equal(there, named) {
		t.Errorf("docs/server.md names %q, and there are %q", named, there)
	}
}

func (s *serving) lastJob() string {
	var v server.JobsView
	s.ask("GET", "/api/v1/jobs", nil, &v)
	return v.Jobs[0].ID
}

func (s *serving) lastSuite() string { return s.until(s.lastJob(), ended).Job.Suite }

func (s *serving) lastRun() string { return s.until(s.lastJob(), ended).Job.Run() }

// curl sends what a line of curl would, and wants it to be done. Of a job that
// has ended it is right to say so.
func (s *serving) curl(line string) {
	s.t.Helper()
	method, body, url := http.MethodGet, "", ""
	header := http.Header{}
	args := words(line)
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-s", "-sN":
		case "-H":
			i++
			name, value, _ := strings.Cut(args[i], ": ")
			header.Set(name, value)
		case "-d":
			i++
			method, body = http.MethodPost, args[i]
		default:
			url = strings.Replace(args[i], "http://127.0.0.1:7070", s.url, 1)
		}
	}
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		s.t.Fatalf("curl %s: %v", line, err)
	}
	r.Header = header
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("curl %s: %v", line, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	stopsTooLate := strings.HasSuffix(url, "/stop") && resp.StatusCode == http.StatusConflict
	if err != nil || resp.StatusCode >= 300 && !stopsTooLate || len(text) == 0 {
		s.t.Errorf("curl %s: %d %v\n%s", line, resp.StatusCode, err, text)
	}
}

// putExamples puts the files of docs/examples where the README names them.
func putExamples(t *testing.T) {
	t.Helper()
	if err := os.CopyFS("docs/examples", os.DirFS(filepath.Join(sourceDir, "../../docs/examples"))); err != nil {
		t.Fatal(err)
	}
}
