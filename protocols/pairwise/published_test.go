package pairwise

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
)

// JudgeBench's published output files: every stored decision is found again,
// and the file comes back byte for byte.
func TestPublishedOutputs(t *testing.T) {
	for _, c := range []struct {
		name, path string
		stored     bool
		outcomes   map[judging.Outcome]int
		labels     map[string]int // as written
	}{
		{"o1-mini", o1Output, false, map[judging.Outcome]int{judging.Decided: 656, judging.Tie: 44},
			map[string]int{"A>>B": 242, "A>B": 125, "A=B": 44, "B>A": 118, "B>>A": 171}},
		{"reward model", rewardModel, true, map[judging.Outcome]int{judging.Decided: 700}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := judgingtest.Needs(t, c.path)
			run := filepath.Join(t.TempDir(), "run")
			im, err := ImportJudgeBench(file, run, "test")
			if err != nil {
				t.Fatal(err)
			}
			if im.Games != 700 || im.Null != 0 || im.Reproduced != 700 || len(im.Differ) != 0 || im.Stored != c.stored {
				t.Errorf("%d games, %d null, %d reproduced, stored %v, differ %q", im.Games, im.Null, im.Reproduced, im.Stored, im.Differ)
			}
			if im.Manifest.Spec.Dataset.Items != 350 || im.Manifest.Dataset.Skipped != 0 {
				t.Errorf("dataset %+v", im.Manifest.Spec.Dataset)
			}
			outcomes, labels := map[judging.Outcome]int{}, map[string]int{}
			err = judging.ReadRecords(filepath.Join(run, judging.RecordsFile), func(r *judging.Record) error {
				outcomes[r.Outcome]++
				labels[r.Label]++
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for o, n := range c.outcomes {
				if outcomes[o] != n || len(outcomes) != len(c.outcomes) {
					t.Errorf("outcomes %v, want %v", outcomes, c.outcomes)
				}
			}
			for l, n := range c.labels {
				if labels[l] != n || len(labels) != len(c.labels) {
					t.Errorf("labels %v, want %v", labels, c.labels)
				}
			}
			got, written, left := export(t, run)
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) || written != 350 || left != 0 {
				t.Errorf("%d pairs written, %d left out, the bytes are the file's own: %v", written, left, got == string(want))
			}
		})
	}
}

// The one pair with two equal scores: the second shown wins both games, so the
// two games name different answers.
func TestEqualScoresOfTheRewardModel(t *testing.T) {
	const id = "0ca7d4e7-aa30-589d-8379-693de96fa461"
	file := judgingtest.Needs(t, rewardModel)
	run := filepath.Join(t.TempDir(), "run")
	if _, err := ImportJudgeBench(file, run, "test"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range verdicts(t, run) {
		if strings.HasPrefix(v, id) {
			got = append(got, strings.TrimPrefix(v, id))
		}
	}
	if strings.Join(got, ",") != "/0 decided B,/1 decided A" {
		t.Errorf("verdicts %q", got)
	}
}
