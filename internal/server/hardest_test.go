package server

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
)

// The hardest items are those of which most runs of a dataset and protocol are wrong, by what each run's own list says.
func TestHardestItems(t *testing.T) {
	dir := t.TempDir()
	sims := map[string]string{"a": "accuracy=0.8,seed=1", "b": "accuracy=0.5,first=0.5,seed=2", "c": "silent", "deep/d": "accuracy=0.9,seed=3"}
	for run, sim := range sims {
		makePairs(t, sim, dir, filepath.FromSlash(run))
	}
	makeRun(t, filepath.Join(dir, "alone"), making{protocol: "reversed", sim: "coin"})
	g := newGrowing(t, filepath.Join(dir, "growing"))
	g.append(g.lines[:6]...)
	s := newSite(t, dir, nil)
	wrong := map[string]int{}
	for run := range sims {
		var v ItemsView
		s.data("/api/v1/runs/"+escaped(run)+"/items?show=wrong&per=200", &v)
		for _, item := range v.Items {
			wrong[item.ID]++
		}
	}
	const target = "/hardest?protocol=pairwise&dataset=sample"
	list := s.ask("GET", target, "").Header().Get("Location")
	hardest := func() ItemsView {
		r := httptest.NewRequest("GET", list, nil)
		r.SetPathValue("run", "deep/d")
		v, err := s.itemsView(r)
		must(t, err)
		return v
	}
	v := hardest()
	if list != "/runs/deep%2Fd/items?by=judges" || len(v.Items) != 32 || len(v.Matrix.Judges) != 4 {
		t.Fatalf("%s: %d items of %d judges", list, len(v.Items), len(v.Matrix.Judges))
	}
	for i, row := range v.Items {
		if row.Beside.Wrong() != wrong[row.ID] || row.Beside.Judged() != 4 || i > 0 && row.Beside.Wrong() > v.Items[i-1].Beside.Wrong() {
			t.Errorf("%d. %s: %d of %d wrong, want %d, after %d", i, row.ID, row.Beside.Wrong(), row.Beside.Judged(), wrong[row.ID], v.Items[max(0, i-1)].Beside.Wrong())
		}
		marked := 0
		for _, m := range row.Beside.Marks {
			if m.Kind == "wrong" || m.Kind == "mixed" {
				marked++
			}
		}
		if marked != row.Beside.Wrong() {
			t.Errorf("%s: %d marks are wrong, of %d", row.ID, marked, row.Beside.Wrong())
		}
	}
	links := elements(elements(byID(t, s.get(list), "items"), "tbody")[0], "a")
	if len(textOf(links[1])) < 20 || attr(links[1], "href") != "/runs/deep%2Fd/items/"+v.Items[0].ID+"?by=judges" {
		t.Errorf("the question leads to %s: %q", attr(links[1], "href"), textOf(links[1]))
	}
	says(t, s.get(attr(links[1], "href")), "item 1 of 32")
	page := s.get(attr(links[0], "href"))
	if n := len(elements(byID(t, page, "results"), "bdi")); n != 4 {
		t.Errorf("%d rows of judges, want 4", n)
	}
	says(t, s.get("/runs/a/items"), "What most judges get wrong")
	for _, page := range []string{"/runs/a/items", list} {
		if strings.Contains(s.get(page), "may be wrong") {
			t.Errorf("%s doubts labels because of simulated judges", page)
		}
	}
	says(t, s.get("/runs/a/items/"+v.Items[0].ID), "Other judges")
	if strings.Contains(s.get("/runs/alone/items"), "most judges get") {
		t.Error("of one run there are no hardest items")
	}
	// What is asked again is read again.
	write(t, filepath.Join(dir, "a", judging.RecordsFile), "")
	if v := hardest(); v.Items[0].Beside.Judged() != 3 {
		t.Errorf("after a run lost its records: %+v", v.Items[0])
	}
	s.answers(303, "/hardest")
	s.answers(404, "/hardest?protocol=reversed&dataset=sample")
	says(t, s.get("/runs/alone/items?by=judges"), "No other judge was asked the same of these items yet.")
}

// Simulated judges are wrong as they were told to be: what they get wrong says nothing of the labels.
func TestHardestSays(t *testing.T) {
	model := RunRow{manifest: manifestOfPairs(), RunHead: RunHead{Protocol: "pairwise"}}
	simulated := RunRow{manifest: manifestOfPairs(), RunHead: RunHead{Protocol: "pairwise", Simulated: true}}
	for _, c := range []struct {
		judges         []RunRow
		wrong, certain int
		want           string
	}{
		{[]RunRow{model, model}, 2, 2, "Both judges are wrong in both orders on 1 of 10 pairs: the labels may be wrong."},
		{[]RunRow{model, model, simulated}, 3, 3, "All 3 judges are wrong in both orders on 1 of 10 pairs: the labels may be wrong."},
		{[]RunRow{model, simulated}, 2, 2, "Both judges are wrong in both orders on 1 of 10 pairs."},
		{[]RunRow{simulated, simulated}, 2, 2, "Both judges are wrong in both orders on 1 of 10 pairs."},
		{[]RunRow{model, model}, 2, 1, "Neither judge is correct in both orders on 1 of 10 pairs."},
	} {
		m := matrix{runs: c.judges, items: make([]tally, 10)}
		for i := range m.items {
			m.items[i].right = len(c.judges)
		}
		m.items[0] = tally{mixed: c.wrong - c.certain, wrong: c.certain}
		if got := m.Says(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// manifestOfPairs is of ten pairs in both orders.
func manifestOfPairs() *judging.Manifest {
	m := &judging.Manifest{Judgments: 20}
	m.Spec.Protocol = "pairwise"
	m.Spec.Dataset.Items = 10
	return m
}
