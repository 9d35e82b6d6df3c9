package report_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/golden"

	"gavel/internal/report"
	"gavel/judging"
	"gavel/scoring"
)

// none is the value of a judge without one.
const none = -1.0

// rankingOf has judges with these values, of which these pairs are told apart.
func rankingOf(values []float64, apart ...[2]int) (r scoring.Ranking, names []string) {
	r = scoring.Ranking{Metric: "strict", Test: "exact McNemar", Boot: scoring.BootstrapInfo{Unit: "pair"}}
	names = make([]string, len(values))
	for i := range values {
		model, v := fmt.Sprintf("m%d", i), &values[i]
		if *v == none {
			v = nil
		}
		r.Runs = append(r.Runs, scoring.RankedRun{
			Run:    "runs/" + model,
			Model:  model,
			Result: scoring.Result{Metric: "strict", Group: scoring.Overall, Value: v, N: 100},
			Report: &scoring.Report{
				Protocol:   "pairwise",
				RunSummary: scoring.RunSummary{Diagnosis: &scoring.Diagnosis{Level: scoring.LevelUsable}},
				Results: []scoring.Result{
					{Metric: "right-where-alike", Group: scoring.Overall, Value: new(float64(i)), N: 50},
					{Metric: "coverage", Group: scoring.Overall, Value: new(50.0 + float64(i)), N: 100},
					{Metric: "first-position", Group: scoring.Overall, Value: new(40.0 + float64(i)), N: 200},
				},
			},
		})
	}
	for i := range values {
		for j := i + 1; j < len(values); j++ {
			same := true
			for _, p := range apart {
				same = same && p != [2]int{i, j}
			}
			r.Pairs = append(r.Pairs, scoring.PairTest{RunA: i, RunB: j, NotSignificant: same})
		}
	}
	names[0] = "the first"
	return r, names
}

func boardOf(values []float64, apart ...[2]int) report.Board {
	return report.NewBoard(rankingOf(values, apart...))
}

// Four judges, one of them without a value, given in no order. The two best cannot be told apart; only the best is
// surely better than the third.
func TestBoard(t *testing.T) {
	b := boardOf([]float64{50, none, 80, 70}, [2]int{0, 2}, [2]int{1, 3})
	var got string
	for _, r := range b.Rows {
		value := "none"
		if r.Headline.Value != nil {
			value = fmt.Sprint(*r.Headline.Value)
		}
		got += fmt.Sprintf("%s %s %d–%d %s %s %v %v %v\n", r.Name, r.Run, r.FirstRank, r.LastRank, r.Level, value,
			*r.AccuracyWhenConsistent.Value, *r.Coverage.Value, *r.PrefersFirst.Value)
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
	values := []float64{10, 30, 20}
	for _, tt := range []struct {
		apart [][2]int
		want  string
	}{
		{apart: [][2]int{{0, 1}, {0, 2}, {1, 2}}, want: "1–1 2–2 3–3 "},
		{want: "1–3 1–3 1–3 "},
	} {
		var got string
		for _, r := range boardOf(values, tt.apart...).Rows {
			got += fmt.Sprintf("%d–%d ", r.FirstRank, r.LastRank)
		}
		if got != tt.want {
			t.Errorf("apart %v: %s, want %s", tt.apart, got, tt.want)
		}
	}
}

// TestBoardSays: the best are those that nobody is surely better than, and the sentence claims no more than that.
func TestBoardSays(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values []float64
		apart  [][2]int
		few    int // place of a judge with few items; 0 for none
		want   string
	}{
		{
			name: "one is better", values: []float64{80, 60}, apart: [][2]int{{0, 1}},
			want: "the first judges best: correct in both orders on 80 % of the pairs.",
		},
		{
			name: "the second is between", values: []float64{80, 70, 60}, apart: [][2]int{{0, 2}},
			want: "the first and m1 judge best: correct in both orders on 80 and 70 % of the pairs. No significant difference among them.",
		},
		{
			name: "none is told apart", values: []float64{80, 70},
			want: "No significant difference between the first and m1: correct in both orders on 80 and 70 % of the pairs.",
		},
		{
			name: "none of three is told apart", values: []float64{80, 75, 70},
			want: "No significant difference among the 3 judges: correct in both orders on 80, 75 and 70 % of the pairs.",
		},
		{
			name: "few items", values: []float64{80, 70, 60}, apart: [][2]int{{0, 2}}, few: 1,
			want: "the first judges best: correct in both orders on 80 % of the pairs.",
		},
		{
			name: "more than three", values: []float64{80, 79, 78, 77, 1},
			apart: [][2]int{{0, 4}, {1, 4}, {2, 4}, {3, 4}},
			want: "the first, m1 and 2 more judge best: correct in both orders on 77 to 80 % of the pairs. " +
				"No significant difference among them.",
		},
		{
			name: "one judge", values: []float64{80},
			want: "the first: correct in both orders on 80 % of the pairs.",
		},
		{name: "no value", values: []float64{none}, want: "No judge has a value yet."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, names := rankingOf(tt.values, tt.apart...)
			if tt.few > 0 {
				r.Runs[tt.few].N = 10
			}
			if got := report.NewBoard(r, names).Says; got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
			for _, run := range r.Runs {
				run.Report.Diagnosis.Level = scoring.LevelWeak
			}
			got := report.NewBoard(r, names).Says
			if strings.Contains(tt.want, "%") && !strings.HasSuffix(got, "None of the judges here is usable.") &&
				!strings.HasSuffix(got, "Its level is weak.") {
				t.Errorf("of weak judges: %s", got)
			}
		})
	}
}

// TestBoardText: what does not fit is left out, the drawing first; names are broken between words.
func TestBoardText(t *testing.T) {
	r, names := rankingOf([]float64{50, 80}, [2]int{0, 1})
	names[0] = "a judge with a name of many words"
	for i := range r.Runs {
		r.Runs[i].Low = new(*r.Runs[i].Value - 10)
		r.Runs[i].High = new(*r.Runs[i].Value + 10)
	}
	b := report.NewBoard(r, names)
	b.Says = ""
	for i := range b.Rows {
		if b.Rows[i].Run == "runs/m1" {
			b.Rows[i].Mark = "*"
		}
	}
	var got strings.Builder
	for _, columns := range []int{0, 80, 64, 50} {
		fmt.Fprintf(&got, "%d\n", columns)
		if err := b.Document().Text(&got, columns, false); err != nil {
			t.Fatal(err)
		}
	}
	golden.Assert(t, got.String(), "board.txt")
	for part := range strings.SplitSeq(got.String()[strings.Index(got.String(), "\n80\n"):], "\n") {
		if n := utf8.RuneCountInString(part); n > 80 {
			t.Errorf("%d columns: %s", n, part)
		}
	}
}

// A judge whose labels stayed with the responses is no judge like the others: its row says so.
func TestLabelsStayedIsSaid(t *testing.T) {
	judge := func(model string, stay bool) report.BoardJudge {
		m := &judging.Manifest{LabelsFollowResponses: stay, Imported: "reife"}
		m.Spec.Model.Name = model
		return report.BoardJudge{Manifest: m, Report: &scoring.Report{Items: 100}}
	}
	_, details := report.NameJudges([]report.BoardJudge{judge("one", false), judge("two", true)})
	for i, says := range []bool{false, true} {
		if strings.Contains(details[i], "labels stayed") != says {
			t.Errorf("judge %d: %q", i, details[i])
		}
	}
}

// A board shows no time of a run whose replies came from the cache for the most part.
func TestSecondsOfAnItem(t *testing.T) {
	for remembered, want := range []bool{true, true, false} {
		r := &scoring.Report{Items: 4}
		r.Ledger = &scoring.Ledger{Calls: 2, CachedReplies: remembered, Seconds: 2}
		judges := []report.BoardJudge{{Manifest: &judging.Manifest{}, Report: r}}
		got := report.NewLeaderboard(report.UntestedRanking(judges), judges).Rows[0].Seconds
		if (got != nil) != want || want && *got != 0.5 {
			t.Errorf("%d of 2 remembered: %v", remembered, got)
		}
	}
}
