package scoring

import (
	"slices"

	"gavel/judging"
)

// Shares are the metrics of a protocol by which an item is right or wrong, its headline first: what can be decided
// before the last item. There are none where the headline is no such metric.
func Shares(protocol string) (names []string) {
	load, err := NewLoader(&judging.Manifest{Spec: judging.Spec{Protocol: protocol}}, DefaultOptions.Reading, nil)
	if err != nil {
		return nil
	}
	run := load.Run()
	for _, m := range run.scorer.Sheet(run.missing, 0).Metrics {
		switch {
		case !m.is(Share) || m.Mode != "" || m.Value != nil || m.Curve != nil:
		case m.Headline:
			names = slices.Insert(names, 0, m.Name)
		default:
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 || !slices.ContainsFunc(run.scorer.Sheet(run.missing, 0).Metrics, func(m Metric) bool {
		return m.Headline && m.Name == names[0]
	}) {
		return nil
	}
	return names
}

// Single gathers the judgments of one item, as they come.
type Single struct {
	*Loader
	metric string
	seen   int // judgments of the first time
	failed bool
}

// NewSingle is for an item of the run of a manifest, and what it comes to by a metric of [Shares].
func NewSingle(m *judging.Manifest, how judging.Reading, metric string) (*Single, error) {
	load, err := NewLoader(m, how, nil)
	return &Single{Loader: load, metric: metric}, err
}

// Take takes a judgment, and tells whether all of them are there. It keeps no hold of it.
func (s *Single) Take(r *judging.Record) (all bool, err error) {
	if r.Repetition == 0 {
		s.seen++
		s.failed = s.failed || r.Outcome == judging.Failed
	}
	return s.seen >= r.Presentations, s.Add(r)
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

// Fate is that of the item, once all judgments of it are there.
func (s *Single) Fate() Fate {
	run := s.Run()
	sheet := run.scorer.Sheet(run.missing, 0)
	if s.failed || len(sheet.Units) == 0 {
		return NotKnown
	}
	for _, m := range sheet.Metrics {
		if m.Name != s.metric || m.Mode != "" {
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
