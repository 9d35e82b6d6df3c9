package reading

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mmluPro is a reply of MMLU-Pro's published outputs.
type mmluPro struct {
	ID      int      `json:"question_id"`
	Options []string `json:"options"`
	Text    string   `json:"generated_text"`
	Other   string   `json:"model_outputs"`
}

// publishedReplies are those of the archives at hand; none is an error of the machine's, so the test is skipped.
func publishedReplies(t *testing.T) []mmluPro {
	t.Helper()
	archives, _ := filepath.Glob("../../../shared/data/mmlu-pro/eval_results/*.zip")
	if len(archives) == 0 {
		t.Skip("no published outputs of MMLU-Pro in ../shared/data")
	}
	var all []mmluPro
	for _, path := range archives {
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.File {
			r, err := file.Open()
			if err != nil {
				t.Fatal(err)
			}
			var rows []mmluPro
			if err := json.NewDecoder(r).Decode(&rows); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			r.Close()
			for i := range rows {
				rows[i].Text += rows[i].Other
			}
			all = append(all, rows...)
		}
		archive.Close()
	}
	return all
}

// The rules of the paper, written down a second time.
var (
	paperIs    = regexp.MustCompile(`answer is \(?([A-J])\)?`)
	paperColon = regexp.MustCompile(`.*[aA]nswer:\s*([A-J])`)
)

func paperLetter(text string) string {
	for _, rule := range []*regexp.Regexp{paperIs, paperColon} {
		if all := rule.FindAllStringSubmatch(text, -1); all != nil {
			return all[len(all)-1][1]
		}
	}
	return ""
}

// Where the paper's rules read something, so does this reader, but for replies of the kinds that it is to read
// otherwise. GAVEL_READERS=FILE writes what it reads where they read nothing, to be looked at.
func TestPublishedMMLUPro(t *testing.T) {
	replies := publishedReplies(t)
	var read, same int
	var unread []string
	for _, r := range replies {
		paper, f := paperLetter(r.Text), Letter(r.Text, len(r.Options))
		if paper == "" {
			if f.Outcome == Stated {
				unread = append(unread, fmt.Sprintf("%d: %s by %s\n%s\n", r.ID, f.Value, f.Rule, r.Text[max(0, f.Start-300):min(len(r.Text), f.End+200)]))
			}
			continue
		}
		read++
		if f.Outcome == Stated && f.Value == paper {
			same++
			continue
		}
		i := strings.LastIndex(r.Text, "answer is")
		t.Logf("question %d: paper %s, robust %+v: %q", r.ID, paper, f, r.Text[max(0, i-60):min(len(r.Text), i+80)])
	}
	t.Logf("%d replies; of %d that the paper's rules read %d are read alike (%.3f %%); %d more are read where they read nothing", len(replies), read, same, 100*float64(same)/float64(read), len(unread))
	if path := os.Getenv("GAVEL_READERS"); path != "" {
		rng := rand.New(rand.NewPCG(1, 1))
		rng.Shuffle(len(unread), func(i, j int) { unread[i], unread[j] = unread[j], unread[i] })
		unread = unread[:min(len(unread), 200)]
		slices.Sort(unread)
		if err := os.WriteFile(path, []byte(strings.Join(unread, "\n-----\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
