package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/jury"
)

// TestJuryPage: the page of a jury says what it gains over its best member and leads to the items that so many members
// are right on; without its members it is the page of any run.
func TestJuryPage(t *testing.T) {
	dir := t.TempDir()
	var members []string
	for i, sim := range []string{"right", "coin", "first"} {
		at := filepath.Join(dir, fmt.Sprintf("judge%d", i))
		makePairs(t, sim, at)
		members = append(members, at)
	}
	_, err := jury.Make(jury.Request{Runs: members, Rule: jury.Majority, Out: filepath.Join(dir, "three"), Gavel: "test"})
	must(t, err)
	s := newSite(t, dir, nil)
	page := s.get("/runs/three")
	says(t, page, "Jury of three", "100.0 % of", "“sim:right” alone, at three times the calls.", "The jury among its members",
		"correct only for the jury", "Votes and outcome", "no model was asked", "gavel jury --out "+s.folder("three")+" "+members[0])
	harmlessPage(t, "a jury", page)
	report := s.get("/runs/three/report.html")
	says(t, report, "The jury among its members", "Votes and outcome", "a member of the jury is simulated")
	if strings.Contains(report, `href="/`) {
		t.Error("the report of a jury leads to a server")
	}
	var v runView
	s.data("/api/v1/runs/three", &v)
	if v.Jury == nil || len(v.Jury.Members) != 3 || v.Jury.Calls != 3*v.Judgments || v.Jury.Members[0].Name != "sim:right" {
		t.Fatalf("jury %+v", v.Jury)
	}
	votes := v.Jury.Votes
	sum := 0
	for _, n := range votes {
		sum += n.N
		link := "/compare?run=judge0&run=judge1&run=judge2&show=" + rightIn(n.Right)
		if got := s.get(link); n.N > 0 && !strings.Contains(got, fmt.Sprintf("%d of %d items", n.N, v.Jury.N)) {
			t.Errorf("%d are right on %d, and %s does not say so", n.Right, n.N, link)
		}
	}
	if sum != v.Jury.N || votes[0].Right != 3 {
		t.Errorf("votes %+v of %d", votes, v.Jury.N)
	}
	must(t, os.RemoveAll(members[2]))
	page = newSite(t, dir, nil).get("/runs/three")
	says(t, page, "Jury of three", "Outcomes of")
	if strings.Contains(page, "among its members") {
		t.Error("a member that is not here is held against its jury")
	}
}
