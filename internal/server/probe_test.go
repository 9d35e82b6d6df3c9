package server

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gavel/scoring"
)

// The page of a probe leads from each rewrite to the pairs whose verdict it changes: as many as it counts.
func TestProbePage(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "a"), making{protocol: "probe", sim: "accuracy=0.9,swayed=0.6,seed=1"})
	s := newSite(t, dir, nil)
	page := s.get("/runs/a")
	var run struct{ Report scoring.Report }
	s.data("/api/v1/runs/a", &run)
	if len(run.Report.Probes) != 10 {
		t.Fatalf("%d rewrites", len(run.Report.Probes))
	}
	led := 0
	for _, p := range run.Report.Probes {
		link := "/runs/a/items?mode=" + p.Name
		changed := p.ToWorse + p.ToBetter + p.ToNeither
		if leads := strings.Contains(page, link); leads != (changed > 0) {
			t.Errorf("%s: %d change, and a link: %v", p.Name, changed, leads)
		}
		if changed == 0 {
			continue
		}
		led++
		var items ItemsView
		s.data("/api/v1"+link, &items)
		if items.Matches != changed {
			t.Errorf("%s: %d change, its list has %d", p.Name, changed, items.Matches)
		}
		if list := s.get(link); !strings.Contains(list, fmt.Sprintf("“%s” %d of 32 pairs are judged otherwise", p.Name, changed)) {
			t.Errorf("%s: its list does not say how many", p.Name)
		}
	}
	if led < 5 {
		t.Errorf("%d rewrites change anything", led)
	}
	if list := s.get("/runs/a/items?mode=none"); !strings.Contains(list, "0 of 32 pairs") {
		t.Error("a mode that is none takes items")
	}
}
