package datasets

import "unicode/utf8"

// Scanner reads JSON from the front of a line of valid UTF-8, for those who know
// which keys and values to expect, in a fraction of the time that encoding/json
// takes. It gives up on what is unusual as well as on what is wrong, with false;
// the line is encoding/json's then. What it does read, encoding/json reads the
// same.
type Scanner struct {
	rest []byte
	buf  []byte // the last string that had escapes
}

// Reset begins with another line. A scanner may be used again for the sake of
// its memory.
func (s *Scanner) Reset(line []byte) { s.rest = line }

// End tells whether nothing is left.
func (s *Scanner) End() bool {
	s.space()
	return len(s.rest) == 0
}

func (s *Scanner) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\n' || s.rest[0] == '\r') {
		s.rest = s.rest[1:]
	}
}

// Next passes over one byte, if it is the next that is no space.
func (s *Scanner) Next(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

// Word passes over null, true or false, if it is the next value.
func (s *Scanner) Word(w string) bool {
	s.space()
	if len(s.rest) < len(w) || string(s.rest[:len(w)]) != w {
		return false
	}
	s.rest = s.rest[len(w):]
	return true
}

// Object calls value for each key, whose value it has to read. The key is gone
// when value returns. An object without keys is given up on.
func (s *Scanner) Object(value func(key []byte) bool) bool {
	if !s.Next('{') {
		return false
	}
	for {
		key, ok := s.Bytes()
		if !ok || !s.Next(':') || !value(key) {
			return false
		}
		if s.Next('}') {
			return true
		}
		if !s.Next(',') {
			return false
		}
	}
}

// Array calls value for each element, which it has to read.
func (s *Scanner) Array(value func() bool) bool {
	if !s.Next('[') {
		return false
	}
	if s.Next(']') {
		return true
	}
	for value() {
		if s.Next(']') {
			return true
		}
		if !s.Next(',') {
			return false
		}
	}
	return false
}

// Value gives the text of the next value, whatever it is. It is a value only if
// encoding/json can read it.
func (s *Scanner) Value() ([]byte, bool) {
	s.space()
	all := s.rest
	for depth := 0; len(s.rest) > 0; {
		switch s.rest[0] {
		case '"':
			if _, ok := s.Bytes(); !ok {
				return nil, false
			}
		case '{', '[':
			depth++
			s.rest = s.rest[1:]
		case '}', ']':
			depth--
			s.rest = s.rest[1:]
		default:
			s.rest = s.rest[1:]
		}
		if depth < 0 {
			return nil, false
		}
		if depth == 0 && (len(s.rest) == 0 || s.rest[0] == ',' || s.rest[0] == '}' || s.rest[0] == ']') {
			return all[:len(all)-len(s.rest)], true
		}
	}
	return nil, false
}

// Integer gives the digits of a whole number from 0.
func (s *Scanner) Integer() ([]byte, bool) {
	s.space()
	n := digits(s.rest)
	if n == 0 || n > 1 && s.rest[0] == '0' {
		return nil, false
	}
	text := s.rest[:n]
	s.rest = s.rest[n:]
	return text, true
}

// Number gives the text of a number from 0 without an exponent.
func (s *Scanner) Number() ([]byte, bool) {
	s.space()
	all := s.rest
	if _, ok := s.Integer(); !ok {
		return nil, false
	}
	if len(s.rest) > 0 && s.rest[0] == '.' {
		n := digits(s.rest[1:])
		if n == 0 {
			return nil, false
		}
		s.rest = s.rest[1+n:]
	}
	return all[:len(all)-len(s.rest)], true
}

func digits(b []byte) (n int) {
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	return n
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

// Bytes gives what a string stands for. It is good until the next string is read.
func (s *Scanner) Bytes() ([]byte, bool) {
	if !s.Next('"') {
		return nil, false
	}
	s.buf = s.buf[:0]
	for whole := true; ; whole = false {
		n := 0
		for n < len(s.rest) && plain[s.rest[n]] {
			n++
		}
		part := s.rest[:n]
		s.rest = s.rest[n:]
		switch {
		case len(s.rest) == 0:
			return nil, false
		case s.rest[0] == '"' && whole: // no escape in it: it stands in the line
			s.rest = s.rest[1:]
			return part, true
		}
		s.buf = append(s.buf, part...)
		if s.rest[0] == '"' {
			s.rest = s.rest[1:]
			return s.buf, true
		}
		if !s.escape() {
			return nil, false
		}
	}
}

func (s *Scanner) escape() bool {
	if len(s.rest) < 2 || s.rest[0] != '\\' {
		return false
	}
	c := s.rest[1]
	if c != 'u' {
		s.rest = s.rest[2:]
		s.buf = append(s.buf, escapes[c])
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
	s.buf = utf8.AppendRune(s.buf, r)
	return utf8.ValidRune(r) // not half of a pair
}
