package judging

import "slices"

// Completed holds the judgments that a run has already. The zero value holds none.
type Completed struct {
	done map[repetitionKey][]bool // for each presentation of the item, whether it is judged
}

// repetitionKey identifies the judgments of all presentations of an item in one repetition.
type repetitionKey struct {
	item       string // id of the item
	repetition int    // from 0
}

// Add adds the judgment of a record, and reports whether s did not have it yet.
func (s *Completed) Add(r *Record) bool {
	if s.done == nil {
		s.done = map[repetitionKey][]bool{}
	}
	key := repetitionKey{r.Item, r.Repetition}
	if s.done[key] == nil {
		s.done[key] = make([]bool, r.Presentations)
	}
	if r.Presentation >= len(s.done[key]) {
		return true
	}
	old := s.done[key][r.Presentation]
	s.done[key][r.Presentation] = true
	return !old
}

// Has reports whether the run has the judgment of an item, by its id, in a presentation and a repetition, both from 0.
func (s *Completed) Has(item string, presentation, repetition int) bool {
	done := s.done[repetitionKey{item, repetition}]
	return presentation < len(done) && done[presentation]
}

// Count returns the number of judgments that the run has.
func (s *Completed) Count() int {
	n := 0
	for _, done := range s.done {
		for _, ok := range done {
			if ok {
				n++
			}
		}
	}
	return n
}

// Complete reports whether the run has the judgments of all presentations of an item, by its id, in each of the first
// repetitions.
func (s *Completed) Complete(item string, repetitions int) bool {
	for repetition := range repetitions {
		done, some := s.done[repetitionKey{item, repetition}]
		if !some || slices.Contains(done, false) {
			return false
		}
	}
	return true
}
