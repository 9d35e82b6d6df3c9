package server

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/imports"
	"gavel/protocols/pairwise"
)

// The page of a run says first what it comes to, then draws it, names items, and folds the rest.
func TestRunPageOrder(t *testing.T) {
	s := newSite(t, sampleRuns(t), nil)
	page := s.get("/runs/pairs-a")
	at := -1
	for _, part := range []string{
		`class="say"`, `id="became"`, `id="cards"`, `id="groups"`, `id="list-confident"`, `id="warnings"`,
		`id="made"`, `id="made-text"`, `id="every"`, `id="manifest"`,
	} {
		next := strings.Index(page, part)
		if next <= at {
			t.Errorf("%s is not there, or stands too early", part)
		}
		at = next
	}
	says(t, page, "gavel run pairwise --model accuracy=0.8,first=0.3,seed=1 --dataset sample --out "+s.folder("pairs-a")+" --backend sim")
	if strings.Contains(page, `id="go-on"`) {
		t.Error("a run that is complete can be gone on with")
	}
}

// The lists of items are the first of the filter that they lead to.
func TestListsOfARun(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "accuracy=0.5,first=0.3,silent=0.2,seed=1", dir, "a")
	s := newSite(t, dir, nil)
	x, err := s.runs.Index(t.Context(), "a")
	must(t, err)
	lists := s.lists(x)
	if len(lists) != mostLists {
		t.Fatalf("%d lists: %+v", len(lists), lists)
	}
	for _, l := range lists {
		var list ItemsView
		s.data("/api/v1"+address(l.Links[0].Target), &list)
		if len(l.Table.Rows) != min(listsEach, list.Matches) || !strings.HasPrefix(l.About, fmt.Sprintf("%d items", list.Matches)) {
			t.Errorf("%s: %d named of %q, the filter takes %d", l.Title, len(l.Table.Rows), l.About, list.Matches)
		}
		for i, item := range l.Table.Rows {
			if link := address(item.Target); link != itemURL("a", list.Items[i].ID, ItemsFilter{Show: list.Filter.Show}.Query()) {
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
	makeRun(t, filepath.Join(dir, "mixed"), making{prompt: "arena-hard", sim: mixed})
	makeRun(t, filepath.Join(dir, "reversed"), making{protocol: "reversed", prompt: "arena-hard", dataset: "sample", sim: mixed})
	makeRun(t, filepath.Join(dir, "options-b"), making{protocol: "multi-option", dataset: "sample-options", sim: "accuracy=0.6,first=0.3,silent=0.05,seed=1"})
	s := newSite(t, dir, nil)
	parts := map[string]bool{}
	for _, run := range []string{"mixed", "reversed", "options-b", "pairs-a", "deep%2Fanswer", "numbers"} {
		var v runView
		s.data("/api/v1/runs/"+run, &v)
		x, err := s.runs.Index(t.Context(), v.Name)
		must(t, err)
		p := s.page(t.Context(), v.RunHead, x, v.Report)
		for _, b := range v.Report.Breakdowns {
			pieces := p.Parts(b.Group)
			sum := 0
			for _, piece := range pieces {
				sum += piece.N
				parts[v.Protocol+" "+piece.Name] = true
				if b.Group != "overall" && strings.Contains(b.Group, ":") || strings.HasSuffix(b.Group, " options") {
					continue // lists of items know no such groups
				}
				var list ItemsView
				s.data("/api/v1"+address(piece.Target), &list)
				if list.Matches != piece.N {
					t.Errorf("%s, %s: %d are %q, the list at %s has %d", run, b.Group, piece.N, piece.Name, address(piece.Target), list.Matches)
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
	makeRunOf(t, filepath.Join(dir, "judged"), set, making{protocol: "self-reference", sim: "accuracy=0.6,silent=0.1,seed=2"})
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

// The run of the same judge that was asked the opposite stands beside it; those of other judges and items do not.
func TestBothGoalsOfAJudge(t *testing.T) {
	dir := t.TempDir()
	const judge = "accuracy=0.8,first=0.3,seed=1"
	makePairs(t, judge, dir, "better")
	makeRun(t, filepath.Join(dir, "worse"), making{protocol: "reversed", sim: judge})
	makeRun(t, filepath.Join(dir, "alone"), making{protocol: "reversed", sim: "accuracy=0.7,seed=1"})
	makeRun(t, filepath.Join(dir, "options"), making{protocol: "multi-option", dataset: "sample-options", sim: judge})
	s := newSite(t, dir, nil)
	says(t, s.get("/runs/worse"), "The judge was asked which response is worse.")
	for run, other := range map[string]string{"worse": "better", "better": "worse"} {
		page := s.get("/runs/" + run)
		says(t, page, "Does the reversed goal help?")
		for _, link := range []string{"/runs/" + other, "/compare?a=better&amp;b=worse"} {
			if !strings.Contains(page, `href="`+link+`"`) {
				t.Errorf("%s: no way to %s", run, link)
			}
		}
	}
	for _, run := range []string{"alone", "options"} {
		if strings.Contains(s.get("/runs/"+run), "Does the reversed goal help?") {
			t.Errorf("%s is held against a run of another judge or of other items", run)
		}
	}
}

// JudgeBench's files have the judge's first reply where its prompt should be: that is not shown as the prompt.
func TestReplyIsNotShownAsThePrompt(t *testing.T) {
	const own = "Which of the two is better, please?"
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "output.jsonl")
	game := func(prompt, response, decision string) string {
		return fmt.Sprintf(`{"judgment": {"judge_model": "j", "prompt": %q, "response": %q}, "decision": %q}`, prompt, response, decision)
	}
	const reply = "I looked at both. My final verdict is [[A>B]]"
	write(t, file, fmt.Sprintf(`{"pair_id": "p1", "original_id": null, "source": "mmlu-pro-law", "question": "Q?", "response_model": "m", `+
		`"response_A": "one", "response_B": "two", "label": "A>B", "judge_name": "arena_hard", "judgments": [%s, %s]}`+"\n",
		game(reply, "\n"+reply, "A>B"), game(own, "Well, [[B>A]]", "B>A")))
	_, err := pairwise.ImportJudgeBench(imports.Request{Files: []string{file}, Out: filepath.Join(dir, "stored"), Gavel: "test"})
	must(t, err)
	page := newSite(t, dir, nil).get("/runs/stored/items/p1")
	says(t, page, own)
	if n := strings.Count(page, "its prompt was"); n != 1 {
		t.Errorf("%d judgments show a prompt of the file, 1 has one", n)
	}
}

// What is downloaded is a file under the run's name, and no page of this server's.
func TestDownloads(t *testing.T) {
	dir := sampleRuns(t)
	newGrowing(t, filepath.Join(dir, "growing"))
	s := newSite(t, dir, nil)
	for target, begins := range map[string]string{
		"report.html": "<!DOCTYPE html>", "results.csv": "run,protocol", "records.jsonl": `{"schema":1`,
	} {
		w := s.ask("GET", "/runs/deep%2Fanswer/"+target, "")
		if w.Code != 200 || !strings.HasPrefix(strings.TrimSpace(w.Body.String()), begins) || !strings.Contains(w.Header().Get("Content-Disposition"), `attachment; filename=deep_answer`) && !strings.Contains(w.Header().Get("Content-Disposition"), "attachment; filename=answer") {
			t.Errorf("%s: %d %q %.60s", target, w.Code, w.Header().Get("Content-Disposition"), w.Body)
		}
		s.answers(404, "/runs/none/"+target)
	}
	if w := s.ask("GET", "/runs/growing/report.html", ""); w.Code != 409 || w.Header().Get("Content-Disposition") != "" {
		t.Errorf("a report too early: %d %v", w.Code, w.Header())
	}
	s.answers(404, "/runs/growing/records.jsonl")
}

// A run that was interrupted has a button that goes on with it.
func TestResumeForm(t *testing.T) {
	dir := t.TempDir()
	makePairs(t, "coin", dir, "deep", "a")
	changeManifest(t, dir+"/deep/a", func(m *judging.Manifest) { m.Status = judging.Interrupted })
	if page := newSite(t, dir, nil).get("/runs/deep%2Fa"); strings.Contains(page, "/resume") {
		t.Error("a server that only shows runs offers to go on")
	}
	fake := &fakeRunner{}
	s := newSite(t, dir, running(fake))
	page := s.get("/runs/deep%2Fa")
	byID(t, page, "go-on")
	if !strings.Contains(page, `action="/runs/deep%2Fa/resume"`) {
		t.Error("it leads elsewhere")
	}
	if code, _, to := s.post("/runs/deep%2Fa/resume", url.Values{}); code != 303 || to != "/jobs/job3" || fake.jobs[0].Resumes != "deep/a" {
		t.Errorf("%d to %q: %+v", code, to, fake.jobs)
	}
	if code, _, _ := s.post("/runs/none/resume", url.Values{}); code != 404 {
		t.Errorf("no such run: %d", code)
	}
}
