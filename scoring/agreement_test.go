package scoring

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/imports"
	"gavel/scoring/stats"
)

// votesOf makes votes on the models x and y from "81/1 expert_1 A".
func votesOf(t *testing.T, lines ...string) []judging.Vote {
	t.Helper()
	var votes []judging.Vote
	for _, l := range lines {
		v := judging.Vote{A: "x", B: "y"}
		var winner string
		if _, err := fmt.Sscanf(l, "%3s/%d %s %s", &v.Question, &v.Turn, &v.Judge, &winner); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		v.Winner = map[string]int{"A": judging.VoteA, "B": judging.VoteB, "=": judging.VoteTie}[winner]
		votes = append(votes, v)
	}
	return votes
}

// rowsOf is the table of people's votes and a judge's, those by "judge".
func rowsOf(votes []judging.Vote) []AgreementRow {
	contests := contestsOf(votes)
	for _, c := range contests {
		for i, b := range c.ballots {
			if b.voter == TheJudge {
				c.ballots[i].kind = TheJudge
			}
		}
	}
	return agreementRows(contests, stats.Bootstrap{Rounds: 200, Level: 0.95, Seed: 1})
}

// counts lists rows as "1 judge-experts S1 2/3".
func counts(rows []AgreementRow) []string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%d %s-%s %s %d/%d", r.Turn, r.Between[0], r.Between[1], r.Setup, r.Equal, r.N))
	}
	return out
}

func TestAgreementCountsPairsOfVotes(t *testing.T) {
	for _, c := range []struct {
		name   string
		votes  []string
		want   []string
		reason string
	}{
		{name: "nothing", want: nil},
		{name: "one vote", votes: []string{"081/1 expert_1 A"}, want: nil, reason: "there is nothing to compare it with"},
		{
			name:   "each person's vote is a pair with the judge's",
			votes:  []string{"081/1 judge A", "081/1 expert_1 A", "081/1 expert_2 B", "081/1 expert_3 ="},
			want:   []string{"1 judge-experts S1 1/3", "1 judge-experts S2 1/2", "1 experts-experts S1 0/3", "1 experts-experts S2 0/1"},
			reason: "in S2 only the votes for A and B are left",
		},
		{
			name:   "a tie agrees with a tie, and drops out of S2",
			votes:  []string{"081/1 judge =", "081/1 expert_1 =", "081/1 expert_2 A"},
			want:   []string{"1 judge-experts S1 1/2", "1 judge-experts S2 0/0", "1 experts-experts S1 0/1", "1 experts-experts S2 0/0"},
			reason: "the judge's tie takes all its pairs out of S2",
		},
		{
			name:  "turns, authors and others stand apart",
			votes: []string{"081/1 judge A", "081/2 judge B", "081/1 author_1 A", "081/2 expert_1 B", "081/2 arena_user_7 A", "081/2 author_0 A"},
			want: []string{
				"1 judge-authors S1 1/1", "1 judge-authors S2 1/1",
				"2 judge-experts S1 1/1", "2 judge-experts S2 1/1", "2 judge-authors S1 0/1", "2 judge-authors S2 0/1",
				"2 judge-others S1 0/1", "2 judge-others S2 0/1", "2 experts-authors S1 0/1", "2 experts-authors S2 0/1",
			},
		},
		{
			name:   "a person who voted twice is no pair",
			votes:  []string{"081/1 author_5 A", "081/1 author_5 A", "081/1 author_6 B"},
			want:   []string{"1 authors-authors S1 0/2", "1 authors-authors S2 0/2"},
			reason: "agreeing with oneself says nothing",
		},
		{
			name:  "questions are added up",
			votes: []string{"081/1 judge A", "081/1 expert_1 A", "082/1 judge B", "082/1 expert_1 A"},
			want:  []string{"1 judge-experts S1 1/2", "1 judge-experts S2 1/2"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := counts(rowsOf(votesOf(t, c.votes...))); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q\n%s", got, c.want, c.reason)
			}
		})
	}
}

// TestAgreementIsOfQuestions: the interval resamples questions, so that ten
// votes on one question are not ten questions.
func TestAgreementIsOfQuestions(t *testing.T) {
	var one []string
	for i := range 10 {
		one = append(one, fmt.Sprintf("081/1 expert_%d A", i))
	}
	alone := rowsOf(votesOf(t, append(one, "081/1 judge A")...))[0]
	if alone.N != 10 || *alone.Value != 100 || *alone.Low != 5 || alone.Interval != ByMidP {
		t.Errorf("ten votes on one question, all alike: %+v low %v", alone, *alone.Low)
	}
	two := rowsOf(votesOf(t, append(one, "081/1 judge A", "082/1 judge A", "082/1 expert_1 B")...))[0]
	if two.N != 11 || *two.Low != 0 || *two.High != 100 {
		t.Errorf("two questions, one right and one wrong: %+v %v %v", two, *two.Low, *two.High)
	}
	none := rowsOf(votesOf(t, "081/1 judge =", "081/1 expert_1 ="))[1]
	if none.N != 0 || none.Value != nil || none.Low != nil || none.Note == "" {
		t.Errorf("nothing to compare: %+v", none)
	}
}

const mtBench = "../../shared/data/mt-bench/human_judgments/"

// readVotes reads a published file, or skips the test.
func readVotes(t *testing.T, name string) []judging.Vote {
	t.Helper()
	v, err := imports.ReadVotes(judgingtest.Needs(t, mtBench+name))
	if err != nil {
		t.Fatal(err)
	}
	if v.Skipped > 0 {
		t.Errorf("%s: %q", name, v.Bad)
	}
	return v.Votes
}

// TestAgreementOfThePaper: Table 5 of arXiv 2306.05685, "G4-Pair" against
// "Human", and its "Human" against "Human".
func TestAgreementOfThePaper(t *testing.T) {
	votes := readVotes(t, "human.jsonl")
	for _, v := range readVotes(t, "gpt4_pair.jsonl") {
		v.Judge = TheJudge
		votes = append(votes, v)
	}
	if len(votes) != 3355+2400 {
		t.Errorf("%d votes", len(votes))
	}
	rows := rowsOf(votes)
	for _, want := range []struct {
		turn    int
		between [2]string
		setup   string
		percent float64
		n       int
	}{
		{1, [2]string{TheJudge, Experts}, WithTies, 66, 1343},
		{1, [2]string{TheJudge, Experts}, WithoutTies, 85, 859},
		{1, [2]string{Experts, Experts}, WithTies, 63, 721},
		{1, [2]string{Experts, Experts}, WithoutTies, 81, 479},
		{2, [2]string{TheJudge, Experts}, WithTies, 66, 1325},
		{2, [2]string{TheJudge, Experts}, WithoutTies, 85, 864},
		{2, [2]string{Experts, Experts}, WithTies, 67, 707},
		{2, [2]string{Experts, Experts}, WithoutTies, 82, 474},
	} {
		i := slices.IndexFunc(rows, func(r AgreementRow) bool {
			return r.Turn == want.turn && r.Between == want.between && r.Setup == want.setup
		})
		if i < 0 {
			t.Errorf("no row %+v", want)
			continue
		}
		r := rows[i]
		if r.N != want.n || math.Round(*r.Value) != want.percent {
			t.Errorf("turn %d, %s, %s: %.2f %% of %d, the paper has %g %% of %d", r.Turn, r.Between, r.Setup, *r.Value, r.N, want.percent, want.n)
		}
		if !(*r.Low < *r.Value && *r.Value < *r.High) {
			t.Errorf("turn %d, %s, %s: %v is not between %v and %v", r.Turn, r.Between, r.Setup, *r.Value, *r.Low, *r.High)
		}
	}
	// Among the authors' votes one person voted twice on one pair.
	i := slices.IndexFunc(rows, func(r AgreementRow) bool { return r.Turn == 1 && r.Between == [2]string{Authors, Authors} })
	if rows[i].N != 49 {
		t.Errorf("%d pairs of authors' votes, 49 are of two people", rows[i].N)
	}
}
