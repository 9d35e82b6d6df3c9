package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gavel/backends"
	"gavel/judging"
)

// AskAgain asks the judge of a run for one judgment, at the endpoint and with the time limit of o and the parameters of
// the run. It asks once and stores nothing, in no run and in no cache.
func (e *Maker) AskAgain(ctx context.Context, o Request, a judging.Again) (*judging.Record, error) {
	o.RetryFor = time.Second
	judges, err := e.FindJudges(ctx, o)
	if err != nil {
		return nil, err
	}
	judge, m := judges[0], a.Manifest
	if judge.Identity() != m.Spec.Model.Identity {
		return nil, fmt.Errorf("%s now serves another model as %q than the one of this run",
			Describe(judge.Server), judge.Model.Name)
	}
	params := m.Spec.Parameters
	job := judging.Job{
		Manifest: m,
		Asker:    a.Asker,
		Client:   e.watched(judge.Client),
		Context:  max(judge.Model.Context, params.NumCtx),
		Now:      e.Now,
		Limit:    judge.Server.PromptLimit(cmp.Or(params.NumCtx, judge.Model.Context), params.MaxTokens),
	}
	if counter, ok := judge.Backend.(backends.Counter); ok {
		job.Count = counter.CountTokens
	}
	r, err := job.Once(ctx, a.Item, a.Shown)
	if err == nil && r.Outcome == judging.Failed {
		return nil, errors.New(r.Error)
	}
	return r, err
}
