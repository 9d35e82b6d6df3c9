package answer

import (
	"testing"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/protocoltest"
)

func TestMarker(t *testing.T) {
	number := judging.Presentation{Shape: datasets.ShapeNumber}
	choice := judging.Presentation{Shape: datasets.ShapeChoice, Order: []int{0, 1, 2}}
	for _, c := range []struct {
		name, marker, reply string
		presentation        judging.Presentation
		last, first         string
	}{
		{"a number", "A:", "9 * 2 = 18\nA: 18", number, "18 marker", "18 marker"},
		{"of two the first binds in imported files", "A:", "A: 1\nA: 2", number, "2 marker", "1 marker"},
		{"the marker begins the line", "A:", "so A: 3\n  A: 4\nBA: 5", number, "4 marker", "4 marker"},
		{"a line without a number is passed over", "A:", "A: 4\nA: none", number, "4 marker", "4 marker"},
		{"no marker: the usual rules", "A:", "The answer is 7. It was 9", number, "7 answer-is", "7 answer-is"},
		{"thousands, currency and words", "A:", "A: $1,450,000 a year", number, "1450000 marker", "1450000 marker"},
		{"a marker of one's own", "####", "It is 3.\n#### 5", number, "5 marker", "5 marker"},
		{"no marker asked for", "", "A: 4 or 5", number, "5 last-number", "5 last-number"},
		{"a letter", "Final:", "Final: **(B)**", choice, "B marker", "B marker"},
		{"a letter alone", "Final:", "Final: C", choice, "C marker", "C marker"},
		{"a word is no letter", "Final:", "Final: Both\nThe answer is (A)", choice, "A answer-is", "A answer-is"},
		{"a letter that is not on offer", "Final:", "Final: D", choice, "no-verdict", "no-verdict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := markerOption.Check(c.marker); err != nil {
				t.Fatal(err)
			}
			p := Protocol.NewAsker(answerTexts, judging.Settings{markerOption.Name: c.marker})
			for first, want := range map[bool]string{false: c.last, true: c.first} {
				v := p.Parse(c.presentation, c.reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel, FirstAnswer: first})
				got := string(v.Outcome)
				if v.Outcome == judging.Decided {
					got = v.Answer
					if v.Choice != judging.NoCandidate {
						got = letter(v.Choice)
					}
					got += " " + v.Rule
				}
				if got != want {
					t.Errorf("first %t: %q, want %q", first, got, want)
				}
			}
		})
	}
	for _, bad := range []string{"", "  ", "A:\nB:"} {
		if err := checkMarker(bad); err == nil {
			t.Errorf("marker %q", bad)
		}
	}
}

func FuzzMarker(f *testing.F) {
	for _, s := range []string{"A: 18", "A: (B)", "x\nA:", "A: 1\nA: -2.5e3", "A: \xff9", "A: Σ"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	p := Protocol.NewAsker(answerTexts, judging.Settings{"marker": "A:"})
	f.Fuzz(func(t *testing.T, reply string, first bool) {
		for _, s := range []judging.Presentation{{Shape: datasets.ShapeNumber}, {Shape: datasets.ShapeChoice, Order: []int{1, 0}}} {
			v := protocoltest.DropVerdictSpan(t, reply, p.Parse(s, reply, judging.ReadingOptions{LabelPolicy: judging.PolicyUniqueLabel, FirstAnswer: first}))
			if v.Outcome == judging.Decided && (v.Choice == judging.NoCandidate) != (s.Shape == datasets.ShapeNumber) || v.Choice > 1 || v.Outcome == judging.Decided && v.Choice == judging.NoCandidate && v.Answer == "" {
				t.Errorf("%+v of %q", v, reply)
			}
		}
	})
}
