package scoring_test

import (
	"fmt"
	"strings"
	"testing"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// flipped is a run of n pairs of which a share is right, and one that differs: so many are wrong in it that
// were right, and the other way round.
func flipped(n, toWrong, toRight int) []*scoring.Run {
	half := n / 2
	return []*scoring.Run{
		judged("a", n, func(i int) bool { return i <= half }),
		judged("b", n, func(i int) bool { return i <= half && i > toWrong || i > half && i <= half+toRight }),
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		name    string
		runs    []*scoring.Run
		points  float64
		verdict string
		pairs   int
	}{
		{"few flips", flipped(400, 6, 5), 3, scoring.WithinMargin, 0},
		{"none at all", flipped(400, 0, 0), 3, scoring.WithinMargin, 0},
		{"many, all one way", flipped(400, 40, 4), 3, scoring.MarginDifferent, 0},
		{"many, both ways", flipped(400, 40, 40), 3, scoring.MarginInconclusive, 1925},
		{"none, but few pairs", flipped(10, 0, 0), 3, scoring.MarginInconclusive, 822},
		{"different, but not by much", flipped(400, 8, 0), 4, scoring.WithinMargin, 0},
	} {
		cmp, err := scoring.Compare(c.runs, quick)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmp.TestMargin(c.points); err != nil {
			t.Fatal(err)
		}
		w := cmp.Comparisons[0].MarginTest
		pairs := 0
		if w.PairsNeeded != nil {
			pairs = *w.PairsNeeded
		}
		if w.Verdict != c.verdict || pairs != c.pairs || *w.Low > *w.BMinusA || *w.High < *w.BMinusA || w.Points != c.points ||
			w.IntervalMethod != scoring.IntervalByTango {
			t.Errorf("%s: %+v, %d pairs", c.name, w, pairs)
		}
		var text strings.Builder
		err = report.Print(&text, report.Comparison{Comparisons: cmp}, report.Text, 0)
		if says := fmt.Sprintf("within %g points: %s.", c.points, c.verdict); err != nil || !strings.Contains(text.String(), says) {
			t.Errorf("%s: %v, without %q\n%s", c.name, err, says, &text)
		}
	}
}

func TestWithinCountsFlips(t *testing.T) {
	a := named("a", unit("p1", "Math", "A", "A", "A"), unit("p2", "Math", "A", "A", "B"), unit("p3", "Math", "A", "B", "A"), unit("p4", "Math", "A", "A", "A"), unit("p5", "Math", "A", "tie", "A"))
	b := named("b", unit("p1", "Math", "A", "B", "B"), unit("p2", "Math", "A", "A", "A"), unit("p3", "Math", "A", "B", "A"), unit("p4", "Math", "A", "B", "A"), unit("p5", "Math", "A", "A", "A"))
	cmp, err := scoring.Compare([]*scoring.Run{a, b}, quick)
	if err == nil {
		err = cmp.TestMargin(5)
	}
	if err != nil {
		t.Fatal(err)
	}
	if w := cmp.Comparisons[0].MarginTest; w.N != 5 || w.RightToWrong != 2 || w.WrongToRight != 2 ||
		*w.ChangedWithOrder != [2]int{2, 2} {
		t.Errorf("%+v, changed with the order %v", w, *w.ChangedWithOrder)
	}
}

func TestWithinWantsRightOrWrong(t *testing.T) {
	m := pairsManifest(1)
	m.Spec.Protocol = "multi-option"
	load, err := scoring.NewLoader(m, judging.ReadingOptions{})
	if err != nil {
		t.Fatal(err)
	}
	record := &judging.Record{Schema: 1, Item: "o", Group: "2 options", Presentations: 1, Order: []string{"01", "02"}, Shape: "options", Outcome: judging.Failed}
	if err := load.Add(record); err != nil {
		t.Fatal(err)
	}
	run := load.Run()
	run.Dir = "options"
	cmp, err := scoring.Compare([]*scoring.Run{run, run}, quick)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.TestMargin(3); err == nil || !strings.Contains(err.Error(), "options and options: a margin needs a headline that is right or wrong") {
		t.Error(err)
	}
}
