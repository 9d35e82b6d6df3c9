package eval

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"gavel/datasets"
	"gavel/judging"
)

// judgeStage makes the dataset of the judging run out of the stages before it. In
// a dry run with stages that are not there yet there is none.
func (w *work) judgeStage(ctx context.Context, s *stages) (*runState, error) {
	questions := s.questions.set
	if s.own == nil && !s.ownless || len(s.agents) < len(s.opts.Agents) {
		n := len(s.questions.rows)
		if s.stage.Agents {
			w.note("%d × %d judgments follow in each mode once the stages before are there", n, len(s.opts.Agents))
			n *= len(s.opts.Agents)
		} else {
			w.note("%d comparisons follow once the stage before is there", n*s.stage.Presentations)
		}
		w.plan.Later = &Later{Request: s.opts, Judgments: n * s.stage.Presentations, Judges: s.judges}
		return nil, nil
	}
	var lines [][]byte
	made, err := s.stage.Each(questions, s.questions.rows, s.own, s.agents, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if s.questions.shard != nil && len(lines) == 0 {
		none := s.questions
		none.rows, none.places = nil, nil
		p, err := w.prepare(ctx, s.opts, none, s.judges)
		if err != nil {
			return nil, err
		}
		return s.noted(p, made), nil
	}
	if len(lines) == 0 && s.stage.Agents {
		return nil, fmt.Errorf(
			"nothing to judge: no question of %s has both an answer of the judge and one of an agent",
			questions.Name,
		)
	} else if len(lines) == 0 {
		return nil, fmt.Errorf("nothing to judge: the judge answered no question of %s", questions.Name)
	}
	for _, text := range made.Warned() {
		w.say("warning: %s", text)
	}
	set, err := datasets.FromLines(questions.Name, cmp.Or(s.stage.Format, questions.Format), lines)
	if err != nil {
		return nil, err
	}
	info := s.questions.info
	info.Format, info.Rows = set.Format, set.Len()
	its, err := items{set: set, rows: all(set), info: info}.madeOf(s.questions)
	var p *runState
	if err == nil {
		p, err = w.prepare(ctx, s.opts, its, s.judges)
	}
	if err != nil {
		set.Close()
		return nil, err
	}
	return s.noted(p, made), nil
}

// noted notes in the manifest of a run what it stands on.
func (s *stages) noted(p *runState, made judging.Made) *runState {
	made.Note(p.job.Manifest)
	p.job.Manifest.Stages = s.named()
	return p
}

// named lists the runs that the judging run stands on.
func (s *stages) named() []judging.StageOf {
	of := func(role string, a *judging.Answers) judging.StageOf {
		return judging.StageOf{Role: role, Run: a.Run, ID: a.ID, Model: a.Name}
	}
	var list []judging.StageOf
	if s.own != nil {
		list = append(list, of("judge", s.own))
	}
	for _, a := range s.agents {
		list = append(list, of("agent", a))
	}
	return list
}
