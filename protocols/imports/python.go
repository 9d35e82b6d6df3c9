// Package imports reads what other harnesses wrote: rows in whatever container, votes of people and models, texts as
// Python writes them. The imports themselves are of the protocols whose runs they make.
package imports

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// PythonJSON encodes a value as Python's json.dumps(ensure_ascii=False) does, with only the escapes that JSON needs.
func PythonJSON(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true),
		jsontext.AllowInvalidUTF8(true)) // which puts U+FFFD in the place of what is no UTF-8
}
