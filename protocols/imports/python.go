// Package imports reads what other harnesses wrote: rows in whatever container, votes of people and models, texts as
// Python writes them. The imports themselves are of the protocols whose runs they make.
package imports

import (
	"fmt"
	"unicode/utf8"
)

// PythonString appends s as Python's json.dumps(ensure_ascii=False) writes it.
func PythonString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"':
			b = append(b, `\"`...)
		case r == '\\':
			b = append(b, `\\`...)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r < 0x20:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
