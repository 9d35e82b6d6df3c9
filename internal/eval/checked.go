package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gavel/backends"
	"gavel/judging"
	"gavel/scoring"
)

// checks settle judgments as the identity checks of their replies end (see [backends.Watch]). A judgment waits for them
// on disk, beside the records, and is stored then, or set aside.
type checks struct {
	run *runState

	mu         sync.Mutex
	unverified int               // records with that mark: nobody could ask
	unsure     bool              // there was one, in this try
	foreign    []*judging.Record // a reply is of another model
	changed    error             // which
	err        error             // of a record that could not be written
}

// take stores a copy of a judgment once its checks have ended, or sets it aside. The error is of any of those that were
// settled.
func (c *checks) take(judgment *judging.Record, read scoring.Read) error {
	r := new(*judgment)
	if !r.Waits() {
		return c.run.store(r, read)
	}
	r.Checked(func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if errors.As(err, new(*backends.ModelChangedError)) {
			r.SetAside(err)
			c.foreign, c.changed = append(c.foreign, r), err
			c.run.left.Add(1)
			err = c.run.dir.Hold(r) // if the run is killed now, the next one knows
		} else {
			r.Unverified = err != nil
			if r.Unverified {
				c.unverified++
				c.unsure = true
			}
			err = c.run.store(r, read)
		}
		c.err = cmp.Or(c.err, err)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// resume has the judgments that waited when an earlier try ended wait for a check of the servers that answered.
func (p *runState) resume() error {
	for _, r := range p.dir.Waiting {
		for _, reply := range slices.Concat(r.Replies, r.Asides) {
			r.Await(p.watches[cmp.Or(reply.Endpoint, p.earlier.Server.URL)].Check())
		}
		read, err := p.records.Look(r)
		if err == nil {
			err = p.take(r, read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askChecked runs the job, and ends with a last check of the servers. What a server of a pool answered after its model
// changed is asked again of the others.
func (e *Maker) askChecked(ctx context.Context, p *runState) error {
	c := p.checks
	for {
		err := p.job.Run(ctx)
		if why := e.lastCheck(ctx, p, err); c.unverified > 0 {
			e.say("warning: %d judgments are kept but unverified: %v; the same command asks again", c.unverified, why)
		}
		foreign := c.foreign
		c.foreign, c.unverified = nil, 0
		err = cmp.Or(c.err, err)
		if err == nil && len(foreign) > 0 && len(p.judges) > 1 && p.follow == nil { // a rule cannot be told otherwise
			e.say("%d judgments are asked for again: another model had answered them", len(foreign))
			if err := p.recount(func(*judging.Record) bool { return true }); err != nil {
				return err
			}
			continue
		}
		for _, r := range foreign {
			read, lerr := p.records.Look(r)
			err = cmp.Or(lerr, p.store(r, read), err)
		}
		if c.err == nil {
			err = cmp.Or(p.dir.Settled(), err)
		}
		if len(foreign) > 0 && (err == nil || errors.Is(err, judging.ErrStopped)) {
			return c.changed
		}
		return err
	}
}

// recount has the job ask for all but the records that stand.
func (p *runState) recount(stands func(*judging.Record) bool) error {
	p.job.Completed = judging.Completed{}
	return judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
		if stands(r) {
			p.job.Completed.Add(r)
		}
		return nil
	})
}

// leastCheck is the time for a last check where nobody would wait for the server, and the least anywhere.
const leastCheck = 5 * time.Second

// lastCheck asks the servers once more which model they serve; the error is why one does not say it.
func (e *Maker) lastCheck(ctx context.Context, p *runState, runErr error) error {
	limit := max(p.req.RetryFor, leastCheck)
	if p.stopped.Load() || len(p.judges) > 1 || runErr != nil && !errors.Is(runErr, judging.ErrStopped) {
		limit = leastCheck
	}
	said := time.AfterFunc(2*time.Second, func() {
		e.say("waiting up to %s for the server to say which model it serves", limit)
	})
	defer said.Stop()
	why := errors.New("another server gave them") // where none of these fails
	var servers sync.WaitGroup
	var mu sync.Mutex
	for url, w := range p.watches {
		servers.Go(func() {
			if err := w.Last(ctx, limit); err != nil {
				mu.Lock()
				defer mu.Unlock()
				why = fmt.Errorf("%s does not say which model it serves (%w)", url, err)
			}
		})
	}
	servers.Wait()
	return why
}
