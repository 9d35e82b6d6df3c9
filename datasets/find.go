package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gavel/datasets/rows"
)

// tellBy is how much of a file is looked at to tell its format. A file that
// tells it later than that can only have one that does not assemble.
const tellBy = 1000 // rows

// findFormat tells the format of JSON lines from the first that has one, nil for none; then keys are those of the rows
// looked at, none where a row has all of a format's, which is then bad in another way.
func findFormat(in rows.Source) (f *Format, keys map[string]json.RawMessage, err error) {
	keys, n := map[string]json.RawMessage{}, 0
	for row, err := range rows.All(in) {
		if err != nil || n == tellBy {
			return nil, keys, err
		}
		if p := parseAny(row.Text); p.err == nil {
			return p.format, nil, nil
		}
		of := keysOf(row.Text)
		if f := closest(of); keys != nil && hasAll(of, f.Keys) {
			if f.Assemble != nil {
				return f, nil, nil
			}
			keys = nil
		}
		if keys != nil {
			maps.Copy(keys, of)
		}
		n++
	}
	return nil, keys, nil
}

// parsed is a line as a format reads it.
type parsed struct {
	format *Format
	item   Item
	err    error // where none can, of the one it is the closest to
}

// parse reads a line in the format that was found, as far as that is known yet.
func (s *Set) parse(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	if f := s.found.Load(); f != nil {
		it, err := f.read(text)
		return parsed{format: f, item: it, err: err}
	}
	return parseAny(text)
}

// read is Parse of a line that should be of the format. The keys of those that
// assemble are few, and another's rows may have them all: such rows are bad ones.
func (f *Format) read(text []byte) (Item, error) {
	it, err := f.Parse(text)
	if err == nil && f.Assemble != nil {
		if other := closest(keysOf(text)); other.Name != f.Name && other.Name != f.Makes {
			return Item{}, fmt.Errorf("a row of %s in a file of %s", other.Name, f.Name)
		}
	}
	return it, err
}

// parseAny reads a line in the format whose keys it has.
func parseAny(text []byte) parsed {
	with := func(f *Format) parsed {
		it, err := f.Parse(text)
		return parsed{format: f, item: it, err: err}
	}
	out := with(&Formats[0])
	if f := closest(keysOf(text)); out.err != nil && f != &Formats[0] {
		out = with(f)
	}
	return out
}

// closest is the format all of whose keys a row has, that with the most; where there is none, the one of whose keys it
// has the largest part. In doubt it is the one that stands first.
func closest(keys map[string]json.RawMessage) *Format {
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
		}
	}
	return best
}

func hasAll(has map[string]json.RawMessage, keys []string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return has[k] == nil })
}

// keysOf are the keys of a JSON object, none of anything else.
func keysOf(text []byte) (object map[string]json.RawMessage) {
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}
