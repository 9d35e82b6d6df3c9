package datasets

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestSymbolicSetIsInThePath(t *testing.T) {
	for path, want := range map[string]string{
		"GSM_symbolic.jsonl": "", "GSM_p1.jsonl": "1", "GSM_p2.jsonl.gz": "2", "/data/p1/test.jsonl": "1", `C:\data\p2\test.jsonl`: "2", "gsm-symbolic-p2": "2",
		"main/test.jsonl": "", "mp1.jsonl": "", "p12.jsonl": "", "/p1/x/test.jsonl": "", "GSM-P1.parquet": "1",
	} {
		got := strings.TrimPrefix(strings.TrimPrefix(symbolicGroup(path), gsmSymbolic), "-P")
		if got != want {
			t.Errorf("%s: set %q, want %q", path, got, want)
		}
	}
}

func TestFromLines(t *testing.T) {
	judgmentLine := `{"id":"70@m","question":"Q","gold":"Correct","question_id":"70","of":"choice","agent":"m","answer":"(A)"}`
	two := strings.ReplaceAll(judgmentLine, "70", "71")
	in := [][]byte{[]byte(judgmentLine), []byte(two)}
	s, err := FromLines("stage", "judgment", in)
	assert.NilError(t, err)
	clear(in[0]) // its memory is the caller's
	assert.Assert(t, s.Name == "stage" && s.Path == "" && s.SHA256 == HexSum([]byte(lines(judgmentLine, two))), "%+v", s)
	sameAgain(t, s)
	for want, tc := range map[string]struct {
		format string
		lines  [][]byte
	}{
		"stage: the file is empty; expected " + JudgmentsFormat.About: {"judgment", nil},
		`stage: unknown format "judgement"`:                           {"judgement", nil},
		`stage:1: key "id" is missing (no usable line among 1; expected ` + JudgmentsFormat.About + ")": {
			"judgment", [][]byte{[]byte(question())},
		},
		`stage:2: duplicate id "71@m", first seen in line 1: remove one of the two lines`: {
			"judgment", [][]byte{[]byte(two), []byte(two)},
		},
	} {
		_, err := FromLines("stage", tc.format, tc.lines)
		assert.Error(t, err, want)
	}
}

// Many notes, and many bad lines, are counted and not all kept.
func TestManyNotes(t *testing.T) {
	var rows []string
	for i := range 50 {
		rows = append(rows, question(with("question_id", i), with("answer_index", 0)))
	}
	s := openWith(t, OpenOptions{}, append(rows, slices.Repeat([]string{"{"}, 1000)...)...)
	n := len(s.Notes)
	assert.Assert(t, n == maxListedSkips+1 && s.Notes[n-1] == "There are 30 more notes on items like these.", "%q", s.Notes)
	assert.Assert(t, s.Skipped == 1000 && len(s.SkipReasons) == maxListedSkips, "skipped %d, kept %d", s.Skipped, len(s.SkipReasons))
}

func TestClusters(t *testing.T) {
	for source, want := range map[string][3]string{ // the id, what it belongs to, and what that is
		"rm-bench":     {"math:x:9:1-1", "math:x:9", "item"},
		"ppe":          {"q:1:m:1-2", "q:1:m", "prompt"},
		"gsm-symbolic": {"7-3-1", "7-3", "template"},
		"mt-bench":     {"81:1:a:b", "81", "question"},
		SourcePandaLM:  {"81:1:a:b", "81", "question"},
	} {
		cluster, noun := ClusterFunc(source)
		assert.Equal(t, cluster(want[0]), want[1])
		assert.Equal(t, noun, want[2])
	}
	level := DifficultyFunc("rm-bench")
	for id, want := range map[string]string{"chat:8:1-2": "hard", "chat:8:2-2": "normal", "chat:8:3-1": "easy"} {
		assert.Equal(t, level(id), want)
	}
}

// The published files, by a judge that prefers the longer response: its numbers were computed by other means (the
// data's README).
func TestPublishedRMBench(t *testing.T) {
	for _, want := range []struct {
		name               string
		easy, normal, hard float64
	}{{"chat", 81.14, 28.42, 2.58}, {"code", 77.49, 51.90, 25.44}, {"safety-refuse", 88.97, 15.85, 2.35}, {"safety-response", 98.73, 77.71, 23.78}} {
		s := open(t, realFile(t, "rm-bench/"+want.name+"_filtered.json"))
		right, totals := map[string]float64{}, map[string]float64{}
		for i := range s.Len() {
			entry := item(t, s, i)
			l := DifficultyFunc(entry.Source)(entry.ID)
			totals[l]++
			if len([]rune(entry.Candidates[entry.Gold].Text)) > len([]rune(entry.Candidates[1-entry.Gold].Text)) {
				right[l]++
			}
		}
		var got []string
		for _, l := range DifficultyLevels {
			got = append(got, fmt.Sprintf("%.2f", 100*right[l]/totals[l]))
		}
		if expected := []string{fmt.Sprintf("%.2f", want.easy), fmt.Sprintf("%.2f", want.normal), fmt.Sprintf("%.2f", want.hard)}; !slices.Equal(got, expected) {
			t.Errorf("%s: easy, normal, hard %v, want %v", want.name, got, expected)
		}
	}
}

// The published votes, with conversations made up, give the rows that the registry names for each category.
func TestPublishedVotes(t *testing.T) {
	file, err := os.ReadFile(realFile(t, "mt-bench/human_judgments/human.jsonl"))
	assert.NilError(t, err)
	talk := func(answer string) []map[string]string {
		turn := []map[string]string{{"role": "user", "content": "q"}, {"role": "assistant", "content": answer}}
		return append(turn, turn...)
	}
	var rows []string
	for line := range strings.Lines(string(file)) {
		var row map[string]any
		assert.NilError(t, json.Unmarshal([]byte(line), &row))
		rows = append(rows, object(row, with("conversation_a", talk("a")), with("conversation_b", talk("b"))))
	}
	s := openWith(t, OpenOptions{}, rows...)
	n, err := s.Count()
	assert.NilError(t, err)
	for _, k := range Registry()[len(Registry())-8:] {
		assert.Equal(t, n.Groups[k.Groups[0]], k.Rows, k.Name)
	}
	assert.DeepEqual(t, n.Labels, map[string]int{"A": 308, "B": 308, "C": 182})
	assert.DeepEqual(t, s.Notes, []string{
		"Left out 1666: votes on a later turn (--turns all includes them, with the whole conversation).",
		"Left out 112: pairs of answers without a majority of votes.",
	})
	assert.Equal(t, openWith(t, OpenOptions{Turns: TurnsAll}, rows...).Len(), 798+802)
}
