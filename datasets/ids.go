package datasets

import "strings"

// IDs is a set of ids, numbered from 0 in the order added. The zero value is empty. Many may look things up while
// nobody adds.
type IDs struct {
	texts   []string
	numbers map[string]int
}

// Len is how many ids there are.
func (s *IDs) Len() int { return len(s.texts) }

// At is the id of a number.
func (s *IDs) At(i int) string { return s.texts[i] }

// Find looks an id up.
func (s *IDs) Find(id string) (int, bool) {
	number, found := s.numbers[id]
	return number, found
}

// Add adds an id, of which it keeps a copy, and gives its number; added is false where it was there already.
func (s *IDs) Add(id string) (number int, added bool) {
	if number, found := s.numbers[id]; found {
		return number, false
	}
	if s.numbers == nil {
		s.numbers = map[string]int{}
	}
	id = strings.Clone(id)
	s.numbers[id] = len(s.texts)
	s.texts = append(s.texts, id)
	return len(s.texts) - 1, true
}
