package server

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/server/guard"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
)

// TestMain makes intervals from few resamples: hardly a test reads them.
func TestMain(m *testing.M) {
	flag.Parse()
	// What is parallel here waits: TestBodiesThatNeverCome, five seconds for each case.
	flag.Set("test.parallel", "8")
	scoring.DefaultOptions.Bootstrap.Rounds = 200
	debug.SetGCPercent(400)
	trials.UseMemoryFiles()
	os.Exit(m.Run())
}

// testTime is the time of the tests' clock.
var testTime = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// runSetup holds how a test's run is made.
type runSetup struct {
	protocol, prompt, dataset, sim string // defaults: pairwise, sample
	options                        judging.Settings
	repetitions                    int
	stop                           int // after so many records; 0: not at all
	alter                          func(*judging.Record)
}

// makePairs makes a run of the sample's pairs, judged by a simulation.
func makePairs(t testing.TB, sim string, path ...string) *judging.Manifest {
	t.Helper()
	return makeRun(t, filepath.Join(path...), runSetup{sim: sim})
}

// makeRun makes a run in a folder, judged by a simulation.
func makeRun(t testing.TB, dir string, setup runSetup) *judging.Manifest {
	t.Helper()
	set, err := datasets.Library{Dir: t.TempDir()}.Open(cmp.Or(setup.dataset, "sample"))
	must(t, err)
	defer set.Close()
	return makeRunOf(t, dir, set, setup)
}

func makeRunOf(t testing.TB, dir string, set *datasets.Set, setup runSetup) *judging.Manifest {
	t.Helper()
	sim, err := backends.NewSimulatedJudge(setup.sim)
	must(t, err)
	protocol, err := judging.ProtocolNamed(cmp.Or(setup.protocol, "pairwise"))
	must(t, err)
	template := protocol.Templates[0]
	if setup.prompt != "" {
		template, err = protocol.Template(setup.prompt)
		must(t, err)
	}
	asker := protocol.NewAsker(template, setup.options)
	rows := make([]int, set.Len())
	for i := range rows {
		rows[i] = i
	}
	params := judging.DefaultParameters
	params.NumRepetitions = setup.repetitions
	m := judging.NewManifest("test", judging.Spec{
		Protocol: protocol.Name, Goal: protocol.GoalOf(setup.options), Prompt: template, ProtocolOptions: setup.options,
		Dataset: judging.DatasetSpec{SHA256: set.SHA256, Items: set.Len()}, Model: judging.ModelSpec{Name: "sim:" + setup.sim, Identity: "sim " + setup.sim}, Parameters: params,
	})
	m.Simulated, m.Started = true, testTime
	m.Dataset = judging.DatasetInfo{Name: set.Name, Format: set.Format, Rows: set.Len()}
	n, err := judging.CountPresentations(asker, set, rows)
	must(t, err)
	m.Judgments = n * params.Repetitions()
	folder, err := judging.OpenDir(dir, m, func(*judging.Record) bool { return false }, func(*judging.Record) error { return nil })
	must(t, err)
	defer folder.Close()
	must(t, folder.StartWithItems(m, func(line func([]byte) error) error {
		for _, row := range rows {
			raw, err := set.Raw(row)
			if err == nil {
				err = line(raw)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	load, err := scoring.NewLoader(m, scoring.DefaultOptions.Reading)
	must(t, err)
	written := 0
	job := &judging.RunJob{Manifest: m, Asker: asker, Set: set, Rows: rows, Client: sim, Concurrency: 1, Now: func() time.Time { return testTime }, Write: func(r *judging.Record) error {
		if setup.stop > 0 && written >= setup.stop {
			return nil
		}
		if setup.alter != nil {
			setup.alter(r)
		}
		written++
		if err := folder.Write(r); err != nil {
			return err
		}
		return load.Add(r)
	}}
	must(t, job.Run(context.Background()))
	if setup.stop > 0 {
		return m // as a run looks that is being made
	}
	m.Status, m.Ended = judging.Complete, testTime.Add(time.Minute)
	run := load.Run()
	run.SetFolder(dir)
	rep := run.Score(scoring.DefaultOptions.Bootstrap)
	must(t, judging.WriteJSON(filepath.Join(dir, judging.ResultsFile), rep))
	must(t, folder.WriteManifest(m))
	return m
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a server of a folder of runs, under test.
type site struct {
	*Server
	t   testing.TB
	dir string
	log *strings.Builder
}

func newSite(t testing.TB, dir string, change func(*Options)) *site {
	t.Helper()
	log := new(strings.Builder)
	clock := func() time.Time { return testTime.Add(time.Hour) }
	o := Options{Options: guard.Options{Loopback: true, Now: clock}, Dir: dir, Version: "test", Log: func(f string, a ...any) { fmt.Fprintf(log, f+"\n", a...) }}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return &site{s, t, dir, log}
}

// ask sends a request as a browser on this machine would.
func (s *site) ask(method, target, body string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:7070"+target, strings.NewReader(body))
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.mux.ServeHTTP(w, r)
	return w
}

// get returns a page that must exist.
func (s *site) get(target string) string {
	s.t.Helper()
	w := s.ask("GET", target, "")
	if w.Code != http.StatusOK {
		s.t.Fatalf("GET %s: %d\n%s", target, w.Code, textOf(parse(s.t, w.Body.String())))
	}
	return w.Body.String()
}

// data returns the answer of a call that must succeed.
func (s *site) data(target string, v any) {
	s.t.Helper()
	w := s.ask("GET", target, "")
	if w.Code != http.StatusOK {
		s.t.Fatalf("GET %s: %d\n%s", target, w.Code, w.Body)
	}
	must(s.t, json.Unmarshal(w.Body.Bytes(), v))
}

func parse(t testing.TB, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	must(t, err)
	return doc
}

// elements of a page with a name, or all.
func elements(n *html.Node, name string) (out []*html.Node) {
	if n.Type == html.ElementNode && (name == "" || n.Data == name) {
		out = append(out, n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		out = append(out, elements(c, name)...)
	}
	return out
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// textOf returns the text of an element.
func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

func byID(t testing.TB, page, id string) *html.Node {
	t.Helper()
	for _, e := range elements(parse(t, page), "") {
		if attr(e, "id") == id {
			return e
		}
	}
	t.Fatalf("the page has no element %q:\n%s", id, page)
	return nil
}

func mustContain(t testing.TB, page string, words ...string) {
	t.Helper()
	text := strings.Join(strings.Fields(textOf(parse(t, page))), " ")
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("the page does not say %q; it says:\n%.2000s", w, text)
		}
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}
