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

// stage makes judgments of agents' answers, with the judge's own as reference.
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

// question refuses items whose answers nobody can call right.
func question(item datasets.Item) error {
	if item.Shape == datasets.Pair { // its question can be answered
		return errors.New("without an answer that is right: " +
			"gavel run pairwise --self-reference has a judge compare them with its own answer as reference")
	}
	return nil
}

// staging is a stage that is going on.
type staging struct {
	*judging.Staged
	own    *judging.Answers
	agents []*judging.Answers
}

// eachJudgment makes a line for every question and agent.
//
// own are the judge's own answers, nil where there are none: then no line has a reference. A question that the judge
// did not answer is left out for all agents and both modes, so that everything is measured on the same questions.
// Whether an answer is right is decided by the labels of questions, whatever those of the file that the agent was asked
// from.
func eachJudgment(
	questions *datasets.Set, rows []int, own *judging.Answers, agents []*judging.Answers,
	write func(line []byte) error,
) (judging.Made, error) {
	s := &staging{
		Staged: &judging.Staged{Questions: len(rows), NoOwn: map[judging.Lack]int{}},
		own:    own,
		agents: agents,
	}
	for _, a := range agents {
		s.Agents = append(s.Agents, judging.StagedAgent{
			Name:    a.Name,
			Run:     a.Run,
			LeftOut: map[judging.Lack]int{},
			Itself:  own != nil && sameModel(own, a),
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
	s.Remark()
	return s.Staged, nil
}

// ready refuses agents that could not be told apart, and compares what runs over other files were asked.
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
	if s.own != nil {
		return s.own.Compare(questions)
	}
	return nil
}

// question makes the judgments of one question and counts what there is none of.
func (s *staging) question(item datasets.Item) ([]datasets.JudgmentLine, error) {
	if !slices.Contains(answer.Graded, item.Shape) {
		return nil, fmt.Errorf("%s: is not a question with an answer that can be right or wrong (its shape is %s)",
			item.ID, item.Shape)
	}
	if item.GoldID() == "" {
		s.NoGold++
		return nil, nil
	}
	frame := datasets.JudgmentLine{Category: item.Group, Source: item.Source, Prompt: answer.AsAsked(item)}
	frame.Answered = datasets.Answered{Question: item.ID, Of: item.Shape}
	if s.own != nil {
		g, why := s.own.To(item)
		if why != judging.LackNone {
			s.NoOwn[why]++
			return nil, nil
		}
		frame.Reference = g.Text
		frame.Own = &datasets.Answer{Value: g.Value, Right: answer.Same(item, g.Value)}
	}
	var lines []datasets.JudgmentLine
	for i, a := range s.agents {
		g, why := a.To(item)
		if why != judging.LackNone {
			s.Agents[i].LeftOut[why]++
			continue
		}
		line := frame
		line.ID = item.ID + "@" + a.Name
		line.Agent = a.Name
		line.Text = g.Text
		line.Gold = datasets.Incorrect
		if answer.Same(item, g.Value) {
			line.Gold = datasets.Correct
			s.Agents[i].Right++
		}
		if gold, ok := a.LabelledAs(item.ID); ok && !answer.Same(item, gold) {
			s.Agents[i].OtherGold++
		}
		s.Agents[i].Judged++
		lines = append(lines, line)
	}
	return lines, nil
}

func sameModel(a, b *judging.Answers) bool {
	return a.Model.Identity != "" && a.Model.Identity == b.Model.Identity || a.Model.Name == b.Model.Name
}
