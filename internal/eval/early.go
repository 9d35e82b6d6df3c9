package eval

import (
	"errors"
	"sync"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// Rule ends a run before its last item. The run asks about items in an order drawn by seed.
type Rule struct {
	Name   string  // in the run's manifest
	Alpha  float64 // bounds the probability of an error
	Metric string  // of scoring.Shares
	Seed   *int64  // of the order; nil: that of an earlier try, else the request's
	Upto   int     // the most items to ask about; 0 for all
	// Look takes the items in the order drawn, from place 0 on, when all judgments of an item are there, and reports
	// whether the run may end. Items that were judged earlier count too.
	Look func(place int, is scoring.ItemResult) (enough bool)
}

// follower passes a run's items to its rule.
type follower struct {
	rule  *Rule
	place map[string]int // of each item in the order drawn

	mu      sync.Mutex
	records *scoring.Loader
	items   map[int]scoring.ItemResult // by place, from next on
	next    int                        // the place of the item that the rule takes next
	enough  bool
	end     func() // ends the run; nil before it begins
}

// take adds a judgment. When its item is complete, the rule takes it and may end the run.
func (f *follower) take(r *judging.Record, read scoring.Read) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ours := f.place[r.Item]
	if f.enough || !ours || at < f.next || r.Repetition > 0 {
		return nil
	}
	if err := f.records.Take(r, read); err != nil {
		return err
	}
	is, complete := f.records.Item(r.Item, f.rule.Metric)
	if !complete {
		return nil
	}
	f.items[at] = is
	for !f.enough {
		is, there := f.items[f.next]
		if !there {
			return nil
		}
		delete(f.items, f.next)
		f.enough = f.rule.Look(f.next, is)
		f.next++
	}
	if f.end != nil {
		f.end()
	}
	return nil
}

// over reports whether the rule needs no more of the run.
func (f *follower) over() bool {
	return f.enough || f.rule.Upto > 0 && f.next >= f.rule.Upto
}

// stopped returns the rule's entry in the manifest.
func (f *follower) stopped() *judging.Stopped {
	return &judging.Stopped{Rule: f.rule.Name, Alpha: f.rule.Alpha, Looks: f.next, Items: f.next}
}

// draw sets the order in which the run asks about its items, if it can be scored before its end. The seed is that of
// the rule, of an earlier try, or of the request.
func (p *runState) draw(how judging.Reading) error {
	m := p.job.Manifest
	if len(scoring.Shares(m.Spec.Protocol)) == 0 || p.replay {
		return nil
	}
	seed := p.req.Seed
	if p.earlier != nil && p.earlier.DrawnBy != nil {
		seed = *p.earlier.DrawnBy
	}
	if p.rule != nil && p.rule.Seed != nil {
		seed = *p.rule.Seed
	}
	m.DrawnBy = &seed
	id := func(i int) string { return p.set.ID(p.job.Rows[i]) }
	place := map[string]int{}
	p.job.Order = nil
	for at, i := range datasets.Order(len(p.job.Rows), id, seed) {
		p.job.Order = append(p.job.Order, p.job.Rows[i])
		place[id(i)] = at
	}
	if p.rule == nil {
		return nil
	}
	if n := p.rule.Upto; n > 0 && n < len(p.job.Order) {
		p.job.Order = p.job.Order[:n]
	}
	records, err := scoring.NewLoader(m, how)
	p.follow = &follower{rule: p.rule, records: records, place: place, items: map[int]scoring.ItemResult{}}
	return err
}

// ids returns the ids of all items of the run.
func (p *runState) ids() []string {
	ids := make([]string, len(p.job.Rows))
	for i, row := range p.job.Rows {
		ids[i] = p.set.ID(row)
	}
	return ids
}

// missing counts the judgments that are still to be made.
func (p *runState) missing() (int, error) {
	left := p.job.Manifest.Judgments - p.completed
	if p.follow == nil || left == 0 {
		return left, nil
	}
	if p.follow.over() {
		return 0, nil
	}
	var rows []int
	repetitions := p.job.Manifest.Spec.Parameters.Repetitions()
	for _, row := range p.job.Order {
		if !p.job.Completed.Complete(p.set.ID(row), repetitions) {
			rows = append(rows, row)
		}
	}
	n, err := judging.CountPresentations(p.job.Asker, p.set, rows)
	return n * repetitions, err
}

// byRule reports whether a rule has ended the run without an error.
func (p *runState) byRule(runErr error) bool {
	return p.follow != nil && p.follow.over() && (runErr == nil || errors.Is(runErr, judging.ErrStopped))
}
