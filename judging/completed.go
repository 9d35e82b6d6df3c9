package judging

import "slices"

// Completed is which judgments of a run are done already. The zero value is none.
type Completed struct {
	judged map[repetitionKey][]bool // by presentation
}

// repetitionKey is one repetition of an item's judgments.
type repetitionKey struct {
	item       string
	repetition int
}

// Add notes a record.
func (s *Completed) Add(r *Record) {
	if s.judged == nil {
		s.judged = map[repetitionKey][]bool{}
	}
	key := repetitionKey{r.Item, r.Repetition}
	if s.judged[key] == nil {
		s.judged[key] = make([]bool, r.Presentations)
	}
	if r.Presentation < len(s.judged[key]) {
		s.judged[key][r.Presentation] = true
	}
}

// Has tells whether one judgment stands.
func (s *Completed) Has(item string, presentation, repetition int) bool {
	judged := s.judged[repetitionKey{item, repetition}]
	return presentation < len(judged) && judged[presentation]
}

// Count is how many judgments stand.
func (s *Completed) Count() int {
	n := 0
	for _, judged := range s.judged {
		for _, is := range judged {
			if is {
				n++
			}
		}
	}
	return n
}

// Complete tells whether all judgments of an item stand, so many repetitions.
func (s *Completed) Complete(item string, repetitions int) bool {
	for repetition := range repetitions {
		judged, some := s.judged[repetitionKey{item, repetition}]
		if !some || slices.Contains(judged, false) {
			return false
		}
	}
	return true
}
