package server

import (
	"cmp"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/scoring"
)

// Judgments stand beside each other that showed the same order, asked for the same time, whatever else a run asked.
func TestJudgmentsAreAlignedByOrderAndRepetition(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "right", dir, "once")
	makeRun(t, filepath.Join(dir, "thrice"), making{sim: "coin", repetitions: 3})
	makeRun(t, filepath.Join(dir, "rotated"), making{protocol: "multi-option", dataset: "sample-options", sim: "first"})
	makeRun(t, filepath.Join(dir, "drawn"), making{protocol: "multi-option", dataset: "sample-options", sim: "first", options: judging.Settings{"orders": "random:5"}})
	s := newSite(t, dir, nil)
	for _, c := range []struct {
		query, item string
		rows        int
	}{
		{"a=once&b=thrice", "sample-math-01", 6}, {"a=thrice&b=once", "sample-math-01", 6}, {"run=once&run=thrice&run=once&a=once", "sample-math-01", 6},
		{"a=rotated&b=drawn", "sample-options-02", 0},
	} {
		r := httptest.NewRequest("GET", "/compare/item?"+c.query+"&item="+c.item, nil)
		v, err := s.compareItemView(r)
		must(t, err)
		shown, rows := 0, map[string]bool{}
		for _, row := range v.Rows {
			var title string
			for k, cell := range row.Cells {
				if cell.JudgmentView == nil {
					continue
				}
				shown++
				is := fmt.Sprint(cell.Order, " time ", cell.Repetition)
				if title != "" && is != title {
					t.Errorf("%s: %s stands beside %s", c.query, is, title)
				}
				if title = is; cell.Name != v.Sides[k].Called {
					t.Errorf("%s: run %d goes by %s", c.query, k, cell.Name)
				}
			}
			rows[title] = true
		}
		all := 0
		for _, side := range v.Sides {
			all += len(side.Judgments)
		}
		if shown != all || c.rows > 0 && (len(v.Rows) != c.rows || len(rows) != c.rows) {
			t.Errorf("%s: %d of %d judgments in %d rows", c.query, shown, all, len(v.Rows))
		}
	}
	page := s.get("/compare/item?a=thrice&b=once&item=sample-math-01")
	for _, section := range elements(parse(t, page), "section") {
		if attr(section, "class") != "order" {
			continue
		}
		title := textOf(elements(section, "h3")[0])
		if lacks := strings.Contains(textOf(section), "has no such judgment"); lacks != strings.Contains(title, "time") {
			t.Errorf("%q: the other run has none: %v", title, lacks)
		}
	}
}

// More than two runs are compared by letters, with a figure, every two of them in a line, and the items that set them
// apart.
func TestCompareSeveral(t *testing.T) {
	dir := t.TempDir()
	for i, sim := range []string{"right", "accuracy=0.7,seed=1", "accuracy=0.5,first=0.5,seed=2", "first"} {
		makePairs(t, sim, dir, "run-"+letterOf(i))
	}
	s := newSite(t, dir, nil)
	q := "/compare?run=run-A&run=run-B&run=run-C&run=run-D&run="
	page := s.get(q)
	for _, pair := range []string{"A · B", "A · C", "A · D", "B · C", "B · D", "C · D"} {
		if !strings.Contains(textOf(byID(t, page, "difference")), pair) {
			t.Errorf("%s have no row", pair)
		}
	}
	if text := textOf(byID(t, page, "judges")); strings.Count(text, "sim:") != 4 {
		t.Errorf("not every judge stands with its number:\n%s", text)
	}
	right := make([]map[string]bool, 4)
	for i := range right {
		right[i] = map[string]bool{}
		var v ItemsView
		s.data("/api/v1/runs/run-"+letterOf(i)+"/items?show=right&per=200", &v)
		for _, item := range v.Items {
			right[i][item.ID] = true
		}
	}
	want := map[string]int{"all": 32}
	for id := range right[0] { // which is right on all
		n := 0
		for i := range right {
			if right[i][id] {
				n++
			}
		}
		if n < 4 {
			want["differ"]++
		}
		if n == 1 {
			want["a"]++
		}
	}
	for _, show := range []string{"differ", "a", "b", "none", "all"} {
		v, err := s.compareView(httptest.NewRequest("GET", q+"&show="+show, nil))
		must(t, err)
		if v.Matches != want[show] || v.Shared != 32 {
			t.Errorf("%s: %d of %d items, want %d", show, v.Matches, v.Shared, want[show])
		}
	}
	link := attr(elements(byID(t, s.get(q+"&show=all"), "items"), "a")[0], "href")
	if page := s.get(link); !strings.Contains(page, "/runs/run-D/items/") {
		t.Errorf("%s does not have all runs:\n%s", link, page)
	}
	s.answers(400, "/compare?run=1&run=2&run=3&run=4&run=5&run=6&run=7")
	says(t, s.get("/compare?a=run-A"), "Name two runs")
}

// Verdicts are held against each other by what was shown in which order and which time, not by the numbers of showings.
func TestVerdictsDifferByOrder(t *testing.T) {
	dir := t.TempDir()
	first := making{protocol: "pairwise", dataset: "sample", sim: "first", repetitions: 2}
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
	for _, d := range c.AlikeByGroup {
		parts.Both += d.Table.Both
		parts.OnlyA += d.Table.OnlyA
		parts.OnlyB += d.Table.OnlyB
		parts.Neither += d.Table.Neither
		if d.Holm == nil || *d.Holm < *d.P || d.N != d.Table.N() {
			t.Errorf("%s: %+v", d.Group, d)
		}
	}
	if len(c.AlikeByGroup) != 4 || parts != *c.Alike.Table {
		t.Errorf("by category %+v, overall %+v", parts, *c.Alike.Table)
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
	says(t, page, "gavel compare "+s.folder("a")+" "+s.folder("b"), "Copy as Markdown", "| correct in both orders |", "How sure is that?")
}

var numberIn = regexp.MustCompile(`\d+`)
