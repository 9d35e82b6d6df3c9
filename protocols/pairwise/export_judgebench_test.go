package pairwise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/protocols/imports"
)

// outputPair has the pair's keys of an output line, in JudgeBench's own bytes.
func outputPair(id, label string) string {
	return fmt.Sprintf(`{"pair_id": %q, "original_id": 7, "source": "sums", "question": "2 + 2?\nΣ", "response_model": "m", "response_A": "4", "response_B": "5", "label": %q`, id, label)
}

// outputGame returns a game with this reply of the judge.
func outputGame(text, decision string) string {
	quoted, _ := imports.EncodeLikePython(text)
	return fmt.Sprintf(`{"judgment": {"judge_model": "j-1", "prompt": "\tp", "response": %s}, "decision": %s}`, quoted, decision)
}

func publishedLine(id, label, judge string, games ...string) string {
	return fmt.Sprintf("%s, \"judge_name\": %q, \"judgments\": [%s]}\n", outputPair(id, label), judge, strings.Join(games, ", "))
}

// export writes a run in JudgeBench's format.
func export(t *testing.T, run string) (text string, written, skipped int) {
	t.Helper()
	var b bytes.Buffer
	written, skipped, err := exportJudgeBench(run, &b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), written, skipped
}

// recordedRun makes a run of pairwise with these records.
func recordedRun(t *testing.T, records ...*judging.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	m := judging.NewManifest("test", judging.Spec{Protocol: Protocol.Name, Goal: Protocol.Goal, Prompt: Protocol.Templates[0], Model: judging.ModelSpec{Name: "judge"}})
	d, err := judging.OpenDir(path, m, func(*judging.Record) bool { return false }, func(*judging.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.StartWithItems(m, func(func([]byte) error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := d.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// failedGame is a failed call on p1.
func failedGame(presentation int) *judging.Record {
	order := [][]string{{"A", "B"}, {"B", "A"}}[presentation]
	return &judging.Record{Schema: 1, Item: "p1", Presentation: presentation, Presentations: 2, Order: order, Gold: "A", Replies: []judging.Reply{}, Outcome: judging.Failed}
}

func stopped(texts ...string) []judging.Reply {
	var all []judging.Reply
	for _, t := range texts {
		all = append(all, judging.Reply{Text: t, Finish: backends.FinishStop})
	}
	return all
}

// An exported run of gavel has the messages it sent, all replies joined, the plain label in the positions shown, and
// null for failures.
func TestExportOfARun(t *testing.T) {
	path := recordedRun(t,
		failedGame(1),
		&judging.Record{Schema: 1, Item: "p1", Presentation: 0, Presentations: 2, Order: []string{"A", "B"}, Gold: "A", Model: "judge", Outcome: judging.Decided, Label: "A>>B", Choice: "A", Replies: stopped("hm", "\"[[A>>B]]\"")},
		&judging.Record{Schema: 1, Item: "p2", Presentation: 1, Presentations: 2, Order: []string{"B", "A"}, Gold: "A", Model: "judge", Outcome: judging.NoVerdict, Replies: stopped("é")},
	)
	items := outputPair("p1", "A>B") + "}\n" + outputPair("p3", "A>B") + "}\n" + outputPair("p2", "B>A") + " }\t\n"
	if err := os.WriteFile(filepath.Join(path, judging.ItemsFile), []byte(items), 0o644); err != nil {
		t.Fatal(err)
	}
	prompt := func(a, b string) string {
		return `<|User Prompt|>\n2 + 2?\nΣ\n\n<|The Start of Assistant A's Answer|>\n` + a + `\n<|The End of Assistant A's Answer|>\n\n<|The Start of Assistant B's Answer|>\n` + b + `\n<|The End of Assistant B's Answer|>`
	}
	want := outputPair("p1", "A>B") + `, "judge_name": "gavel_pairwise_sop", "judgments": [{"judgment": {"judge_model": "judge", "prompt": "` + prompt("4", "5") + `", "response": "\nhm\n\"[[A>>B]]\""}, "decision": "A>B"}, null]}` + "\n" +
		outputPair("p2", "B>A") + ` , "judge_name": "gavel_pairwise_sop", "judgments": [null, {"judgment": {"judge_model": "judge", "prompt": "` + prompt("5", "4") + `", "response": "\né"}, "decision": null}]}` + "\n"
	got, written, skipped := export(t, path)
	if got != want || written != 2 || skipped != 1 {
		t.Errorf("%d written, %d left out\n%s\nwant\n%s", written, skipped, got, want)
	}
}

// A run on the pairs of an output file is exported with its own judge only.
func TestExportOfARunOnAnOutputFile(t *testing.T) {
	path := recordedRun(t, failedGame(0), failedGame(1))
	line := outputPair("p1", "A>B") + `, "judge_name": "arena_hard", "judgments": [null, null]}` + "\n"
	if err := os.WriteFile(filepath.Join(path, judging.ItemsFile), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(line, "arena_hard", "gavel_pairwise_sop", 1)
	if got, _, _ := export(t, path); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The pair's own keys stay as they were written, whatever their values contain.
func TestSplitOutputKeepsThePair(t *testing.T) {
	line := `{"judge_name":"x", "a\"b" :  [1, {"judgments": 2}],"judgments": [null] , "n": 1.50, "é\n": "\u00e9"}`
	pair, judge, games, err := splitJudgeBenchLine([]byte(line))
	want := `{"a\"b": [1, {"judgments": 2}], "n": 1.50, "é\n": "\u00e9"}`
	if err != nil || string(pair) != want || judge != "x" || len(games) != 1 || games[0] != nil {
		t.Errorf("%s, %q, %v, %v; want %s", pair, judge, games, err, want)
	}
	if !json.Valid(pair) {
		t.Error("the pair is no JSON")
	}
}
