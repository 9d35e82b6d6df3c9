package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"gavel/datasets/rows"
)

// tellBy is how much of a file is looked at to tell its format. A file that
// tells it later than that can only have one that does not assemble.
const tellBy = 1000 // rows

// findFormat tells the format of JSON lines from the first that has one, nil for
// none.
func findFormat(in rows.Source) (*Format, error) {
	n := 0
	for row, err := range rows.All(in) {
		if err != nil || n == tellBy {
			return nil, err
		}
		if p := parseAny(row.Text); p.err == nil {
			return &Formats[p.format], nil
		} else if f := closest(row.Text); f.Assemble != nil && hasAll(row.Text, f.Keys) {
			return f, nil
		}
		n++
	}
	return nil, nil
}

// parsed is a line as a format reads it.
type parsed struct {
	format int // index in Formats
	item   Item
	err    error // where none can, of the one it is the closest to
}

// parse reads a line in the format that was found, as far as that is known yet.
func (s *Set) parse(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	if f := s.found.Load(); f != nil {
		it, err := f.read(text)
		return parsed{formatIndex(f.Name), it, err}
	}
	return parseAny(text)
}

// read is Parse of a line that should be of the format. The keys of those that
// assemble are few, and another's rows may have them all: such rows are bad ones.
func (f *Format) read(text []byte) (Item, error) {
	it, err := f.Parse(text)
	if err == nil && f.Assemble != nil {
		if other := closest(text); other.Name != f.Name && other.Name != f.Makes {
			return Item{}, fmt.Errorf("a row of %s in a file of %s", other.Name, f.Name)
		}
	}
	return it, err
}

func formatIndex(name string) int {
	return slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
}

// parseAny reads a line in the format whose keys it has.
func parseAny(text []byte) parsed {
	it, err := Formats[0].Parse(text)
	if err == nil {
		return parsed{0, it, nil}
	}
	out := parsed{err: err}
	if f := closest(text); f != &Formats[0] && len(f.Keys) > 0 {
		it, err := f.Parse(text)
		out = parsed{formatIndex(f.Name), it, err}
		if err == nil {
			return out
		}
	}
	for i, f := range Formats[1:] {
		if len(f.Keys) == 0 {
			if it, err := f.Parse(text); err == nil {
				return parsed{i + 1, it, nil}
			}
		}
	}
	return out
}

// closest is the format all of whose keys a row has, that with the most; where
// there is none, the one of whose keys it has the largest part. In doubt it is
// the one that stands first.
func closest(text []byte) *Format {
	keys := keysOf(text)
	best, bestScore := &Formats[0], 0.0
	for i := range Formats {
		score := 0
		for _, k := range Formats[i].Keys {
			if keys[k] {
				score++
			}
		}
		n := len(Formats[i].Keys)
		value := float64(score) / float64(max(n, 1))
		if n > 0 && score == n {
			value = float64(1 + n)
		}
		if value > bestScore {
			best, bestScore = &Formats[i], value
		}
	}
	return best
}

func hasAll(text []byte, keys []string) bool {
	has := keysOf(text)
	return !slices.ContainsFunc(keys, func(k string) bool { return !has[k] })
}

// keysOf are the keys of a JSON object, none of anything else.
func keysOf(text []byte) map[string]bool {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	keys := make(map[string]bool, len(object))
	for k := range object {
		keys[k] = true
	}
	return keys
}
