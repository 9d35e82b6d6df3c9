package datasets

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// MTBenchFormat reads the votes on MT-Bench's conversations (arXiv 2306.05685), with the conversations. Several votes
// on one question, turn and pair of models become one item with the majority's verdict; without a majority it is left
// out. The models of a pair are sorted by name.
//
// Votes after the second turn are left out, unless the option turns is "all": these are then judged on the whole
// conversation.
//
// The category is the row's own. The published file has none; it then follows from the number of MT-Bench's question.
var MTBenchFormat = newFormat("mt-bench", Format{
	Parse:    parser((*battleRow).mtBenchItem),
	Assemble: majorityLines,
	ClusterKey: func(id string) string { // QUESTION:TURN:MODEL:MODEL
		question, _, _ := strings.Cut(id, ":")
		return question
	},
})

// mtCategories lists the categories of questions 81 to 90, 91 to 100, and so on.
var mtCategories = strings.Fields("Writing Roleplay Reasoning Math Coding Extraction STEM Humanities")

const firstMTQuestion, questionsPerMTCategory = 81, 10

// MTBenchCategory returns the category of a question by its number.
func MTBenchCategory(id string) string {
	n, err := strconv.Atoi(id)
	if k := (n - firstMTQuestion) / questionsPerMTCategory; err == nil && n >= firstMTQuestion && k < len(mtCategories) {
		return mtCategories[k]
	}
	return "(no category)"
}

// MTBenchID returns the id of the item of two models' answers to one turn of a question; the models must be sorted by
// name. By this id, people's votes find the judges' verdicts.
func MTBenchID(question string, turn int, first, other string) string {
	return fmt.Sprintf("%s:%d:%s:%s", question, turn, first, other)
}

func (r *battleRow) mtBenchItem() (Item, error) {
	item, err := r.item(*r.Turn)
	if err != nil {
		return Item{}, err
	}
	item.ID = MTBenchID(string(*r.ID), *r.Turn, *r.ModelA, *r.ModelB)
	item.Source, item.Group = "mt-bench", categoryOrDefault(r.Category, MTBenchCategory(string(*r.ID)))
	return item, nil
}

// matchUp identifies two models' answers to one turn of a question.
type matchUp struct {
	questionID              string // of the question
	turn                    int    // from 1
	firstModel, secondModel string // the models, sorted by name
}

// vote returns the match-up of a row and the row's votes, with the models in the order of the match-up.
func (r *battleRow) vote() (matchUp, voteCounts) {
	m := matchUp{
		questionID:  string(*r.ID),
		turn:        *r.Turn,
		firstModel:  *r.ModelA,
		secondModel: *r.ModelB,
	}
	v := *cmp.Or(r.Votes, new(countsOfOneVote(*r.Winner)))
	if m.firstModel > m.secondModel {
		m.firstModel, m.secondModel = m.secondModel, m.firstModel
		v.A, v.B = v.B, v.A
	}
	return m, v
}

// inconsistent is FastChat's mark for a model's vote that changed with the order of the answers. It is no verdict.
const inconsistent = "tie (inconsistent)"

// poll sums the votes on a match-up, with the conversations of the first row about it.
type poll struct {
	line int // number of that row's line in the file
	row  majorityLine
}

// majorityLines writes one line for each match-up with a majority among all its votes.
func majorityLines(rows FileRows) ([]string, error) {
	if err := checkTurns(rows.Options.Turns); err != nil {
		return nil, err
	}
	polls := map[matchUp]*poll{}
	var order []*poll
	var later, unsure, split int
	for row, r := range decodeRows[battleRow](rows) {
		switch {
		case *r.Turn > 1 && rows.Options.Turns != TurnsAll:
			later++
		case *r.Winner == inconsistent:
			unsure++
		default:
			if _, err := r.item(*r.Turn); err != nil {
				rows.Reject(row.Line, err)
				break
			}
			m, v := r.vote()
			p := polls[m]
			if p == nil {
				p = &poll{line: row.Line, row: m.line(row.Text)}
				polls[m] = p
				order = append(order, p)
			}
			sum := &p.row.Votes
			sum.A += v.A
			sum.B += v.B
			sum.Tie += v.Tie
		}
	}
	for _, p := range order {
		v := p.row.Votes
		winner := Majority([3]int{v.A, v.B, v.Tie})
		if winner == NoGold {
			split++
			continue
		}
		p.row.Winner = winners[winner]
		rows.EmitLine(p.line, p.row)
	}
	return notes(
		omission{later, "votes on a later turn (--turns all includes them, with the whole conversation)"},
		omission{unsure, "votes \"" + inconsistent + "\", which are no verdicts"},
		omission{split, "pairs of answers without a majority of votes"},
	), nil
}

// line returns a row about the match-up as a line, with the models in the order of the match-up, without votes.
func (m matchUp) line(row []byte) (l majorityLine) {
	json.Unmarshal(row, &l) // decoded before without error
	if l.ModelA != m.firstModel {
		l.A, l.B = l.B, l.A
	}
	l.ModelA = m.firstModel
	l.ModelB = m.secondModel
	l.Votes = voteCounts{}
	return l
}
