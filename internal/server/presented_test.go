package server

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"gavel/datasets"
	"gavel/judging"
)

// A swapped reply's "Assistant A" is translated, and the goal and the right answer are said under both goals.
func TestItemPageTranslates(t *testing.T) {
	dir := t.TempDir()
	for _, protocol := range []string{"pairwise", "reversed"} {
		makeRun(t, filepath.Join(dir, protocol), making{protocol: protocol, dataset: "sample", sim: "first"})
	}
	s := newSite(t, dir, nil)
	var v ItemView
	s.data("/api/v1/runs/pairwise/items/sample-math-01", &v)
	better, worse := v.Judgments[0].Gold, "A"
	if better == "A" {
		worse = "B"
	}
	for protocol, words := range map[string][]string{
		"pairwise": {"Which is better?", "Correct answer " + better + ", labelled the better", "Verdict: A is the better", "Verdict: B is the better"},
		"reversed": {"Which is worse?", worse + " is worse, " + better + " is labelled the better"},
	} {
		page := s.get("/runs/" + protocol + "/items/sample-math-01")
		says(t, page, words...)
		for judgment, want := range map[string]string{"judgment-0-0": "In this order Assistant A is A, Assistant B is B.", "judgment-1-0": "In this order Assistant A is B, Assistant B is A."} {
			if text := textOf(byID(t, page, judgment)); !strings.Contains(text, want) {
				t.Errorf("%s, %s does not say %q:\n%s", protocol, judgment, want, text)
			}
		}
		place := map[bool][]string{true: {"Assistant A", "Assistant B"}, false: {"Assistant B", "Assistant A"}}[better == "A"]
		var here []string
		for _, cell := range elements(byID(t, page, "results"), "td") {
			if attr(cell, "data-label") == "Correct label" {
				here = append(here, textOf(cell))
			}
		}
		if !slices.Equal(here, place) {
			t.Errorf("%s: right is %v, want %v: the label is %s", protocol, here, place, better)
		}
	}
}

// Of options that are shown in rotations the page has a grid; under the goal worst the worst is right to name.
func TestItemPageOfOptions(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "best"), making{protocol: "multi-option", dataset: "sample-options", sim: "right"})
	makeRun(t, filepath.Join(dir, "worst"), making{protocol: "multi-option", dataset: "sample-options", sim: "right", options: judging.Settings{"goal": "worst"}})
	s := newSite(t, dir, nil)
	for _, run := range []string{"best", "worst"} {
		var list ItemsView
		s.data("/api/v1/runs/"+run+"/items?show=right", &list)
		if list.Matches != list.Total {
			t.Errorf("%s: a judge that is always right is right on %d of %d items", run, list.Matches, list.Total)
		}
	}
	var v ItemView
	s.data("/api/v1/runs/worst/items/sample-options-02", &v)
	page := s.get("/runs/worst/items/sample-options-02")
	chosen, shown := 0, 0
	for _, cell := range elements(byID(t, page, "grid"), "td") {
		shown++
		if class := attr(cell, "class"); strings.Contains(class, "chosen") {
			if chosen++; class != "chosen to-name" || strings.Contains(textOf(cell), v.Judgments[0].Gold) {
				t.Errorf("chosen is %q, %q; the best is %s", textOf(cell), class, v.Judgments[0].Gold)
			}
		}
	}
	if n := len(v.Judgments); chosen != n || shown != n*(n+1) {
		t.Errorf("%d of %d cells are chosen, in %d judgments", chosen, shown, n)
	}
}

// What is copied is there, and hidden until a script can copy it.
func TestCopyButtons(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "run"), making{sim: "right", repetitions: 2})
	s := newSite(t, dir, nil)
	page := s.get("/runs/run/items/sample-math-02")
	doc, n := parse(t, page), 0
	for _, b := range elements(doc, "button") {
		if id := attr(b, "data-copies"); id != "" {
			n++
			byID(t, page, id)
		}
	}
	if n != 1+4*3 {
		t.Errorf("%d things can be copied, want the question and of 4 judgments two parts of the prompt and the reply", n)
	}
	ids := map[string]bool{}
	for _, e := range elements(doc, "") {
		if id := attr(e, "id"); id != "" && ids[id] {
			t.Errorf("two elements are %q", id)
		} else {
			ids[id] = true
		}
		if strings.Contains(attr(e, "class"), "script-only") && !slices.ContainsFunc(e.Attr, func(a html.Attribute) bool { return a.Key == "hidden" }) {
			t.Errorf("without a script there is %s", outer(e))
		}
	}
}

// Of several options the right ones are told by the goal, options with the same text included.
func TestToName(t *testing.T) {
	ranks := map[string]int{"01": 0, "02": 1, "03": 2}
	for name, c := range map[string]struct {
		goal string
		r    judging.Record
		want []string
	}{
		"best":        {"best", judging.Record{Gold: "01", Ranks: ranks}, []string{"01"}},
		"worst":       {"worst", judging.Record{Gold: "01", Ranks: ranks}, []string{"03"}},
		"unrelated":   {"worst", judging.Record{Gold: "01", Ranks: ranks, Unrelated: "02"}, []string{"02"}},
		"not ranked":  {"worst", judging.Record{Gold: "01"}, nil},
		"no label":    {"best", judging.Record{}, nil},
		"twice there": {"best", judging.Record{Gold: "01", Equal: [][]string{{"01", "03"}}}, []string{"01", "03"}},
	} {
		c.r.Order, c.r.Shape = []string{"03", "01", "02"}, datasets.Options
		m := &judging.Manifest{Spec: judging.Spec{Protocol: "multi-option", Options: judging.Settings{"goal": c.goal}}}
		if got := m.ToName(&c.r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestRepliesStandFirst: the page of an item has what the judge said before what it was asked, and candidates laid out.
func TestRepliesStandFirst(t *testing.T) {
	dir := t.TempDir()
	for run, sim := range map[string]string{"run": "right", "other": "first"} {
		makePairs(t, sim, dir, run)
	}
	s := newSite(t, dir, nil)
	for _, path := range []string{"/runs/run/items/sample-coding-01", "/compare/item?a=run&b=other&item=sample-coding-01"} {
		rest := s.get(path)
		for _, part := range []string{`id="judgments-title"`, `Simulated judgment`, `id="question"`, `class="candidate`, `<div class="md"`, "<code>"} {
			_, after, found := strings.Cut(rest, part)
			if !found {
				t.Errorf("%s: %s stands too early, or is not there", path, part)
			}
			rest = after
		}
	}
}
