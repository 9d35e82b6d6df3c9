package protocols_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gavel/internal/cli"
	"gavel/internal/cli/clitest"
	"gavel/protocols"
	"gavel/protocols/testdata/rating"
)

// TestMain makes the test binary a gavel with one more protocol: the folder testdata/rating, and one entry of the list.
func TestMain(m *testing.M) {
	if clitest.IsGavel() {
		added := protocols.Protocol{
			Protocol:    rating.Protocol,
			Scorer:      rating.NewScorer,
			MetricsYAML: rating.Metrics,
			Layout:      rating.Layout,
			Imports:     rating.Imports,
		}
		protocols.All = append(protocols.All, added)
		protocols.Register(added)
		os.Exit(cli.Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// house is an empty folder in which gavel runs.
type house struct {
	t          *testing.T
	dir, gavel string
}

func (h *house) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.gavel, args...)
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), "HOME="+h.dir, "XDG_CACHE_HOME="+h.dir, "XDG_DATA_HOME="+h.dir)
	return cmd
}

func (h *house) call(args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	cmd := h.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		h.t.Fatalf("gavel %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return stdout.String()
}

// fails runs gavel, which must fail with this error.
func (h *house) fails(subject, message string, args ...string) {
	h.t.Helper()
	out, err := h.command(h.t.Context(), args...).CombinedOutput()
	if err == nil {
		h.t.Errorf("%s: no error", subject)
	}
	h.has(subject, string(out), message)
}

// serve starts the server and returns its address.
func (h *house) serve(args ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	cmd := h.command(ctx, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { cancel(); cmd.Wait() })
	address := regexp.MustCompile(`at (http://[^/ ]+)/`)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if m := address.FindStringSubmatch(lines.Text()); m != nil {
			go io.Copy(io.Discard, stderr)
			return m[1]
		}
	}
	h.t.Fatal("gavel serve ended without an address")
	return ""
}

func (h *house) get(url string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		h.t.Fatalf("GET %s: %s, %v\n%s", url, resp.Status, err, body)
	}
	return string(body)
}

func (h *house) has(subject, text string, phrases ...string) {
	h.t.Helper()
	for _, w := range phrases {
		if !strings.Contains(text, w) {
			h.t.Errorf("%s: no %q in\n%s", subject, w, text[:min(len(text), 3000)])
		}
	}
}

// A protocol needs a folder and a line. With no other change it is a command with its options and help and a value in
// suites, it has tables, comparisons and a report, and the server offers it, runs it and shows its runs.
func TestAProtocolIsAFolderAndALine(t *testing.T) {
	gavel, err := clitest.LinkGavel(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, dir: t.TempDir(), gavel: gavel}

	h.has("gavel run", strings.Join(strings.Fields(h.call("run", "--help", "all")), " "), "how good is it, from 1 to 5?", " rating pairs ")
	h.has("its help", h.call("run", "rating", "--help", "all"), "Has a judge rate both responses", "gavel run rating --model", "--scale", `(default: "five")`, "plain")
	h.has("gavel import", h.call("import", "--help", "all"), "rated", "ratings of others become a run")
	h.has("its importer", h.call("import", "rated", "--help", "all"), "FILE --out RUN --by NAME", "who rated")
	h.fails("its importer's option", `--by " ": say who`, "import", "rated", "x", "--out", "r", "--by", " ")
	h.fails("its importer's file", "x of Ann has no ratings", "import", "rated", "x", "--out", "r", "--by", "Ann")
	h.has("gavel prompts", h.call("prompts", "list"), "rating/plain")

	judge := []string{"run", "rating", "--backend", "sim", "--dataset", "sample"}
	h.has("its plan", h.call(append(judge, "--model", "right", "--dry-run")...), "rating (how good?)", "64", "Rate the response.")
	h.has("its answer", h.call(append(judge, "--model", "right", "--out", "right")...), "the better is rated higher", "100", "32 items")
	h.has("its table", h.call("score", "right", "--full"), "rating", "better-rated", "100.0", "32")
	h.call(append(judge, "--model", "accuracy=0.5,seed=3", "--scale", "two", "--out", "half")...)
	h.has("the table of two", h.call("score", "right", "half"), "rated higher", "scale two")
	h.has("the comparison", h.call("compare", "right", "half"), "rated higher", "32")
	h.has("as JSON", h.call("score", "--json", "right"), `"protocol": "rating"`, `"metric": "better-rated"`)
	h.call("report", "--out", "page.html", "right", "half")
	page, err := os.ReadFile(filepath.Join(h.dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	h.has("the report", string(page), "rating", "rated higher", "100.0")

	suite := "judges: [{model: right, backend: sim}]\nconditions: [{protocol: rating, dataset: sample, limit: 4, scale: [five, two]}]\n"
	if err := os.WriteFile(filepath.Join(h.dir, "s.yaml"), []byte(suite), 0o644); err != nil {
		t.Fatal(err)
	}
	h.has("the suite", h.call("suite", "plan", "s.yaml"), "rating", "two")
	h.call("suite", "run", "s.yaml")
	h.has("its results", h.call("suite", "results", "s.yaml"), "rating", "rated higher")

	address := h.serve("--runs", ".")
	h.has("the form", h.get(address+"/start?protocol=rating"), "rating", `name="scale"`, "two")
	h.has("the run's page", h.get(address+"/runs/right"), "rating", "rated higher", "100.0")
	h.has("the list of runs", h.get(address+"/runs"), "the better is rated higher")
	h.has("the leaderboard", h.get(address+"/"), "rated higher", "right")
	items := h.get(address + "/runs/right/items")
	m := regexp.MustCompile(`/runs/right/items/([^"?]+)`).FindStringSubmatch(items)
	if m == nil {
		t.Fatalf("no item is listed in\n%s", items[:min(len(items), 3000)])
	}
	h.has("an item's page", h.get(address+"/runs/right/items/"+m[1]), `<mark class="verdict">Rating: 5</mark>`, `<mark class="verdict">Rating: 1</mark>`,
		"Judgment 1 of 2: shown <bdi>A</bdi></h3>", "Judgment 2 of 2: shown <bdi>B</bdi></h3>")
}
