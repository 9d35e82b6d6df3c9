package datasets

import (
	"hash/maphash"
	"strings"
)

// IDs is a set of ids, numbered from 0 in the order added: what a map from id to number is, in a fifth of its memory.
// The zero value is empty. Many may look things up while nobody adds.
type IDs struct {
	texts []string // of idsPerText ids each, one after the other
	last  strings.Builder
	ends  []uint32 // of each id in its text
	table []uint32 // open addressing: 1 + the number of an id, by hash
	seed  maphash.Seed
}

const idsPerText = 1024

// Len is how many ids there are.
func (s *IDs) Len() int { return len(s.ends) }

// At is the id of a number, without a copy.
func (s *IDs) At(i int) string {
	text, begin := s.last.String(), uint32(0)
	if k := i / idsPerText; k < len(s.texts) {
		text = s.texts[k]
	}
	if i%idsPerText > 0 {
		begin = s.ends[i-1]
	}
	return text[begin:s.ends[i]]
}

// Find looks an id up.
func (s *IDs) Find(id string) (int, bool) {
	if len(s.table) == 0 {
		return 0, false
	}
	n := s.table[s.slot(id)]
	return int(n) - 1, n > 0
}

// slot is where in the table the id stands, or would.
func (s *IDs) slot(id string) int {
	mask := len(s.table) - 1
	at := int(maphash.String(s.seed, id)) & mask
	for s.table[at] > 0 && s.At(int(s.table[at])-1) != id {
		at = (at + 1) & mask
	}
	return at
}

// Add adds an id, of which it keeps a copy, and gives its number; added is false where it was there already.
func (s *IDs) Add(id string) (number int, added bool) {
	if 4*len(s.ends) >= 3*len(s.table) {
		s.grow()
	}
	at := s.slot(id)
	if n := s.table[at]; n > 0 {
		return int(n) - 1, false
	}
	if n := len(s.ends); n > 0 && n%idsPerText == 0 {
		s.texts = append(s.texts, strings.Clone(s.last.String())) // without the room to grow
		s.last.Reset()
	}
	s.last.WriteString(id)
	s.ends = append(s.ends, uint32(s.last.Len()))
	s.table[at] = uint32(len(s.ends))
	return len(s.ends) - 1, true
}

func (s *IDs) grow() {
	if s.table == nil {
		s.seed = maphash.MakeSeed()
	}
	s.table = make([]uint32, max(64, 2*len(s.table)))
	for i := range s.ends {
		s.table[s.slot(s.At(i))] = uint32(i) + 1
	}
}
