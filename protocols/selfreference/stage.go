package selfreference

import (
	"errors"
	"fmt"
	"slices"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/judging"
	"gavel/protocols/answer"
)

// stage describes the stage that runs before the judgments: it turns questions and models' answers into items to judge,
// with the judge's own answers as references.
func stage(s judging.Settings) *judging.Stage {
	return &judging.Stage{
		Agents:        true,
		Ownless:       !slices.Contains(modesOf(s), ModeSelf),
		Format:        datasets.Judgments.Name,
		Presentations: len(modesOf(s)),
		Check:         question,
		Each:          eachJudgment,
	}
}

// question returns an error for items that have no right answer, so that answers to them cannot be judged.
func question(item datasets.Item) error {
	if item.Shape == datasets.Pair { // it has a question, but no right answer
		return errors.New("without an answer that is right: " +
			"gavel run pairwise --self-reference has a judge compare them with its own answer as reference")
	}
	return nil
}

// staging turns questions and answers into items to judge, and counts them.
type staging struct {
	*judging.StageCounts
	ownAnswers *judging.Answers   // the judge's; nil without references
	agents     []*judging.Answers // of the models that are judged
}

// eachJudgment writes a line, an item to judge, for every question and agent.
//
// ownAnswers are the judge's own answers. Without them, nil, no line has a reference. A question that the judge did not
// answer is left out for all agents and both modes, so that all metrics are over the same questions. The labels of the
// questions decide whether an answer is right, whatever labels the agent's own file has.
func eachJudgment(
	questions *datasets.Set, rows []int, ownAnswers *judging.Answers, agents []*judging.Answers,
	write func(line []byte) error,
) (judging.StageResult, error) {
	s := &staging{
		StageCounts: &judging.StageCounts{Questions: len(rows), NoOwn: map[judging.Lack]int{}},
		ownAnswers:  ownAnswers,
		agents:      agents,
	}
	for _, a := range agents {
		s.Agents = append(s.Agents, judging.StagedAgent{
			Name:    a.Name,
			Run:     a.Run,
			LeftOut: map[judging.Lack]int{},
			Itself:  ownAnswers != nil && sameModel(ownAnswers, a),
		})
	}
	if err := s.ready(questions); err != nil {
		return nil, err
	}
	for _, row := range rows {
		item, err := questions.Item(row)
		if err != nil {
			return nil, err
		}
		judgments, err := s.question(item)
		if err != nil {
			return nil, err
		}
		for _, line := range judgments {
			text, err := codec.Marshal(line)
			if err == nil {
				err = write(text)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	s.SetWarnings()
	return s.StageCounts, nil
}

// ready returns an error if two agents have the same name, or if a run of answers over another file
// was asked other questions.
func (s *staging) ready(questions *datasets.Set) error {
	byName := map[string]string{}
	for _, a := range s.agents {
		if other, twice := byName[a.Name]; twice || a.Name == "" {
			return fmt.Errorf("two agents are called %q (%s and %s): give one of them another name", a.Name, other, a.Run)
		}
		byName[a.Name] = a.Run
		if err := a.Compare(questions); err != nil {
			return err
		}
	}
	if s.ownAnswers != nil {
		return s.ownAnswers.Compare(questions)
	}
	return nil
}

// question returns the lines of one question, one for each agent that answered it, and counts missing answers.
func (s *staging) question(item datasets.Item) ([]datasets.JudgmentLine, error) {
	if !slices.Contains(answer.Graded, item.Shape) {
		return nil, fmt.Errorf("%s: is not a question with an answer that can be right or wrong (its shape is %s)",
			item.ID, item.Shape)
	}
	if item.GoldID() == "" {
		s.NoGold++
		return nil, nil
	}
	frame := datasets.JudgmentLine{Category: item.Group, Source: item.Source, Prompt: answer.QuestionText(item)}
	frame.Answered = datasets.Answered{Question: item.ID, Of: item.Shape}
	if s.ownAnswers != nil {
		g, why := s.ownAnswers.Find(item)
		if why != judging.LackNone {
			s.NoOwn[why]++
			return nil, nil
		}
		frame.Reference = g.Text
		frame.Own = &datasets.Answer{Value: g.Value, Right: answer.IsAnswer(item, g.Value)}
	}
	var lines []datasets.JudgmentLine
	for i, a := range s.agents {
		g, why := a.Find(item)
		if why != judging.LackNone {
			s.Agents[i].LeftOut[why]++
			continue
		}
		line := frame
		line.ID = item.ID + "@" + a.Name
		line.Agent = a.Name
		line.Text = g.Text
		line.Gold = datasets.Incorrect
		if answer.IsAnswer(item, g.Value) {
			line.Gold = datasets.Correct
			s.Agents[i].Right++
		}
		if gold, ok := a.GoldLabel(item.ID); ok && !answer.IsAnswer(item, gold) {
			s.Agents[i].OtherGold++
		}
		s.Agents[i].Judged++
		lines = append(lines, line)
	}
	return lines, nil
}

// sameModel reports whether two sets of answers are by the same model.
func sameModel(a, b *judging.Answers) bool {
	return a.Model.Identity != "" && a.Model.Identity == b.Model.Identity || a.Model.Name == b.Model.Name
}
