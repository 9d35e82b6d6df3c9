package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"gavel/backends"
	"gavel/cache"
	"gavel/judging"
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

// waits are of judgments that ended later than their records say, since calls were waited for between tries: what the
// record says, and when it was so.
type waits struct {
	mu  sync.Mutex
	all [][2]time.Time
}

func (w *waits) note(ended, now time.Time) {
	if ended.Before(now) {
		w.mu.Lock()
		w.all = append(w.all, [2]time.Time{ended, now})
		w.mu.Unlock()
	}
}

// from is the time from which on judgments are not to be believed by what their records say, if it is since by the clock.
func (w *waits) from(since time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := since
	for _, x := range w.all {
		if !x[1].Before(since) && x[0].Before(from) {
			from = x[0]
		}
	}
	return from
}

// doubted is how many judgments there are that are not believed, and so are left.
func (p *prepared) doubted(suspect time.Time) int {
	type key struct {
		item                     string
		presentation, repetition int
	}
	last := map[key]bool{}
	err := judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
		at := key{r.Item, r.Presentation, r.Repetition}
		if r.Outcome != judging.Failed && !r.Ended().Before(suspect) {
			last[at] = true
		} else {
			delete(last, at)
		}
		return nil
	})
	if err != nil {
		return 0 // whoever goes on is told
	}
	return len(last)
}

// doubt reads which judgments of an earlier try are not believed.
func (p *prepared) doubt() {
	if was, err := judging.ReadManifest(p.out); err == nil {
		p.suspect = was.Suspect
	}
}
