package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/phrases"
	"gavel/scoring"
)

// Undefined is printed in place of a number that does not exist.
const Undefined = "n/a"

// Defined reports whether v points to a number, neither infinite nor NaN.
func Defined(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }

// Fixed returns a number with this many decimals, or Undefined.
func Fixed(v *float64, decimals int) string {
	if !Defined(v) {
		return Undefined
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// Interval returns a number with its interval, such as "0.81 [0.77, 0.84]", or without one if an end is undefined.
// decimals is for the number, ends for the ends of the interval.
func Interval(v, low, high *float64, decimals, ends int) string {
	if !Defined(v) || !Defined(low) || !Defined(high) {
		return Fixed(v, decimals)
	}
	return fmt.Sprintf("%s [%s, %s]", Fixed(v, decimals), Fixed(low, ends), Fixed(high, ends))
}

// CSVNumber returns a number for CSV: without zeros at its end, and "" for nil.
func CSVNumber(v *float64, decimals int) string {
	if v == nil {
		return ""
	}
	s := strconv.FormatFloat(*v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Decimal returns a number with six significant digits, without zeros at its end or an exponent.
func Decimal(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// PValue returns the p-value of a test, such as "0.0312" or "<0.0001"; "" for nil.
func PValue(p *float64) string {
	switch {
	case p == nil:
		return ""
	case *p < 0.0001:
		return "<0.0001"
	}
	return Fixed(p, 4)
}

// inUnit returns v, the value of x or an end of its interval, with the decimals that the unit of x has; scores have
// less fewer.
func inUnit(v *float64, x scoring.Result, less int) string {
	decimals := 1
	switch {
	case x.Unit == scoring.UnitCount:
		decimals = 0
	case x.Unit != "":
		decimals = 4 - less // as the papers print them
	}
	return Signed(v, x, decimals)
}

// Rounded returns v, a number of the unit of x, in few digits: percent as whole numbers, scores with two decimals.
func Rounded(v *float64, x scoring.Result) string {
	decimals := 0
	if x.Unit != "" && x.Unit != scoring.UnitCount {
		decimals = 2
	}
	return Signed(v, x, decimals)
}

// RoundedInterval returns a result with its interval in few digits, such as "81 [77, 84]".
func RoundedInterval(x scoring.Result) string {
	if !x.HasInterval() {
		return Rounded(x.Value, x)
	}
	return fmt.Sprintf("%s [%s, %s]", Rounded(x.Value, x), Rounded(x.Low, x), Rounded(x.High, x))
}

// Signed returns v with this many decimals. It has a "+" if it is positive and x, the result it belongs to, is a
// difference.
func Signed(v *float64, x scoring.Result, decimals int) string {
	if !Defined(v) {
		return Undefined
	}
	n := scoring.WithoutNegativeZero(*v, decimals)
	if n > 0 && x.Mode == scoring.ModeDifference {
		return "+" + Fixed(&n, decimals)
	}
	return Fixed(&n, decimals)
}

// ResultValue returns the value of a result, without the interval, with the decimals that its unit has.
func ResultValue(x scoring.Result) string { return inUnit(x.Value, x, 0) }

// WithInterval returns a result with its interval, with the decimals that its unit has.
func WithInterval(x scoring.Result) string {
	if x.Value == nil || x.Low == nil {
		return ResultValue(x)
	}
	return fmt.Sprintf("%s [%s, %s]", ResultValue(x), inUnit(x.Low, x, 1), inUnit(x.High, x, 1))
}

// CountWithNoun returns a number with a word in the singular or plural: "1 pair", "3 pairs".
func CountWithNoun(n int, thing string) string { return phrases.CountWithNoun(n, thing) }

// MostListed is the largest number of values or names that a sentence lists one by one.
const MostListed = 3

// Enumerate joins words with commas, and with "and" before the last.
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Shortlist joins names for a sentence: all of up to MostListed, else the first two and "N more".
func Shortlist(names []string) string {
	if more := len(names) - MostListed + 1; more > 1 {
		names = append(slices.Clone(names[:MostListed-1]), fmt.Sprintf("%d more", more))
	}
	return Enumerate(names)
}

// Remarks collects notes on numbers, and names all numbers with the same note in one line.
type Remarks struct {
	notes       []string            // in the order in which they were added
	namesByNote map[string][]string // names of the numbers, by note
}

// Add adds a note on the number called name. It does nothing if note is "".
func (r *Remarks) Add(name, note string) {
	if note == "" {
		return
	}
	if r.namesByNote == nil {
		r.namesByNote = map[string][]string{}
	}
	if r.namesByNote[note] == nil {
		r.notes = append(r.notes, note)
	}
	if !slices.Contains(r.namesByNote[note], name) {
		r.namesByNote[note] = append(r.namesByNote[note], name)
	}
}

// Lines returns a line for each note: the names of its numbers and the note.
func (r *Remarks) Lines() []string {
	lines := make([]string, len(r.notes))
	for i, note := range r.notes {
		lines[i] = strings.Join(r.namesByNote[note], ", ") + ": " + note
	}
	return lines
}
