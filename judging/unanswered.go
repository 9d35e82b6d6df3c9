package judging

import (
	"strings"

	"gavel/datasets"
)

// How long the prompts of a stage can become is known before the stage before it
// has answered: all that stands around the answers is at hand, and an answer has
// no more tokens than its model was allowed.

// Unanswered stands for answers that are not there yet: to every question one of
// the most tokens that it may have, each of them a byte, which is what
// [SizeContext] takes a byte for. Only their length means anything.
func Unanswered(name string, questions *datasets.Set, tokens int) *Answers {
	a := &Answers{Name: name, Dataset: DatasetSpec{SHA256: questions.SHA256}, given: make(map[string]given, questions.Len())}
	longest := given{text: strings.Repeat("x", tokens), outcome: Decided}
	for i := range questions.Len() {
		a.given[questions.ID(i)] = longest
	}
	return a
}

// LongestJudgment is [LongestPrompt] of the judgments that [Stage] would make of
// all questions.
func LongestJudgment(p Asker, questions *datasets.Set, own *Answers, agents []*Answers) (int, error) {
	if err := ready(questions, own, agents); err != nil {
		return 0, err
	}
	staged := newStaged(questions.Len(), agents)
	longest := 0
	for i := range questions.Len() {
		item, err := questions.Item(i)
		if err != nil {
			return 0, err
		}
		lines, err := staged.question(item, own, agents)
		if err != nil {
			return 0, err
		}
		for _, line := range lines {
			judgment := datasets.Item{Shape: datasets.Judgment, Question: line.Question, Answered: &line.Answered}
			for _, s := range p.Showings(judgment) {
				longest = max(longest, p.Prompt(judgment, s).bytes())
			}
		}
	}
	return longest, nil
}

// LongestReferenced is [LongestPrompt] of the comparisons that [EachReference]
// would make of all pairs.
func LongestReferenced(p Asker, pairs *datasets.Set, own *Answers) (int, error) {
	if err := own.compare(pairs); err != nil {
		return 0, err
	}
	longest := 0
	for i := range pairs.Len() {
		item, err := pairs.Item(i)
		if err != nil {
			return 0, err
		}
		if answer, why := own.to(item); why == lackNone {
			item.Answered = &datasets.Answered{Reference: answer.text}
			longest = max(longest, p.Prompt(item, p.Showings(item)[0]).bytes())
		}
	}
	return longest, nil
}
