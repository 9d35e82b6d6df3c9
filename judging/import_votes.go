package judging

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/datasets/rows"
)

// Vote is what a judge, a person or a model, said of two models' answers to one
// turn of a question, as MT-Bench publishes votes. The models' names are sorted,
// and the winner with them: published files have a pair in either order.
type Vote struct {
	Question string
	Turn     int
	A, B     string // the models; A sorts first
	Judge    string
	Winner   int    // VoteA, VoteB or VoteTie
	Label    string // as the file has it, of the order in the file: "tie (inconsistent)"
}

// Winners of a vote: the index of the candidate of a [datasets.Preference].
const (
	VoteA = iota
	VoteB
	VoteTie
)

// Item is the id that the pair has in a run of preferences.
func (v Vote) Item() string {
	return datasets.MTBenchID(v.Question, v.Turn, v.A, v.B)
}

// voteRow is a row of MT-Bench's votes: one vote, or, as FastChat's judge writes
// it, the two games that come to one.
type voteRow struct {
	QuestionID json.RawMessage `json:"question_id"`
	Turn       *int            `json:"turn"`
	Judge      json.RawMessage `json:"judge"`
	ModelA     *string         `json:"model_a"`
	ModelB     *string         `json:"model_b"`
	Winner     *string         `json:"winner"`

	Model1    *string `json:"model_1"`
	Model2    *string `json:"model_2"`
	G1Winner  *string `json:"g1_winner"`
	G2Winner  *string `json:"g2_winner"`
	G1Prompt  string  `json:"g1_user_prompt"`
	G1Verdict string  `json:"g1_judgment"`
	G2Verdict string  `json:"g2_judgment"`
}

// errNoWinner is of a vote that was not cast: the judge's reply had no verdict.
var errNoWinner = errors.New("no verdict")

// games tells whether the row is of FastChat's own judge.
func (r voteRow) games() bool { return r.Model1 != nil || r.G1Winner != nil }

// vote reads a row. Where the two games of FastChat's judge differ, it is a tie,
// as FastChat counts it; where one of them has no verdict, there is no vote: the
// error wraps errNoWinner, and the rest of the vote stands.
func (r voteRow) vote() (Vote, error) {
	a, b, winner := r.ModelA, r.ModelB, r.Winner
	first, second := "model_a", "model_b"
	if r.games() {
		a, b, first, second = r.Model1, r.Model2, "model_1", "model_2"
		if r.G1Winner == nil || r.G2Winner == nil {
			return Vote{}, errors.New(`key "g1_winner" or "g2_winner" is missing`)
		}
		for _, w := range []string{*r.G1Winner, *r.G2Winner} {
			if w != "model_1" && w != "model_2" && w != "tie" && w != "error" {
				return Vote{}, fmt.Errorf("winner %q is none of model_1, model_2, tie and error", w)
			}
		}
		winner = ofGames(*r.G1Winner, *r.G2Winner)
	}
	v := Vote{Question: datasets.Scalar(r.QuestionID), Judge: judgeText(r.Judge)}
	switch {
	case v.Question == "":
		return v, errors.New(`key "question_id" is missing or empty`)
	case a == nil || b == nil || *a == "" || *b == "":
		return v, errors.New("a vote needs two models: model_a and model_b, or model_1 and model_2")
	case *a == *b:
		return v, fmt.Errorf("both models are %q", *a)
	case winner == nil:
		return v, errors.New(`key "winner" is missing`)
	case r.Turn == nil || *r.Turn < 1:
		return v, errors.New(`key "turn" is missing or below 1`)
	}
	v.Turn, v.A, v.B, v.Label = *r.Turn, *a, *b, *winner
	if v.A > v.B {
		v.A, v.B = v.B, v.A
	}
	switch {
	case strings.Contains(*winner, "tie"): // as FastChat: "tie (inconsistent)", "tie (bothbad)"
		v.Winner = VoteTie
	case *winner == "error":
		return v, errNoWinner
	case *winner == first:
		v.Winner = sorted(*a, v.A)
	case *winner == second:
		v.Winner = sorted(*b, v.A)
	default:
		return v, fmt.Errorf("winner %q is none of %s, %s and a tie", *winner, first, second)
	}
	return v, nil
}

// sorted is where a model stands once the names are sorted.
func sorted(model, first string) int {
	if model == first {
		return VoteA
	}
	return VoteB
}

// ofGames is what two games come to.
func ofGames(g1, g2 string) *string {
	w := "tie (inconsistent)"
	switch {
	case g1 == "error" || g2 == "error":
		w = "error"
	case g1 == g2:
		w = g1
	}
	return &w
}

// judgeText is a judge's name: a string or, in FastChat's files, the model and
// its prompt.
func judgeText(raw json.RawMessage) string {
	var parts []string
	if json.Unmarshal(raw, &parts) == nil {
		return strings.Join(parts, " ")
	}
	return datasets.Scalar(raw)
}

// Votes is a file of votes.
type Votes struct {
	Votes   []Vote
	Skipped int
	Bad     []string // the first of those, with the reason
}

// ReadVotes reads a file of votes on MT-Bench's pairs: rows of
// lmsys/mt_bench_human_judgments, with their conversations or without, or of
// FastChat's own judge, in whatever [rows.Each] reads.
func ReadVotes(path string) (*Votes, error) {
	out := &Votes{}
	bad := rejects{path: path}
	err := rows.Each(path, func(row int, raw []byte) error {
		var r voteRow
		err := decodeRow(raw, &r)
		var v Vote
		if err == nil {
			v, err = r.vote()
		}
		if err != nil {
			bad.add(row, err)
			return nil
		}
		out.Votes = append(out.Votes, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Skipped, out.Bad = bad.n, bad.first
	if len(out.Votes) == 0 {
		return nil, bad.none("a vote: rows with question_id, model_a, model_b, winner, judge and turn")
	}
	return out, nil
}

// rejects gathers the rows of a file that cannot be used.
type rejects struct {
	path  string
	n     int
	first []string
}

// maxRejects is how many of them are kept word for word.
const maxRejects = 20

func (b *rejects) add(row int, err error) {
	b.n++
	if len(b.first) < maxRejects {
		b.first = append(b.first, fmt.Sprintf("%s: row %d: %v", b.path, row, err))
	}
}

// none is the error of a file without one good row.
func (b *rejects) none(expected string) error {
	if b.n == 0 {
		return fmt.Errorf("%s: the file is empty; expected %s", b.path, expected)
	}
	return fmt.Errorf("%s (none of %d rows can be used; expected %s)", b.first[0], b.n, expected)
}

// IsPreference tells whether the record is of two responses and what was
// preferred, a tie included.
func (r *Record) IsPreference() bool { return r.Shape == datasets.Preference }
