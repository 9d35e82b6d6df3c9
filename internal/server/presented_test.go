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
