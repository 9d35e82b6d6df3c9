package judging

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"sync"

	"gavel/backends"
	"gavel/datasets"
)

// queue hands out the judgments of a run. The worker that takes an item makes its judgments one after the other. Only
// when no item is left to take, idle workers take judgments that would have had to wait; otherwise a run would end with
// most workers idle. With RunJob.ParallelWithinItem, an item is taken only after all judgments of the one before.
type queue struct {
	job            *RunJob
	mu             sync.Mutex
	itemReady      sync.Cond // signals that the judgments of an item are known
	rows           []int     // rows of the items that no worker has taken yet, in order
	itemsBeingRead int       // items that a worker has taken and is reading: their judgments are not known yet
	openWork       []*work   // items taken, with judgments that no worker has taken yet

	workers             int   // workers at work
	consecutiveFailures int   // failed judgments in a row
	endReason           error // why the run ends early: too many failures, or another model on the server
}

// work holds an item that a worker has taken.
type work struct {
	item              datasets.Item
	presentations     int               // number of the item's presentations
	firstPresentation int               // index of the presentation that is asked first
	judgments         []pendingJudgment // those that no worker has taken yet
}

// pendingJudgment holds one presentation of an item in one repetition.
type pendingJudgment struct {
	Presentation
	repetition int // from 0
}

func newQueue(j *RunJob) *queue {
	q := &queue{job: j, rows: j.Rows}
	if j.Order != nil {
		q.rows = j.Order
	}
	q.itemReady.L = &q.mu
	return q
}

// vacancies returns the number of workers that the run lacks to make as many judgments at a time as it may. It counts
// them as working: the caller starts them.
func (q *queue) vacancies() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := max(0, q.job.concurrency()-q.workers)
	q.workers += n
	return n
}

// countFailure counts a judgment as failed or not. After too many failures in a row, or if the server changed its
// model, it ends the run.
func (q *queue) countFailure(rec *Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var changed *backends.ModelChangedError
	if errors.As(rec.failure, &changed) {
		q.endReason = changed
	}
	q.consecutiveFailures++
	if rec.Outcome != Failed {
		q.consecutiveFailures = 0
	}
	limit := cmp.Or(q.job.MaxConsecutiveFailures, max(10, 2*q.job.concurrency()))
	if q.consecutiveFailures >= limit && q.endReason == nil {
		q.endReason = &GaveUpError{Calls: q.consecutiveFailures, Last: rec.Error}
	}
}

// next takes a judgment for a worker: one of its item, if that has any left. w is nil for a worker without an item.
// next returns nil if no judgment is left, the run ends, or the worker is not needed for another item.
func (q *queue) next(ctx context.Context, w *work) (_ *work, g pendingJudgment, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil || q.job.stopped() || q.endReason != nil {
		return nil, g, nil
	}
	if w == nil || len(w.judgments) == 0 || q.job.ParallelWithinItem {
		if q.workers > q.job.concurrency() {
			q.workers--
			return nil, g, nil
		}
		w = nil
	}
	for w == nil || len(w.judgments) == 0 {
		switch {
		case q.job.ParallelWithinItem && len(q.openWork) > 0:
			w = q.openWork[0]
		case len(q.rows) > 0 && !(q.job.ParallelWithinItem && q.itemsBeingRead > 0):
			w, err = q.takeItem()
			if err != nil {
				return nil, g, err
			}
		case len(q.openWork) > 0: // the worker of the last open item would get to it latest
			w = q.openWork[len(q.openWork)-1]
		case q.itemsBeingRead > 0:
			q.itemReady.Wait()
		default:
			return nil, g, nil
		}
	}
	g = w.judgments[0]
	w.judgments = w.judgments[1:]
	if len(w.judgments) == 0 {
		q.openWork = slices.DeleteFunc(q.openWork, func(o *work) bool { return o == w })
	}
	return w, g, nil
}

// takeItem reads the next item and returns its missing judgments, or nil if none is missing. It unlocks q.mu while it
// reads.
func (q *queue) takeItem() (w *work, err error) {
	row := q.rows[0]
	q.rows = q.rows[1:]
	if q.job.Completed.IsItemComplete(q.job.Set.ItemID(row), q.job.Manifest.Spec.Parameters.Repetitions()) {
		return nil, nil
	}
	q.itemsBeingRead++
	q.mu.Unlock()
	defer func() { // after a panic, too: otherwise other workers would wait for ever
		q.mu.Lock()
		q.itemsBeingRead--
		q.itemReady.Broadcast()
		if w != nil && len(w.judgments) > 0 {
			q.openWork = append(q.openWork, w)
		}
	}()
	return q.job.missingWork(row)
}

// AsksSwappedFirst reports, for about half of the items, that the second presentation is asked first. On some servers
// the prompt cache or batching slightly changes replies to what is asked second, which must not always be one order.
func AsksSwappedFirst(item string) bool { return sha256.Sum256([]byte(item))[0]&1 == 1 }

// missingWork reads the item in a row of the set and lists its missing judgments.
func (j *RunJob) missingWork(row int) (*work, error) {
	item, err := j.Set.Item(row)
	if err != nil {
		return nil, err
	}
	presentations := j.Asker.Presentations(item)
	w := &work{item: item, presentations: len(presentations)}
	if j.Manifest.AlternatesOrder && len(presentations) == 2 && AsksSwappedFirst(item.ID) {
		presentations = []Presentation{presentations[1], presentations[0]}
		w.firstPresentation = presentations[0].Index
	}
	for repetition := range j.Manifest.Spec.Parameters.Repetitions() {
		for _, s := range presentations {
			if !j.Completed.Has(item.ID, s.Index, repetition) {
				w.judgments = append(w.judgments, pendingJudgment{s, repetition})
			}
		}
	}
	return w, nil
}
