package report_test

import (
	"fmt"
	"testing"

	"gavel/internal/report"
	"gavel/scoring"
)

// boardOf has judges with these values, nil for none, of which these pairs are told apart.
func boardOf(values []*float64, apart ...[2]int) report.Board {
	r := scoring.Ranking{Metric: "strict", Test: "exact McNemar"}
	reports := make([]scoring.Report, len(values))
	names := make([]string, len(values))
	for i, v := range values {
		model := fmt.Sprintf("m%d", i)
		r.Runs = append(r.Runs, scoring.Placed{
			Run:    "runs/" + model,
			Model:  model,
			Result: scoring.Result{Metric: "strict", Group: scoring.Overall, Value: v, N: 100},
		})
		reports[i] = scoring.Report{
			Diagnosis: &scoring.Diagnosis{Level: scoring.Usable},
			Results: []scoring.Result{
				{Metric: "right-where-alike", Group: scoring.Overall, Value: new(float64(i)), N: 50},
				{Metric: "coverage", Group: scoring.Overall, Value: new(50.0 + float64(i)), N: 100},
				{Metric: "first-position", Group: scoring.Overall, Value: new(40.0 + float64(i)), N: 200},
			},
		}
	}
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			same := true
			for _, p := range apart {
				same = same && p != [2]int{i, j}
			}
			r.Pairs = append(r.Pairs, scoring.Versus{A: i, B: j, Same: same})
		}
	}
	names[0] = "the first"
	return report.NewBoard(r, reports, names)
}

// Four judges, one of them without a value, given in no order. The two best cannot be told apart; only the best is
// surely better than the third.
func TestBoard(t *testing.T) {
	b := boardOf([]*float64{new(50.0), nil, new(80.0), new(70.0)}, [2]int{0, 2}, [2]int{1, 3})
	var got string
	for _, r := range b.Rows {
		value := "none"
		if r.Headline.Value != nil {
			value = fmt.Sprint(*r.Headline.Value)
		}
		got += fmt.Sprintf("%s %s %d–%d %s %s %v %v %v\n", r.Name, r.Run, r.First, r.Last, r.Level, value,
			*r.RightWhereAlike.Value, *r.Coverage.Value, *r.NamesFirst.Value)
	}
	want := "m2 runs/m2 1–2 usable 80 2 52 42\n" +
		"m3 runs/m3 1–3 usable 70 3 53 43\n" +
		"the first runs/m0 2–3 usable 50 0 50 40\n" +
		"m1 runs/m1 0–0 usable none 1 51 41\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Where all are told apart each has one rank; where none is, each has all of them.
func TestBoardRanks(t *testing.T) {
	values := []*float64{new(10.0), new(30.0), new(20.0)}
	for _, tt := range []struct {
		apart [][2]int
		want  string
	}{
		{apart: [][2]int{{0, 1}, {0, 2}, {1, 2}}, want: "1–1 2–2 3–3 "},
		{want: "1–3 1–3 1–3 "},
	} {
		var got string
		for _, r := range boardOf(values, tt.apart...).Rows {
			got += fmt.Sprintf("%d–%d ", r.First, r.Last)
		}
		if got != tt.want {
			t.Errorf("apart %v: %s, want %s", tt.apart, got, tt.want)
		}
	}
}
