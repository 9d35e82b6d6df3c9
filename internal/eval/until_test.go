package eval

import (
	"testing"

	"gavel/scoring"
)

func TestParseUntil(t *testing.T) {
	for text, want := range map[string]Until{
		"strict>=60": {"strict", false, 0.6}, " strict <= 7.5 % ": {"strict", true, 0.075}, "consistency>=99": {"consistency", false, 0.99},
	} {
		if got, err := ParseUntil(text, "pairwise"); err != nil || got.String() != want.String() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "strict", "strict>60", "strict>=0", "strict>=100", "strict>=101", "f1>=60", "first-position>=50", "strict>=60 strict<=70", "strict>=-5", "strict>=1e2"} {
		if u, err := ParseUntil(text, "pairwise"); err == nil {
			t.Errorf("%q: %v", text, u)
		}
	}
	if _, err := ParseUntil("f1>=60", "self-reference"); err == nil {
		t.Error("F1 is right or wrong item by item")
	}
}

// Of a hundred that are all right the answer comes as soon as the sequence allows, and is of the right side.
func TestTally(t *testing.T) {
	for _, c := range []struct {
		text  string
		fate  scoring.Fate
		holds bool
		by    int
	}{
		{"strict>=60", scoring.Right, true, 19}, {"strict<=60", scoring.Right, false, 19},
		{"strict>=60", scoring.Wrong, false, 12}, {"strict<=60", scoring.Wrong, true, 12},
	} {
		u, err := ParseUntil(c.text, "pairwise")
		if err != nil {
			t.Fatal(err)
		}
		seen := &tally{Until: u}
		for seen.n < 100 && !seen.look(c.fate) {
		}
		if !seen.decided || seen.holds != c.holds || seen.n > c.by {
			t.Errorf("%s, all %v: %+v", c.text, c.fate, seen)
		}
	}
	seen := &tally{Until: Until{"strict", false, 0.6}}
	for range 1000 {
		if seen.look(scoring.NotKnown) {
			t.Fatalf("decided by what nobody knows: %+v", seen)
		}
		if seen.look(scoring.LeftOut); seen.n == 0 {
			t.Fatal("nothing counted")
		}
	}
}

// A gate that looks after every item errs at most as often as it says, also where the truth is at the edge.
func TestUntilErrs(t *testing.T) {
	u := Until{"strict", false, 0.6}
	for _, truth := range []float64{0.5999, 0.6, 0.55, 0.65} {
		g := u.Guess(truth, 400, 2000)
		if g.Erred > 5 {
			t.Errorf("truth %v: %+v", truth, g)
		}
	}
	if g := u.Guess(0.75, 400, 500); g.Decided < 99 || g.Items > 120 {
		t.Errorf("far from the edge: %+v", g)
	}
}
