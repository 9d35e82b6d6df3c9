package eval

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"gavel/datasets"
	"gavel/judging"
	"gavel/scoring"
)

// StoppingRule can end a run before its last item. The run judges its items in a random order given by Seed.
type StoppingRule struct {
	Name         string  // name in the run's manifest
	Alpha        float64 // bounds the probability that the rule decides wrongly
	Metric       string  // name of the metric that the rule uses, one of scoring.ItemwiseMetrics; "" for none
	Seed         *int64  // seed of the order; nil: that of an earlier try, or else the request's
	MaxItems     int     // largest number of items to ask about and to pass to Observe; 0 for all
	MaxJudgments int     // largest number of judgments, from which the run sets MaxItems, at least 1; 0 for no limit
	// HeldOut, with Seed, is the part of the items that comes last in the order; nil for none. The rule gets none of its
	// items, and the run sets its Source and MaxItems.
	HeldOut *datasets.HeldOut
	// Observe receives the result of each item in the order drawn, from place 0 on, once all judgments of the item are
	// there, also of an earlier try. It reports whether the run may end.
	Observe func(place int, result scoring.ItemResult) (enough bool)

	// Records has the judgments so far, for use by Observe alone. The run sets it.
	Records *scoring.Loader
}

// ruleFeeder passes a run's items to its rule.
type ruleFeeder struct {
	rule        *StoppingRule
	placeByItem map[string]int // place of each item in the order drawn, from 0, by id

	mu             sync.Mutex
	waitingResults map[int]scoring.ItemResult // results that wait for earlier items, by place
	next           int                        // the place of the item that the rule receives next
	enough         bool                       // the rule has said that the run may end
	endRun         func()                     // ends the run; nil before it begins
}

// take adds a judgment, with the verdict read for the scores. Once all judgments of the item are there, it passes the
// item to the rule, which may end the run.
func (f *ruleFeeder) take(r *judging.Record, read scoring.VerdictReadings) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	place, ok := f.placeByItem[r.Item]
	if f.isDone() || !ok || place < f.next || r.Repetition > 0 {
		return nil
	}
	if err := f.rule.Records.AddParsed(r, read); err != nil {
		return err
	}
	result, complete := f.rule.Records.ItemResult(r.Item, f.rule.Metric)
	if !complete {
		return nil
	}
	f.waitingResults[place] = result
	for !f.isDone() {
		result, ok := f.waitingResults[f.next]
		if !ok {
			return nil
		}
		delete(f.waitingResults, f.next)
		f.enough = f.rule.Observe(f.next, result)
		f.next++
	}
	if f.enough && f.endRun != nil {
		f.endRun()
	}
	return nil
}

// isDone reports whether the rule needs no more items of the run.
func (f *ruleFeeder) isDone() bool {
	return f.enough || f.rule.MaxItems > 0 && f.next >= f.rule.MaxItems
}

// manifestEntry returns the rule's entry in the manifest.
func (f *ruleFeeder) manifestEntry() *judging.StopRule {
	n := cmp.Or(f.next, f.rule.MaxItems) // without a metric there were no looks
	return &judging.StopRule{Rule: f.rule.Name, Alpha: f.rule.Alpha, Looks: f.next, ItemCount: n}
}

// setDrawOrder sets the random order in which the run judges its items, if the protocol can be scored before the run's
// end, or a rule limits the items. The seed is the rule's, that of an earlier try, or the request's. With a rule, it
// also sets p.ruleFeed.
func (p *runState) setDrawOrder(reading judging.ReadingOptions) error {
	m := p.job.Manifest
	if len(scoring.ItemwiseMetrics(m.Spec.Protocol)) == 0 && p.rule == nil || p.isReplay {
		return nil
	}
	m.OrderSeed = &p.req.Seed
	if old := p.earlierManifest; old != nil && old.OrderSeed != nil {
		m.OrderSeed, m.HeldOut = old.OrderSeed, old.HeldOut
	}
	if p.rule != nil && p.rule.Seed != nil {
		m.OrderSeed, m.HeldOut = p.rule.Seed, p.rule.HeldOut
	}
	if m.HeldOut != nil && m.HeldOut.Source == "" && len(p.job.Rows) > 0 {
		item, err := p.set.Item(p.job.Rows[0])
		if err != nil {
			return err
		}
		m.HeldOut.Source = item.Source
	}
	place := map[string]int{}
	p.job.Order = nil
	all, _ := p.ids()
	ids := m.DrawOrder(all)
	for position, id := range ids {
		row, _ := p.set.Find(id)
		p.job.Order = append(p.job.Order, row)
		place[id] = position
	}
	if p.rule == nil {
		return nil
	}
	if p.rule.HeldOut != nil {
		p.rule.MaxItems = max(0, slices.IndexFunc(ids, p.rule.HeldOut.Contains))
	}
	for n, calls := 0, 0; p.rule.MaxJudgments > 0 && n < len(p.job.Order); n++ {
		each, _ := judging.CountPresentations(p.job.Asker, p.set, p.job.Order[n:n+1]) // prepare has found its errors
		calls += each * m.Spec.Parameters.Repetitions()
		if calls > p.rule.MaxJudgments {
			p.job.Order = p.job.Order[:max(1, n)]
		}
		p.rule.MaxItems = len(p.job.Order)
	}
	if n := p.rule.MaxItems; n > 0 && n < len(p.job.Order) {
		p.job.Order = p.job.Order[:n]
	}
	var err error
	p.rule.Records, err = scoring.NewLoader(m, reading)
	p.ruleFeed = &ruleFeeder{rule: p.rule, placeByItem: place, waitingResults: map[int]scoring.ItemResult{}}
	return err
}

// ids returns the ids of all items of the run, and no error.
func (p *runState) ids() ([]string, error) {
	ids := make([]string, len(p.job.Rows))
	for i, row := range p.job.Rows {
		ids[i] = p.set.ItemID(row)
	}
	return ids, nil
}

// countMissing returns the number of judgments still to make.
func (p *runState) countMissing() (int, error) {
	missing := p.job.Manifest.Judgments - p.completed
	if p.ruleFeed == nil || missing == 0 {
		return missing, nil
	}
	if p.ruleFeed.isDone() {
		return 0, nil
	}
	var rows []int
	repetitions := p.job.Manifest.Spec.Parameters.Repetitions()
	for _, row := range p.job.Order {
		if !p.job.Completed.IsItemComplete(p.set.ItemID(row), repetitions) {
			rows = append(rows, row)
		}
	}
	n, err := judging.CountPresentations(p.job.Asker, p.set, rows)
	return n * repetitions, err
}

// endedByRule reports whether a rule has ended the run without an error: one without a metric, at its limit of items.
func (p *runState) endedByRule(runErr error) bool {
	return p.ruleFeed != nil && (p.ruleFeed.isDone() || p.rule.Metric == "" && p.missing.Load() == 0) &&
		(runErr == nil || errors.Is(runErr, judging.ErrStopped))
}
