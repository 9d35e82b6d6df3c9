package scoring

import (
	"fmt"
	"sync"

	"gavel/judging"
	"gavel/scoring/stats"
)

// ItemwiseMetrics lists the keys of a protocol's metrics by which an item is right or wrong, the headline first; a run
// can end early by them. It is empty if the headline is not such a metric.
func ItemwiseMetrics(protocol string) (names []string) {
	for _, t := range MetricsOf(protocol) {
		if t.RightByItem {
			names = append(names, t.Metric)
		}
	}
	return names
}

// LiveScore counts the items of a run in progress by their result on the headline metric, for its display.
type LiveScore struct {
	loader   *Loader // loader of the run, which must take each record before Add does
	headline string  // key of the headline metric
	format   string  // format of String's sentence
	mu       sync.Mutex
	right, n int // items that are right, and all that count
	failed   int // items of n with a failed judgment, which may still become right
}

// minItems is the number of items that [LiveScore] needs before it prints a result.
const minItems = 30

// NewLiveScore returns a count of the loader's items; nil if items are not right or wrong by the headline metric.
func NewLiveScore(records *Loader) *LiveScore {
	shares := ItemwiseMetrics(records.run.Manifest.Spec.Protocol)
	if len(shares) == 0 {
		return nil
	}
	w := records.run.terms()
	headline, _ := MetricOf(records.run.Manifest.Spec.Protocol, shares[0])
	return &LiveScore{
		loader:   records,
		headline: headline.Metric,
		format:   headline.Label + w.MetricSuffix + " on %.0f to %.0f %% of %d " + w.Unit + "s",
	}
}

// Add counts the item of a judgment, which the loader has taken, once all its judgments were added.
func (s *LiveScore) Add(r *judging.Record) {
	if s == nil || r.Repetition > 0 {
		return
	}
	result, complete := s.loader.ItemResult(r.Item, s.headline)
	if !complete || result == ItemNotCounted {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	switch result {
	case ItemRight:
		s.right++
	case ItemUnknown:
		s.failed++
	}
}

// String returns the headline metric so far in words, as an interval that is valid at every look; "" while there are
// few items.
func (s *LiveScore) String() string {
	if s == nil {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.n < minItems {
		return ""
	}
	low := stats.ShareConfidenceSequence(s.right, s.n, 0.95).Low
	high := stats.ShareConfidenceSequence(s.right+s.failed, s.n, 0.95).High
	return fmt.Sprintf(s.format, 100*low, 100*high, s.n)
}
