package eval

import (
	"errors"
	"sync"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// Rule ends a run before its last item. The items are asked about in an order drawn by seed.
type Rule struct {
	Name   string  // as the run keeps it
	Alpha  float64 // bounds the probability that it errs
	Metric string  // of scoring.Shares
	Seed   *int64  // of the order; nil: that of an earlier try, else the request's
	Upto   int     // items that are asked about at most; 0 for all
	// Look is told of each item in the order drawn, from place 0 on, once all judgments of it are there, and says whether
	// that is enough. It is told of those that stand too.
	Look func(place int, is scoring.ItemResult) (enough bool)
}

// follower tells a rule of a run's items.
type follower struct {
	rule  *Rule
	place map[string]int

	mu      sync.Mutex
	records *scoring.Loader
	items   map[int]scoring.ItemResult // by place, of items that the rule was not told of yet
	told    int
	enough  bool
	end     func() // ends the run; nil before it is begun
}

// take tells the rule of the judgment's item once it has all of them, and ends the run where that is enough.
func (f *follower) take(r *judging.Record, read scoring.Read) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, ours := f.place[r.Item]
	if f.enough || !ours || at < f.told || r.Repetition > 0 {
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
		is, there := f.items[f.told]
		if !there {
			return nil
		}
		delete(f.items, f.told)
		f.enough = f.rule.Look(f.told, is)
		f.told++
	}
	if f.end != nil {
		f.end()
	}
	return nil
}

// over tells whether the rule needs no more of the run.
func (f *follower) over() bool {
	return f.enough || f.rule.Upto > 0 && f.told >= f.rule.Upto
}

// stopped is what the run keeps of the rule.
func (f *follower) stopped() *judging.Stopped {
	return &judging.Stopped{Rule: f.rule.Name, Alpha: f.rule.Alpha, Looks: f.told, Items: f.told}
}

// draw orders the items that are asked about by seed, where what the run comes to can be told before its end: that of
// the rule or of an earlier try, else the request's.
func (p *runState) draw(how judging.Reading) error {
	shares := scoring.Shares(p.job.Manifest.Spec.Protocol)
	if len(shares) == 0 || p.replay {
		return nil
	}
	m, seed := p.job.Manifest, p.req.Seed
	if p.earlier != nil && p.earlier.DrawnBy != nil {
		seed = *p.earlier.DrawnBy
	}
	if p.rule != nil && p.rule.Seed != nil {
		seed = *p.rule.Seed
	}
	m.DrawnBy = &seed
	id := func(i int) string { return p.set.ID(p.job.Rows[i]) }
	p.job.Order = nil
	for _, i := range datasets.Order(len(p.job.Rows), id, seed) {
		p.job.Order = append(p.job.Order, p.job.Rows[i])
	}
	if p.rule == nil {
		return nil
	}
	records, err := scoring.NewLoader(m, how)
	p.follow = &follower{rule: p.rule, records: records, place: map[string]int{}, items: map[int]scoring.ItemResult{}}
	for at, id := range judging.Drawn(p.ids(), seed) {
		p.follow.place[id] = at
	}
	if n := p.rule.Upto; n > 0 && n < len(p.job.Order) {
		p.job.Order = p.job.Order[:n]
	}
	return err
}

// ids are those of all items of the run.
func (p *runState) ids() []string {
	ids := make([]string, len(p.job.Rows))
	for i, row := range p.job.Rows {
		ids[i] = p.set.ID(row)
	}
	return ids
}

// missing is how many judgments are to be asked for.
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

// byRule tells whether a rule has ended the run, and nothing went wrong.
func (p *runState) byRule(runErr error) bool {
	return p.follow != nil && p.follow.over() && (runErr == nil || errors.Is(runErr, judging.ErrStopped))
}
