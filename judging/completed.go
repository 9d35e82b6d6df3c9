package judging

import "slices"

// Completed holds the judgments that a run has already. The zero value holds none.
type Completed struct {
	presentationsDone map[repetitionKey][]bool // for each presentation of the item, whether it is judged
	count             int                      // of the judgments
}

// repetitionKey identifies the judgments of all presentations of an item in one repetition.
type repetitionKey struct {
	item       string // id of the item
	repetition int    // from 0
}

// Add adds the judgment of a record, and reports whether s did not have it yet.
func (s *Completed) Add(r *Record) bool {
	if s.presentationsDone == nil {
		s.presentationsDone = map[repetitionKey][]bool{}
	}
	key := repetitionKey{r.Item, r.Repetition}
	done := s.presentationsDone[key]
	if done == nil {
		done = make([]bool, r.Presentations)
		s.presentationsDone[key] = done
	}
	switch {
	case r.Presentation >= len(done):
		return true
	case done[r.Presentation]:
		return false
	}
	done[r.Presentation] = true
	s.count++
	return true
}

// Has reports whether the run has the judgment of an item, by its id, in a presentation and a repetition, both from 0.
func (s *Completed) Has(item string, presentation, repetition int) bool {
	done := s.presentationsDone[repetitionKey{item, repetition}]
	return presentation < len(done) && done[presentation]
}

// Count returns the number of judgments that the run has.
func (s *Completed) Count() int { return s.count }

// IsItemComplete reports whether the run has the judgments of all presentations of an item, by its id, in each of the
// first repetitions.
func (s *Completed) IsItemComplete(item string, repetitions int) bool {
	for repetition := range repetitions {
		done, some := s.presentationsDone[repetitionKey{item, repetition}]
		if !some || slices.Contains(done, false) {
			return false
		}
	}
	return true
}
