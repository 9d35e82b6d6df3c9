package server

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// Verdicts are compared by the order shown and the repetition, not by the numbers of presentations.
func TestVerdictsDifferByOrder(t *testing.T) {
	dir := t.TempDir()
	first := runSetup{protocol: "pairwise", dataset: "sample", sim: "first", repetitions: 2}
	makeRun(t, dir+"/a", first)
	renumbered := first
	renumbered.alter = func(r *judging.Record) { r.Presentation = 1 - r.Presentation }
	makeRun(t, dir+"/b", renumbered)
	once := first
	once.repetitions = 1
	makeRun(t, dir+"/once", once)
	second := first
	second.alter = func(r *judging.Record) {
		if r.Repetition == 1 && r.Item == "sample-math-01" {
			r.Replies[0].Text = "[[B>A]]"
		}
	}
	makeRun(t, dir+"/second", second)
	s := newSite(t, dir, nil)
	for pair, want := range map[string]int{"a=a&b=b": 0, "a=a&b=once": 0, "a=a&b=second": 1, "a=second&b=once": 0} {
		var v compareView
		s.data("/api/v1/compare?show=verdicts&"+pair, &v)
		if v.Shared != 32 || v.Matches != want {
			t.Errorf("%s: verdicts differ on %d of %d items, want %d", pair, v.Matches, v.Shared, want)
		}
	}
}

// The page of two runs begins with the answer of gavel compare, and its parts lead to as many items as they say.
func TestComparePageLeadsToItsItems(t *testing.T) {
	dir := t.TempDir()
	for name, sim := range map[string]string{"a": "accuracy=0.8,first=0.3,seed=1", "b": "accuracy=0.6,first=0.2,seed=2"} {
		makePairs(t, sim, dir, name)
	}
	s := newSite(t, dir, nil)
	var v compareView
	s.data("/api/v1/compare?a=a&b=b", &v)
	c := v.Comparison.Comparisons[0]
	page := s.get("/compare?a=a&b=b")
	title := textOf(elements(parse(t, page), "h1")[0])
	if title = strings.ReplaceAll(title, "\u00a0", " "); !strings.HasPrefix(c.Says, title) || len(title) < 20 {
		t.Errorf("the page begins with %q, the answer is %q", title, c.Says)
	}
	var parts scoring.Table2x2
	for _, d := range c.WhenConsistentByGroup {
		parts.Both += d.Table.Both
		parts.OnlyA += d.Table.OnlyA
		parts.OnlyB += d.Table.OnlyB
		parts.Neither += d.Table.Neither
		if d.Holm == nil || *d.Holm < *d.P || d.N != d.Table.N() {
			t.Errorf("%s: %+v", d.Group, d)
		}
	}
	if len(c.WhenConsistentByGroup) != 4 || parts != *c.WhenConsistent.Table {
		t.Errorf("by category %+v, overall %+v", parts, *c.WhenConsistent.Table)
	}
	links := 0
	for _, section := range []string{"who", "outcomes"} {
		for _, a := range elements(byID(t, page, section), "a") {
			to, err := url.Parse(attr(a, "href"))
			must(t, err)
			words := cmp.Or(attr(a, "aria-label"), textOf(a)) // "only NAME: 7 of 32", or "7 only NAME"
			n, err := strconv.Atoi(numberIn.FindString(words[strings.LastIndex(words, ": ")+1:]))
			if err != nil {
				continue
			}
			links++
			query := to.Query()
			var matches int
			if strings.HasPrefix(to.Path, "/runs/") {
				var items ItemsView
				s.data("/api/v1"+to.Path+"?"+query.Encode(), &items)
				matches = items.Matches
			} else {
				var items compareView
				s.data("/api/v1/compare?"+query.Encode(), &items)
				matches = items.Matches
			}
			if matches != n {
				t.Errorf("%s says %d of %s, which has %d", section, n, to, matches)
			}
		}
	}
	if links < 12 {
		t.Errorf("%d links to items", links)
	}
	for _, d := range c.Differences {
		if d.Metric != "strict" || d.Group == "overall" {
			continue
		}
		var items compareView
		s.data("/api/v1/compare?a=a&b=b&show=differ&group="+d.Group, &items)
		if items.Shared != d.N || items.Matches != d.Table.OnlyA+d.Table.OnlyB {
			t.Errorf("%s: %d of %d items differ, the table has %+v of %d", d.Group, items.Matches, items.Shared, *d.Table, d.N)
		}
	}
	difference := textOf(byID(t, page, "difference"))
	for _, want := range []string{"correct in both orders", "accuracy when consistent *", "Knowledge n = 8", "better →"} {
		if !strings.Contains(strings.Join(strings.Fields(difference), " "), want) {
			t.Errorf("the difference has no %q: %s", want, difference)
		}
	}
	mustContain(t, page, "gavel compare "+s.folder("a")+" "+s.folder("b"), "Copy as Markdown", "| correct in both orders |", "How sure is that?")
}

var numberIn = regexp.MustCompile(`\d+`)
