package server

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
)

// The lists of items are the first of the filter that they lead to.
func TestListsOfARun(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "accuracy=0.5,first=0.3,silent=0.2,seed=1", dir, "a")
	s := newSite(t, dir, nil)
	x, err := s.runs.Index(t.Context(), "a")
	must(t, err)
	lists := s.itemLists(x)
	if len(lists) != mostLists {
		t.Fatalf("%d lists: %+v", len(lists), lists)
	}
	for _, l := range lists {
		var list ItemsView
		s.data("/api/v1"+refURL(l.Links[0].Target), &list)
		if len(l.Table.Rows) != min(listsEach, list.Matches) || !strings.HasPrefix(l.About, fmt.Sprintf("%d items", list.Matches)) {
			t.Errorf("%s: %d named of %q, the filter takes %d", l.Title, len(l.Table.Rows), l.About, list.Matches)
		}
		for i, item := range l.Table.Rows {
			if link := refURL(item.Target); link != itemURL("a", list.Items[i].ID, ItemsFilter{Show: list.Filter.Show}.Query()) {
				t.Errorf("%s: item %d leads to %s", l.Title, i, link)
			}
			for _, m := range item.Cells {
				if l.Title == "Wrong every time" && m.Look != "wrong" {
					t.Errorf("%s has the mark %+v", item.Name, m)
				}
			}
		}
	}
}

// Each part of the bar leads to as many items as it says, whatever the protocol and whatever is missing.
func TestPartsLeadToTheirItems(t *testing.T) {
	dir := sampleRuns(t)
	const mixed = "accuracy=0.5,first=0.2,tie=0.1,silent=0.1,seed=3"
	makeRun(t, filepath.Join(dir, "mixed"), runSetup{prompt: "arena-hard", sim: mixed})
	makeRun(t, filepath.Join(dir, "reversed"), runSetup{protocol: "reversed", prompt: "arena-hard", dataset: "sample", sim: mixed})
	makeRun(t, filepath.Join(dir, "options-b"), runSetup{protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.6,first=0.3,silent=0.05,seed=1"})
	s := newSite(t, dir, nil)
	parts := map[string]bool{}
	for _, run := range []string{"mixed", "reversed", "options-b", "pairs-a", "deep%2Fanswer", "numbers"} {
		var v runView
		s.data("/api/v1/runs/"+run, &v)
		x, err := s.runs.Index(t.Context(), v.Name)
		must(t, err)
		p := s.buildRunPage(t.Context(), v.RunHead, x, v.Report)
		for _, b := range v.Report.Breakdowns {
			pieces := p.OutcomeParts(b.Group)
			sum := 0
			for _, piece := range pieces {
				sum += piece.N
				parts[v.Protocol+" "+piece.Name] = true
				if b.Group != "overall" && strings.Contains(b.Group, ":") || strings.HasSuffix(b.Group, " options") {
					continue // lists of items know no such groups
				}
				var list ItemsView
				s.data("/api/v1"+refURL(piece.Target), &list)
				if list.Matches != piece.N {
					t.Errorf("%s, %s: %d are %q, the list at %s has %d", run, b.Group, piece.N, piece.Name, refURL(piece.Target), list.Matches)
				}
			}
			if sum != b.N || b.N == 0 {
				t.Errorf("%s, %s: the parts have %d of %d", run, b.Group, sum, b.N)
			}
		}
	}
	if len(parts) < 15 {
		t.Errorf("only these parts occurred: %v", parts)
	}
}

// A bar of judgments by the judge's own answer leads to as many items as it says.
func TestOwnAnswersLeadToTheirItems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "judged.jsonl")
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, `{"id":"q%d@a","category":"c","question":"Q%d?","gold":%q,"question_id":"q%d","of":"choice","agent":"a",`+
			`"answer":"The answer is (A).","reference":"The answer is (B).","own":{"value":"B","right":%v}}`+"\n",
			i, i, []string{"Correct", "Incorrect"}[i%2], i, i%3 == 0)
	}
	write(t, file, lines.String())
	set, err := datasets.OpenFile(file)
	must(t, err)
	defer set.Close()
	dir := t.TempDir()
	makeRunOf(t, filepath.Join(dir, "judged"), set, runSetup{protocol: "self-reference", sim: "accuracy=0.6,silent=0.1,seed=2"})
	s := newSite(t, dir, nil)
	page := s.get("/runs/judged")
	links := regexp.MustCompile(`<a href="([^"]+show=own-[^"]+)" aria-label="[^"]*: (\d+) of \d+">`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		var list ItemsView
		s.data("/api/v1"+link[1], &list)
		if fmt.Sprint(list.Matches) != link[2] {
			t.Errorf("%s has %d items, the bar says %s", link[1], list.Matches, link[2])
		}
	}
	if len(links) != 8 {
		t.Errorf("%d parts lead to items, want 8", len(links))
	}
}

// JudgeBench's files have the judge's first reply where its prompt should be: that is not shown as the prompt.
func TestReplyIsNotShownAsThePrompt(t *testing.T) {
	const prompt = "Which of the two is better, please?"
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "output.jsonl")
	game := func(prompt, response, decision string) string {
		return fmt.Sprintf(`{"judgment": {"judge_model": "j", "prompt": %q, "response": %q}, "decision": %q}`, prompt, response, decision)
	}
	const reply = "I looked at both. My final verdict is [[A>B]]"
	write(t, file, fmt.Sprintf(`{"pair_id": "p1", "original_id": null, "source": "mmlu-pro-law", "question": "Q?", "response_model": "m", `+
		`"response_A": "one", "response_B": "two", "label": "A>B", "judge_name": "arena_hard", "judgments": [%s, %s]}`+"\n",
		game(reply, "\n"+reply, "A>B"), game(prompt, "Well, [[B>A]]", "B>A")))
	_, err := pairwise.ImportJudgeBench(imports.Input{Files: []string{file}, Out: filepath.Join(dir, "stored"), Gavel: "test"})
	must(t, err)
	page := newSite(t, dir, nil).get("/runs/stored/items/p1")
	mustContain(t, page, prompt)
	if n := strings.Count(page, "its prompt was"); n != 1 {
		t.Errorf("%d judgments show a prompt of the file, 1 has one", n)
	}
}
