package judging

import "slices"

// Completed holds the judgments that a run has already. The zero value holds none.
type Completed struct {
	presentationsDone map[repetitionKey][]bool // for each presentation of the item, whether it is judged
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
	if s.presentationsDone[key] == nil {
		s.presentationsDone[key] = make([]bool, r.Presentations)
	}
	if r.Presentation >= len(s.presentationsDone[key]) {
		return true
	}
	old := s.presentationsDone[key][r.Presentation]
	s.presentationsDone[key][r.Presentation] = true
	return !old
}

// Has reports whether the run has the judgment of an item, by its id, in a presentation and a repetition, both from 0.
func (s *Completed) Has(item string, presentation, repetition int) bool {
	done := s.presentationsDone[repetitionKey{item, repetition}]
	return presentation < len(done) && done[presentation]
}

// Count returns the number of judgments that the run has.
func (s *Completed) Count() int {
	n := 0
	for _, done := range s.presentationsDone {
		for _, ok := range done {
			if ok {
				n++
			}
		}
	}
	return n
}

// HasItem reports whether the run has the judgments of all presentations of an item, by its id, in each of the first
// repetitions.
func (s *Completed) HasItem(item string, repetitions int) bool {
	for repetition := range repetitions {
		done, some := s.presentationsDone[repetitionKey{item, repetition}]
		if !some || slices.Contains(done, false) {
			return false
		}
	}
	return true
}
