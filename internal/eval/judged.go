package eval

import (
	"bytes"
	"cmp"
	"context"
	"errors"

	"gavel/datasets"
	"gavel/judging"
)

// judgeStage prepares the judging run, whose items it makes of the answers in s. It returns nil in a dry run if answers
// are not there yet.
func (w *requestWork) judgeStage(ctx context.Context, s *stages) (*runState, error) {
	questions := s.questions.set
	if s.ownAnswers == nil && !s.hidesOwnAnswers || len(s.agents) < len(s.opts.Agents) {
		n := len(s.questions.rows)
		if s.stage.Agents {
			w.note("%d × %d judgments follow in each mode once the stages before are there", n, len(s.opts.Agents))
			n *= len(s.opts.Agents)
		} else {
			w.note("%d comparisons follow once the stage before is there", n*s.stage.Presentations)
		}
		if s.stage.Options {
			for _, row := range s.questions.rows {
				item, err := questions.Item(row)
				if err != nil {
					return nil, err
				}
				n += len(item.Candidates)
			}
			w.note("with the options: %d judgments in each mode", n)
		}
		w.plan.Later = &FutureJudgments{Request: s.opts, Judgments: n * s.stage.Presentations, Judges: s.judges}
		return nil, nil
	}
	var lines [][]byte
	counts, err := s.stage.MakeItems(questions, s.questions.rows, s.ownAnswers, s.agents, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	if err != nil {
		return nil, err
	}
	subset := s.questions
	subset.rows = nil
	subset.places = nil
	if len(lines) > 0 {
		for _, text := range counts.Warned() {
			w.Notef("warning: %s", text)
		}
		subset, err = s.judgments(lines) // in memory, so there is nothing to close
	} else if subset.shard == nil {
		lacking := "the judge answered no question of " + questions.Name
		if s.stage.Agents {
			lacking = "no question of " + questions.Name + " has both an answer of the judge and one of an agent"
		}
		err = errors.New("nothing to judge: " + lacking)
	}
	if err != nil {
		return nil, err
	}
	p, err := w.prepare(ctx, s.opts, subset, s.judges)
	if err != nil {
		return nil, err
	}
	m := p.job.Manifest
	counts.AddToManifest(m)
	add := func(role string, a *judging.Answers) {
		m.Stages = append(m.Stages, judging.StageRun{Role: role, Run: a.Run, ID: a.ID, Model: a.Name})
	}
	if s.ownAnswers != nil {
		add("judge", s.ownAnswers)
		if other := s.ownAnswers.Reference; other != nil {
			add("reference", other)
		}
	}
	for _, a := range s.agents {
		add("agent", a)
	}
	return p, nil
}

// judgments returns the items to judge in the lines that the stage made of its questions and the answers to them.
func (s *stages) judgments(lines [][]byte) (runItems, error) {
	questions := s.questions.set
	set, err := datasets.FromLines(questions.Name, cmp.Or(s.stage.Format, questions.Format), lines)
	if err != nil {
		return runItems{}, err
	}
	info := s.questions.info
	info.Format = set.Format
	info.Rows = set.Len()
	return runItems{set: set, rows: all(set), info: info}.placeLike(s.questions)
}
