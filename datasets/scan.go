package datasets

import (
	"strings"
	"sync"
)

// pairLine are the keys of a JudgeBench line that are used.
type pairLine struct {
	PairID        *string `json:"pair_id"`
	Source        string  `json:"source"`
	Question      *string `json:"question"`
	ResponseModel string  `json:"response_model"`
	ResponseA     *string `json:"response_A"`
	ResponseB     *string `json:"response_B"`
	Label         *string `json:"label"`
}

// scan reads a line as json.Unmarshal does, in a fraction of the time, or gives
// up on it: a nested value, a key in other letters, half of a surrogate pair and
// whatever is wrong are left to encoding/json. The line is valid UTF-8.
func (p *pairLine) scan(line []byte) bool {
	s := pairScan{Scanner: scanners.Get().(*Scanner)}
	defer scanners.Put(s.Scanner)
	s.Reset(line)
	s.text.Grow(len(line)) // no text is longer than what it is written as
	return s.Object(func(key []byte) bool { return p.value(&s, string(key)) }) && s.End()
}

var scanners = sync.Pool{New: func() any { return new(Scanner) }}

func (p *pairLine) value(s *pairScan, key string) bool {
	switch key {
	case "pair_id":
		return s.optional(&p.PairID)
	case "question":
		return s.optional(&p.Question)
	case "response_A":
		return s.optional(&p.ResponseA)
	case "response_B":
		return s.optional(&p.ResponseB)
	case "label":
		return s.optional(&p.Label)
	case "source":
		return s.text1(&p.Source)
	case "response_model":
		return s.text1(&p.ResponseModel)
	}
	for _, known := range []string{"pair_id", "question", "response_A", "response_B", "label", "source", "response_model"} {
		if strings.EqualFold(key, known) {
			return false // encoding/json takes it for the known one
		}
	}
	return s.skip()
}

// pairScan is a scanner whose strings stand one after the other in one text.
type pairScan struct {
	*Scanner
	text strings.Builder
}

func (s *pairScan) string() (string, bool) {
	b, ok := s.Bytes()
	begin := s.text.Len()
	s.text.Write(b)
	return s.text.String()[begin:], ok
}

func (s *pairScan) optional(to **string) bool {
	if s.Word("null") {
		*to = nil
		return true
	}
	text, ok := s.string()
	*to = &text
	return ok
}

// text1 reads a string for which null changes nothing.
func (s *pairScan) text1(to *string) bool {
	if s.Word("null") {
		return true
	}
	text, ok := s.string()
	*to = text
	return ok
}

// skip passes over a value that is not used.
func (s *pairScan) skip() bool {
	if s.Word("null") || s.Word("true") || s.Word("false") {
		return true
	}
	if len(s.rest) > 0 && s.rest[0] == '"' {
		_, ok := s.Bytes()
		return ok
	}
	_, ok := s.Integer()
	return ok
}
