package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gavel/datasets"
	"gavel/datasets/rows"
	"gavel/judging"
)

// VoteRow is a row of MT-Bench's votes: one vote, or, from FastChat's judge, the two games that make one.
type VoteRow struct {
	QuestionID json.RawMessage `json:"question_id"`
	Turn       *int            `json:"turn"`
	Judge      json.RawMessage `json:"judge"` // a name; FastChat's: names of model and prompt
	ModelA     *string         `json:"model_a"`
	ModelB     *string         `json:"model_b"`
	Winner     *string         `json:"winner"` // model_a, model_b, or a kind of tie

	Model1    *string `json:"model_1"`
	Model2    *string `json:"model_2"`
	G1Winner  *string `json:"g1_winner"`      // winner of game 1: model_1, model_2, tie or error
	G2Winner  *string `json:"g2_winner"`      // winner of game 2: model_1, model_2, tie or error
	G1Prompt  string  `json:"g1_user_prompt"` // user message of game 1
	G1Verdict string  `json:"g1_judgment"`    // the judge's reply in game 1
	G2Verdict string  `json:"g2_judgment"`    // the judge's reply in game 2
}

// ErrNoWinner is the error for a game of FastChat's judge whose reply has no verdict.
var ErrNoWinner = errors.New("no verdict")

// HasGames reports whether the row has two games of FastChat's own judge instead of a single vote.
func (r VoteRow) HasGames() bool { return r.Model1 != nil || r.G1Winner != nil }

// Vote returns the vote of a row. If the two games of FastChat's judge differ, the vote is a tie, as in FastChat. If
// one of the games has no verdict, the error wraps ErrNoWinner, and the other fields of the vote are valid.
func (r VoteRow) Vote() (v judging.Vote, err error) {
	a := r.ModelA
	b := r.ModelB
	winner := r.Winner
	first, second := "model_a", "model_b"
	if r.HasGames() {
		a = r.Model1
		b = r.Model2
		first = "model_1"
		second = "model_2"
		if r.G1Winner == nil || r.G2Winner == nil {
			return v, errors.New(`key "g1_winner" or "g2_winner" is missing`)
		}
		for _, w := range []string{*r.G1Winner, *r.G2Winner} {
			if w != "model_1" && w != "model_2" && w != "tie" && w != "error" {
				return v, fmt.Errorf("winner %q is none of model_1, model_2, tie and error", w)
			}
		}
		winner = new(gamesWinner(*r.G1Winner, *r.G2Winner))
	}
	v.Question = datasets.ScalarText(r.QuestionID)
	v.Judge = strings.Join(r.judgeNames(), " ")
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
	v.Turn = *r.Turn
	v.ModelA = *a
	v.ModelB = *b
	v.WinnerLabel = *winner
	if v.ModelA > v.ModelB {
		v.ModelA, v.ModelB = v.ModelB, v.ModelA
	}
	switch {
	case strings.Contains(*winner, "tie"): // as FastChat: "tie (inconsistent)", "tie (bothbad)"
		v.Winner = judging.VoteTie
	case *winner == "error":
		return v, ErrNoWinner
	case *winner != first && *winner != second:
		return v, fmt.Errorf("winner %q is none of %s, %s and a tie", *winner, first, second)
	case (*winner == first) == (*a == v.ModelA):
		v.Winner = judging.VoteA
	default:
		v.Winner = judging.VoteB
	}
	return v, nil
}

// gamesWinner returns the winner that FastChat derives from two games: a tie if they differ, "error" if either failed.
func gamesWinner(g1, g2 string) string {
	switch {
	case g1 == "error" || g2 == "error":
		return "error"
	case g1 == g2:
		return g1
	}
	return "tie (inconsistent)"
}

// judgeNames returns the name of the row's judge; for FastChat's judge, the names of its model and of its prompt.
func (r VoteRow) judgeNames() (names []string) {
	if json.Unmarshal(r.Judge, &names) != nil || len(names) == 0 {
		names = []string{datasets.ScalarText(r.Judge)}
	}
	return names
}

// JudgeModel returns the name of the judge, without the prompt of FastChat's judge, which depends on the question.
func (r VoteRow) JudgeModel() string { return r.judgeNames()[0] }

// VoteFile holds the votes of a file, and the rows that are no votes.
type VoteFile struct {
	Votes []judging.Vote
	Rejects
}

// ReadVotes reads a file of votes on MT-Bench's pairs: rows of lmsys/mt_bench_human_judgments, with or without their
// conversations, or of FastChat's own judge, in any format that [rows.EachRow] reads.
func ReadVotes(path string) (*VoteFile, error) {
	out := &VoteFile{Rejects: Rejects{Path: path}}
	err := rows.EachRow(path, func(row int, raw []byte) error {
		var r VoteRow
		err := datasets.DecodeObject(raw, &r)
		var v judging.Vote
		if err == nil {
			v, err = r.Vote()
		}
		if err != nil {
			out.Add(row, err)
			return nil
		}
		out.Votes = append(out.Votes, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(out.Votes) == 0 {
		return nil, out.NoRowsError("a vote: rows with question_id, model_a, model_b, winner, judge and turn")
	}
	return out, nil
}

// Rejects counts the rows of a file that cannot be used.
type Rejects struct {
	Path  string   // path of the file
	N     int      // number of rows that cannot be used
	First []string // errors of the first maxRejects rows
}

// maxRejects limits Rejects.First.
const maxRejects = 20

// Add counts a row that cannot be used; err says why.
func (b *Rejects) Add(row int, err error) {
	b.N++
	if len(b.First) < maxRejects {
		b.First = append(b.First, fmt.Sprintf("%s: row %d: %v", b.Path, row, err))
	}
}

// NoRowsError returns the error of a file without a usable row; expected describes usable rows.
func (b *Rejects) NoRowsError(expected string) error {
	if b.N == 0 {
		return fmt.Errorf("%s: the file is empty; expected %s", b.Path, expected)
	}
	return fmt.Errorf("%s (none of %d rows can be used; expected %s)", b.First[0], b.N, expected)
}
