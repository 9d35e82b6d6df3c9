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

// checked counts the judgments of a run whose identity checks have ended (see [backends.Watch]). A judgment waits for its
// checks on disk, beside the records: it becomes a record once they have ended.
type checked struct {
	mu         sync.Mutex
	unverified int                         // nobody could ask: records with that mark
	foreign    []*judging.Record           // a reply is of another model
	changed    *backends.ModelChangedError // which
	err        error                       // of a record that could not be written
}

// recorder writes a record that was read and takes it for the scores.
type recorder func(*judging.Record, scoring.Read) error

// await keeps a judgment until its checks have ended, and then records it or sets it aside.
func (p *runState) await(dir *judging.Dir, r *judging.Record, read scoring.Read, record recorder) error {
	if err := dir.Hold(r); err != nil {
		return err
	}
	p.settle(dir, r, read, record)
	p.checked.mu.Lock()
	defer p.checked.mu.Unlock()
	return p.checked.err
}

func (p *runState) settle(dir *judging.Dir, r *judging.Record, read scoring.Read, record recorder) {
	c := &p.checked
	r.Checked(func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if other, is := errors.AsType[*backends.ModelChangedError](err); is {
			r.SetAside(other)
			c.foreign, c.changed = append(c.foreign, r), other
			p.left.Add(1)
			c.err = cmp.Or(c.err, dir.Hold(r)) // if the run is killed now, the next one knows
			return
		}
		if r.Unverified = err != nil; r.Unverified {
			c.unverified++
		}
		err = record(r, read)
		if err == nil {
			err = dir.Release(r)
		}
		c.err = cmp.Or(c.err, err)
	})
}

// resume has the judgments that waited when an earlier try ended wait for a check of the servers that answered.
func (p *runState) resume(dir *judging.Dir, record recorder, follow func(*judging.Record) error) error {
	for _, r := range dir.Waiting() {
		read, err := p.records.Look(r)
		if err == nil {
			err = follow(r)
		}
		if err != nil {
			return err
		}
		for _, reply := range slices.Concat(r.Replies, r.Asides) {
			w := p.watches[cmp.Or(reply.Endpoint, p.earlier.Server.URL)]
			if w != nil {
				r.Await(w.Check())
			} else if !reply.Cached {
				r.Await(backends.Unverified())
			}
		}
		if !r.Waits() {
			r.Await(backends.Unverified())
		}
		p.settle(dir, r, read, record)
	}
	return nil
}

// askChecked runs the job, and ends with a last check of the servers. What a server of a pool answered after its model
// changed is asked again of the others.
func (e *Maker) askChecked(ctx context.Context, p *runState, dir *judging.Dir, record recorder) error {
	c := &p.checked
	for {
		err := p.job.Run(ctx)
		why := e.lastCheck(ctx, p, err)
		c.mu.Lock()
		foreign := c.foreign
		c.foreign = nil
		err = cmp.Or(c.err, err)
		c.mu.Unlock()
		if c.unverified > 0 {
			why = cmp.Or(why, errors.New("this command asks other servers than those that answered"))
			e.say("warning: %d judgments are kept but unverified: %v", c.unverified, why)
			c.unverified = 0
		}
		again := err == nil && len(foreign) > 0 && len(p.judges) > 1 && p.follow == nil // a rule cannot be told otherwise
		for _, r := range foreign {
			if !again {
				read, lerr := p.records.Look(r)
				err = cmp.Or(err, lerr, record(r, read))
			}
			err = cmp.Or(err, dir.Release(r))
		}
		if len(foreign) > 0 && !again && (err == nil || errors.Is(err, judging.ErrStopped)) {
			err = c.changed
		}
		if !again {
			return err
		}
		e.say("%d judgments are asked for again: another model had answered them", len(foreign))
		p.job.Completed = judging.Completed{}
		if err := judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
			p.job.Completed.Add(r)
			return nil
		}); err != nil {
			return err
		}
	}
}

// Limits of the last check, where nothing is left that would wait for the server too.
const (
	lastOfPool    = 10 * time.Second // the others have answered
	lastOfStopped = 5 * time.Second
	sayAfter      = 2 * time.Second
)

// lastCheck asks the servers once more which model they serve; the error is of one that does not say it.
func (e *Maker) lastCheck(ctx context.Context, p *runState, runErr error) error {
	limit := max(p.req.RetryFor, lastOfStopped) // one answer takes its time, however short the user would retry
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	switch {
	case p.stopped.Load() || runErr != nil && !errors.Is(runErr, judging.ErrStopped):
		limit = lastOfStopped
	case len(p.judges) > 1:
		limit = min(limit, lastOfPool)
	}
	if runErr == nil {
		go func() {
			select {
			case <-p.job.Stop:
				cancel(ErrInterrupted)
			case <-ctx.Done():
			}
		}()
	}
	said := time.AfterFunc(sayAfter, func() {
		e.say("waiting up to %s for the server to say which model it serves", limit)
	})
	defer said.Stop()
	var servers sync.WaitGroup
	var mu sync.Mutex
	var why error
	for url, w := range p.watches {
		servers.Go(func() {
			if err := w.Last(ctx, limit); err != nil {
				mu.Lock()
				defer mu.Unlock()
				why = fmt.Errorf("%s was asked in vain which model it serves (%w); the same command asks it again", url, err)
			}
		})
	}
	servers.Wait()
	return why
}
