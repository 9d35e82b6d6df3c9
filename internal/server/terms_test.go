package server

import (
	"net/url"
	"strings"
	"testing"

	"gavel/scoring"
)

// Whatever a run's numbers are called, there are words for it; and each button on a page opens one explanation that is
// there, once.
func TestMetricsAreExplained(t *testing.T) {
	dir := sampleRuns(t)
	s := newSite(t, dir, nil)
	for _, run := range []string{"pairs-a", "deep/answer", "numbers", "options", "again"} {
		var v runView
		s.data("/api/v1/runs/"+url.PathEscape(run), &v)
		for _, x := range v.Report.Results {
			if _, ok := scoring.FindTerm(scoring.MetricsOf(v.Protocol), x.Metric); !ok {
				t.Errorf("%s: nothing says what %s is", run, x.Metric)
			}
		}
	}
	makePairs(t, "coin", dir, "pairs-c")
	suiteOf(t, dir, "suite")
	s.runs.ForgetListing()
	for target, least := range map[string]int{"/runs/pairs-a": 6, "/runs/options": 5, "/runs/numbers": 2, "/suites/suite": 1, "/compare?a=pairs-a&b=pairs-c": 5, "/compare?run=pairs-a&run=pairs-b&run=pairs-c": 3} {
		page := parse(t, s.get(target))
		there := map[string]int{}
		for _, e := range elements(page, "div") {
			if strings.HasPrefix(attr(e, "id"), "term-") {
				there[attr(e, "id")]++
			}
		}
		buttons := 0
		for _, b := range elements(page, "button") {
			if id := attr(b, "popovertarget"); id != "" {
				if buttons++; there[id] != 1 {
					t.Errorf("%s: %q is explained %d times", target, textOf(b), there[id])
				}
			}
		}
		if buttons < least {
			t.Errorf("%s: %d words are explained, want %d at least", target, buttons, least)
		}
	}
}
