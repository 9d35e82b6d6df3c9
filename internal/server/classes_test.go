package server

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

// classes are the filters of which exactly one takes each item.
var classes = []string{"right", "wrong", "unlabelled", "missing"}

// Every item is in one class, and right are as many as strict counts: ties and judgments without a verdict are wrong,
// items that are not complete are neither.
func TestClassesAreThoseOfStrict(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "pairs"), making{prompt: "arena-hard", sim: "accuracy=0.6,first=0.1,tie=0.3,silent=0.1,seed=4", repetitions: 2})
	makeRun(t, filepath.Join(dir, "options"), making{protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.7,seed=1"})
	g := newGrowing(t, filepath.Join(dir, "growing"))
	g.append(g.lines[:5]...)
	s := newSite(t, dir, nil)
	for run, want := range map[string]map[string]int{"pairs": nil, "options": nil, "growing": {"missing": 30}} {
		var v ItemsView
		s.data("/api/v1/runs/"+run+"/items?per=200", &v)
		count := map[string]int{}
		for _, item := range v.Items {
			in := slices.DeleteFunc(slices.Clone(item.Flags), func(f string) bool { return !slices.Contains(classes, f) })
			if len(in) != 1 {
				t.Errorf("%s, %s: in the classes %v", run, item.ID, in)
				continue
			}
			count[in[0]]++
		}
		for class, n := range want {
			if count[class] != n {
				t.Errorf("%s: %d items are %s, want %d", run, count[class], class, n)
			}
		}
		if run != "pairs" {
			continue
		}
		var page runView
		s.data("/api/v1/runs/"+run, &page)
		if strict := int(math.Round(*page.Headline.Value * float64(page.Headline.N) / 100)); count["right"] != strict || count["wrong"] != len(v.Items)-strict || strict == 0 {
			t.Errorf("%v, strict counts %d of %d right", count, strict, page.Headline.N)
		}
	}
}
