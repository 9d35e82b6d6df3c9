package scoring_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/scoring"
)

// endings is a judge whose every call ends in another of the eight outcomes;
// the prompt is arena-hard, one attempt each.
func endings() judgingtest.Script {
	reply := func(text string, f backends.Finish) backends.Response {
		return backends.Response{Text: text, Finish: f}
	}
	by := map[string]backends.Response{
		"p00001 0": reply("[[A>>B]]", backends.FinishStop),          // decided: A
		"p00001 1": reply("[[A=B]]", backends.FinishStop),           // tie
		"p00002 0": reply("[[A>B]] [[B>A]]", backends.FinishStop),   // conflict; the last: B
		"p00002 1": reply("none of them", backends.FinishStop),      // no verdict
		"p00003 0": reply("so [[A>B]], but", backends.FinishLength), // cut; accepted: A
		"p00003 1": reply("", backends.FinishPromptTooLong),
		"p00004 0": reply("", backends.FinishRefused),
	}
	return func(_ context.Context, req backends.Request) (backends.Response, error) {
		r, ok := by[req.Oracle.Item+" "+string(rune('0'+req.Oracle.Presentation))]
		if !ok {
			return r, errors.New("refused connection")
		}
		return r, nil
	}
}

func endingsRun(t *testing.T) string {
	t.Helper()
	return makeRun(t, making{protocol: "pairwise", prompt: "arena-hard", set: pairsFile(t, 4, "sums"), client: endings(), model: "judge",
		change: func(m *judging.Manifest) { m.Spec.Parameters.VerdictAttempts = 1 }})
}

func TestOutcomes(t *testing.T) {
	dir := endingsRun(t)
	for _, c := range []struct {
		name     string
		how      judging.ReadingOptions
		want     map[string]int
		reread   int
		strict   float64
		counter  float64
		decided1 int // first-position's n
	}{
		{"unique", judging.ReadingOptions{}, map[string]int{"decided": 1, "tie": 1, "conflict": 1, "no-verdict": 1, "cut": 1, "prompt-too-long": 1, "refused": 1, "failed": 1}, 0, 0, 25, 1},
		{"last", judging.ReadingOptions{Readers: judging.PaperReaders, LabelPolicy: judging.PolicyLastLabel}, map[string]int{"decided": 2, "tie": 1, "conflict": 0, "no-verdict": 1, "cut": 1, "prompt-too-long": 1, "refused": 1, "failed": 1}, 1, 0, 50, 2},
		{"cut replies accepted", judging.ReadingOptions{AcceptTruncated: true}, map[string]int{"decided": 2, "tie": 1, "conflict": 1, "no-verdict": 1, "cut": 0, "prompt-too-long": 1, "refused": 1, "failed": 1}, 1, 0, 50, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := load(t, dir, c.how)
			rep := run.Score(quick)
			if !reflect.DeepEqual(rep.Outcomes, c.want) || run.RereadDifferences != c.reread || run.Records != 8 {
				t.Errorf("outcomes %v, want %v; %d of %d read otherwise", rep.Outcomes, c.want, run.RereadDifferences, run.Records)
			}
			wants{"strict": c.strict, "counter": c.counter}.check(t, rep, scoring.Overall)
			if n := find(t, rep, "first-position", scoring.Overall).N; n != c.decided1 {
				t.Errorf("%d decided judgments, want %d", n, c.decided1)
			}
			if rep.AcceptCut != c.how.AcceptTruncated || rep.LabelPolicy != run.Reading.LabelPolicy {
				t.Errorf("the report says policy %s, accept cut %v", rep.LabelPolicy, rep.AcceptCut)
			}
		})
	}
}

// A run made with --accept-cut is read so, without being told again.
func TestAcceptCutIsTheRunsOwn(t *testing.T) {
	dir := makeRun(t, making{protocol: "pairwise", prompt: "arena-hard", set: pairsFile(t, 4, "sums"), client: endings(), model: "judge",
		change: func(m *judging.Manifest) {
			m.Spec.Parameters.VerdictAttempts, m.Spec.Parameters.AcceptTruncated = 1, true
		}})
	if run := load(t, dir, judging.ReadingOptions{}); run.RereadDifferences != 0 || !run.Reading.AcceptTruncated ||
		run.Outcomes[judging.Truncated] != 0 {
		t.Errorf("%d read otherwise, outcomes %v", run.RereadDifferences, run.Outcomes)
	}
}

func linesOf(t *testing.T, dir string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, judging.RecordsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	return lines[:len(lines)-1]
}

func rewrite(t *testing.T, dir string, lines []string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, judging.RecordsFile), []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func reportOf(t *testing.T, dir string) string {
	t.Helper()
	b, err := json.Marshal(load(t, dir, judging.ReadingOptions{}).Score(quick))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	judge := sim(t, "accuracy=0.7,first=0.3,tie=0.1,silent=0.1")
	dir := makeRun(t, making{protocol: "reversed", prompt: "arena-hard", set: pairsFile(t, 40, "b", "a", "mmlu-pro-law"), client: judge, model: judge.Name})
	lines, want := linesOf(t, dir), reportOf(t, dir)
	for name, order := range map[string]func(){
		"backwards":               func() { slices.Reverse(lines) },
		"sorted by bytes":         func() { slices.Sort(lines) },
		"second judgments at end": func() { slices.SortStableFunc(lines, func(a, b string) int { return shown(a) - shown(b) }) },
	} {
		order()
		rewrite(t, dir, lines)
		if got := reportOf(t, dir); got != want {
			t.Errorf("%s: %s\nin order: %s", name, got, want)
		}
	}
}

func shown(line string) int { return strings.Count(line, `"showing":1`) }

// What a loader is given in hand comes to what is read from the files.
func TestLoaderIsLoad(t *testing.T) {
	judge := sim(t, "accuracy=0.7,first=0.3,tie=0.1,silent=0.1")
	set := pairsFile(t, 40, "b", "a", "mmlu-pro-law")
	dir := makeRun(t, making{protocol: "reversed", prompt: "arena-hard", set: set, client: judge, model: judge.Name})
	lines := linesOf(t, dir)
	rewrite(t, dir, append(lines[3:], lines[:9]...)) // some twice, one pair perhaps in halves
	want := reportOf(t, dir)
	m, err := judging.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := scoring.NewLoader(m, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
	if err == nil {
		err = judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), l.Add)
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(l.Run().Score(quick))
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nloaded: %s", got, err, want)
	}
}

// Pairs of which a judgment is missing are left out, counted and warned of.
func TestPartialPairs(t *testing.T) {
	set := pairsFile(t, 40, "sums")
	dir := makeRun(t, making{protocol: "pairwise", set: set, client: sim(t, "right"), model: "sim:right"})
	lines := linesOf(t, dir)
	slices.SortFunc(lines, strings.Compare) // nothing but a fixed order
	var kept []string
	for _, l := range lines {
		switch {
		case strings.Contains(l, `"item":"p00001"`) && shown(l) == 0:
		case strings.Contains(l, `"item":"p00002"`) && shown(l) == 1:
		case strings.Contains(l, `"item":"p00003"`): // neither judgment
		default:
			kept = append(kept, l)
		}
	}
	rewrite(t, dir, kept)
	run := load(t, dir, judging.ReadingOptions{})
	rep := run.Score(quick)
	if run.Items != 37 || rep.Items != 37 || rep.Expected != 40 || find(t, rep, "strict", scoring.Overall).N != 37 {
		t.Errorf("%d pairs, report of %d of %d", run.Items, rep.Items, rep.Expected)
	}
	if rep.Outcomes["decided"] != 76 {
		t.Errorf("%v: the judgments of partial pairs count as outcomes", rep.Outcomes)
	}
	if want := "incomplete: 3 of 40 pairs lack a judgment and are left out"; !slices.Contains(rep.Warnings, want) {
		t.Errorf("warnings %q, want %q", rep.Warnings, want)
	}
	rewrite(t, dir, nil)
	if run := load(t, dir, judging.ReadingOptions{}); run.Items != 0 || run.Score(quick).Items != 0 {
		t.Errorf("no records: %d pairs", run.Items)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := makeRun(t, making{protocol: "pairwise", set: pairsFile(t, 2, "sums"), client: sim(t, "right"), model: "sim:right"})
	lines := linesOf(t, dir)
	for _, c := range []struct {
		name   string
		change func(line string) string
		err    string
	}{
		{"three candidates", func(l string) string {
			return strings.NewReplacer(`["A","B"]`, `["A","B","C"]`, `["B","A"]`, `["B","A","C"]`).Replace(l)
		}, "this record is of another kind"},
		{"a third presentation", func(l string) string {
			return strings.NewReplacer(`"showing":0,"showings":2`, `"showing":2,"showings":3`, `"showing":1,"showings":2`, `"showing":2,"showings":3`).Replace(l)
		}, "this record is of another kind"},
		{"a broken line", func(l string) string { return l[:20] + "\n" }, "records.jsonl:3: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			changed := slices.Clone(lines)
			changed[2] = c.change(changed[2])
			rewrite(t, dir, changed)
			_, err := scoring.Load(dir, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
			if err == nil || !strings.Contains(err.Error(), c.err) || !strings.Contains(err.Error(), ":3: ") {
				t.Errorf("error %v, want %q in line 3", err, c.err)
			}
		})
	}
	if _, err := scoring.Load(t.TempDir(), judging.ReadingOptions{}); err == nil || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("an empty folder: %v", err)
	}
}
