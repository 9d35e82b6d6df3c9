// Package imports reads the files of other harnesses: rows in any container, votes of people and models, and texts in
// Python's JSON. The importers themselves are in the packages of the protocols whose runs they make.
package imports

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// EncodeLikePython encodes a value as Python's json.dumps(ensure_ascii=False) does, with only the escapes that JSON
// needs.
func EncodeLikePython(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true),
		jsontext.AllowInvalidUTF8(true)) // writes U+FFFD for invalid UTF-8
}
