package scoring_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	_ "gavel/protocols"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// quick is a bootstrap for tests that look at values, not at intervals.
var quick = stats.Bootstrap{Rounds: 100, Level: 0.95, Seed: 1}

// twoJudgments is a pair by what its two judgments came to: the candidate named, "A" or
// "B", or an outcome without one.
type twoJudgments struct {
	id, group, gold string
	source          string // tells by the id which pairs hang together: "mt-bench"
	judgments       []string
	own             *datasets.Answer
	p               []float64 // of the verdict, by judgment; none where it is not known
}

func unit(id, group, gold string, judgments ...string) twoJudgments {
	return twoJudgments{id: id, group: group, gold: gold, judgments: judgments}
}

// records are those of the pair.
func (u twoJudgments) records() []*judging.Record {
	var out []*judging.Record
	for i, g := range u.judgments {
		r := &judging.Record{Schema: 1, Item: u.id, Source: u.source, Group: u.group, Gold: u.gold, Presentation: i, Presentations: 2, Order: []string{"A", "B"}, Own: u.own, Outcome: judging.Outcome(g)}
		if i == 1 {
			r.Order = []string{"B", "A"}
		}
		reply := judging.Reply{Text: map[string]string{"tie": "[[A=B]]", "conflict": "[[A>B]] [[B>A]]", "no-verdict": "hm"}[g], Finish: backends.FinishStop}
		switch g {
		case "A", "B":
			r.Outcome, r.Choice, reply.Text = judging.Decided, g, "[[A>B]]"
			other := "[[B>A]]"
			if r.Order[0] != g {
				reply.Text, other = other, reply.Text
			}
			if i < len(u.p) {
				r.Probabilities = []judging.Probability{{Label: reply.Text, P: u.p[i]}, {Label: other, P: 1 - u.p[i]}}
			}
		case "cut":
			reply.Finish = backends.FinishLength
		case "prompt-too-long":
			reply.Finish = backends.FinishPromptTooLong
		case "refused":
			reply.Finish = backends.FinishRefused
		}
		if g != "failed" {
			r.Replies = []judging.Reply{reply}
		}
		out = append(out, r)
	}
	return out
}

// pairsManifest is of a run of so many pairs.
func pairsManifest(n int) *judging.Manifest {
	m := judging.NewManifest("test", judging.Spec{
		Protocol: "pairwise", Goal: "better", Model: judging.ModelSpec{Name: "judge"},
		Prompt:  judging.Template{Name: "sop", Labels: []string{"A>B", "B>A", "A=B"}},
		Dataset: judging.DatasetSpec{Items: n}, Parameters: judging.Parameters{MaxTokens: 4096},
	})
	m.Dataset.Name = "pairs"
	return m
}

// runOf is a run of these pairs.
func runOf(units ...twoJudgments) *scoring.Run { return runBy(pairsManifest(len(units)), units...) }

func runBy(m *judging.Manifest, units ...twoJudgments) *scoring.Run {
	load, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	if err != nil {
		panic(err)
	}
	for _, u := range units {
		for _, r := range u.records() {
			if err := load.Add(r); err != nil {
				panic(err)
			}
		}
	}
	run := load.Run()
	run.Dir = "run"
	return run
}

func find(t *testing.T, rep scoring.Report, metric, group string) scoring.Result {
	t.Helper()
	for _, r := range rep.Results {
		if r.Metric == metric && r.Group == group {
			return r
		}
	}
	t.Fatalf("no %s of %s among %d results", metric, group, len(rep.Results))
	return scoring.Result{}
}

// wants are values in percent by metric; undefined where there is to be none.
type wants map[string]float64

const undefined = -1

func (w wants) check(t *testing.T, rep scoring.Report, group string) {
	t.Helper()
	for metric, want := range w {
		r := find(t, rep, metric, group)
		switch {
		case want == undefined && (r.Value != nil || r.Low != nil || r.High != nil || r.Note == "" || r.N != 0):
			t.Errorf("%s of %s is %s, want it undefined, with a note", metric, group, show(r))
		case want != undefined && (r.Value == nil || *r.Value != want):
			t.Errorf("%s of %s is %s, want %v", metric, group, show(r), want)
		}
	}
}

func show(r scoring.Result) string {
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// making says how a run is made.
type making struct {
	protocol, prompt string
	options          judging.Settings
	set              *datasets.Set
	client           backends.Client
	model            string
	change           func(*judging.Manifest)
}

// makeRun runs a judge over a set and returns the run's directory.
func makeRun(t *testing.T, how making) string {
	t.Helper()
	protocol, err := judging.ProtocolNamed(how.protocol)
	if err != nil {
		t.Fatal(err)
	}
	if how.prompt == "" {
		how.prompt = "sop"
	}
	template, err := protocol.Template(how.prompt)
	if err != nil {
		t.Fatal(err)
	}
	spec := judging.Spec{
		Protocol: protocol.Name, Goal: protocol.GoalOf(how.options), Prompt: template, ProtocolOptions: how.options, Parameters: judging.DefaultParameters,
		Dataset: judging.DatasetSpec{SHA256: how.set.SHA256, Items: how.set.Len()},
		Model:   judging.ModelSpec{Name: how.model, Identity: how.model},
	}
	m := judging.NewManifest("test", spec)
	m.Dataset.Name = datasets.ShortName(how.set.Name)
	_, m.Simulated = how.client.(*backends.SimulatedJudge)
	asker, rows := protocol.NewAsker(template, how.options), judgingtest.FirstIndexes(how.set.Len())
	if m.Judgments, err = judging.CountPresentations(asker, how.set, rows); err != nil {
		t.Fatal(err)
	}
	if how.change != nil {
		how.change(m)
	}
	path := filepath.Join(t.TempDir(), "run")
	dir, err := judging.OpenDir(path, m,
		func(*judging.Record) bool { return false }, func(*judging.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	if err := dir.StartWithItems(m, func(func([]byte) error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	job := judging.RunJob{
		Manifest: m, Asker: asker, Set: how.set, Rows: rows, Client: how.client, Concurrency: 4, MaxConsecutiveFailures: 1 << 30,
		Write: dir.Write, Now: func() time.Time { return time.Unix(0, 0) },
	}
	if err := job.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

func load(t *testing.T, dir string, how judging.ReadingOptions) *scoring.Run {
	t.Helper()
	if how.LabelPolicy == "" {
		how.LabelPolicy = judging.PolicyUniqueLabel
	}
	run, err := scoring.Load(dir, how)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func sim(t *testing.T, spec string) *backends.SimulatedJudge {
	t.Helper()
	s, err := backends.NewSimulatedJudge(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sample(t *testing.T) *datasets.Set {
	t.Helper()
	set, err := datasets.Library{}.Open("sample")
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// pairsFile is a dataset of n pairs whose labels are A>B and B>A in turn, and
// whose sources are taken in turn too.
func pairsFile(t *testing.T, n int, sources ...string) *datasets.Set {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"pair_id": "p%05d", "source": %q, "question": "q", "response_A": "a", "response_B": "b", "label": %q}`+"\n",
			i+1, sources[i%len(sources)], []string{"A>B", "B>A"}[i%2])
	}
	return judgingtest.OpenDataset(t, lines.String())
}
