package judging

import (
	"slices"
	"strconv"

	"gavel/datasets"
)

// IDs is a set of item ids, for packages that know no datasets.
type IDs = datasets.IDs

// Completed is which judgments of a run are done already. The zero value is none. It is a few bytes an item.
type Completed struct {
	items IDs
	first []uint32 // of each item's judgments in done
	done  []bool
}

// Add notes a record.
func (s *Completed) Add(r *Record) {
	i, added := s.items.Add(turn(r.Item, r.Repetition))
	if added {
		s.first = append(s.first, uint32(len(s.done)))
		s.done = append(s.done, make([]bool, r.Presentations)...)
	}
	if have := s.of(i); r.Presentation < len(have) {
		have[r.Presentation] = true
	}
}

// turn names one repetition of an item's judgments. The first goes by the item's id,
// so that a plain run needs no others; no id holds a NUL.
func turn(item string, repetition int) string {
	if repetition == 0 {
		return item
	}
	return item + "\x00" + strconv.Itoa(repetition)
}

func (s *Completed) of(i int) []bool {
	end := len(s.done)
	if i+1 < len(s.first) {
		end = int(s.first[i+1])
	}
	return s.done[s.first[i]:end]
}

// Has tells whether one judgment stands.
func (s *Completed) Has(item string, presentation, repetition int) bool {
	i, ok := s.items.Find(turn(item, repetition))
	return ok && presentation < len(s.of(i)) && s.of(i)[presentation]
}

// Count is how many judgments stand.
func (s *Completed) Count() int {
	n := 0
	for _, d := range s.done {
		if d {
			n++
		}
	}
	return n
}

// Complete tells whether all judgments of an item stand, so many repetitions.
func (s *Completed) Complete(item string, repetitions int) bool {
	for repetition := range repetitions {
		i, ok := s.items.Find(turn(item, repetition))
		if !ok || slices.Contains(s.of(i), false) {
			return false
		}
	}
	return true
}
