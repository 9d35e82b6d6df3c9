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

// identityChecks stores judgments once the server has named its model after their replies (see [backends.ModelWatch]).
// Until then, a judgment waits on disk, next to the records. If the model was another one, the judgment is set aside.
type identityChecks struct {
	run *runState

	mu sync.Mutex
	// unverifiedCount counts the records marked unverified: their server could not be asked which model it serves.
	unverifiedCount     int
	hasMarkedRecord     bool              // this try has marked a record unverified
	otherModelJudgments []*judging.Record // judgments with a reply of another model
	modelChangedError   error             // the *backends.ModelChangedError that names the other model; nil for none
	err                 error             // the first error from writing a record
}

// takeJudgment stores a copy of a judgment once its checks have ended, or sets it aside if another model answered. read
// is the verdict for the scores. The error may come from an earlier judgment.
func (c *identityChecks) takeJudgment(judgment *judging.Record, read scoring.VerdictReadings) error {
	r := new(*judgment)
	if !r.AwaitsChecks() {
		return c.run.storeJudgment(r, read)
	}
	r.WhenChecksEnd(func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if errors.As(err, new(*backends.ModelChangedError)) {
			r.MarkFailed(err)
			c.otherModelJudgments, c.modelChangedError = append(c.otherModelJudgments, r), err
			c.run.missing.Add(1)
			err = c.run.dir.WriteWaiting(r) // so that the next try knows if the run is killed now
		} else {
			r.Unverified = err != nil
			if r.Unverified {
				c.unverifiedCount++
				c.hasMarkedRecord = true
			}
			err = c.run.storeJudgment(r, read)
		}
		c.err = cmp.Or(c.err, err)
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// recheckWaiting passes to take the judgments that waited when an earlier try ended; each awaits a new server check.
func (p *runState) recheckWaiting() error {
	for _, r := range p.dir.WaitingJudgments {
		for _, reply := range slices.Concat(r.Replies, r.ExtraReplies) {
			r.AddIdentityCheck(p.watches[cmp.Or(reply.Endpoint, p.earlierManifest.Server.URL)].Check())
		}
		read, err := p.records.ReadVerdict(r)
		if err == nil {
			err = p.take(r, read)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// askThenCheck runs the job and ends with a last check of the servers. If one server of a pool changed its model, the
// others are asked again for its replies since then.
func (e *Maker) askThenCheck(ctx context.Context, p *runState) error {
	c := p.checks
	for {
		err := p.job.Run(ctx)
		if cause := e.checkServersAtEnd(ctx, p, err); c.unverifiedCount > 0 {
			e.Notef("warning: %d judgments are kept but unverified: %v; the same command asks again", c.unverifiedCount, cause)
		}
		otherModel := c.otherModelJudgments
		c.otherModelJudgments, c.unverifiedCount = nil, 0
		err = cmp.Or(c.err, err)
		if err == nil && len(otherModel) > 0 && len(p.judges) > 1 && p.ruleFeed == nil { // a rule has used them already
			e.Notef("%d judgments are asked for again: another model had answered them", len(otherModel))
			if err := p.askAllExcept(func(*judging.Record) bool { return true }); err != nil {
				return err
			}
			continue
		}
		for _, r := range otherModel {
			read, lerr := p.records.ReadVerdict(r)
			err = cmp.Or(lerr, p.storeJudgment(r, read), err)
		}
		if c.err == nil {
			err = cmp.Or(p.dir.RemoveWaiting(), err)
		}
		if len(otherModel) > 0 && (err == nil || errors.Is(err, judging.ErrStopped)) {
			return c.modelChangedError
		}
		return err
	}
}

// askAllExcept makes the job ask for all judgments except those of the records for which keep returns true.
func (p *runState) askAllExcept(keep func(*judging.Record) bool) error {
	p.job.Completed = judging.Completed{}
	return judging.ReadRecords(filepath.Join(p.out, judging.RecordsFile), func(r *judging.Record) error {
		if keep(r) {
			p.job.Completed.Add(r)
		}
		return nil
	})
}

// lastCheckTimeout limits the last check if there is no reason to wait for the server. With a reason, the limit is the
// request's RetryFor, if that is longer.
const lastCheckTimeout = 5 * time.Second

// checkServersAtEnd asks the servers once more which model they serve. runErr is the error with which the job ended.
// The returned error names a server that does not answer.
func (e *Maker) checkServersAtEnd(ctx context.Context, p *runState, runErr error) error {
	limit := max(p.req.RetryFor, lastCheckTimeout)
	if p.stopped.Load() || len(p.judges) > 1 || runErr != nil && !errors.Is(runErr, judging.ErrStopped) {
		limit = lastCheckTimeout
	}
	timer := time.AfterFunc(2*time.Second, func() {
		e.Notef("waiting up to %s for the server to say which model it serves", limit)
	})
	defer timer.Stop()
	cause := errors.New("another server gave them") // if none of these fails
	var servers sync.WaitGroup
	var mu sync.Mutex
	for url, w := range p.watches {
		servers.Go(func() {
			if err := w.FinalCheck(ctx, limit); err != nil {
				mu.Lock()
				defer mu.Unlock()
				cause = fmt.Errorf("%s does not say which model it serves (%w)", url, err)
			}
		})
	}
	servers.Wait()
	return cause
}
