package golden

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func pairOf(id, label, judge string, games ...string) string {
	return fmt.Sprintf(`{"pair_id": %q, "original_id": 7, "source": "sums", "question": "2 + 2?", "response_model": "m", "response_A": "4", "response_B": "5", "label": %q, "judge_name": %q, "judgments": [%s]}`+"\n",
		id, label, judge, strings.Join(games, ", "))
}

func gameOf(text, decision string) string {
	return fmt.Sprintf(`{"judgment": {"judge_model": "j-1", "prompt": "p", "response": %q}, "decision": %s}`, text, decision)
}

func scoredGame(a, b, decision string) string {
	return fmt.Sprintf(`{"judgment": {"judge_model": "rm", "prompt": "", "response": "", "scores": [%s, %s]}, "decision": %q}`, a, b, decision)
}

func outputOf(id int, answer, pred, text string) string {
	encoded, _ := json.Marshal(text)
	return fmt.Sprintf(`{"question_id": %d, "question": "Which of %d?", "options": ["one", "two", "three", "four"], "answer": %q, "answer_index": %d, "category": "math", "src": "ours", "pred": %s, "generated_text": %s}`,
		id, id, answer, answer[0]-'A', pred, encoded)
}

func voteOf(question, turn int, judge, a, b, winner string) string {
	return fmt.Sprintf(`{"judge":%q,"model_a":%q,"model_b":%q,"question_id":%d,"turn":%d,"winner":%q}`+"\n", judge, a, b, question, turn, winner)
}

func gamesOf(question int, g1, g2, reply1, reply2 string) string {
	return fmt.Sprintf(`{"question_id":%d,"model_1":"x","model_2":"y","g1_winner":%q,"g2_winner":%q,"judge":["gpt-4","pair-v2"],"turn":1,"g1_user_prompt":"p1","g1_judgment":%q,"g2_user_prompt":"p2","g2_judgment":%q}`+"\n",
		question, g1, g2, reply1, reply2)
}

// TestImports: every importer, on valid and invalid rows of the published shapes.
func TestImports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "imports")
	writeInputs(w)
	a, other := gameOf("so [[A>B]]", `"A>B"`), gameOf("so [[B>A]]", `"B>A"`)
	w.write("arena.jsonl", pairOf("p1", "A>B", "arena_hard", a, other)+pairOf("p2", "B>A", "arena_hard", a, a)+pairOf("p3", "A>B", "arena_hard", "null", other)+
		pairOf("p4", "A>B", "arena_hard", gameOf("[[A>>B]]", `"A>B"`), gameOf("[[A=B]]", `"A=B"`))+pairOf("p5", "A>B", "arena_hard", gameOf("[[B>A]]", `"A>B"`), gameOf("none", "null")))
	w.write("reward.jsonl", pairOf("p1", "A>B", "reward_model", scoredGame("1.50", "-2", "A>B"), scoredGame("-2", "1.50", "B>A"))+pairOf("p2", "A>B", "reward_model", scoredGame("1", "1", "B>A"), scoredGame("2", "1", "A>B")))
	w.write("vanilla.jsonl", pairOf("p1", "A>B", "vanilla", gameOf("Output (b)", `"B>A"`), gameOf("", "null")))
	w.write("model_outputs_my-model_5shots.json", "["+strings.Join([]string{
		outputOf(1, "A", `"A"`, "The answer is (A)."), outputOf(2, "B", `"C"`, "Answer: B"), outputOf(3, "C", `"C"`, "I take C"),
		outputOf(4, "A", `"G"`, "no idea"), outputOf(5, "D", "null", "The answer is (D). The answer is (A)."), strings.Replace(outputOf(6, "A", `"A"`, "x"), `"answer_index": 0`, `"answer_index": 7`, 1),
	}, ",\n")+"]")
	w.write("solutions.jsonl", `{"question": "2 + 16?", "ground_truth": "so\nA: 18", "6b": {"is_correct": true, "solution": "A: 19"}, "175b": {"is_correct": true, "solution": "2 + 16\nA: 18"}}
{"question": "2 + 3?", "ground_truth": "A: 5", "6b": {"is_correct": false, "solution": "I do not know"}, "175b": {"is_correct": true, "solution": "A: 5"}}
`)
	w.write("pair.jsonl", voteOf(81, 1, "gpt4_pair", "y", "x", "model_b")+voteOf(82, 2, "gpt4_pair", "x", "y", "tie (inconsistent)")+voteOf(83, 1, "gpt4_pair", "x", "y", "model_a")+voteOf(84, 1, "gpt4_pair", "x", "y", "error"))
	w.write("games.jsonl", gamesOf(81, "model_1", "model_1", "so [[A]]", "so [[B]]")+gamesOf(82, "model_1", "model_2", "[[A]]", "[[A]]")+gamesOf(83, "tie", "tie", "[[C]]", "[[C]]")+gamesOf(84, "error", "model_1", "none", "[[B]]"))
	w.write("human.jsonl", voteOf(81, 1, "expert_1", "x", "y", "model_a")+voteOf(81, 1, "expert_2", "y", "x", "model_a")+voteOf(81, 1, "expert_3", "y", "x", "model_b")+
		voteOf(82, 2, "author_1", "x", "y", "tie")+voteOf(99, 1, "expert_1", "x", "y", "tie")+voteOf(81, 1, "expert_1", "x", "x", "tie"))
	w.write("mine.jsonl", `{"id": "sample-choice-none", "answer": "The answer is (A)"}
{"id": "q1", "answer": "The answer is (B)", "model": "m"}
{"id": "q2", "answer": "Result: 5", "model": "m"}
{"id": "q4", "answer": null, "model": "m"}
`)
	w.write("alone.jsonl", `{"id": "a", "question": "2 + 2?", "options": ["3", "4"], "gold": "B", "answer": "The answer is (B)", "model": "m"}
{"id": "b", "question": "2 + 3?", "gold": 5, "answer": "It is 6.", "model": "m"}
{"id": "c", "question": "2 + 3?", "gold": 5, "answer": "It is 5.", "model": "other"}
`)
	for _, c := range []struct{ args, run string }{
		{"judgebench arena.jsonl", "arena"},
		{"judgebench reward.jsonl", "reward"},
		{"judgebench vanilla.jsonl", "vanilla"},
		{"mmlu-pro model_outputs_my-model_5shots.json --list mmlu.txt", "mmlu"},
		{"mmlu-pro model_outputs_my-model_5shots.json --model named", "mmlu-named"},
		{"gsm8k solutions.jsonl --model 175b", "gsm-175b"},
		{"fastchat pair.jsonl --human human.jsonl", "pair"},
		{"fastchat games.jsonl --list games.txt", "games"},
		{"answers mine.jsonl --dataset questions.jsonl --model m --marker Result:", "mine"},
		{"answers alone.jsonl --model m", "alone"},
	} {
		args := append(append([]string{"import"}, strings.Fields(c.args)...), "--out", "runs/"+c.run)
		r := w.gavel(args...)
		b.add("gavel import "+c.args, fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.stderr))
		if r.code == 0 {
			w.addRun(b, c.run, "runs/"+c.run)
			b.add(c.run+" · score", w.must("score", "--csv", "--rounds", "300", "runs/"+c.run).stdout)
		}
	}
	r := w.gavel("import", "gsm8k", "solutions.jsonl", "--out", "runs/gsm", "--list", "gsm.txt")
	b.add("gavel import gsm8k, all models", fmt.Sprintf("exit status %d\n%s%s", r.code, r.stderr, w.ids("runs/gsm")))
	for _, list := range []string{"mmlu.txt", "games.txt", "gsm.txt"} {
		b.add(list, w.read(list))
	}
	for _, args := range []string{
		"import judgebench reward.jsonl --out runs/arena", // another run
		"import mmlu-pro model_outputs_my-model_5shots.json --out runs/mmlu",
		"import answers alone.jsonl --out runs/x", // two models
		"import answers mine.jsonl --dataset questions.jsonl --out runs/y",
		"import judgebench pair.jsonl --out runs/z",
		"agree runs/pair --labels human.jsonl --rounds 300",
		"agree runs/pair --labels human.jsonl --rounds 300 --json",
		"agree runs/pair --labels human.jsonl --rounds 300 --csv",
		"export judgebench runs/arena",
		"export judgebench runs/reward",
		"compare runs/mmlu runs/mmlu-named --rounds 300 --csv",
		"run self-reference --backend sim --model accuracy=0.7 --dataset questions.jsonl --sample 0 --agents runs/mine --out runs/judged --csv",
	} {
		r := w.gavel(strings.Fields(args)...)
		output := fmt.Sprintf("exit status %d\n%s", r.code, r.stdout)
		if r.code != 0 {
			output += r.stderr
		}
		b.add("gavel "+args, output)
	}
	if w.must("export", "judgebench", "runs/arena").stdout != w.read("arena.jsonl") {
		t.Error("export judgebench: other bytes than were imported")
	}
	w.addRun(b, "judged", "runs/judged")
}

// TestDatasets: the list of datasets and their descriptions.
func TestDatasets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "datasets")
	writeInputs(w)
	for _, args := range []string{
		"datasets list", "datasets list --json", "datasets show sample", "datasets show sample-options --json", "datasets show sample-choice --csv",
		"datasets show sample-number", "datasets show sample-preference --markdown", "datasets show questions.jsonl", "datasets show options.jsonl --json", "datasets show answers.jsonl",
		"prompts list", "prompts list --json", "prompts show sop", "prompts show reversed/direct", "prompts show multi-option/3", "prompts show self-reference/paper", "prompts show answer/paper",
	} {
		r := w.gavel(strings.Fields(args)...)
		b.add("gavel "+args, fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.stderr))
	}
}

// TestBundle: a bundle of runs, of a suite and of a run with a user's prompt, exported and imported.
func TestBundle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "bundle")
	writeInputs(w)
	s := newStub(w, "other")
	flags := []string{"--base-url", s.URL, "--model", "tiny"}
	w.must(append([]string{"run", "pairwise", "--dataset", "sample", "--limit", "4", "--prompt", "mine.txt", "--out", "runs/own-prompt"}, flags...)...)
	w.must(append([]string{"run", "multi-option", "--dataset", "sample-options", "--limit", "3", "--out", "runs/options"}, flags...)...)
	w.must("run", "answer", "--backend", "sim", "--model", "coin", "--dataset", "sample-choice", "--limit", "5", "--out", "runs/sim")
	w.write("s.yaml", "name: small\njudges: [{model: tiny, base-url: "+s.URL+"}]\nconditions: [{protocol: [pairwise, reversed], dataset: sample, limit: 2, prompt: direct}]\n")
	w.must("suite", "run", "s.yaml")
	s.take(w)
	r := w.must("bundle", "export", "runs/own-prompt", "runs/options", "runs/sim", "runs/small", "--out", "b.tar")
	b.add("export", r.stdout+r.stderr)
	files := w.unbundle("b.tar")
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	b.add("files", w.sorted(strings.Join(names, "\n")+"\n"))
	b.add("replies", w.replies("runs/own-prompt", "runs/options", "runs/small"))
	r = w.must("bundle", "import", "b.tar", "--runs", "taken")
	b.add("import", r.stdout+r.stderr)
	b.add("imported", w.list("taken"))
	for _, run := range []string{"own-prompt", "options", "sim", "small/tiny_pairwise_sample_direct_limit-2"} {
		r := w.gavel("replay", "taken/"+run, "--out", "again/"+run, "--csv")
		b.add("replay of "+run, fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.remarks()))
		if w.read("again/"+run+"/results.json") != w.read("runs/"+run+"/results.json") {
			t.Errorf("%s: other results", run)
		}
	}
	s.silence(t, w, "replay")
	r = w.gavel("bundle", "import", "b.tar", "--runs", "taken")
	b.add("import again", fmt.Sprintf("exit status %d\n%s%s", r.code, r.stdout, r.stderr))
	text := w.read("b.tar")
	w.write("damaged.tar", text[:3000]+"?"+text[3001:])
	r = w.gavel("bundle", "import", "damaged.tar")
	b.add("import of a damaged one", fmt.Sprintf("exit status %d\n%s", r.code, firstLine(r.stderr)))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line + "\n"
}
