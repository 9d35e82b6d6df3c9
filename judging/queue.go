package judging

import (
	"crypto/sha256"
	"slices"
	"sync"

	"gavel/datasets"
)

// queue hands out the judgments of a run. Those of one item are for the worker that took the item, one after the other.
// Only when there is no item left to take, whoever has nothing to do takes a judgment that would have had to wait:
// else a run would end with most places idle.
type queue struct {
	job    *Job
	mu     sync.Mutex
	opened sync.Cond // the judgments of an item are known
	rows   []int     // in the order in which they are taken
	next   int       // in rows
	taken  int       // items whose judgments are not known yet
	open   []*work   // with judgments that nobody has taken
}

// work is an item that was taken.
type work struct {
	item          datasets.Item
	presentations int
	first         int        // index of the presentation that is asked first
	judgments     []judgment // that nobody has taken
}

// judgment is one presentation of an item, and which repetition of it.
type judgment struct {
	Presentation
	repetition int
}

func newQueue(j *Job) *queue {
	q := &queue{job: j, rows: j.Rows}
	if j.Order != nil {
		q.rows = j.Order
	}
	q.opened.L = &q.mu
	return q
}

// item takes the next item of which judgments are missing; nil where none is left. Where those of an item are asked
// together, the next item is taken when all judgments of the one before are.
func (q *queue) item() (*work, error) {
	shared, row, ok := q.row()
	if shared != nil || !ok {
		return shared, nil
	}
	var w *work
	var err error
	defer func() { // of a panic too, else whoever waits for the item waits for ever
		q.mu.Lock()
		defer q.mu.Unlock()
		q.taken--
		q.opened.Broadcast()
		if err == nil && w != nil && len(w.judgments) > 0 {
			q.open = append(q.open, w)
		}
	}()
	w, err = q.job.work(row)
	return w, err
}

func (q *queue) row() (shared *work, row int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.job.Together && len(q.open) == 0 && q.taken > 0 {
		q.opened.Wait()
	}
	if q.job.Together && len(q.open) > 0 {
		return q.open[0], 0, true
	}
	for q.next < len(q.rows) {
		row := q.rows[q.next]
		q.next++
		if !q.job.Completed.Complete(q.job.Set.ID(row), q.job.Manifest.Spec.Parameters.Repetitions()) {
			q.taken++
			return nil, row, true
		}
	}
	return nil, 0, false
}

// judgment takes the next judgment of an item, if nobody has taken it.
func (q *queue) judgment(w *work) (judgment, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.take(w)
}

// last takes a judgment of the item that was taken last: of all those open its own worker would come to it latest.
func (q *queue) last() (*work, judgment, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.open) == 0 && q.taken > 0 {
		q.opened.Wait()
	}
	if len(q.open) == 0 {
		return nil, judgment{}, false
	}
	w := q.open[len(q.open)-1]
	s, ok := q.take(w)
	return w, s, ok
}

func (q *queue) take(w *work) (judgment, bool) {
	if len(w.judgments) == 0 {
		return judgment{}, false
	}
	s := w.judgments[0]
	w.judgments = w.judgments[1:]
	if len(w.judgments) == 0 {
		i := slices.Index(q.open, w)
		q.open = slices.Delete(q.open, i, i+1)
	}
	return s, true
}

// swappedFirst tells of which items, about half of them, the second presentation is asked first. A server
// whose prompt cache, or whose batches, move its replies a little moves those of what is asked second: that
// must not always be one order.
func swappedFirst(item string) bool { return sha256.Sum256([]byte(item))[0]&1 == 1 }

// work reads an item and finds which of its judgments are missing.
func (j *Job) work(row int) (*work, error) {
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
