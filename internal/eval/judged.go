package eval

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"gavel/datasets"
	"gavel/judging"
)

// prepareJudging prepares the judging run, whose items it makes of the answers in s. It returns nil in a dry run if
// answers are not there yet.
func (w *requestWork) prepareJudging(ctx context.Context, s *stages) (*runState, error) {
	questions := s.questionItems.set
	if s.ownAnswers == nil && !s.needsNoOwnAnswers || len(s.agentAnswers) < len(s.request.Agents) {
		n := len(s.questionItems.rows)
		if s.stage.JudgesAgents {
			w.note("%d × %d judgments follow in each mode once the stages before are there", n, len(s.request.Agents))
			n *= len(s.request.Agents)
		} else {
			w.note("%d comparisons follow once the stage before is there", n*s.stage.Presentations)
		}
		if s.stage.JudgesOptions {
			for _, row := range s.questionItems.rows {
				item, err := questions.Item(row)
				if err != nil {
					return nil, err
				}
				n += len(item.Candidates)
			}
			w.note("with the options: %d judgments in each mode", n)
		}
		w.plan.Later = &FutureJudgments{
			Request:      s.request,
			Judgments:    n * s.stage.Presentations,
			JudgeServers: s.judgeServers,
		}
		return nil, nil
	}
	var lines [][]byte
	counts, err := s.stage.MakeItems(questions, s.questionItems.rows, s.ownAnswers, s.agentAnswers,
		func(line []byte) error {
			lines = append(lines, bytes.Clone(line))
			return nil
		})
	if err != nil {
		return nil, err
	}
	subset := s.questionItems
	subset.rows = nil
	subset.places = nil
	if len(lines) > 0 {
		for _, text := range counts.Warned() {
			w.Notef("warning: %s", text)
		}
		subset, err = s.itemsFromLines(lines) // in memory, so there is nothing to close
	} else if subset.shard == nil {
		lacking := "the judge answered no question of " + questions.Name
		if s.stage.JudgesAgents {
			lacking = "no question of " + questions.Name + " has both an answer of the judge and one of an agent"
		}
		err = errors.New("nothing to judge: " + lacking)
	}
	if err != nil {
		return nil, err
	}
	p, err := w.prepare(ctx, s.request, subset, s.judgeServers)
	if err != nil {
		return nil, err
	}
	m := p.job.Manifest
	counts.AddToManifest(m)
	add := func(role string, a *judging.ModelAnswers) {
		m.Stages = append(m.Stages, judging.StageRun{Role: role, Run: a.Run, ID: a.RunID, Model: a.Name})
	}
	if s.ownAnswers != nil {
		add("judge", s.ownAnswers)
		if other := s.ownAnswers.Reference; other != nil {
			add("reference", other)
		}
	}
	for _, a := range s.agentAnswers {
		add("agent", a)
	}
	return p, nil
}

// itemsFromLines returns the items to judge in the lines that the stage made of its questions and the answers to them.
func (s *stages) itemsFromLines(lines [][]byte) (runItems, error) {
	questions := s.questionItems.set
	set, err := datasets.FromLines(questions.Name, cmp.Or(s.stage.ItemFormat, questions.Format), lines)
	if err != nil {
		return runItems{}, err
	}
	info := s.questionItems.info
	info.Format = set.Format
	info.Rows = set.Len()
	return runItems{set: set, rows: datasets.FirstIndexes(set.Len()), info: info}.keepQuestionPlaces(s.questionItems)
}
