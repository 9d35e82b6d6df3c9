package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoRuns makes a run of each protocol of pairs with a simulated judge.
func twoRuns(t *testing.T) (dir string) {
	t.Helper()
	dir = home(t)
	for _, protocol := range []string{"pairwise", "reversed"} {
		mustCall(t, "run", protocol, "--backend", "sim", "--model", "accuracy=0.8,first=0.3,seed=1", "--dataset", "sample", "--out", filepath.Join(dir, protocol))
	}
	return dir
}

func TestReport(t *testing.T) {
	dir := twoRuns(t)
	out := filepath.Join(dir, "r.html")
	args := []string{"report", filepath.Join(dir, "pairwise"), filepath.Join(dir, "reversed"), "--out", out, "--rounds", "200"}
	mustCall(t, args...)
	page := read(t, out)
	for _, want := range []string{
		"<title>gavel: 2 runs</title>", "SIMULATION", `id="run-1-groups"`,
		"<dt>made by</dt><dd>gavel " + release, "<dt>dataset</dt><dd>sample</dd>", "simulated judge",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, never := range []string{"<script", "http://", "https://", dir + string(os.PathSeparator) + "cache"} {
		if strings.Contains(strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, ""), never) {
			t.Errorf("it has %q", never)
		}
	}
	mustCall(t, args...) // over its own page
	if read(t, out) != page {
		t.Error("the same runs gave other bytes")
	}
	if stdout := mustCall(t, append(args, "--out", "-")...); stdout != page {
		t.Error("standard output got another page")
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// What is not gavel's page is not written over, unless it is asked for.
func TestReportLeavesOtherFiles(t *testing.T) {
	dir := twoRuns(t)
	run := filepath.Join(dir, "pairwise")
	for name, content := range map[string]string{
		"a page":       "<!DOCTYPE html>\n<title>my thesis</title>",
		"empty":        "",
		"much further": strings.Repeat(" ", 2000) + `<meta name="generator" content="gavel">`,
	} {
		path := write(t, filepath.Join(dir, "other.html"), content)
		_, stderr, code := call(t, "report", run, "--out", path)
		if code != exitError || !strings.Contains(stderr, "--force") || read(t, path) != content {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	mustCall(t, "report", run, "--out", filepath.Join(dir, "other.html"), "--force")
	if !strings.Contains(read(t, filepath.Join(dir, "other.html")), `id="groups"`) {
		t.Error("--force wrote nothing")
	}
}

func TestReportUsage(t *testing.T) {
	dir := twoRuns(t)
	run := filepath.Join(dir, "pairwise")
	for _, c := range []struct {
		name string
		args []string
		code int
		say  string
	}{
		{"nowhere to", []string{"report", run}, exitUsage, "--out"},
		{"no run", []string{"report", "--out", "x.html"}, exitUsage, "which run"},
		{"not a run", []string{"report", t.TempDir(), "--out", "x.html"}, exitError, "not a run directory"},
		{"no such folder", []string{"report", run, "--out", filepath.Join(dir, "no", "x.html")}, exitError, "no such file"},
		{"a PDF", []string{"report", run, "--out", filepath.Join(dir, "report.pdf")}, exitUsage, "a report is HTML, Markdown or a picture: give a name that ends in .html, .md or .svg"},
		{"a folder", []string{"report", run, "--out", dir}, exitError, "directory"},
		{"a folder, by force", []string{"report", run, "--force", "--out", dir}, exitError, "rename"},
	} {
		stderr := ends(t, c.code, c.say, c.args...)
		if strings.Count(stderr, "\n") > 1 {
			t.Errorf("%s: more than a line: %q", c.name, stderr)
		}
	}
	if _, err := os.Stat("x.html"); err == nil {
		t.Error("a page was written")
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
