package scoring

import (
	"fmt"
	"slices"
	"sync"

	"gavel/judging"
)

// Shares lists the metrics of a protocol by which an item is right or wrong, its headline first: a run can end early by
// them. It is empty where the headline is no such metric.
func Shares(protocol string) (names []string) {
	for _, t := range MetricsOf(protocol) {
		if t.PerItem {
			names = append(names, t.Metric)
		}
	}
	return names
}

// SoFar counts what the items of a run that is being made come to, by its headline.
type SoFar struct {
	items    *Singles
	says     string // what it counts, in words
	mu       sync.Mutex
	right, n int
	failed   int // of n: they may yet be right
}

// fewSoFar is how many items of a run say something of it.
const fewSoFar = 30

// NewSoFar is for the run of a manifest; nil where its items are not right or wrong by its headline.
func NewSoFar(m *judging.Manifest, how judging.Reading) *SoFar {
	shares := Shares(m.Spec.Protocol)
	if len(shares) == 0 {
		return nil
	}
	load, err := NewLoader(m, how)
	if err != nil {
		return nil
	}
	scorer := load.Run().scorer
	metrics := scorer.Sheet("", 0).Metrics
	headline := metrics[slices.IndexFunc(metrics, func(m Metric) bool { return m.Name == shares[0] })]
	w := scorer.Words()
	return &SoFar{
		items: NewSingles(m, how, headline.Name),
		says:  headline.Term.Name + w.Asked + " on %.0f to %.0f %% of %d " + w.Unit + "s",
	}
}

// Add takes a judgment as it was read, and keeps no hold of it.
func (s *SoFar) Add(r *judging.Record, read Read) error {
	if s == nil || r.Repetition > 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fate, all, err := s.items.take(r, func(l *Loader) error { return l.Take(r, read) })
	if err != nil || !all || fate == LeftOut {
		return err
	}
	s.n++
	switch fate {
	case Right:
		s.right++
	case NotKnown:
		s.failed++
	}
	return nil
}

// String says it as an interval that holds however often one looks; "" while there are few.
func (s *SoFar) String() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n < fewSoFar {
		return ""
	}
	low := Sequence(s.right, s.n, 0.95).Low
	high := Sequence(s.right+s.failed, s.n, 0.95).High
	return fmt.Sprintf(s.says, 100*low, 100*high, s.n)
}

// Singles gathers the judgments of a run, item by item, as they come.
type Singles struct {
	run    *judging.Manifest
	how    judging.Reading
	metric string
	open   map[string]*single // items of which judgments are there, and not all
}

// single gathers those of one item.
type single struct {
	*Loader
	seen   int // judgments of the first time
	failed bool
}

// NewSingles is for the run of a manifest, and what an item comes to by a metric of [Shares].
func NewSingles(m *judging.Manifest, how judging.Reading, metric string) *Singles {
	return &Singles{run: m, how: how, metric: metric, open: map[string]*single{}}
}

// Take takes a judgment, and tells whether all of its item are there, and what that comes to. It keeps no hold of it.
func (s *Singles) Take(r *judging.Record) (fate Fate, all bool, err error) {
	return s.take(r, func(l *Loader) error { return l.Add(r) })
}

func (s *Singles) take(r *judging.Record, add func(*Loader) error) (fate Fate, all bool, err error) {
	item := s.open[r.Item]
	if item == nil {
		load, err := NewLoader(s.run, s.how)
		if err != nil {
			return NotKnown, false, err
		}
		item = &single{Loader: load}
		s.open[r.Item] = item
	}
	if r.Repetition == 0 {
		item.seen++
		item.failed = item.failed || r.Outcome == judging.Failed
	}
	err = add(item.Loader)
	if err != nil || item.seen < r.Presentations {
		return NotKnown, false, err
	}
	delete(s.open, r.Item)
	return item.fate(s.metric), true, nil
}

// Fate is what an item comes to.
type Fate int

// Fates of an item; one without a verdict is left out where the metric leaves it out.
const (
	Wrong Fate = iota
	Right
	LeftOut
	NotKnown // a judgment failed
)

// fate is that of the item, once all judgments of it are there.
func (s *single) fate(metric string) Fate {
	run := s.Run()
	sheet := run.scorer.Sheet(run.missing, 0)
	if s.failed || len(sheet.Units) == 0 {
		return NotKnown
	}
	for _, m := range sheet.Metrics {
		if m.Name != metric || m.Mode != "" {
			continue
		}
		switch num, den := m.share(m.Columns.of(sheet.Units[0].Row)); {
		case den == 0:
			return LeftOut
		case num > 0:
			return Right
		}
	}
	return Wrong
}
