package golden

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// simulated lists runs by name; each is written to runs/NAME.
var simulated = []struct{ name, args string }{
	{"pairwise-sop", "pairwise --model accuracy=0.8,first=0.2 --dataset sample"},
	{"pairwise-direct", "pairwise --model accuracy=0.7,tie=0.2,silent=0.1 --dataset sample --prompt direct"},
	{"pairwise-cot", "pairwise --model accuracy=0.9,seed=4 --dataset sample --prompt cot --limit 6"},
	{"pairwise-arena-hard", "pairwise --model coin --dataset sample --prompt arena-hard --sample 10 --seed 3"},
	{"pairwise-repeat", "pairwise --model accuracy=0.8,first=0.2 --dataset sample --repeat 3 --limit 8"},
	{"pairwise-own-prompt", "pairwise --model first --dataset sample --prompt mine.txt --group Math --attempts 1"},
	{"pairwise-ids", "pairwise --model right --dataset sample --ids ids.txt --concurrency 1 --system-role user --accept-cut --max-tokens 100"},
	{"pairwise-self-reference", "pairwise --model accuracy=0.7,first=0.1 --dataset sample --limit 8 --self-reference"},
	{"reversed-sop", "reversed --model accuracy=0.8,first=0.2 --dataset sample"},
	{"reversed-direct", "reversed --model silent --dataset sample --prompt direct --limit 4"},
	{"reversed-cot", "reversed --model accuracy=0.6 --dataset sample --prompt cot --limit 4"},
	{"reversed-arena-hard", "reversed --model accuracy=0.6,tie=0.3 --dataset sample --prompt arena-hard --limit 6"},
	{"answer-choice", "answer --model accuracy=0.6 --dataset sample-choice"},
	{"answer-choice-each", "answer --model accuracy=0.6 --dataset sample-choice --sample 2 --seed 5"},
	{"answer-number", "answer --model accuracy=0.7,silent=0.1 --dataset sample-number"},
	{"answer-preference", "answer --model accuracy=0.7 --dataset sample-preference --sample 0"},
	{"answer-marker", "answer --model accuracy=0.7 --dataset questions.jsonl --marker A:"},
	{"options-1", "multi-option --model accuracy=0.6,first=0.3 --dataset sample-options"},
	{"options-2", "multi-option --model coin --dataset sample-options --prompt 2 --limit 6"},
	{"options-3", "multi-option --model right --dataset sample-options --prompt 3 --limit 6"},
	{"options-4", "multi-option --model first --dataset sample-options --prompt 4 --limit 6"},
	{"options-worst", "multi-option --model accuracy=0.6,first=0.3 --dataset sample-options --goal worst"},
	{"options-unrelated", "multi-option --model accuracy=0.6,first=0.3 --dataset sample-options --unrelated"},
	{"options-all", "multi-option --model accuracy=0.5 --dataset sample-options --max-options 3 --orders all --limit 5"},
	{"options-random", "multi-option --model accuracy=0.5,silent=0.2 --dataset sample-options --orders random:3 --limit 5 --seed 2 --unrelated --max-options 4"},
	{"options-own", "multi-option --model accuracy=0.5 --dataset options.jsonl"},
	{"judgments", "self-reference --model accuracy=0.7 --dataset judgments.jsonl"},
	{"judged-number", "self-reference --model accuracy=0.8 --dataset sample-number --agents sim:accuracy=0.6,seed=2"},
	{"judged-choice", "self-reference --model accuracy=0.7,silent=0.1 --dataset sample-choice --agents sim:accuracy=0.6,seed=2 --agents sim:accuracy=0.9,seed=3 --sample 3"},
	{"judged-preference", "self-reference --model accuracy=0.8 --dataset sample-preference --agents sim:accuracy=0.5,seed=2"},
	{"judged-self", "self-reference --model accuracy=0.8 --dataset sample-number --agents runs/answer-number --mode self"},
	{"judged-cot", "self-reference --model accuracy=0.8 --dataset sample-number --agents answers.jsonl --own runs/answer-number --mode cot --group Everyday"},
}

const (
	ownPrompt = "Which answer is better? Write [[A>B]] or [[B>A]], or [[A=B]] if you cannot tell.\n"
	ownIDs    = "# two\nsample-knowledge-02\n\nsample-math-01\n"
	ownItems  = `{"id": "q1", "category": "sums", "source": "mine", "question": "2 + 2?", "options": ["3", "4"], "gold": "B"}
{"id": "q2", "category": "sums", "source": "mine", "question": "2 + 3?", "gold": "5"}
{"id": "q3", "category": "writing", "question": "Say hello.", "response_a": "Hello!", "response_b": "Hi.", "model_a": "x", "model_b": "y", "gold": "C"}
{"id": "q4", "question": "Nobody knows.", "options": ["yes", "no", "perhaps"]}
not JSON
`
	ownOptions = `{"id": "o1", "source": "mine", "prompt": "Say hello.", "outputs": ["Hello!", "Hi.", "What?"], "ranks": [1, 0, 2], "group": "words"}
{"id": "o2", "prompt": "A number above 3?", "outputs": [{"text": "4", "rank": 0, "model": "x"}, {"text": "3", "rank": 1}]}
{"prompt": "No ranks.", "outputs": ["a", "b"]}
`
	ownJudgments = `{"id": "1@x", "category": "sums", "question": "2 + 2?", "gold": "Correct", "question_id": "1", "of": "number", "agent": "x", "answer": "It is 4.", "reference": "The answer is 4", "own": {"value": "4", "right": true}}
{"id": "2@x", "category": "sums", "question": "2 + 3?", "gold": "Incorrect", "question_id": "2", "of": "number", "agent": "x", "answer": "It is 4.", "reference": "The answer is 4", "own": {"value": "4", "right": false}}
{"id": "3@x", "question": "Hello?\nOptions:\nA. yes\nB. no", "gold": "Incorrect", "question_id": "3", "of": "choice", "agent": "x", "answer": "The answer is (B)", "reference": "The answer is (A)", "own": {"value": "A", "right": true}}
`
	ownAnswers = `{"id": "sample-everyday-01", "answer": "The answer is 27", "model": "paper"}
{"id": "sample-everyday-02", "answer": "It is 15.", "model": "paper"}
{"id": "sample-everyday-03", "answer": "I do not know.", "model": "paper"}
`
)

func writeInputs(w *world) {
	w.write("mine.txt", ownPrompt)
	w.write("ids.txt", ownIDs)
	w.write("questions.jsonl", ownItems)
	w.write("options.jsonl", ownOptions)
	w.write("answers.jsonl", ownAnswers)
	w.write("judgments.jsonl", ownJudgments)
}

// simulate makes a run of the list.
func simulate(w *world, name, args string) result {
	w.t.Helper()
	return w.gavel(append(append([]string{"run"}, strings.Fields(args)...), "--backend", "sim", "--out", "runs/"+name)...)
}

// TestSimulated: every protocol, prompt and option on built-in samples.
func TestSimulated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "simulated")
	writeInputs(w)
	for _, run := range simulated {
		title := "gavel run " + run.args
		plan := w.gavel(append(append([]string{"run"}, strings.Fields(run.args)...), "--backend", "sim", "--out", "runs/"+run.name, "--dry-run", "--json")...)
		b.add(title+" · --dry-run --json", fmt.Sprintf("exit status %d\n%s", plan.code, plan.stdout))
		r := simulate(w, run.name, run.args)
		b.add(title, fmt.Sprintf("exit status %d\n%s", r.code, r.stdout))
		if r.code != 0 {
			t.Errorf("%s: exit status %d\n%s", title, r.code, r.stderr)
			continue
		}
		w.addRun(b, run.name, "runs/"+run.name)
	}
	b.add("folders", w.list("runs"))

	// Where no folder is named, it is named after what the run is.
	w.must("run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--limit", "2", "--out", "elsewhere/x")
	for _, run := range simulated[:3] {
		w.must(append(append([]string{"run"}, strings.Fields(run.args)...), "--backend", "sim", "--dry-run")...)
	}
	for _, args := range []string{
		"pairwise --model accuracy=0.8,first=0.2 --dataset sample --limit 3",
		"multi-option --model coin --dataset sample-options --limit 2 --goal worst",
		"answer --model coin --dataset questions.jsonl --limit 2",
		"self-reference --model coin --dataset sample-number --limit 2 --agents sim:right",
		"pairwise --model coin --dataset sample --limit 2 --self-reference --prompt mine.txt",
	} {
		args := append(append([]string{"run"}, strings.Fields(args)...), "--backend", "sim")
		b.add("without --out: "+strings.Join(args, " ")+" · plan", w.must(append(args, "--dry-run")...).stdout)
		w.must(args...)
	}
	b.add("folders that name themselves", w.list("runs"))
	b.add("demo", w.must("demo", "--out", "demo").stdout)
	b.add("demo · folders", w.list("demo"))
}

// TestScores: the commands that read runs.
func TestScores(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "scores")
	writeInputs(w)
	needed := " pairwise-sop pairwise-direct pairwise-repeat pairwise-self-reference reversed-sop answer-choice answer-choice-each answer-number options-1 options-worst options-unrelated options-random judged-choice judged-number judged-self "
	for _, run := range simulated {
		if !strings.Contains(needed, " "+run.name+" ") {
			continue
		}
		if run.name == "pairwise-repeat" {
			time.Sleep(time.Second) // a report lists when runs began and ended only where they differ, to the second
		}
		if r := simulate(w, run.name, run.args); r.code != 0 {
			t.Fatalf("%s\n%s", run.args, r.stderr)
		}
	}
	runs := func(names ...string) []string {
		for i := range names {
			names[i] = "runs/" + names[i]
		}
		return names
	}
	pairs := runs("pairwise-sop", "pairwise-direct", "reversed-sop", "pairwise-repeat")
	each := runs("pairwise-sop", "pairwise-repeat", "pairwise-self-reference", "reversed-sop", "answer-choice", "options-unrelated", "judged-choice")
	for _, args := range [][]string{
		append([]string{"score", "--rounds", "300"}, each...),
		append([]string{"score", "--rounds", "300", "--json"}, each...),
		append([]string{"score", "--rounds", "300", "--csv"}, each...),
		append([]string{"score", "--rounds", "300", "--markdown"}, each...),
		append([]string{"score", "--policy", "last", "--rounds", "200", "--bootstrap-seed", "7", "--csv"}, pairs...),
		append([]string{"score", "--missing", "drop", "--csv", "--rounds", "200"}, runs("judged-choice")...),
		append([]string{"score", "--missing", "strict", "--csv", "--rounds", "200"}, runs("options-random")...),
		append([]string{"score", "--extract", "lenient", "--csv", "--rounds", "200"}, runs("answer-choice")...),
		append([]string{"score", "--accept-cut", "--csv", "--rounds", "200"}, runs("pairwise-direct")...),
		append([]string{"compare"}, pairs[:2]...),
		append([]string{"compare", "--json", "--rounds", "300"}, pairs...),
		append([]string{"compare", "--csv", "--rounds", "300"}, pairs...),
		append([]string{"compare", "--markdown", "--rounds", "300"}, runs("pairwise-sop", "reversed-sop")...),
		append([]string{"compare", "--json", "--rounds", "300"}, runs("options-1", "options-unrelated")...),
		append([]string{"compare", "--json", "--rounds", "300"}, runs("options-1", "options-worst")...),
		append([]string{"compare", "--json", "--rounds", "300"}, runs("judged-number", "judged-self")...),
		append([]string{"compare", "--csv", "--rounds", "300"}, runs("answer-choice", "answer-choice-each")...),
		append([]string{"compare", "--csv"}, runs("answer-choice", "pairwise-sop")...),
		append([]string{"report", "--rounds", "300", "--out", "-"}, runs("options-1")...),
		append([]string{"export", "judgebench"}, runs("pairwise-sop")...),
		append([]string{"export", "judgebench"}, runs("answer-choice")...),
	} {
		r := w.gavel(args...)
		output := fmt.Sprintf("exit status %d\n%s", r.code, r.stdout)
		if r.code != 0 {
			output += r.stderr
		}
		b.add("gavel "+strings.Join(args, " "), output)
	}
	page := w.must(append([]string{"report", "--rounds", "300", "--out", "page.html"}, each...)...)
	b.add("report of all", page.stdout+w.plain(w.read("page.html")))
	var figures strings.Builder
	for i, part := range strings.Split(w.read("page.html"), "<svg")[1:] {
		svg, _, _ := strings.Cut(part, "</svg>")
		fmt.Fprintf(&figures, "%d: %s\n", i+1, hashOf(svg)[:16])
	}
	b.add("figures of the report", figures.String())

	for _, run := range []string{"pairwise-sop", "reversed-sop", "answer-number", "options-unrelated", "judged-number", "pairwise-repeat"} {
		r := w.gavel("replay", "runs/"+run, "--out", "again/"+run, "--csv")
		b.add("gavel replay runs/"+run, fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.remarks()))
		if w.read("again/"+run+"/results.json") != w.read("runs/"+run+"/results.json") {
			t.Errorf("replay of %s: other results.json", run)
		}
	}
}
