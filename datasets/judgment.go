package datasets

import (
	"errors"
	"fmt"
	"slices"
)

// Judgments reads answers to questions, each to be judged right or wrong. gavel makes such lines from the records of
// runs in which models, called agents, answered the questions.
var Judgments = newFormat("judgment", Format{
	Parse: parseJudgment,
})

var judgmentKeys = newFormat("judgment", Format{}).Keys

// Candidate ids of a Judgment.
const (
	Correct   = "Correct"
	Incorrect = "Incorrect"
)

// JudgmentLine is a line of the format Judgments.
type JudgmentLine struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Source   string `json:"source"`
	Prompt   string `json:"question"` // the question that the judge reads
	Gold     string `json:"gold"`     // Correct or Incorrect
	Answered
}

func parseJudgment(line []byte) (Item, error) {
	var keys map[string]any
	if err := decode(line, &keys); err != nil {
		return Item{}, err
	}
	for _, k := range judgmentKeys {
		if keys[k] == nil {
			return Item{}, errMissing(k)
		}
	}
	var l JudgmentLine
	if err := decode(line, &l); err != nil {
		return Item{}, err
	}
	gold := slices.Index([]string{Correct, Incorrect}, l.Gold)
	switch {
	case l.ID == "":
		return Item{}, errors.New(`"id" is empty`)
	case l.Question == "":
		return Item{}, errors.New(`"question_id" is empty`)
	case gold < 0:
		return Item{}, fmt.Errorf("gold %q is neither %q nor %q", l.Gold, Correct, Incorrect)
	case !slices.Contains([]Shape{Choice, Number, Preference}, l.Of):
		return Item{}, fmt.Errorf("\"of\" is %q, not %s, %s or %s", l.Of, Choice, Number, Preference)
	}
	return Item{
		ID: l.ID, Shape: Judgment, Source: l.Source, Group: orGroup(l.Category, "(no category)"), Question: l.Prompt,
		Candidates: []Candidate{{ID: Correct}, {ID: Incorrect}}, Gold: gold, Answered: &l.Answered,
	}, nil
}
