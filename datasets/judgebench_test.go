package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCategory(t *testing.T) {
	for source, want := range map[string]string{
		"mmlu-pro-computer science": "Knowledge",
		"mmlu-pro":                  "Knowledge",
		"livebench-reasoning":       "Reasoning",
		"livebench-math":            "Math",
		"livecodebench":             "Coding",
		"livebench":                 "livebench",
		"our mmlu-pro":              "our mmlu-pro",
		"Math":                      "Math",
		"":                          "(no source)",
	} {
		if got := category(source); got != want {
			t.Errorf("category(%q) = %q, want %q", source, got, want)
		}
	}
}

func TestCategoryOrder(t *testing.T) {
	groups := []string{"zoology", "Coding", "Math", "(no source)", "Knowledge", "art", "Reasoning"}
	slices.SortFunc(groups, CategoryOrder)
	if got := strings.Join(groups, " "); got != "Knowledge Reasoning Math Coding (no source) art zoology" {
		t.Error(got)
	}
	if CategoryOrder("Math", "Math") != 0 {
		t.Error("a group does not equal itself")
	}
}

// The published files, counted by hand; see their README.
func TestPublishedFiles(t *testing.T) {
	const dir = "../../shared/data/judgebench"
	gpt := map[string][2]int{"Knowledge": {82, 72}, "Reasoning": {55, 43}, "Math": {33, 23}, "Coding": {23, 19}}
	claude := map[string][2]int{"Knowledge": {83, 71}, "Reasoning": {26, 25}, "Math": {22, 12}, "Coding": {12, 19}}
	for _, tc := range []struct {
		name, file, known string
		want              map[string][2]int // A>B, B>A
	}{
		{"gpt-4o", "data/dataset=judgebench,response_model=gpt-4o-2024-05-13.jsonl", "judgebench-gpt4o", gpt},
		{"claude", "data/dataset=judgebench,response_model=claude-3-5-sonnet-20240620.jsonl", "judgebench-claude", claude},
		{"o1-mini's output", "outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=arena_hard,judge_model=o1-mini-2024-09-12.jsonl", "", gpt},
		{"reward model's output", "outputs/dataset=judgebench,response_model=gpt-4o-2024-05-13,judge_name=reward_model,judge_model=Skywork_Skywork-Reward-Llama-3.1-8B.jsonl", "", gpt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(dir, tc.file)
			if _, err := os.Stat(path); err != nil {
				t.Skip("the published file is not here: ", path)
			}
			s := open(t, path)
			got := map[string][2]int{}
			for i := range s.Len() {
				it := item(t, s, i)
				n := got[it.Group]
				n[it.Gold]++
				got[it.Group] = n
			}
			if s.Skipped != 0 || len(got) != 4 {
				t.Errorf("%d skipped, groups %v", s.Skipped, got)
			}
			for group, want := range tc.want {
				if got[group] != want {
					t.Errorf("%s: A>B and B>A are %v, want %v", group, got[group], want)
				}
			}
			if k, ok := Lookup(tc.known); ok {
				info, err := os.Stat(path)
				if err != nil || k.SHA256 != s.SHA256 || k.Rows != s.Len() || k.Bytes != info.Size() {
					t.Errorf("registry says %d rows, %d bytes, %s; the file has %d, %d, %s", k.Rows, k.Bytes, k.SHA256, s.Len(), info.Size(), s.SHA256)
				}
			}
		})
	}
}
