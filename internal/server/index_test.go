package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gavel/judging"
)

// growing is a run that is being made: its records are written one by one.
type growing struct {
	t     testing.TB
	dir   string
	lines [][]byte
	m     *judging.Manifest
}

// newGrowing takes a made run apart: none of its records stand yet.
func newGrowing(t testing.TB, dir string) *growing {
	t.Helper()
	g := &growing{t: t, dir: dir}
	g.m = makePairs(t, "accuracy=0.8,first=0.3,seed=1", dir)
	text, err := os.ReadFile(filepath.Join(dir, judging.RecordsFile))
	must(t, err)
	g.lines = bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	g.lines[len(g.lines)-1] = append(g.lines[len(g.lines)-1], '\n')
	must(t, os.WriteFile(filepath.Join(dir, judging.RecordsFile), nil, 0o644))
	must(t, os.Remove(filepath.Join(dir, judging.ResultsFile)))
	g.status(judging.Running)
	return g
}

func (g *growing) status(status string) {
	g.t.Helper()
	g.m.Status = status
	must(g.t, judging.WriteJSON(filepath.Join(g.dir, judging.ManifestFile), g.m))
}

func (g *growing) append(text ...[]byte) {
	g.t.Helper()
	f, err := os.OpenFile(filepath.Join(g.dir, judging.RecordsFile), os.O_APPEND|os.O_WRONLY, 0o644)
	must(g.t, err)
	_, err = f.Write(bytes.Join(text, nil))
	must(g.t, err)
	must(g.t, f.Close())
}

func TestRunsThatGrow(t *testing.T) {
	dir := t.TempDir()
	g := newGrowing(t, filepath.Join(dir, "a"))
	s := newSite(t, dir, nil)
	done := func() int {
		var p Progress
		s.data("/api/v1/runs/a/status", &p)
		return p.Done
	}
	if n := done(); n != 0 {
		t.Errorf("%d judgments of none", n)
	}
	g.append(g.lines[:5]...)
	if n := done(); n != 5 {
		t.Errorf("%d judgments, 5 are there", n)
	}
	g.append(g.lines[5][:40]) // the beginning of a line that is being written
	if n := done(); n != 5 {
		t.Errorf("%d judgments, the sixth is not whole yet", n)
	}
	g.append(g.lines[5][40:], g.lines[6])
	if n := done(); n != 7 {
		t.Errorf("%d judgments, 7 are there", n)
	}
	if page := s.get("/runs/a"); !strings.Contains(page, `data-events="/runs/a/events"`) || strings.Contains(page, `id="scores"`) {
		t.Error("a run that is being made has numbers, or no progress")
	}
	// The next try drops a record, and so writes the file anew.
	must(t, os.WriteFile(filepath.Join(dir, "a", "new"), bytes.Join(g.lines[1:4], nil), 0o644))
	must(t, os.Rename(filepath.Join(dir, "a", "new"), filepath.Join(dir, "a", judging.RecordsFile)))
	if n := done(); n != 3 {
		t.Errorf("%d judgments after the file was written anew, 3 are there", n)
	}
	// A record twice counts once.
	g.append(g.lines[1])
	if n := done(); n != 3 {
		t.Errorf("%d judgments, one of them twice", n)
	}
	g.append(g.lines[0])
	g.append(g.lines[4:]...)
	g.status(judging.Complete)
	var run runView
	s.data("/api/v1/runs/a", &run)
	if run.Counts.Records != 64 || run.Report == nil || run.Report.Items != 32 {
		t.Errorf("at the end: %+v", run.Counts)
	}
	// The numbers are those that the run itself would write.
	want, err := json.Marshal(makeReport(t, filepath.Join(t.TempDir(), "b")))
	must(t, err)
	run.Report.Run = ""
	if got, _ := json.Marshal(run.Report); string(got) != string(want) {
		t.Errorf("numbers differ:\n%s\n%s", got, want)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "a")))
	w := s.ask("GET", "/runs/a/items", "")
	if w.Code != 404 || !strings.Contains(w.Body.String(), "deleted") {
		t.Errorf("after it was deleted: %d", w.Code)
	}
}

func makeReport(t testing.TB, dir string) any {
	makePairs(t, "accuracy=0.8,first=0.3,seed=1", dir)
	text, err := os.ReadFile(filepath.Join(dir, judging.ResultsFile))
	must(t, err)
	var rep any
	run := runView{}
	must(t, json.Unmarshal(text, &run.Report))
	rep = run.Report
	return rep
}

// A file that is written to while a page is made never fails the page.
func TestPagesBesideAWriter(t *testing.T) {
	dir := t.TempDir()
	g := newGrowing(t, filepath.Join(dir, "a"))
	s := newSite(t, dir, nil)
	end := make(chan bool)
	go func() {
		defer close(end)
		for _, line := range g.lines {
			g.append(line[:len(line)/2])
			g.append(line[len(line)/2:])
		}
	}()
	for {
		for _, target := range []string{"/", "/runs/a", "/runs/a/items?show=wrong", "/api/v1/runs/a/items?q=metal"} {
			if w := s.ask("GET", target, ""); w.Code != 200 {
				t.Errorf("%s: %d %s", target, w.Code, w.Body)
			}
		}
		select {
		case <-end:
			return
		default:
		}
	}
}

func TestSearch(t *testing.T) {
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "a"), runSetup{sim: "right", alter: func(r *judging.Record) {
		if r.Item == "sample-math-03" {
			r.Replies[0].Text = "Größe \"Ω\"\nmatters\u00a0much. " + r.Replies[0].Text
		}
		if r.Item == "sample-math-04" {
			r.Replies[0].Thinking = "a hidden thought"
		}
	}})
	s := newSite(t, dir, nil)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"GRÖSSE", nil},
		{"größe \"ω\"", []string{"sample-math-03"}},
		{"ω\"\nmatters", []string{"sample-math-03"}},
		{"hidden THOUGHT", []string{"sample-math-04"}},
		{"no such words anywhere", nil},
	} {
		var v ItemsView
		s.data("/api/v1/runs/a/items"+query("q", c.text), &v)
		var got []string
		for _, i := range v.Items {
			got = append(got, i.ID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

// events reads what a stream says until it ends.
func events(t testing.TB, body *bufio.Reader, each func(name, data string)) {
	t.Helper()
	name := ""
	for {
		line, err := body.ReadString('\n')
		if err != nil {
			return
		}
		switch key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); key {
		case "event":
			name = value
		case "data":
			each(name, value)
		}
	}
}

func TestLive(t *testing.T) {
	dir := t.TempDir()
	g := newGrowing(t, filepath.Join(dir, "a"))
	s := newSite(t, dir, func(o *Options) { o.Now = time.Now })
	web := httptest.NewServer(s.mux)
	defer web.Close()
	const listeners = 20
	type heard struct {
		last  Progress
		names []string
	}
	ends := make(chan heard, listeners)
	var first = make(chan bool, listeners)
	for range listeners {
		go func() {
			var h heard
			defer func() { ends <- h }()
			r, err := http.Get(web.URL + "/runs/a/events")
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
				t.Errorf("it is %q", kind)
			}
			events(t, bufio.NewReader(r.Body), func(name, data string) {
				if h.names = append(h.names, name); name == "progress" {
					if err := json.Unmarshal([]byte(data), &h.last); err != nil {
						t.Error(err)
					}
					if len(h.names) == 1 {
						first <- true
					}
				}
			})
		}()
	}
	for range listeners {
		<-first
	}
	if n := len(s.streamSlots); n != listeners {
		t.Errorf("%d streams for %d listeners", n, listeners)
	}
	g.append(g.lines...)
	g.status(judging.Complete)
	for range listeners {
		h := <-ends
		if h.last.Done != 64 || h.last.Status != judging.Complete || h.names[len(h.names)-1] != "end" {
			t.Errorf("at last %+v, after %v", h.last, h.names)
		}
	}
	web.Close() // waits for those who answered
	if len(s.streamSlots) != 0 {
		t.Error("a stream goes on though nobody listens")
	}
}

// largeRun writes a run of so many pairs with replies of a kilobyte and more.
func largeRun(t testing.TB, dir string, pairs int) {
	t.Helper()
	words := strings.Repeat("The first response is right about the melting point and says why. ", 20)
	makeRun(t, dir, runSetup{sim: "accuracy=0.7,first=0.2,seed=1", alter: func(r *judging.Record) {
		r.Replies[0].Text = words + r.Replies[0].Text
		r.Replies[0].PromptTokens, r.Replies[0].ReplyTokens, r.Replies[0].Milliseconds = 1000, 300, 1200
	}})
	for _, file := range []string{judging.ItemsFile, judging.RecordsFile} {
		path := filepath.Join(dir, file)
		text, err := os.ReadFile(path)
		must(t, err)
		var all strings.Builder
		for i := range pairs / 32 {
			all.WriteString(strings.ReplaceAll(string(text), `"sample-`, fmt.Sprintf(`"%04d-sample-`, i)))
		}
		write(t, path, all.String())
	}
	changeManifest(t, dir, func(m *judging.Manifest) { m.Judgments, m.Spec.Dataset.Items = 2*pairs, pairs })
	must(t, os.Remove(filepath.Join(dir, judging.ResultsFile)))
}
