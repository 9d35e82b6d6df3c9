package server

import (
	"html"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gavel/judging"
)

// markedIn are the texts that a page marks as a verdict, in the replies as they came.
func markedIn(page string) (texts []string) {
	for _, raw := range regexp.MustCompile(`(?s)<pre class="text[^>]*>.*?</pre>`).FindAllString(page, -1) {
		for _, m := range regexp.MustCompile(`(?s)<mark class="verdict">(.*?)</mark>`).FindAllStringSubmatch(raw, -1) {
			texts = append(texts, html.UnescapeString(m[1]))
		}
	}
	return texts
}

// A page marks what the verdict was read from, and nothing else: of labels that a
// reply repeats the one that binds, in the turn in which it stands.
func TestVerdictIsMarkedWhereItStands(t *testing.T) {
	for _, c := range []struct {
		protocol, dataset string
		options           judging.Settings
		replies           []string
		want              []string
	}{
		{"pairwise", "sample", nil, []string{"[[A>B]] so far, \x1b and so [[A>B]]."}, []string{"[[A>B]]"}},
		{"pairwise", "sample", nil, []string{"Hm.", "Then\r\n[[B>A]]"}, []string{"[[B>A]]"}},
		{"pairwise", "sample", nil, []string{"[[A>B]], no, [[B>A]]"}, []string{"[[B>A]]"}},
		{"pairwise", "sample", nil, []string{"neither"}, nil},
		{"reversed", "sample", nil, []string{"[[C>D]] is none, [[A=B]] is not on offer"}, []string{"[[A=B]]"}},
		{"answer", "sample-choice", nil, []string{"A is wrong. The answer is (B). I am sure."}, []string{"B"}},
		{"answer", "sample-number", nil, []string{"Of 7 and ٥: the answer is ٤٢ euros."}, []string{"٤٢"}},
		{"multi-option", "sample-options", nil, []string{"Option 1? Selection: Option 2, not Option 1"}, []string{"Option 2"}},
	} {
		dir := t.TempDir()
		makeRun(t, filepath.Join(dir, "run"), runSetup{protocol: c.protocol, dataset: c.dataset, sim: "right", options: c.options, alter: func(r *judging.Record) {
			r.Replies = slices.Repeat(r.Replies[:1], len(c.replies))
			for i, text := range c.replies {
				r.Replies[i].Text = text
			}
		}})
		s := newSite(t, dir, nil)
		m := regexp.MustCompile(`/runs/run/items/([^"?]+)`).FindStringSubmatch(s.get("/runs/run/items"))
		if m == nil {
			t.Fatalf("%s: no item is listed", c.protocol)
		}
		page := s.get("/runs/run/items/" + m[1])
		got := slices.Compact(markedIn(page))
		if !slices.Equal(got, c.want) {
			t.Errorf("%s, %q: marked %q, want %q", c.protocol, c.replies, got, c.want)
		}
		if last := c.replies[len(c.replies)-1]; len(c.replies) > 1 && !strings.Contains(html.UnescapeString(page), "Then") {
			t.Errorf("%q is not on the page", last)
		}
	}
}
