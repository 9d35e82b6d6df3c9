package main

import (
	"bytes"
	"context"
	"fmt"

	"gavel/judging"
)

// runReferenced has the judge answer the questions of pairs itself, then compare
// their responses with its answers as reference.
func (e *env) runReferenced(ctx context.Context, o runOptions) error {
	its, err := e.openItems(o)
	if err != nil {
		return err
	}
	defer its.set.Close()
	if _, err := ask(o, its); err != nil {
		return err
	}
	if staged, err := answeredPairs(its); err != nil {
		return err
	} else if staged {
		p, err := e.prepareWith(ctx, o, its)
		if err != nil {
			return err
		}
		return e.planOrMake(ctx, p, nil)
	}
	s := &stages{opts: o, runs: e.hooks.folder(), questions: its}
	if s.judges, err = e.findJudges(ctx, o); err != nil {
		return err
	}
	if s.own, err = e.makeAnswers(ctx, s, s.answerOptions(), s.judges, "the judge's own answers"); err != nil {
		return err
	}
	if pl := e.hooks.planner; s.own == nil && pl != nil {
		pl.follow(s, 2*len(its.rows))
		return nil
	}
	if s.own == nil { // a dry run
		e.say("%d comparisons follow once the stage before is there", 2*len(its.rows))
		return nil
	}
	p, err := e.referenceStage(ctx, s)
	if err != nil {
		return err
	}
	defer p.set.Close()
	return e.planOrMake(ctx, p, nil)
}

// answeredPairs tells whether the stage before is in the dataset.
func answeredPairs(its items) (bool, error) {
	if _, err := its.shape(); err != nil { // none are left
		return false, err
	}
	item, err := its.set.Item(its.rows[0])
	return item.Answered != nil, err
}

// referenceStage makes the dataset of the comparisons out of the judge's answers.
func (e *env) referenceStage(ctx context.Context, s *stages) (*prepared, error) {
	var lines [][]byte
	referenced, err := judging.EachReference(s.questions.set, s.questions.rows, s.own, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("there is nothing to judge: the judge answered no question of %s", s.questions.set.Name)
	}
	p, err := e.fromStage(ctx, s, s.questions.set.Format, lines, referenced.Warnings)
	if err != nil {
		return nil, err
	}
	p.job.Manifest.Referenced = referenced
	return p, nil
}
