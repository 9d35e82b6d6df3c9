package datasets

import (
	"strings"
	"unicode/utf8"
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
	s := scanner{rest: line}
	s.text.Grow(len(line)) // no text is longer than what it is written as
	if !s.next('{') {
		return false
	}
	for first := true; ; first = false {
		switch {
		case s.next('}'):
			s.space()
			return len(s.rest) == 0 && !first
		case !first && !s.next(','):
			return false
		}
		key, ok := s.string()
		if !ok || !s.next(':') || !p.value(&s, key) {
			return false
		}
	}
}

func (p *pairLine) value(s *scanner, key string) bool {
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

// scanner reads JSON from the front of rest.
type scanner struct {
	rest []byte
	text strings.Builder // all strings, one after the other
}

func (s *scanner) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\n' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// next passes over one byte, if it is the next that is no space.
func (s *scanner) next(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) word(w string) bool {
	s.space()
	if len(s.rest) < len(w) || string(s.rest[:len(w)]) != w {
		return false
	}
	s.rest = s.rest[len(w):]
	return true
}

func (s *scanner) optional(to **string) bool {
	if s.word("null") {
		*to = nil
		return true
	}
	text, ok := s.string()
	*to = &text
	return ok
}

// text1 reads a string for which null changes nothing.
func (s *scanner) text1(to *string) bool {
	if s.word("null") {
		return true
	}
	text, ok := s.string()
	*to = text
	return ok
}

// skip passes over a value that is not used.
func (s *scanner) skip() bool {
	if s.word("null") || s.word("true") || s.word("false") {
		return true
	}
	if len(s.rest) > 0 && s.rest[0] == '"' {
		_, ok := s.string()
		return ok
	}
	return s.integer()
}

func (s *scanner) integer() bool {
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	if n == 0 || n > 1 && s.rest[0] == '0' {
		return false
	}
	s.rest = s.rest[n:]
	return true
}

// plain is true of bytes that stand for themselves in a string.
var plain = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return t
}()

// escapes are the bytes that may follow a backslash alone.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (s *scanner) string() (string, bool) {
	if !s.next('"') {
		return "", false
	}
	begin := s.text.Len()
	for {
		n := 0
		for n < len(s.rest) && plain[s.rest[n]] {
			n++
		}
		s.text.Write(s.rest[:n])
		s.rest = s.rest[n:]
		if len(s.rest) == 0 {
			return "", false
		}
		if s.rest[0] == '"' {
			s.rest = s.rest[1:]
			return s.text.String()[begin:], true
		}
		if !s.escape() {
			return "", false
		}
	}
}

func (s *scanner) escape() bool {
	if len(s.rest) < 2 || s.rest[0] != '\\' {
		return false
	}
	c := s.rest[1]
	if c != 'u' {
		s.rest = s.rest[2:]
		s.text.WriteByte(escapes[c])
		return escapes[c] != 0
	}
	if len(s.rest) < 6 {
		return false
	}
	var r rune
	for _, h := range s.rest[2:6] {
		switch {
		case h >= '0' && h <= '9':
			r = r<<4 | rune(h-'0')
		case h|0x20 >= 'a' && h|0x20 <= 'f':
			r = r<<4 | rune(h|0x20-'a'+10)
		default:
			return false
		}
	}
	s.rest = s.rest[6:]
	s.text.WriteRune(r)
	return utf8.ValidRune(r) // not half of a pair
}
