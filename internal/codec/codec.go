// Package codec encodes and decodes JSON with the rules of encoding/json, but faster.
package codec

import (
	"bytes"
	"encoding/json"
	"io"

	v2 "github.com/go-json-experiment/json"
	v1 "github.com/go-json-experiment/json/v1"
)

// standardRules selects encoding/json's rules, without its error messages, which would decode every failing row twice.
var standardRules = v2.JoinOptions(v1.DefaultOptionsV1(), v1.ReportErrorsWithLegacySemantics(false))

// FastDecode works like json.Unmarshal in half the time or less, for pages that wait for many rows and replies. A text
// that the faster decoder rejects goes to encoding/json, whose errors are known.
func FastDecode[T any](text []byte, into *T) error {
	if v2.Unmarshal(text, into, standardRules) == nil {
		return nil
	}
	*into = *new(T)
	return json.Unmarshal(text, into)
}

// NewEncoder returns an encoder that writes each value as a line of JSON, without HTML escapes.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// WriteIndented writes a value as JSON with line breaks and indentation, for people to read.
func WriteIndented(w io.Writer, v any) error {
	enc := NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Marshal encodes v like json.Marshal, but without HTML escapes.
func Marshal(v any) ([]byte, error) {
	var line bytes.Buffer
	err := NewEncoder(&line).Encode(v)
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), err
}
