package markup

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextDiff are two texts, parted into what both have and what one of them has alone.
type TextDiff struct {
	Sides [2][]DiffPiece
	Lines bool // they are too long to be compared word by word
}

// DiffPiece is a piece of a text; Alone: the other text does not have it there.
type DiffPiece struct {
	Text  string
	Alone bool
}

// maxDiff is how many pairs of words, or lines, are looked at.
const maxDiff = 16 << 20

// Diff finds the longest common subsequence of the words of two texts, whatever space is between them; of very long
// ones of their lines. nil where even these are too many.
func Diff(a, b string) *TextDiff {
	for i, split := range []func(string) []string{words, lines} {
		x, y := split(a), split(b)
		begin := 0
		for begin < min(len(x), len(y)) && same(x[begin], y[begin]) {
			begin++
		}
		end := 0
		for end < min(len(x), len(y))-begin && same(x[len(x)-1-end], y[len(y)-1-end]) {
			end++
		}
		midX, midY := x[begin:len(x)-end], y[begin:len(y)-end]
		if len(midX)*len(midY) > maxDiff {
			continue
		}
		d := &TextDiff{Lines: i > 0}
		d.add(false, x[:begin], y[:begin])
		d.common(midX, midY)
		d.add(false, x[len(x)-end:], y[len(y)-end:])
		return d
	}
	return nil
}

// words parts a text into words, each with the space before it, and marks that are neither.
func words(text string) (out []string) {
	for text != "" {
		bare := strings.TrimLeftFunc(text, unicode.IsSpace)
		end := len(text) - len(strings.TrimLeftFunc(bare, isLetter))
		if end == len(text)-len(bare) && bare != "" { // a mark
			_, n := utf8.DecodeRuneInString(bare)
			end += n
		}
		out, text = append(out, text[:end]), text[end:]
	}
	return out
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func lines(text string) []string { return strings.SplitAfter(text, "\n") }

// same tells whether two words, or lines, are.
func same(a, b string) bool { return a == b || strings.TrimSpace(a) == strings.TrimSpace(b) }

// add puts words at the end of the sides.
func (d *TextDiff) add(alone bool, sides ...[]string) {
	for side, words := range sides {
		if text := strings.Join(words, ""); text != "" {
			d.Sides[side] = append(d.Sides[side], DiffPiece{text, alone})
		}
	}
}

// Steps from a cell of the table of common subsequences.
const (
	stepBoth = iota
	stepX
	stepY
)

// common walks along a longest common subsequence.
func (d *TextDiff) common(x, y []string) {
	steps := make([]uint8, len(x)*len(y))
	below, row := make([]int32, len(y)+1), make([]int32, len(y)+1)
	for i := len(x) - 1; i >= 0; i-- { // row[j]: how many x[i:] and y[j:] have in common
		below, row = row, below
		row[len(y)] = 0
		for j := len(y) - 1; j >= 0; j-- {
			switch {
			case same(x[i], y[j]):
				row[j], steps[i*len(y)+j] = below[j+1]+1, stepBoth
			case below[j] >= row[j+1]:
				row[j], steps[i*len(y)+j] = below[j], stepX
			default:
				row[j], steps[i*len(y)+j] = row[j+1], stepY
			}
		}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		fromX, fromY := i, j
		for i < len(x) && j < len(y) && steps[i*len(y)+j] == stepBoth {
			i, j = i+1, j+1
		}
		d.add(false, x[fromX:i], y[fromY:j])
		fromX, fromY = i, j
		for i < len(x) || j < len(y) {
			if j == len(y) || i < len(x) && steps[i*len(y)+j] == stepX {
				i++
			} else if i == len(x) || steps[i*len(y)+j] == stepY {
				j++
			} else {
				break
			}
		}
		d.add(true, x[fromX:i], y[fromY:j])
	}
}

// Same tells whether nothing differs.
func (d *TextDiff) Same() bool {
	return !slices.ContainsFunc(slices.Concat(d.Sides[0], d.Sides[1]), func(p DiffPiece) bool { return p.Alone })
}
