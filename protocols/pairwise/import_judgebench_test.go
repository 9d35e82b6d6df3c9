package pairwise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gavel/backends"
	"gavel/judging"
	"gavel/protocols/imports"
)

// outputPair is the pair's part of an output line, in JudgeBench's own bytes.
func outputPair(id, label string) string {
	return fmt.Sprintf(`{"pair_id": %q, "original_id": 7, "source": "sums", "question": "2 + 2?\nΣ", "response_model": "m", "response_A": "4", "response_B": "5", "label": %q`, id, label)
}

// outputGame is a game whose judge said text.
func outputGame(text, decision string) string {
	quoted := string(imports.PythonString(nil, text))
	return fmt.Sprintf(`{"judgment": {"judge_model": "j-1", "prompt": "\tp", "response": %s}, "decision": %s}`, quoted, decision)
}

func publishedLine(id, label, judge string, games ...string) string {
	return fmt.Sprintf("%s, \"judge_name\": %q, \"judgments\": [%s]}\n", outputPair(id, label), judge, strings.Join(games, ", "))
}

// importText imports a file with this text into a new run.
func importText(t *testing.T, text string) (*Import, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "output.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	im, err := ImportJudgeBench(path, run, "test")
	return im, run, err
}

// export writes a run in JudgeBench's format.
func export(t *testing.T, run string) (text string, written, left int) {
	t.Helper()
	var b bytes.Buffer
	written, left, err := exportJudgeBench(run, &b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), written, left
}

// verdicts lists a run's records as "p1/0 decided A".
func verdicts(t *testing.T, run string) []string {
	t.Helper()
	var out []string
	err := judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s/%d %s %s", r.Item, r.Presentation, r.Outcome, r.Choice)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImportAndExport(t *testing.T) {
	aFirst, bFirst := outputGame("\nso [[A>B]]", `"A>B"`), outputGame("\nso [[B>A]]", `"B>A"`)
	scores := func(a, b, decision string) string {
		return fmt.Sprintf(`{"judgment": {"judge_model": "rm", "prompt": "", "response": "", "scores": [%s, %s]}, "decision": %q}`, a, b, decision)
	}
	for _, c := range []struct {
		name     string
		text     string
		verdicts []string
		games    int
		null     int
		same     int // decisions reproduced
		differ   string
		stored   bool
	}{
		{
			name:     "labels are of places, choices of answers",
			text:     publishedLine("p1", "A>B", "arena_hard", aFirst, bFirst) + publishedLine("p2", "B>A", "arena_hard", aFirst, aFirst),
			verdicts: []string{"p1/0 decided A", "p1/1 decided A", "p2/0 decided A", "p2/1 decided B"}, games: 4, same: 4,
		},
		{
			name:     "strong labels are folded, ties stay",
			text:     publishedLine("p1", "A>B", "arena_hard", outputGame("\n[[A>>B]]", `"A>B"`), outputGame("\n[[A=B]]", `"A=B"`)),
			verdicts: []string{"p1/0 decided A", "p1/1 tie"}, games: 2, same: 2,
		},
		{
			name:     "two ways to write one label are a conflict",
			text:     publishedLine("p1", "A>B", "arena_hard", outputGame("\n[[A>>B]] … [[A>B]]", "null"), outputGame("\nnone", "null")),
			verdicts: []string{"p1/0 conflict", "p1/1 no-verdict"}, games: 2, same: 2,
		},
		{
			name:     "a null game",
			text:     publishedLine("p1", "A>B", "arena_hard", "null", bFirst),
			verdicts: []string{"p1/0 failed", "p1/1 decided A"}, games: 2, null: 1, same: 1,
		},
		{
			name:     "a single game",
			text:     publishedLine("p1", "A>B", "arena_hard", aFirst) + publishedLine("p2", "A>B", "arena_hard", bFirst),
			verdicts: []string{"p1/0 decided A", "p2/0 decided B"}, games: 2, same: 2,
		},
		{
			name:     "another judge's text is not read",
			text:     publishedLine("p1", "A>B", "vanilla", outputGame("\nOutput (b) [[A>B]]", `"B>A"`), outputGame("", "null")),
			verdicts: []string{"p1/0 decided B", "p1/1 no-verdict"}, games: 2, same: 2, stored: true,
		},
		{
			name:     "scores decide, and equal ones are for the second",
			text:     publishedLine("p1", "A>B", "reward_model", scores("1.50", "-2", "A>B"), scores("-2", "1.50", "B>A")) + publishedLine("p2", "A>B", "reward_model", scores("20.75", "20.75", "B>A"), scores("20.75", "20.75", "B>A")),
			verdicts: []string{"p1/0 decided A", "p1/1 decided A", "p2/0 decided B", "p2/1 decided A"}, games: 4, same: 4, stored: true,
		},
		{
			name:     "a single game with scores counts for both orders",
			text:     publishedLine("p1", "A>B", "reward_model", scores("1.50", "-2", "A>B")) + publishedLine("p2", "A>B", "reward_model", scores("20.75", "20.75", "B>A")),
			verdicts: []string{"p1/0 decided A", "p1/1 decided A", "p2/0 decided B", "p2/1 decided A"}, games: 4, same: 2, stored: true,
		},
		{
			name:     "a decision that the reply does not give",
			text:     publishedLine("p1", "A>B", "arena_hard", outputGame("\n[[B>A]]", `"A>B"`), bFirst),
			verdicts: []string{"p1/0 decided B", "p1/1 decided A"}, games: 2, same: 1,
			differ: "pair p1, game 1: the file says A>B, read from the reply: B>A",
		},
		{
			name:     "a decision that the scores do not give",
			text:     publishedLine("p1", "A>B", "reward_model", scores("1", "2", "A>B"), scores("2", "1", "A>B")),
			verdicts: []string{"p1/0 decided B", "p1/1 decided B"}, games: 2, same: 1, stored: true,
			differ: "pair p1, game 1: the file says A>B, read from the reply: B>A",
		},
		{
			name:     "text that must be escaped",
			text:     publishedLine("p1", "A>B", "arena_hard", outputGame("\n\"\\\b\f\r\t\x01\x1f\x7f</b>&é😀\u2028 [[A>B]]", `"A>B"`), bFirst),
			verdicts: []string{"p1/0 decided A", "p1/1 decided A"}, games: 2, same: 2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			im, run, err := importText(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := verdicts(t, run); !slices.Equal(got, c.verdicts) {
				t.Errorf("verdicts %q, want %q", got, c.verdicts)
			}
			if im.Games != c.games || im.Null != c.null || im.Reproduced != c.same || im.Stored != c.stored {
				t.Errorf("%d games, %d null, %d reproduced, stored %v", im.Games, im.Null, im.Reproduced, im.Stored)
			}
			if got := strings.Join(im.Differ, "\n"); got != c.differ {
				t.Errorf("differ: %q, want %q", got, c.differ)
			}
			if got, _, left := export(t, run); got != c.text || left != 0 {
				t.Errorf("exported\n%s\nwas imported\n%s", got, c.text)
			}
			if m, err := judging.ReadManifest(run); err != nil || m.ID != im.Manifest.ID || m.Imported != "output.jsonl" || m.Judgments != c.games {
				t.Errorf("manifest %+v, %v", m, err)
			}
		})
	}
}

func TestImportRefuses(t *testing.T) {
	good := outputGame("\n[[A>B]]", `"A>B"`)
	other := strings.Replace(good, "j-1", "j-2", 1)
	for _, c := range []struct{ name, text, err string }{
		{"a pair file", outputPair("p1", "A>B") + "}\n", ":1: no judge_name or no judgments"},
		{"no games", publishedLine("p1", "A>B", "arena_hard"), ":1: no judge_name or no judgments"},
		{"three games", publishedLine("p1", "A>B", "arena_hard", good, good, good), ":1: 3 judgments, expected one or two"},
		{"two judges", publishedLine("p1", "A>B", "arena_hard", good) + publishedLine("p2", "A>B", "vanilla", good), `:2: judge_name is "vanilla", before it was "arena_hard"`},
		{"two models", publishedLine("p1", "A>B", "arena_hard", good) + publishedLine("p2", "A>B", "arena_hard", good, other), `:2: judge_model is "j-2", before it was "j-1"`},
		{"an unknown decision", publishedLine("p1", "A>B", "vanilla", outputGame("", `"A"`)), `:1: game 1: decision "A" is none of`},
		{"three scores", publishedLine("p1", "A>B", "reward_model", `{"judgment": {"judge_model": "r", "prompt": "", "response": "", "scores": [1, 2, 3]}, "decision": "A>B"}`), ":1: game 1: scores [1, 2, 3] are not two numbers"},
		{"one id twice", publishedLine("p1", "A>B", "arena_hard", good) + publishedLine("p1", "A>B", "arena_hard", good), ":2: duplicate id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if im, run, err := importText(t, c.text); err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v, error %v, want %q", im, err, c.err)
			} else if _, err := os.Stat(run); err == nil {
				t.Error("a run was made all the same")
			}
		})
	}
}

// A second import into the same run ends with the same run.
func TestImportAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "output.jsonl")
	text := publishedLine("p1", "A>B", "arena_hard", outputGame("\n[[A>B]]", `"A>B"`), "null")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(t.TempDir(), "run")
	for range 2 {
		if _, err := ImportJudgeBench(path, run, "test"); err != nil {
			t.Fatal(err)
		}
		if got := verdicts(t, run); !slices.Equal(got, []string{"p1/0 decided A", "p1/1 failed"}) {
			t.Errorf("verdicts %q", got)
		}
	}
}

// recorded is a run of pairwise with records in it.
func recorded(t *testing.T, records ...*judging.Record) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run")
	m := judging.NewManifest("test", judging.Spec{Protocol: Protocol.Name, Goal: Protocol.Goal, Prompt: Protocol.Templates[0], Model: judging.ModelSpec{Name: "judge"}})
	d, _, err := judging.OpenDir(path, m, func(*judging.Record) bool { return false }, func(*judging.Record) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Begin(m, func(func([]byte) error) error { return nil }); err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := d.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// failedGame is a game of p1 whose call failed.
func failedGame(presentation int) *judging.Record {
	order := [][]string{{"A", "B"}, {"B", "A"}}[presentation]
	return &judging.Record{Schema: 1, Item: "p1", Presentation: presentation, Presentations: 2, Order: order, Gold: "A", Replies: []judging.Reply{}, Outcome: judging.Failed}
}

func stopped(texts ...string) []judging.Reply {
	var all []judging.Reply
	for _, t := range texts {
		all = append(all, judging.Reply{Text: t, Finish: backends.Stop})
	}
	return all
}

// A run of gavel's own, in JudgeBench's format: the messages it asked with, all
// replies joined, the plain label in the positions shown, null for what failed.
func TestExportOfARun(t *testing.T) {
	path := recorded(t,
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
	got, written, left := export(t, path)
	if got != want || written != 2 || left != 1 {
		t.Errorf("%d written, %d left out\n%s\nwant\n%s", written, left, got, want)
	}
	if im, _, err := importText(t, strings.ReplaceAll(got, `"gavel_pairwise_sop"`, `"arena_hard"`)); err != nil || im.Reproduced != 2 || im.Null != 2 {
		t.Errorf("imported again: %+v, %v", im, err)
	}
}

// A run on the pairs of an output file is exported with its own judge alone.
func TestExportOfARunOnAnOutputFile(t *testing.T) {
	path := recorded(t, failedGame(0), failedGame(1))
	line := outputPair("p1", "A>B") + `, "judge_name": "arena_hard", "judgments": [null, null]}` + "\n"
	if err := os.WriteFile(filepath.Join(path, judging.ItemsFile), []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(line, "arena_hard", "gavel_pairwise_sop", 1)
	if got, _, _ := export(t, path); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The pair's own keys stay as they were written, whatever their values hold.
func TestSplitOutputKeepsThePair(t *testing.T) {
	line := `{"judge_name":"x", "a\"b" :  [1, {"judgments": 2}],"judgments": [null] , "n": 1.50, "é\n": "\u00e9"}`
	pair, judge, games, err := splitOutput([]byte(line))
	want := `{"a\"b": [1, {"judgments": 2}], "n": 1.50, "é\n": "\u00e9"}`
	if err != nil || string(pair) != want || judge != "x" || len(games) != 1 || games[0] != nil {
		t.Errorf("%s, %q, %v, %v; want %s", pair, judge, games, err, want)
	}
	if !json.Valid(pair) {
		t.Error("the pair is no JSON")
	}
}
