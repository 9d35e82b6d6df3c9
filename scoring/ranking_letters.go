package scoring

import "fmt"

// LetterOf returns the letter of the n-th group of tied runs, from 0: a to z, A to Z, then "(53)" and so on.
func LetterOf(n int) string {
	switch {
	case n < 26:
		return string(rune('a' + n))
	case n < 52:
		return string(rune('A' + n - 26))
	}
	return fmt.Sprintf("(%d)", n+1)
}
