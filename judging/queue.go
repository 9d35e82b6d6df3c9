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
// most workers idle. If the judgments of an item are asked together, the next item is taken when all of the one before
// are taken.
type queue struct {
	job     *RunJob
	mu      sync.Mutex
	opened  sync.Cond // signals that the judgments of an item are known
	rows    []int     // not taken yet, in order
	pending int       // items taken whose judgments are not known yet
	open    []*work   // with judgments that nobody has taken

	workers  int
	failures int   // of calls, in a row
	end      error // why the run ends early: too many failures, or another model on the server
}

// work holds an item that a worker took.
type work struct {
	item          datasets.Item
	presentations int
	first         int        // index of the presentation that is asked first
	judgments     []judgment // not taken yet
}

// judgment holds one presentation of an item in one repetition.
type judgment struct {
	Presentation
	repetition int
}

func newQueue(j *RunJob) *queue {
	q := &queue{job: j, rows: j.Rows}
	if j.Order != nil {
		q.rows = j.Order
	}
	q.opened.L = &q.mu
	return q
}

// vacancies returns how many workers the run still lacks, and counts these as working.
func (q *queue) vacancies() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := max(0, q.job.concurrency()-q.workers)
	q.workers += n
	return n
}

// count records how a judgment ended; after too many failures in a row the run ends.
func (q *queue) count(rec *Record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var changed *backends.ModelChangedError
	if errors.As(rec.failure, &changed) {
		q.end = changed
	}
	q.failures++
	if rec.Outcome != Failed {
		q.failures = 0
	}
	if q.failures >= cmp.Or(q.job.GiveUp, max(10, 2*q.job.concurrency())) && q.end == nil {
		q.end = &GaveUpError{Calls: q.failures, Last: rec.Error}
	}
}

// next takes a judgment for a worker: one of its item, if that has any left. w is nil for a worker without an item.
// next returns nil if no judgment is left, the run ends, or the worker is not needed for another item.
func (q *queue) next(ctx context.Context, w *work) (_ *work, g judgment, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil || q.job.stopped() || q.end != nil {
		return nil, g, nil
	}
	if w == nil || len(w.judgments) == 0 || q.job.Together {
		if q.workers > q.job.concurrency() {
			q.workers--
			return nil, g, nil
		}
		w = nil
	}
	for w == nil || len(w.judgments) == 0 {
		switch {
		case q.job.Together && len(q.open) > 0:
			w = q.open[0]
		case len(q.rows) > 0 && !(q.job.Together && q.pending > 0):
			w, err = q.take()
			if err != nil {
				return nil, g, err
			}
		case len(q.open) > 0: // the worker of the last open item would get to it latest
			w = q.open[len(q.open)-1]
		case q.pending > 0:
			q.opened.Wait()
		default:
			return nil, g, nil
		}
	}
	g = w.judgments[0]
	w.judgments = w.judgments[1:]
	if len(w.judgments) == 0 {
		q.open = slices.DeleteFunc(q.open, func(o *work) bool { return o == w })
	}
	return w, g, nil
}

// take reads the next item, while other workers go on; it returns nil if none of the item's judgments is missing.
func (q *queue) take() (w *work, err error) {
	row := q.rows[0]
	q.rows = q.rows[1:]
	if q.job.Completed.Complete(q.job.Set.ID(row), q.job.Manifest.Spec.Parameters.Repetitions()) {
		return nil, nil
	}
	q.pending++
	q.mu.Unlock()
	defer func() { // after a panic, too: otherwise other workers would wait for ever
		q.mu.Lock()
		q.pending--
		q.opened.Broadcast()
		if w != nil && len(w.judgments) > 0 {
			q.open = append(q.open, w)
		}
	}()
	return q.job.work(row)
}

// swappedFirst reports, for about half of the items, that the second presentation is asked first. On some servers the
// prompt cache or batching slightly changes replies to what is asked second, which must not always be one order.
func swappedFirst(item string) bool { return sha256.Sum256([]byte(item))[0]&1 == 1 }

// work reads an item and lists its missing judgments.
func (j *RunJob) work(row int) (*work, error) {
	item, err := j.Set.Item(row)
	if err != nil {
		return nil, err
	}
	presentations := j.Asker.Presentations(item)
	w := &work{item: item, presentations: len(presentations)}
	if j.Manifest.Alternates && len(presentations) == 2 && swappedFirst(item.ID) {
		presentations = []Presentation{presentations[1], presentations[0]}
		w.first = presentations[0].Index
	}
	for repetition := range j.Manifest.Spec.Parameters.Repetitions() {
		for _, s := range presentations {
			if !j.Completed.Has(item.ID, s.Index, repetition) {
				w.judgments = append(w.judgments, judgment{s, repetition})
			}
		}
	}
	return w, nil
}
