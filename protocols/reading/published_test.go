package reading

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gavel/internal/trials"
)

// These tests read published replies in ../shared/data, and are skipped where it has none. GAVEL_READERS=FOLDER keeps a
// sample of what is read where the paper's rules read nothing, to be looked at.

func published(t *testing.T, pattern string) []string {
	t.Helper()
	files, _ := filepath.Glob("../../../shared/data/" + pattern)
	if len(files) == 0 {
		t.Skipf("no %s in ../shared/data", pattern)
	}
	return files
}

// linesOf reads the JSON lines of files.
func linesOf[T any](t *testing.T, pattern string) []T {
	t.Helper()
	var all []T
	for _, path := range published(t, pattern) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		for lines.Buffer(nil, 1<<24); lines.Scan(); {
			var row T
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			all = append(all, row)
		}
	}
	return all
}

// choiceReply is a reply to a question of n options.
type choiceReply struct {
	id, text string
	n        int
}

// mmluPro reads the published outputs, an archive of one JSON array each.
func mmluPro(t *testing.T) []choiceReply {
	t.Helper()
	var all []choiceReply
	for _, path := range published(t, "mmlu-pro/eval_results/*.zip") {
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		for _, file := range archive.File {
			r, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			var rows []struct {
				ID        int      `json:"question_id"`
				Options   []string `json:"options"`
				Generated string   `json:"generated_text"`
				Outputs   string   `json:"model_outputs"`
			}
			if err := json.NewDecoder(r).Decode(&rows); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for _, row := range rows {
				all = append(all, choiceReply{fmt.Sprint(row.ID), row.Generated + row.Outputs, len(row.Options)})
			}
		}
	}
	return all
}

// The rules of the paper, written down a second time.
var paperRules = []*regexp.Regexp{regexp.MustCompile(`answer is \(?([A-J])\)?`), regexp.MustCompile(`.*[aA]nswer:\s*([A-J])`)}

func paperLetter(text string) string {
	for _, rule := range paperRules {
		if all := rule.FindAllStringSubmatch(text, -1); all != nil {
			return all[len(all)-1][1]
		}
	}
	return ""
}

// keepSample writes down a seeded sample of what was read, with what stands around it.
func keepSample(t *testing.T, name string, replies []choiceReply) {
	t.Helper()
	folder := os.Getenv("GAVEL_READERS")
	if folder == "" {
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(replies), func(i, j int) { replies[i], replies[j] = replies[j], replies[i] })
	var out strings.Builder
	for _, r := range replies[:min(len(replies), 200)] {
		f := Letter(r.text, r.n)
		fmt.Fprintf(&out, "=== %s: %s by %s\n%s\n", r.id, f.Value, f.Rule, r.text[max(0, f.Start-250):min(len(r.text), f.End+250)])
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(out.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Where the paper's rules read a letter, so does this reader, but where the reply's last statement names several.
func TestPublishedMMLUPro(t *testing.T) {
	trials.SkipUnlessSlowTests(t)
	var paper, same, several int
	var more []choiceReply
	for _, r := range mmluPro(t) {
		letter, f := paperLetter(r.text), Letter(r.text, r.n)
		switch {
		case letter == "":
			if f.Outcome == Decided {
				more = append(more, r)
			}
			continue
		case f.Outcome == Decided && f.Value == letter:
			same++
		case f.Outcome == Conflict:
			several++
			t.Logf("several, question %s: the paper's rules read %s of %q", r.id, letter, r.text[max(0, f.Start-30):min(len(r.text), f.End+10)])
		default:
			t.Logf("other, question %s: the paper's rules read %s, this reader %+v of %q", r.id, letter, f, r.text[max(0, len(r.text)-150):])
		}
		paper++
	}
	t.Logf("read by the paper's rules: %d; alike: %d; several named: %d; otherwise: %d; read where they read nothing: %d", paper, same, several, paper-same-several, len(more))
	if other := paper - same - several; 1000*other > paper || several > 20 {
		t.Errorf("of %d, %d name several letters and %d are read otherwise", paper, several, other)
	}
	keepSample(t, "mmlu-pro.txt", more)
}

var fiveLetters = regexp.MustCompile(`\b(?:AAAAA|BBBBB|CCCCC|DDDDD|EEEEE|FFFFF|GGGGG|HHHHH|IIIII|JJJJJ)\b`)

// JudgeBench's responses to MMLU-Pro's questions end with their letter five times, which tells what they say without
// it: Markdown, LaTeX and all.
func TestPublishedResponses(t *testing.T) {
	type row struct {
		ID     string `json:"pair_id"`
		Source string `json:"source"`
		A      string `json:"response_A"`
		B      string `json:"response_B"`
	}
	var replies, paper, alike, read, right int
	var more []choiceReply
	for _, row := range linesOf[row](t, "judgebench/data/*.jsonl") {
		if !strings.HasPrefix(row.Source, "mmlu-pro") {
			continue
		}
		for _, text := range []string{row.A, row.B} {
			all := fiveLetters.FindAllString(text, -1)
			if len(all) == 0 {
				continue
			}
			text = fiveLetters.ReplaceAllString(text, "")
			replies++
			letter := paperLetter(text)
			if letter != "" {
				paper++
			}
			f := Letter(text, 10)
			if f.Outcome != Decided {
				continue
			}
			if read++; f.Value == all[len(all)-1][:1] {
				right++
			} else {
				t.Logf("%s: %+v, but it ends with %s", row.ID, f, all[len(all)-1])
			}
			if letter == f.Value {
				alike++
			} else if letter == "" {
				more = append(more, choiceReply{row.ID, text, 10})
			}
		}
	}
	t.Logf("%d responses: the paper's rules read %d, of which this reader reads %d alike; it reads %d, of which %d are what the response ends with; %d where they read nothing", replies, paper, alike, read, right, len(more))
	if 100*right < 97*read {
		t.Errorf("%d of %d are what the response ends with", right, read)
	}
	keepSample(t, "responses.txt", more)
}

// Every decision that JudgeBench published for o1-mini is read.
func TestPublishedVerdicts(t *testing.T) {
	type row struct {
		Judgments []struct {
			Judgment struct{ Response string }
			Decision string
		}
	}
	for _, row := range linesOf[row](t, "judgebench/outputs/*o1-mini*.jsonl") {
		for _, judgment := range row.Judgments {
			if f := PairLabel(judgment.Judgment.Response, pairOffer); f.Value != judgment.Decision {
				t.Errorf("%+v, published is %s: %q", f, judgment.Decision, judgment.Judgment.Response)
			}
		}
	}
}

// The published solutions of GSM8K are right where their file says so, and nowhere else.
func TestPublishedSolutions(t *testing.T) {
	n := 0
	for _, row := range linesOf[map[string]json.RawMessage](t, "gsm8k/example_model_solutions.jsonl") {
		var truth string
		if err := json.Unmarshal(row["ground_truth"], &truth); err != nil {
			t.Fatal(err)
		}
		gold := Number(truth)
		for key, raw := range row {
			if slices.Contains([]string{"question", "ground_truth"}, key) {
				continue
			}
			var solution struct {
				Solution string
				Correct  bool `json:"is_correct"`
			}
			if err := json.Unmarshal(raw, &solution); err != nil {
				t.Fatal(err)
			}
			n++
			if f := Number(solution.Solution); (says(f) == says(gold)) != solution.Correct {
				t.Errorf("%s reads as %+v, right is %s; the file says %v", key, f, gold.Value, solution.Correct)
			}
		}
	}
	if n != 1600 {
		t.Errorf("%d solutions", n)
	}
}

// What GSM8K's own solutions come to is read without the line that says so, but where they end otherwise.
func TestPublishedEndings(t *testing.T) {
	type row struct{ Answer string }
	var all, same int
	for _, row := range linesOf[row](t, "gsm8k/test.jsonl") {
		solution, gold, _ := strings.Cut(row.Answer, "####")
		all++
		if f := Number(solution); says(f) == says(Number(gold)) {
			same++
		} else {
			t.Logf("%s by %s, right is%s: %q", says(f), f.Rule, gold, solution[max(0, len(solution)-100):])
		}
	}
	t.Logf("%d of %d", same, all)
	if 100*same < 99*all {
		t.Errorf("%d of %d", same, all)
	}
}

// bars are LLMBar's published replies by strategy, with the output that its own rules read.
func bars(t *testing.T, f func(judge, strategy, winner, reply string)) {
	t.Helper()
	for _, path := range slices.Concat(published(t, "llmbar/Dataset/LLMBar/*/*/evaluators/*/*/result.json"), published(t, "llmbar/Dataset/LLMBar/*/evaluators/*/*/result.json")) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var rows []struct{ Results []json.RawMessage }
		if err := json.Unmarshal(raw, &rows); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		strategy := filepath.Dir(path)
		for _, row := range rows {
			for _, phase := range row.Results {
				var games map[string]struct {
					Completion []any
					Winner     string
				}
				if json.Unmarshal(phase, &games) != nil {
					continue // questions, not games
				}
				for swap, winners := range map[string][2]string{"swap = False": {"1", "2"}, "swap = True": {"2", "1"}} {
					if game, ok := games[swap]; ok && len(game.Completion) > 0 {
						reply, _ := game.Completion[0].(string)
						winner := "-"
						if k := slices.Index(winners[:], game.Winner); k >= 0 {
							winner = "ab"[k : k+1]
						}
						f(filepath.Base(filepath.Dir(strategy)), filepath.Base(strategy), winner, reply)
					}
				}
			}
		}
	}
}

// What its own rules read of LLMBar's replies, this reader reads alike, but for a few that say two things or "neither".
func TestPublishedOutputs(t *testing.T) {
	read, alike := map[string]int{}, map[string]int{}
	bars(t, func(judge, strategy, winner, reply string) {
		f, of := Output(reply), judge+" "+strategy
		if winner != "-" {
			read[of]++
		}
		switch said := says(f); {
		case said == winner && winner != "-":
			alike[of]++
		case said != winner:
			t.Logf("%s: %s, its rules read %s: …%q", of, said, winner, reply[max(0, len(reply)-200):])
		}
	})
	for of, n := range read {
		t.Logf("%s: %d of %d alike", of, alike[of], n)
		most := map[string]int{"ChatGPT-0301 CoT": 1, "ChatGPT-0301 Swap": 1, "Falcon CoT": 6, "LLaMA2 Vanilla_1shot": 28}[of]
		if n-alike[of] > most {
			t.Errorf("%s: %d of %d alike", of, alike[of], n)
		}
	}
}
