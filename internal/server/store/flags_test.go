package store

import (
	"strings"
	"testing"

	"gavel/judging"
)

// TestFlags: what holds for an item of two judgments. A judgment is the candidate that it names, the place at which that
// was shown, 0 for none, and + for the labelled one, - for another, or ? where there is no label; ' is one that was
// asked again.
func TestFlags(t *testing.T) {
	for judgments, want := range map[string]string{
		"A1+ A2+":           "right same",
		"B2- B1-":           "wrong confident steady same",
		"A1+ B1-":           "wrong inconsistent first by-first placed first-only",
		"B2- A2+":           "wrong inconsistent last by-last placed second-only",
		"A1+ B2-":           "wrong inconsistent moved first-only",
		"C1- B2-":           "wrong inconsistent confident moved",
		"A0+ B0-":           "wrong inconsistent moved first-only",
		"A1+ tie":           "wrong tie tied",
		"tie none":          "wrong tie open unread",
		"B1- none":          "wrong open unread",
		"A1+":               "missing",
		"":                  "missing",
		"A1? A2?":           "unlabelled same",
		"A1? none?":         "unlabelled open",
		"A1+ B2?":           "right", // a control, such as two identical responses
		"B1- A2?":           "wrong confident steady",
		"A1+ A2+ A1+'":      "right same",
		"A1+ A2+ B2-'":      "right changed same",
		"A1+ A2+ A1+' tie'": "right changed same",
	} {
		x := &Index{Manifest: &judging.Manifest{}, items: []item{{}}}
		for i, f := range strings.Fields(judgments) {
			g := IndexedJudgment{Presentation: i, Choice: -1, ChosenPosition: -1, presentations: 2, candidateCount: 2, Right: Rightness{Known: true}}
			if strings.HasSuffix(f, "'") {
				g.Presentation, g.Repetition = 0, i
			}
			switch strings.TrimSuffix(f, "'") {
			case "tie":
				g.Outcome = judging.Tie
			case "none", "none?":
				g.Outcome = judging.NoVerdict
				g.Right.Known = f == "none"
			default:
				g.Outcome, g.Choice, g.ChosenPosition = judging.Decided, int(f[0]-'A'), int(f[1])-'1'
				g.Right = Rightness{Correct: f[2] == '+', Known: f[2] != '?'}
			}
			x.items[0].judgments = append(x.items[0].judgments, i)
			x.judgments = append(x.judgments, g)
		}
		if got := strings.Join(x.Flags(0), " "); got != want {
			t.Errorf("%s: %s, want %s", judgments, got, want)
		}
	}
	if len(Filters) != 21+8 {
		t.Errorf("%d filters", len(Filters))
	}
}
