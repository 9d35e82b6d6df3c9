// Package codec reads and writes JSON as encoding/json does.
package codec

import (
	"bytes"
	"encoding/json"
	"io"

	v2 "github.com/go-json-experiment/json"
	v1 "github.com/go-json-experiment/json/v1"
)

// asOfOld reads what encoding/json does. Errors are not to be its own, which would take a second look at every row.
var asOfOld = v2.JoinOptions(v1.DefaultOptionsV1(), v1.ReportErrorsWithLegacySemantics(false))

// Decode is json.Unmarshal in half of its time or less: there may be many rows and replies, and whoever looks at one
// waits for all. What the quicker decoder refuses is encoding/json's, whose errors are known.
func Decode[T any](text []byte, into *T) error {
	if v2.Unmarshal(text, into, asOfOld) == nil {
		return nil
	}
	*into = *new(T)
	return json.Unmarshal(text, into)
}

// NewEncoder writes lines without the escapes that HTML needs.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// WriteIndented writes what people look at.
func WriteIndented(w io.Writer, v any) error {
	enc := NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// Marshal is json.Marshal without them.
func Marshal(v any) ([]byte, error) {
	var line bytes.Buffer
	err := NewEncoder(&line).Encode(v)
	return bytes.TrimSuffix(line.Bytes(), []byte("\n")), err
}
