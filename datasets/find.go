package datasets

import (
	"bytes"
	"encoding/json"
	"maps"

	"gavel/datasets/rows"
)

// detectFormat returns the format of the first row that has all keys of a format. If no row has, it returns nil and the
// keys of all rows, each with a value.
func detectFormat(in rows.Source) (f *Format, keys map[string]json.RawMessage, err error) {
	keys = map[string]json.RawMessage{}
	for row, err := range rows.Lines(in) {
		if err != nil {
			return nil, nil, err
		}
		object := keysOf(row.Text)
		if f, hits := closestFormat(object); hits == len(f.Keys) {
			return f, nil, nil
		}
		maps.Copy(keys, object)
	}
	return nil, keys, nil
}

// parsedLine holds the result of parsing a line.
type parsedLine struct {
	item Item
	err  error
}

// parseLine parses a line in the set's format. Without a format, the error is that of the closest format.
func (s *Set) parseLine(line []byte) parsedLine {
	text := bytes.TrimRight(line, "\r\n")
	f := &s.format
	if s.Format == "" {
		f, _ = closestFormat(keysOf(text))
	}
	item, err := f.Parse(text)
	return parsedLine{item: item, err: err}
}

// closestFormat returns the format that a row with these keys resembles most: the one with the most keys among those
// whose keys the row has all, else the one with the largest share of its keys in the row; the first on a tie. hits
// counts the keys of that format that the row has.
func closestFormat(keys map[string]json.RawMessage) (best *Format, hits int) {
	best, bestScore := &Formats[0], 0.0
	for i := range Formats {
		count := 0
		if matches := Formats[i].Matches; matches != nil && !matches(keys) {
			continue
		}
		for _, k := range Formats[i].Keys {
			if keys[k] != nil {
				count++
			}
		}
		n := len(Formats[i].Keys)
		score := float64(count) / float64(n)
		if count == n {
			score = float64(1 + n)
		}
		if score > bestScore {
			best, bestScore = &Formats[i], score
			hits = count
		}
	}
	return best, hits
}

// keysOf decodes a JSON object into its keys; nil for any other value.
func keysOf(text []byte) (object map[string]json.RawMessage) {
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}
