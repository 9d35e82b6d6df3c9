package cli

import (
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gavel/internal/server"
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
	if len(all) != 8 {
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

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	pageLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinks: what pages link to is there, the heading too, and every page of docs is linked from another.
func TestLinks(t *testing.T) {
	root := filepath.Join(sourceDir, "../..")
	pages, _ := filepath.Glob(filepath.Join(root, "*.md"))
	for _, under := range []string{"docs", ".github"} {
		_ = filepath.WalkDir(filepath.Join(root, under), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".md") {
				pages = append(pages, path)
			}
			return nil
		})
	}
	linked := map[string]bool{}
	for _, page := range pages {
		text := codeBlock.ReplaceAllString(read(t, page), "")
		for _, m := range pageLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
				linked[target] = true
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if anchor != "" && !slices.Contains(anchorsOf(read(t, target)), anchor) {
				t.Errorf("%s links to %s, and there is no such heading", page, m[1])
			}
		}
	}
	for _, page := range pages {
		if strings.HasPrefix(page, filepath.Join(root, "docs")) && !linked[page] {
			t.Errorf("no page links to %s", page)
		}
	}
}

// anchorsOf are the names that GitHub gives to a page's headings.
func anchorsOf(text string) (all []string) {
	for _, m := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		name := notAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(name, " ", "-"))
	}
	return all
}

var namedPage = regexp.MustCompile(`(?:^|[^/\w])(docs/[A-Za-z0-9/_-]+\.(?:md|yaml))`)

// TestNamedPages: a page that the code names, in a comment or in what it says, is there.
func TestNamedPages(t *testing.T) {
	root := filepath.Join(sourceDir, "../..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == "testdata" || name == ".git" || name == "dist" {
				return filepath.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".sh" && ext != ".html" {
			return nil
		}
		for _, m := range namedPage.FindAllStringSubmatch(read(t, path), -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
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
