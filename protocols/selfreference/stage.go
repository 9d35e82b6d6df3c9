package selfreference

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/judging"
	"gavel/protocols/answer"
)

// stage describes the stage that runs before the judgments: it turns questions and models' answers into items to judge,
// with the judge's own answers as references.
func stage(s judging.Settings, _ string) *judging.Stage {
	p := newAsker(judgmentTemplate, s)
	out := &judging.Stage{
		JudgesAgents:    true,
		JudgesOptions:   p.judgesOptions,
		HidesOwnAnswers: p.reference != ReferenceOwn && p.reference != ReferenceRun || !slices.Contains(p.modes, ModeSelf),
		ItemFormat:      datasets.JudgmentsFormat.Name,
		Presentations:   len(p.modes),
		CheckQuestion:   p.checkQuestion,
		MakeItems:       p.writeJudgmentLines,
	}
	if p.reference == ReferenceRun {
		out.Reference = s.Get(referenceOption)
		out.JudgingSettings = maps.Clone(s)
		out.JudgingSettings[referenceOption.Name] = ReferenceRun
	}
	return out
}

// checkQuestion returns an error for items whose answers cannot be called right or wrong.
func (p selfReference) checkQuestion(item datasets.Item) error {
	if p.judgesOptions && item.Shape != datasets.ShapeChoice {
		return errors.New("without options that are right or wrong: leave out --options")
	}
	if item.Shape == datasets.ShapePair { // it has a question, but no right answer
		return errors.New("without an answer that is right: " +
			"gavel run pairwise --self-reference has a judge compare them with its own answer as reference")
	}
	return nil
}

// staging turns questions and answers into items to judge, and counts them.
type staging struct {
	*judging.StageCounts
	selfReference
	ownAnswers *judging.ModelAnswers   // the judge's; nil without references
	agents     []*judging.ModelAnswers // of the models that are judged
}

// writeJudgmentLines writes a line, an item to judge, for every question and agent.
//
// ownAnswers are the judge's own answers. Without them, nil, no line has a reference. A question that the judge did not
// answer is left out for all agents and both modes, so that all metrics are over the same questions. The labels of the
// questions decide whether an answer is right, whatever labels the agent's own file has.
func (p selfReference) writeJudgmentLines(
	questions *datasets.Set, rows []int, ownAnswers *judging.ModelAnswers, agents []*judging.ModelAnswers,
	write func(line []byte) error,
) (judging.StageResult, error) {
	s := &staging{
		StageCounts:   &judging.StageCounts{Questions: len(rows), NoOwn: map[judging.NoAnswerReason]int{}},
		selfReference: p,
		ownAnswers:    ownAnswers,
		agents:        agents,
	}
	for _, a := range agents {
		s.Agents = append(s.Agents, judging.AgentAnswerCounts{
			Name:           a.Name,
			Run:            a.Run,
			OmittedAnswers: map[judging.NoAnswerReason]int{},
			IsJudge:        ownAnswers != nil && sameModel(ownAnswers, a),
		})
	}
	if p.judgesOptions {
		s.Agents = append(s.Agents, judging.AgentAnswerCounts{
			Name:           "options",
			OmittedAnswers: map[judging.NoAnswerReason]int{},
		})
	}
	if err := s.checkRuns(questions); err != nil {
		return nil, err
	}
	for _, row := range rows {
		item, err := questions.Item(row)
		if err != nil {
			return nil, err
		}
		judgments, err := s.judgments(item)
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

// checkRuns returns an error if two agents have the same name, or if a run of answers over another file
// was asked other questions.
func (s *staging) checkRuns(questions *datasets.Set) error {
	byName := map[string]string{}
	for _, a := range s.agents {
		if other, twice := byName[a.Name]; twice || a.Name == "" {
			return fmt.Errorf("two agents are called %q (%s and %s): give one of them another name", a.Name, other, a.Run)
		}
		byName[a.Name] = a.Run
		if err := a.LoadQuestions(questions); err != nil {
			return err
		}
	}
	if s.ownAnswers != nil {
		return s.ownAnswers.LoadQuestions(questions)
	}
	return nil
}

// judgments returns the judgments of one question and counts the answers that are missing.
func (s *staging) judgments(item datasets.Item) ([]datasets.JudgmentLine, error) {
	if !slices.Contains(answer.GradableShapes, item.Shape) {
		return nil, fmt.Errorf("%s: is not a question with an answer that can be right or wrong (its shape is %s)",
			item.ID, item.Shape)
	}
	if item.GoldID() == "" {
		s.NoGold++
		return nil, nil
	}
	frame := datasets.JudgmentLine{Category: item.Group, Source: item.Source, Prompt: answer.QuestionText(item)}
	frame.AgentAnswer = datasets.AgentAnswer{QuestionID: item.ID, QuestionShape: item.Shape}
	if s.ownAnswers != nil {
		g, why := s.ownAnswers.Find(item)
		if why != judging.AnswerUsable {
			s.NoOwn[why]++
			return nil, nil
		}
		frame.Reference = g.Text
		frame.Own = &datasets.Answer{Value: g.Value, Right: answer.IsRightAnswer(item, g.Value)}
		if s.storesConfidence {
			frame.Own.Confidence = g.Confidence
		}
	}
	if s.reference != ReferenceOwn {
		frame.Reference = referenceText(item, s.reference)
		frame.ReferenceKind = s.reference
	}
	if s.ownAnswers != nil && s.ownAnswers.Reference != nil {
		g, why := s.ownAnswers.Reference.Find(item)
		if why == judging.AnswerUsable { // otherwise there is no judgment in mode self
			frame.Reference = g.Text
			frame.ReferenceRight = answer.IsRightAnswer(item, g.Value)
		}
	}
	var lines []datasets.JudgmentLine
	add := func(i int, agent string, g judging.Answer) {
		line := frame
		line.ID = item.ID + "@" + agent
		line.Agent = agent
		line.Text = g.Text
		line.Gold = datasets.CandidateIncorrect
		if answer.IsRightAnswer(item, g.Value) {
			line.Gold = datasets.CandidateCorrect
			s.Agents[i].RightCount++
		}
		s.Agents[i].Judged++
		lines = append(lines, line)
	}
	if s.judgesOptions {
		texts, _ := answer.CandidateAnswers(item)
		for i, c := range item.Candidates {
			add(len(s.agents), optionAgentPrefix+c.ID, judging.Answer{Text: texts[i], Value: c.ID})
		}
	}
	for i, a := range s.agents {
		g, why := a.Find(item)
		if why != judging.AnswerUsable {
			s.Agents[i].OmittedAnswers[why]++
			continue
		}
		if gold, ok := a.GoldLabel(item.ID); ok && !answer.IsRightAnswer(item, gold) {
			s.Agents[i].OtherGold++
		}
		add(i, a.Name, g)
	}
	return lines, nil
}

// optionAgentPrefix begins the names of the agents that stand for the options of a question.
const optionAgentPrefix = "option "

// referenceText returns a final answer as a reference: the right one, or a wrong one that depends on the item's id. It
// returns "" for no reference, and where the question has no other answer.
func referenceText(item datasets.Item, kind string) string {
	texts, right := answer.CandidateAnswers(item)
	n := len(texts)
	switch {
	case kind == ReferenceGold:
		return texts[right]
	case kind == ReferenceWrong && n > 1:
		return texts[(right+1+int(sha256.Sum256([]byte(item.ID))[0])%(n-1))%n]
	}
	return ""
}

func sameModel(a, b *judging.ModelAnswers) bool {
	return a.Model.Identity != "" && a.Model.Identity == b.Model.Identity || a.Model.Name == b.Model.Name
}
