package eval

import (
	"context"
	"fmt"
	"time"

	"gavel/backends"
	"gavel/cache"
)

// mostCanaries is the most that a run may mix in: more tell no more.
const mostCanaries = 10_000

// distinctCanaries is how many of them there are: the same ones come again.
const distinctCanaries = 8

// guarded mixes the canaries that were asked for into a run's requests, evenly.
func (e *Maker) guarded(ctx context.Context, p *prepared, client backends.Client) (backends.Client, error) {
	if p.req.Canaries == 0 {
		return client, nil
	}
	m := p.job.Manifest
	spec := m.Spec
	c := backends.NewCanaries(min(max(2, p.req.Canaries), distinctCanaries), backends.Request{
		Identity: spec.Model.Identity, Model: spec.Model.Name, TopP: spec.Parameters.TopP, Seed: spec.Parameters.Seed,
		NumCtx: spec.Parameters.NumCtx, Context: p.job.Context, Think: spec.Parameters.Think,
	})
	if err := c.Listen(ctx, client); err != nil {
		return nil, fmt.Errorf("--canaries: the server does not answer them: %w", err)
	}
	if by, n := c.Told(); n < 2 {
		return nil, Wrong("canaries", p.req.Canaries, "%d: by %s the replies to them cannot be told apart, so none would be seen to be of another conversation: leave --canaries out, or ask a model that repeats a word when it is asked to", p.req.Canaries, by)
	} else if n < c.Len() {
		e.say("warning: --canaries: by %s only %d of %d replies can be told from those to the others", by, n, c.Len())
	}
	return backends.WithCanaries(client, c, m.Judgments/p.req.Canaries, e.Now), nil
}

// forget removes from the cache what the judge said from a time on, which may be of other prompts.
func (e *Maker) forget(ctx context.Context, p *prepared, since time.Time) {
	if p.store == nil {
		return
	}
	model, since := p.job.Manifest.Spec.Model.Name, since.Truncate(time.Second)
	_, err := p.store.Prune(context.WithoutCancel(ctx), func(c cache.Entry) bool { return c.Model == model && !c.Created.Before(since) })
	if err != nil {
		e.say("warning: the cache still holds the last replies of %s, which may be of other prompts: %v", model, err)
	}
}
