package scoring_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/report"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/multioption"
	"gavel/scoring"
	"gavel/scoring/stats"
)

// optionsFile is a dataset of n items with so many options, in turn; the best is
// at each position in turn, the worst before it.
func optionsFile(t *testing.T, n int, options ...int) *datasets.Set {
	t.Helper()
	var b bytes.Buffer
	for i := range n {
		k := options[i%len(options)]
		type output struct {
			Text string `json:"text"`
			Rank int    `json:"rank"`
		}
		line := struct {
			ID      string   `json:"id"`
			Prompt  string   `json:"prompt"`
			Outputs []output `json:"outputs"`
		}{fmt.Sprintf("i%05d", i), fmt.Sprintf("question %d", i), nil}
		for c := range k {
			line.Outputs = append(line.Outputs, output{fmt.Sprintf("answer %d to question %d", c, i), (c - i + k*n) % k})
		}
		if err := json.NewEncoder(&b).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	return judgingtest.OpenDataset(t, b.String())
}

// withUnrelated is the set with an option of another item put first in each.
func withUnrelated(t *testing.T, set *datasets.Set) *datasets.Set {
	t.Helper()
	unrelated, err := datasets.NewUnrelatedOptions(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]byte
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		if item, err = unrelated.InsertInto(item); err != nil {
			t.Fatal(err)
		}
		line, err := datasets.EncodeOptions(item)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	out, err := datasets.FromLines(set.Name, "options", lines)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// choose runs a judge over options and loads the run.
func choose(t *testing.T, set *datasets.Set, judge backends.Client, options judging.Settings) *scoring.Run {
	t.Helper()
	model := "judge"
	if s, ok := judge.(*backends.SimulatedJudge); ok {
		model = s.Name
	}
	var m *judging.Manifest
	run := load(t, makeRun(t, making{protocol: "multi-option", prompt: "1", options: options, set: set, client: judge, model: model, change: func(made *judging.Manifest) { m = made }}), judging.ReadingOptions{})
	run.Dir = "runs/" + strings.TrimPrefix(model, "sim:") + "-" + m.Spec.Goal
	if run.RereadDifferences != 0 || run.Records != m.Judgments {
		t.Errorf("%d of %d records, %d read otherwise", run.Records, m.Judgments, run.RereadDifferences)
	}
	return run
}

// Judges whose every score is known, over the built-in sample, from the dataset
// to the printed table.
func TestScriptedJudgesOfOptions(t *testing.T) {
	set, err := datasets.Library{}.Open("sample-options")
	if err != nil {
		t.Fatal(err)
	}
	inverse := 0.0 // mean of 1/n
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			t.Fatal(err)
		}
		inverse += 1 / float64(len(item.Candidates)) / float64(set.Len())
	}
	var all report.Scores
	run := func(judge, goal string, set *datasets.Set, want map[string]float64) *scoring.Run {
		options := judging.Settings{}
		if goal == multioption.GoalWorst {
			options["goal"] = goal
		}
		r := choose(t, set, sim(t, judge), options)
		rep := r.Score(stats.DefaultBootstrap)
		rep.Run = r.Dir
		all.Runs = append(all.Runs, rep)
		scored(t, rep, scoring.Overall, want)
		if rep.Goal != goal {
			t.Errorf("goal %q, want %q", rep.Goal, goal)
		}
		return r
	}
	perfect := map[string]float64{"grade": 1, "llm": 1, "choice": 1, "grade-over-random": 1, "accuracy": 100, "accuracy-mode": 100, "same-choice": 100}
	first := map[string]float64{"grade": 0, "llm": 0, "choice": inverse, "accuracy": 100 * inverse, "accuracy-mode": 100 * inverse, "same-choice": 0, "choice-first": inverse}
	best, worst := run("right", "best", set, perfect), run("right", "worst", set, perfect)
	firstBest, firstWorst := run("first", "best", set, first), run("first", "worst", set, first)
	run("silent", "best", set, map[string]float64{"grade": 0, "llm": 0, "choice": 0, "accuracy": 0, "same-choice": 0, "unrelated": noValue})
	run("coin", "best", set, nil)
	unrelated := withUnrelated(t, set)
	run("right", "best", unrelated, map[string]float64{"grade": 1, "accuracy": 100, "unrelated": 0})
	// The unrelated option is the worst, whatever the ranks.
	run("right", "worst", unrelated, map[string]float64{"grade": 1, "accuracy": 100, "unrelated": 100})

	var text bytes.Buffer
	print := func(result any) {
		if err := report.Print(&text, result, report.FullText, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range []int{4, 5, 7} { // silent, coin, worst beside an unrelated option
		print(report.Scores{Runs: all.Runs[i : i+1]})
	}
	for _, pair := range [][]*scoring.Run{{best, worst}, {firstBest, firstWorst}} {
		cmp, err := scoring.Compare(pair, stats.DefaultBootstrap)
		if err != nil {
			t.Fatal(err)
		}
		print(report.Comparison{Comparisons: cmp})
	}
	golden.AssertBytes(t, text.Bytes(), "multi-option.txt")
}

// The coin is the random judge of the table.
func TestCoinIsTheRandomJudge(t *testing.T) {
	rep := choose(t, optionsFile(t, 2000, 2, 3, 4, 6), sim(t, "coin"), nil).Score(stats.Bootstrap{Rounds: 2000, Level: 0.999, Seed: 1})
	for _, metric := range []string{"grade", "llm", "choice"} {
		got, want := find(t, rep, metric, scoring.Overall), find(t, rep, metric+"-random", scoring.Overall)
		if math.Abs(*got.Value-*want.Value) > 0.03 {
			t.Errorf("%s: the coin has %v, a random judge %v", metric, *got.Value, *want.Value)
		}
		if over := find(t, rep, metric+"-over-random", scoring.Overall); math.Abs(*over.Value) > 0.06 || *over.Low > 0 || *over.High < 0 {
			t.Errorf("%s: 0 is not in the coin's interval: %s", metric, show(over))
		}
	}
	if got, want := *find(t, rep, "accuracy", scoring.Overall).Value, *find(t, rep, "accuracy-random", scoring.Overall).Value; math.Abs(got-want) > 3 {
		t.Errorf("accuracy %v, of a random judge %v", got, want)
	}
}

func TestCompareOptionsRefuses(t *testing.T) {
	a := optionRun(t, nil, optionItem{id: "i1", places: []int{2, 1}, gold: "01"})
	for want, b := range map[string]*scoring.Run{
		"have different labels for i1": optionRun(t, nil, optionItem{id: "i1", places: []int{2, 1}, gold: "02"}),
		"in common":                    optionRun(t, nil, optionItem{id: "i2", places: []int{2, 1}, gold: "01"}),
		"are scored differently":       runOf(unit("i1", "g", "A", "A", "A")),
	} {
		if _, err := scoring.Compare([]*scoring.Run{a, b}, quick); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	// Under opposite goals they need not agree, nor where one sees an unrelated
	// option and must call that the worst.
	ranks := map[string]int{"01": 0, "02": 1}
	worst := optionRun(t, judging.Settings{"goal": "worst"}, optionItem{id: "i1", places: []int{2, 1}, gold: "01", ranks: ranks})
	unrelated := optionRun(t, judging.Settings{"goal": "worst"}, optionItem{id: "i1", places: []int{2, 1, 1}, gold: "01", unrelated: true, ranks: ranks})
	for _, pair := range [][]*scoring.Run{{a, worst}, {worst, unrelated}} {
		if _, err := scoring.Compare(pair, quick); err != nil {
			t.Error(err)
		}
	}
}

// Intervals: of scores by the bootstrap, exact where all items are right or
// wrong, none where all count the same.
func TestIntervalsOfOptions(t *testing.T) {
	var items []optionItem
	for i := range 40 {
		places := []int{2, 3, 1}
		if i%2 == 0 {
			places = []int{1, 1, 1}
		}
		items = append(items, optionItem{id: fmt.Sprintf("i%02d", i), places: places, gold: "01"})
	}
	rep := optionRun(t, nil, items...).Score(stats.DefaultBootstrap)
	random := *find(t, rep, "grade-random", scoring.Overall).Value
	for metric, at := range map[string]float64{"grade": 0.5, "grade-over-random": (0.5 - random) / (1 - random)} {
		r := find(t, rep, metric, scoring.Overall)
		if r.Low == nil || *r.Low >= *r.Value || *r.High <= *r.Value || *r.High-*r.Low > 0.8 || r.Unit != "score" || math.Abs(*r.Value-at) > 1e-5 {
			t.Errorf("%s: %s", metric, show(r))
		}
	}
	// 20 of 40 items count 1, the others 0: the mean's standard error is 0.079.
	if r := find(t, rep, "grade", scoring.Overall); math.Abs(*r.High-*r.Low-2*1.96*0.079) > 0.03 {
		t.Errorf("grade: %s", show(r))
	}
	for _, metric := range []string{"grade-random", "llm-first", "accuracy-random"} {
		if r := find(t, rep, metric, scoring.Overall); r.Low != nil || r.High != nil || r.Value == nil {
			t.Errorf("%s follows from the items: %s", metric, show(r))
		}
	}
	all := optionRun(t, nil, items[1], items[3], items[5]).Score(quick)
	if r := find(t, all, "accuracy", scoring.Overall); *r.High != 100 || math.Abs(*r.Low-36.8403) > 1e-3 || r.IntervalMethod != scoring.IntervalByBlaker { // 0.05^(1/3)
		t.Errorf("accuracy: %s", show(r))
	}
	if r := find(t, all, "grade", scoring.Overall); math.Abs(*r.Low-0.368403) > 1e-5 || *r.High != 1 || r.IntervalMethod != scoring.IntervalByBlaker {
		t.Errorf("grade: %s", show(r))
	}
}

// Records that do not belong together are refused, and half an item is counted.
func TestRecordsOfOptions(t *testing.T) {
	full := optionItem{id: "i1", places: []int{2, 3, 1}, gold: "01"}
	add := func(records ...*judging.Record) (*scoring.Run, error) {
		l, err := scoring.NewLoader(optionManifest(nil, 2), judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			if err := l.Add(r); err != nil {
				return nil, err
			}
		}
		return l.Run(), nil
	}
	records := full.records()
	twice := *records[0]
	twice.Replies = []judging.Reply{{Text: "Selection: Option 1", Finish: backends.FinishStop}}
	run, err := add(records[0], &twice, records[1], records[2], optionItem{id: "i2", places: []int{1, 1}}.records()[0])
	if err != nil || run.Items != 1 {
		t.Fatalf("%v, %+v", err, run)
	}
	rep := run.Score(quick)
	scored(t, rep, scoring.Overall, map[string]float64{"grade": 1}) // the first of two records stands
	if rep.Items != 1 || rep.Outcomes["decided"] != 4 || !strings.Contains(strings.Join(rep.Warnings, "\n"), "incomplete: 1 of 2 items") {
		t.Errorf("%d items, %v, %q", rep.Items, rep.Outcomes, rep.Warnings)
	}
	other := optionItem{id: "i1", places: []int{1, 1}}.records()[1]
	if _, err := add(records[0], other); err == nil || !strings.Contains(err.Error(), "i1 do not agree on its options") {
		t.Errorf("another number of options: %v", err)
	}
	pair := *records[0]
	pair.Shape = ""
	if _, err := add(&pair); err == nil || !strings.Contains(err.Error(), "of the shape options") {
		t.Errorf("a pair: %v", err)
	}
	none, err := add()
	if err != nil {
		t.Fatal(err)
	}
	rep = none.Score(quick)
	scored(t, rep, scoring.Overall, map[string]float64{"grade": noValue, "grade-random": noValue, "accuracy": noValue, "same-choice": noValue})
}
