package eval

import (
	"bytes"
	"context"
	"fmt"

	"gavel/judging"
)

// referenced has the judge answer the questions of pairs itself, then compare
// their responses with its answers as reference.
func (w *work) referenced(ctx context.Context, o Request) error {
	its, err := w.openItems(o)
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
		p, err := w.prepareWith(ctx, o, its)
		if err != nil {
			return err
		}
		return w.planOrMake(ctx, p)
	}
	s := &stages{opts: o, runs: w.folder(), questions: its}
	if s.judges, err = w.FindJudges(ctx, o); err != nil {
		return err
	}
	if s.own, err = w.makeAnswers(ctx, s, s.answerOptions(), s.judges, "the judge's own answers"); err != nil {
		return err
	}
	if s.own == nil { // a plan
		w.plan.Later = &Later{o, 2 * len(its.rows), s.judges}
		w.note("%d comparisons follow once the stage before is there", 2*len(its.rows))
		return nil
	}
	p, err := w.referenceStage(ctx, s)
	if err != nil {
		return err
	}
	defer p.set.Close()
	return w.planOrMake(ctx, p)
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
func (w *work) referenceStage(ctx context.Context, s *stages) (*prepared, error) {
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
	p, err := w.fromStage(ctx, s, s.questions.set.Format, lines, referenced.Warnings)
	if err != nil {
		return nil, err
	}
	p.job.Manifest.Referenced = referenced
	return p, nil
}
