// Package imports reads what other harnesses wrote: rows in whatever container, votes of people and models, texts as
// Python writes them. The imports themselves are of the protocols whose runs they make.
package imports

import "github.com/go-json-experiment/json/jsontext"

// PythonString appends s as Python's json.dumps(ensure_ascii=False) writes it: with the escapes that JSON needs alone.
func PythonString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // which puts U+FFFD in the place of what is no UTF-8
	return b
}
