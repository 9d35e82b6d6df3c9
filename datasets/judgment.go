package datasets

import (
	"errors"
	"fmt"
	"slices"
)

// JudgmentsFormat reads answers to questions, each to be judged right or wrong. gavel makes such lines from the records
// of runs in which models, called agents, answered the questions.
var JudgmentsFormat = newFormat("judgment", Format{
	Parse: parseJudgment,
})

var judgmentKeys = newFormat("judgment", Format{}).Keys

// Candidate ids of a Judgment.
const (
	CandidateCorrect   = "Correct"
	CandidateIncorrect = "Incorrect"
)

// JudgmentLine is a line of the format Judgments.
type JudgmentLine struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Source   string `json:"source"`
	Prompt   string `json:"question"` // the question that the judge reads
	Gold     string `json:"gold"`     // Correct or Incorrect
	AgentAnswer
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
	gold := slices.Index([]string{CandidateCorrect, CandidateIncorrect}, l.Gold)
	switch {
	case l.ID == "":
		return Item{}, errors.New(`"id" is empty`)
	case l.QuestionID == "":
		return Item{}, errors.New(`"question_id" is empty`)
	case gold < 0:
		return Item{}, fmt.Errorf("gold %q is neither %q nor %q", l.Gold, CandidateCorrect, CandidateIncorrect)
	case !slices.Contains([]Shape{ShapeChoice, ShapeNumber, ShapePreference}, l.QuestionShape):
		return Item{}, fmt.Errorf("\"of\" is %q, not %s, %s or %s",
			l.QuestionShape, ShapeChoice, ShapeNumber, ShapePreference)
	}
	return Item{
		ID:         l.ID,
		Shape:      ShapeJudgment,
		Source:     l.Source,
		Group:      categoryOrDefault(l.Category, "(no category)"),
		Question:   l.Prompt,
		Candidates: []Candidate{{ID: CandidateCorrect}, {ID: CandidateIncorrect}},
		Gold:       gold,
		Answered:   &l.AgentAnswer,
	}, nil
}
