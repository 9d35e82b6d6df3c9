package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/internal/eval"
	"gavel/judging"
)

// TestStagesStandBeside: the stages' runs are beside the judging run, wherever
// that is; nothing is made elsewhere.
func TestStagesStandBeside(t *testing.T) {
	home(t)
	mustCall(t, "run", "self-reference", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--agents", "sim:coin", "--out", "deep/down/judged")
	beside, err := filepath.Glob("deep/down/*_answer_*")
	if err != nil || len(beside) != 2 {
		t.Errorf("beside the judging run: %v", beside)
	}
	if _, err := os.Stat("runs"); err == nil {
		t.Error("something was made in runs/")
	}
	ends(t, 2, "already holds agents' answers", "run", "self-reference", "--backend", "sim", "--model", "right", "--dataset", "deep/down/judged/items.jsonl", "--agents", "sim:coin", "--out", "again")
}

// TestOneResponse: protocols without a second turn say so in what they are.
func TestOneResponse(t *testing.T) {
	home(t)
	mustCall(t, "run", "answer", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--out", "a")
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "b")
	for run, want := range map[string]int{"a": 1, "b": 2} {
		m, err := judging.ReadManifest(run)
		if err != nil || m.Spec.Parameters.Attempts != want {
			t.Errorf("%s: %d attempts, want %d (%v)", run, m.Spec.Parameters.Attempts, want, err)
		}
	}
	ends(t, 2, "attempts", "run", "answer", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--attempts", "2")
}

// TestTurnsAndGroups: how conversations are read makes another run; a group may
// be named with or without what it is a group of.
func TestTurnsAndGroups(t *testing.T) {
	home(t)
	base := []string{"run", "answer", "--backend", "sim", "--model", "right", "--dataset"}
	mustCall(t, append(base, "sample-preference", "--out", "a")...)
	mustCall(t, append(base, "sample-preference", "--turns", "all", "--out", "b")...)
	a, err := judging.ReadManifest("a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := judging.ReadManifest("b")
	if err != nil {
		t.Fatal(err)
	}
	if a.Spec.Dataset.Turns != "" || b.Spec.Dataset.Turns != "all" || b.Spec.Dataset.Items <= a.Spec.Dataset.Items {
		t.Errorf("first turns %+v, all turns %+v", a.Spec.Dataset, b.Spec.Dataset)
	}
	for i, group := range []string{"Money", "category=Money"} {
		out := []string{"c", "d"}[i]
		mustCall(t, append(base, "sample-number", "--group", group, "--out", out)...)
		for _, r := range records(t, out) {
			if r.Group != "Money" {
				t.Fatalf("--group %s: %s is of %s", group, r.Item, r.Group)
			}
		}
	}
	if read(t, "c/results.json") != read(t, "d/results.json") {
		t.Error("the two ways to name a group differ")
	}
}

// TestReplayTooLong: a prompt that was known not to fit was never asked: no
// cache has a reply, and the replay takes it over.
func TestReplayTooLong(t *testing.T) {
	home(t)
	j := newJudge(t, false, prefersLonger)
	mustCall(t, "run", "pairwise", "--base-url", j.URL, "--dataset", "sample", "--out", "one")
	lines := strings.SplitAfter(read(t, "one/records.jsonl"), "\n")
	cut := strings.Replace(lines[0], `"outcome":"decided"`, `"outcome":"prompt-too-long"`, 1)
	from, to := strings.Index(cut, `"replies":`), strings.Index(cut, `"outcome":`)
	cut = cut[:from] + `"replies":[{"text":"","finish":"prompt-too-long","detail":"not asked: the prompt has 9 tokens, counted by the server, which takes at most 8"}],` + cut[to:]
	for _, key := range []string{"label", "choice"} {
		if i := strings.Index(cut, `"`+key+`":`); i >= 0 {
			end := i + strings.IndexAny(cut[i:], ",}")
			cut = cut[:i] + strings.TrimPrefix(cut[end:], ",")
		}
	}
	write(t, "one/records.jsonl", cut+strings.Join(lines[1:], ""))
	var first judging.Record
	for _, r := range records(t, "one") {
		if r.Outcome == judging.TooLong {
			first = *r
		}
	}
	if first.Item == "" {
		t.Fatalf("no record of a prompt too long: %s", cut)
	}
	call(t, "replay", "one", "--out", "two")
	for _, r := range records(t, "two") {
		if r.Item == first.Item && r.Presentation == first.Presentation && r.Outcome != judging.TooLong {
			t.Errorf("replayed as %s", r.Outcome)
		}
	}
}

// TestAgentsAreFoundFirst: a mistyped agent costs nothing.
func TestAgentsAreFoundFirst(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	for _, agent := range []string{"nofile.zip", "sim:bogus", "m@http://127.0.0.1:1"} {
		_, stderr, code := call(t, "run", "self-reference", "--base-url", j.URL, "--dataset", "sample-number", "--agents", agent, "--out", "a")
		if code == 0 || j.calls.Load() != 0 || !strings.Contains(stderr, agent) {
			t.Errorf("%s: exit status %d after %d calls: %s", agent, code, j.calls.Load(), stderr)
		}
	}
}

// TestUnfinishedAgent: with more answers the judgments would be another run's.
func TestUnfinishedAgent(t *testing.T) {
	home(t)
	mustCall(t, "run", "answer", "--backend", "sim", "--model", "coin", "--dataset", "sample-number", "--out", "agent")
	lines := strings.SplitAfter(read(t, "agent/records.jsonl"), "\n")
	write(t, "agent/records.jsonl", strings.Join(lines[2:], ""))
	ends(t, 1, "agent is not finished (2 answers failed or are missing)", "run", "self-reference", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--agents", "agent", "--out", "a")
}

// TestAcceptCutInStages: an answer that was cut and counts in its own run counts
// in the judgments as well.
func TestAcceptCutInStages(t *testing.T) {
	home(t)
	j := newJudge(t, false, answersAll)
	n := len(sampleIDs(t, "sample-choice"))
	mustCall(t, "run", "answer", "--base-url", j.URL, "--dataset", "sample-choice", "--accept-cut", "--out", "own")
	write(t, "own/records.jsonl", strings.ReplaceAll(read(t, "own/records.jsonl"), `"finish":"stop"`, `"finish":"length"`))
	mustCall(t, "run", "self-reference", "--base-url", j.URL, "--dataset", "sample-choice", "--own", "own", "--agents", agentFile(t, "one.jsonl", "agent", n), "--out", "a")
	right := 0
	for _, r := range records(t, "a") {
		if r.Own.Right {
			right++
		}
	}
	if right == 0 {
		t.Error("no answer of the judge's own is right, though its run says otherwise")
	}
}

// TestJudgmentsAreNotDrawn: the questions of a file of judgments were drawn when
// it was made.
func TestJudgmentsAreNotDrawn(t *testing.T) {
	home(t)
	mustCall(t, "run", "self-reference", "--backend", "sim", "--model", "right", "--dataset", "sample-number", "--agents", "sim:coin", "--out", "a")
	ends(t, 2, "already holds judgments of a sample", "run", "self-reference", "--backend", "sim", "--model", "right", "--dataset", "a/items.jsonl", "--sample", "3", "--out", "b")
}

// TestScorePassesOver: what runs/* names beside runs is passed over, and said.
func TestScorePassesOver(t *testing.T) {
	home(t)
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "right", "--dataset", "sample", "--out", "runs/a")
	write(t, "runs/prompts/mine.txt", "x")
	ends(t, 0, "skipped runs/prompts: it is not a run", "score", "runs/a", "runs/prompts")
	mustCall(t, "run", "pairwise", "--backend", "sim", "--model", "coin", "--dataset", "sample", "--out", "runs/deeper/b")
	if got, want := mustCall(t, "score", "--json", "runs"), mustCall(t, "score", "--json", "runs/a", "runs/deeper/b"); got != want {
		t.Errorf("a folder of runs is scored as %s", got)
	}
	short, full := mustCall(t, "score", "runs"), mustCall(t, "score", "--full", "runs")
	if right, coin := strings.Index(short, "sim:right"), strings.Index(short, "sim:coin"); right < 0 || coin < right || strings.Contains(short, "Knowledge") {
		t.Errorf("the overview is\n%s", short)
	}
	if strings.Count(full, "Knowledge (n=8)") != 2 {
		t.Errorf("in full it is\n%s", full)
	}
	ends(t, 1, "runs/prompts", "score", "runs/prompts")
}

// TestStoppedAtTheEndOfAStage: Ctrl-C while the last answers of a stage are made ends the command, not the stage alone.
func TestStoppedAtTheEndOfAStage(t *testing.T) {
	home(t)
	in := new(eval.Interrupts)
	asked := int64(0)
	j := newJudge(t, false, func(n int64, user string) (int, string) {
		asked = n
		if n == 3 && !in.Gently() { // the last of the judge's own answers
			t.Error("nobody ends gently")
		}
		return answersAll(n, user)
	})
	args := []string{
		"run", "self-reference", "--base-url", j.URL, "--dataset", "sample-number", "--limit", "3", "--sample", "0",
		"--concurrency", "1", "--agents", "sim:coin", "--out", "judged",
	}
	var out, errs bytes.Buffer
	code := gavel(context.Background(), in, &out, &errs, args)
	if _, err := os.Stat("judged"); err == nil || asked > 3 || code != exitInterrupted {
		t.Errorf("told to stop at call 3 it made %d calls, exit status %d\n%s", asked, code, errs.String())
	}
	if code := gavel(context.Background(), in, &out, &errs, args); code != 0 || asked != 9 {
		t.Errorf("gone on with: %d calls, exit status %d\n%s", asked, code, errs.String())
	}
}
