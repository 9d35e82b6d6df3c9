package datasets

import (
	"bytes"
	"encoding/json"
	"maps"

	"gavel/datasets/rows"
)

// findFormat returns the format of the first row that has all keys of one. Without such a row, it returns nil and the
// keys of all rows.
func findFormat(in rows.Source) (f *Format, keys map[string]json.RawMessage, err error) {
	keys = map[string]json.RawMessage{}
	for row, err := range rows.All(in) {
		if err != nil {
			return nil, nil, err
		}
		object := keysOf(row.Text)
		if f, has := closest(object); has == len(f.Keys) {
			return f, nil, nil
		}
		maps.Copy(keys, object)
	}
	return nil, keys, nil
}

// parsed is a line as a format reads it.
type parsed struct {
	item Item
	err  error
}

// parse reads a line in the set's format. Of a file without a format, the error is that of the format which is closest.
func (s *Set) parse(line []byte) parsed {
	text := bytes.TrimRight(line, "\r\n")
	f := &s.format
	if s.Format == "" {
		f, _ = closest(keysOf(text))
	}
	it, err := f.Parse(text)
	return parsed{item: it, err: err}
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

// keysOf are the keys of a JSON object, none of anything else.
func keysOf(text []byte) (object map[string]json.RawMessage) {
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}
