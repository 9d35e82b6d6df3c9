package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"

	"gavel/datasets/rows"
)

// findFormat tells the format of JSON lines from the first that has one, nil for none; then keys are those of all
// rows, none where a row has all of a format's, which is then bad in another way.
func findFormat(in rows.Source) (f *Format, keys map[string]json.RawMessage, err error) {
	keys = map[string]json.RawMessage{}
	for row, err := range rows.All(in) {
		if err != nil {
			return nil, keys, err
		}
		if p := parseAny(row.Text); p.err == nil {
			return p.format, nil, nil
		}
		of := keysOf(row.Text)
		if f, has := closest(of); keys != nil && has == len(f.Keys) {
			if f.Assemble != nil {
				return f, nil, nil
			}
			keys = nil
		}
		if keys != nil {
			maps.Copy(keys, of)
		}
	}
	return nil, keys, nil
}

// parsed is a line as a format reads it.
type parsed struct {
	format *Format
	item   Item
	err    error // where none can, of the one it is the closest to
}

// parse reads a line in the set's format; where no line has one, in that whose keys it has.
func (s *Set) parse(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	if s.Format == "" {
		return parseAny(text)
	}
	it, err := s.format.read(text)
	return parsed{format: &s.format, item: it, err: err}
}

// read is Parse of a line that should be of the format. The keys of those that
// assemble are few, and another's rows may have them all: such rows are bad ones.
func (f *Format) read(text []byte) (Item, error) {
	it, err := f.Parse(text)
	if err == nil && f.Assemble != nil {
		if other, _ := closest(keysOf(text)); other.Name != f.Name && other.Name != f.Makes {
			return Item{}, fmt.Errorf("a row of %s in a file of %s", other.Name, f.Name)
		}
	}
	return it, err
}

// parseAny reads a line in the format whose keys it has.
func parseAny(text []byte) parsed {
	f, _ := closest(keysOf(text))
	it, err := f.Parse(text)
	return parsed{format: f, item: it, err: err}
}

// closest returns the format that a row resembles most: of the formats whose keys the row has all, the one with the
// most keys; else the one of whose keys it has the largest part; the first one if several do. has is how many of its
// keys the row has.
func closest(keys map[string]json.RawMessage) (best *Format, has int) {
	best, bestScore := &Formats[0], 0.0
	for i := range Formats {
		there := 0
		if is := Formats[i].Is; is != nil && !is(keys) {
			continue
		}
		for _, k := range Formats[i].Keys {
			if keys[k] != nil {
				there++
			}
		}
		n := len(Formats[i].Keys)
		score := float64(there) / float64(n)
		if there == n {
			score = float64(1 + n)
		}
		if score > bestScore {
			best, bestScore = &Formats[i], score
			has = there
		}
	}
	return best, has
}

// resembles reports whether a row has half of the keys of some format, so that the format's error helps.
func resembles(keys map[string]json.RawMessage) bool {
	f, has := closest(keys)
	return 2*has >= len(f.Keys)
}

// keysOf are the keys of a JSON object, none of anything else.
func keysOf(text []byte) (object map[string]json.RawMessage) {
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}
