package datasets

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Values of OpenOptions.Turns.
const (
	turnsFirstOnly = ""    // only votes after the first turn
	TurnsAll       = "all" // conversations of any length, judged as a whole
)

// TurnsValues lists the values of --turns.
var TurnsValues = []string{"first", TurnsAll}

// battleRow holds a vote between two models' conversations, as MT-Bench and Chatbot Arena publish them.
type battleRow struct {
	ID       *textOrNumber `json:"question_id" must:"id"`
	ModelA   *string       `json:"model_a" must:"be"`
	ModelB   *string       `json:"model_b" must:"be"`
	Winner   *string       `json:"winner" must:"be"`
	A        []utterance   `json:"conversation_a"`
	B        []utterance   `json:"conversation_b"`
	Turn     *int          `json:"turn" must:"be"`
	Category string        `json:"category"`
	Language string        `json:"language"`
	Votes    *voteCounts   `json:"votes"` // in lines that majorityLines writes; published rows have one vote each
}

// check returns an error for a row without conversations or with an impossible turn.
func (r *battleRow) check() error {
	switch {
	case r.A == nil || r.B == nil:
		return errors.New("the conversations are missing: use the file that has them, not the one with votes only")
	case *r.Turn < 1:
		return fmt.Errorf("turn is %d: turns count from 1", *r.Turn)
	}
	return nil
}

// item returns an item over the first turns of both conversations; 0: all turns.
func (r *battleRow) item(turns int) (Item, error) {
	a, b := r.A, r.B
	if err := cmp.Or(checkConversation(a), checkConversation(b)); err != nil {
		return Item{}, err
	}
	if turns > 0 {
		if 2*turns > min(len(a), len(b)) {
			return Item{}, fmt.Errorf("turn is %d, but the conversations have %d and %d turns", turns, len(a)/2, len(b)/2)
		}
		a, b = a[:2*turns], b[:2*turns]
	}
	gold := slices.Index(winners, *r.Winner)
	if *r.Winner == bothBad {
		gold = 2
	}
	if gold < 0 {
		return Item{}, fmt.Errorf("winner %q is not model_a, model_b, tie or %s", *r.Winner, bothBad)
	}
	question, first, second, err := renderConversations(a, b)
	if err != nil {
		return Item{}, err
	}
	return Item{
		ID: string(*r.ID), Shape: ShapePreference, Question: question, Gold: gold,
		Candidates: preferenceCandidates(*r.ModelA, first, *r.ModelB, second),
	}, nil
}

// winners lists the values of the key winner, in the order of the candidates A, B and C.
var winners = []string{"model_a", "model_b", "tie"}

// bothBad is Chatbot Arena's second kind of tie: neither response is good.
const bothBad = "tie (bothbad)"

// voteCounts counts the votes for each value of winners.
type voteCounts struct {
	A   int `json:"model_a"`
	B   int `json:"model_b"`
	Tie int `json:"tie"`
}

// countsOfOneVote returns the counts for one vote.
func countsOfOneVote(winner string) voteCounts {
	switch winner {
	case "model_a":
		return voteCounts{A: 1}
	case "model_b":
		return voteCounts{B: 1}
	}
	return voteCounts{Tie: 1}
}

// Majority returns the index of the candidate with more than half of the votes, or NoGold. votes counts the votes for
// A, B and C (a tie).
func Majority(votes [3]int) int {
	return slices.IndexFunc(votes[:], func(n int) bool { return 2*n > votes[0]+votes[1]+votes[2] })
}

// chatbotArenaFormat reads the conversations of Chatbot Arena (arXiv 2306.05685) with one user's vote each. The vote is
// about the whole conversation, so only conversations of one turn are used, unless the option turns is "all": then
// longer ones are judged as a whole. "tie" and "tie (bothbad)" both become C. The option lang selects a language by its
// name in the file.
var chatbotArenaFormat = newFormat("chatbot-arena", Format{
	Parse:    parser((*battleRow).arenaItem),
	Assemble: chooseArena,
})

func (r *battleRow) arenaItem() (Item, error) {
	item, err := r.item(0)
	item.Source, item.Group = "chatbot-arena", categoryOrDefault(r.Category, "Chatbot Arena")
	return item, err
}

// chooseArena writes the rows of Chatbot Arena that the options select, unchanged.
func chooseArena(rows FileRows) ([]string, error) {
	if err := checkTurns(rows.Options.Turns); err != nil {
		return nil, err
	}
	long, foreign := 0, 0
	lang := rows.Options.Lang
	for row, r := range decodeRows[battleRow](rows) {
		switch {
		case lang != "" && lang != r.Language:
			foreign++
		case rows.Options.Turns != TurnsAll && max(len(r.A), len(r.B)) > 2:
			long++
		default:
			rows.EmitLine(row.Line, row.Text)
		}
	}
	return notes(
		omission{long, "conversations of more than one turn (--turns all judges them as a whole)"},
		omission{foreign, "conversations in languages other than " + lang},
	), nil
}

func checkTurns(turns string) error {
	if turns != turnsFirstOnly && turns != TurnsAll {
		return fmt.Errorf("turns %q: use %s or %s", turns, TurnsValues[0], TurnsValues[1])
	}
	return nil
}

// omission counts the rows omitted for one reason.
type omission struct {
	n       int
	subject string // the rows in words, in the plural
}

// notes returns a sentence for each note with a count above 0.
func notes(all ...omission) []string {
	var out []string
	for _, n := range all {
		if n.n > 0 {
			out = append(out, fmt.Sprintf("Left out %d: %s.", n.n, n.subject))
		}
	}
	return out
}

// majorityLine is a line that majorityLines writes for all votes on a match-up. Its conversations stay as in the input.
type majorityLine struct {
	ID       json.RawMessage `json:"question_id"`
	Turn     int             `json:"turn"`
	Category string          `json:"category,omitempty"`
	ModelA   string          `json:"model_a"`
	ModelB   string          `json:"model_b"`
	Winner   string          `json:"winner"`
	Votes    voteCounts      `json:"votes"`
	A        json.RawMessage `json:"conversation_a"`
	B        json.RawMessage `json:"conversation_b"`
}
