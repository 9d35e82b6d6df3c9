package scoring

import "fmt"

// LetterOf returns the letter of a group: a to z, A to Z, then numbers.
func LetterOf(n int) string {
	switch {
	case n < 26:
		return string(rune('a' + n))
	case n < 52:
		return string(rune('A' + n - 26))
	}
	return fmt.Sprintf("(%d)", n+1)
}
