package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// readIfAny reads a file, or nothing where there is none.
func readIfAny(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// TestServersAnotherModelUnderTheSameName is the same with llama.cpp's server,
// killed in the middle of a run and started with other weights.
func TestServersAnotherModelUnderTheSameName(t *testing.T) {
	l := newLlama(t)
	home(t)
	first, second := os.Getenv("GAVEL_TINY_MODEL"), tinyModel(t, "-seed", "2")
	mustCall(t, judgments(t, "undisturbed", "--base-url", l.url(), "--cache", "other")...)

	p := newProxy(t, l, &valve{})
	p.let(20)
	g := inBackground(judgments(t, "r", "--base-url", p.URL, "--retry-for", "3m")...)
	await(t, "r", 20)
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", second)
	l.start(t)
	p.let(1000)
	stderr, code := g.end()
	if code != exitIncomplete || !strings.Contains(stderr, "serves another model now") {
		t.Fatalf("exit status %d\n%s", code, stderr)
	}
	l.kill()
	t.Setenv("GAVEL_TINY_MODEL", first)
	l.start(t)
	mustCall(t, judgments(t, "r", "--base-url", p.URL)...)
	said := map[string]string{}
	for _, r := range records(t, "undisturbed") {
		said[fmt.Sprint(r.Item, " ", r.Presentation)] = r.Text()
	}
	rs := records(t, "r")
	for _, r := range rs {
		if r.Text() != said[fmt.Sprint(r.Item, " ", r.Presentation)] {
			t.Errorf("%s %d was not answered by the first model: %s", r.Item, r.Presentation, r.Error)
		}
	}
	if len(rs) != 200 {
		t.Errorf("%d records", len(rs))
	}
	mustCall(t, judgments(t, "again", "--base-url", p.URL)...)
	wantWhole(t, "again", "undisturbed")
}
