package scoring

import (
	"fmt"
	"sync"

	"gavel/judging"
	"gavel/scoring/stats"
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
	records  *Loader // that are taken before they are added
	headline string
	says     string // what it counts, in words
	mu       sync.Mutex
	right, n int
	failed   int // of n: they may yet be right
}

// fewSoFar is how many items of a run say something of it.
const fewSoFar = 30

// NewSoFar counts the records that a loader takes; it is nil where items are not right or wrong by the headline.
func NewSoFar(records *Loader) *SoFar {
	shares := Shares(records.run.Manifest.Spec.Protocol)
	if len(shares) == 0 {
		return nil
	}
	w := records.run.words()
	headline, _ := MetricOf(records.run.Manifest.Spec.Protocol, shares[0])
	return &SoFar{
		records:  records,
		headline: headline.Metric,
		says:     headline.Label + w.Asked + " on %.0f to %.0f %% of %d " + w.Unit + "s",
	}
}

// Add counts a judgment that the loader has taken.
func (s *SoFar) Add(r *judging.Record) {
	if s == nil || r.Repetition > 0 {
		return
	}
	is, complete := s.records.Item(r.Item, s.headline)
	if !complete || is == LeftOut {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	switch is {
	case Right:
		s.right++
	case NotKnown:
		s.failed++
	}
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
	low := stats.Sequence(s.right, s.n, 0.95).Low
	high := stats.Sequence(s.right+s.failed, s.n, 0.95).High
	return fmt.Sprintf(s.says, 100*low, 100*high, s.n)
}
