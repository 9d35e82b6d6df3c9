package imports

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"

	"gavel/datasets"
	"gavel/datasets/rows"
)

// EachRow calls use for every row of a file, with the row's number from 1, and returns the SHA-256 of the file.
func EachRow(path string, use func(row int, raw []byte) error) (sum string, err error) {
	sum, err = rows.FileSHA256(path)
	if err != nil {
		return "", err
	}
	return sum, rows.EachRow(path, use)
}

// ObjectEntries iterates over the keys and values of a JSON object in their order.
func ObjectEntries(row json.RawMessage) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		dec := json.NewDecoder(bytes.NewReader(row))
		dec.Token()
		for dec.More() {
			key, err := dec.Token()
			var value json.RawMessage
			if err != nil || dec.Decode(&value) != nil || !yield(key.(string), value) {
				return
			}
		}
	}
}

// WithoutKeys returns the JSON object row on one line without the given keys, the others in their order. compact writes
// a value on one line; if it is nil, values stay as they are.
func WithoutKeys(
	row json.RawMessage, compact func(to *bytes.Buffer, value []byte) error, keys ...string,
) ([]byte, error) {
	if err := datasets.DecodeObject(row, new(map[string]json.RawMessage)); err != nil {
		return nil, err
	}
	line := bytes.NewBufferString("{")
	for key, value := range ObjectEntries(row) {
		if slices.Contains(keys, key) {
			continue
		}
		if line.Len() > 1 {
			line.WriteString(", ")
		}
		name, err := EncodeLikePython(key)
		if err != nil {
			return nil, err
		}
		line.Write(append(name, ": "...))
		if compact == nil {
			line.Write(value)
		} else if err := compact(line, value); err != nil {
			return nil, err
		}
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}
