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

// Undefined stands where there is no number.
const Undefined = "n/a"

// Defined reports whether there is a number that is neither infinite nor NaN.
func Defined(v *float64) bool { return v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) }

// Fixed returns a number with so many decimals.
func Fixed(v *float64, decimals int) string {
	if !Defined(v) {
		return Undefined
	}
	return strconv.FormatFloat(*v, 'f', decimals, 64)
}

// Interval returns a number as Fixed does, with the ends of its interval if it has one.
func Interval(v, low, high *float64, decimals, ends int) string {
	if !Defined(v) || !Defined(low) || !Defined(high) {
		return Fixed(v, decimals)
	}
	return fmt.Sprintf("%s [%s, %s]", Fixed(v, decimals), Fixed(low, ends), Fixed(high, ends))
}

// Cell returns a number for a file: without zeros at its end, and "" for none.
func Cell(v *float64, decimals int) string {
	if v == nil {
		return ""
	}
	s := strconv.FormatFloat(*v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Decimal writes a number to six digits, without trailing zeros or an exponent.
func Decimal(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// PValue returns the p of a test; "" if there was none.
func PValue(p *float64) string {
	switch {
	case p == nil:
		return ""
	case *p < 0.0001:
		return "<0.0001"
	}
	return Fixed(p, 4)
}

// inUnit returns the value of a result, or an end of its interval, with the decimals of its unit, of scores less fewer.
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

// Rounded returns a number in few digits: in whole percent, a score with two decimals.
func Rounded(v *float64, x scoring.Result) string {
	decimals := 0
	if x.Unit != "" && x.Unit != scoring.UnitCount {
		decimals = 2
	}
	return Signed(v, x, decimals)
}

// RoundedInterval returns a result with its interval in few digits.
func RoundedInterval(x scoring.Result) string {
	if !x.HasInterval() {
		return Rounded(x.Value, x)
	}
	return fmt.Sprintf("%s [%s, %s]", Rounded(x.Value, x), Rounded(x.Low, x), Rounded(x.High, x))
}

// Signed returns v with so many decimals. If x, the result it belongs to, is a difference, positive numbers have a "+".
func Signed(v *float64, x scoring.Result, decimals int) string {
	if Defined(v) {
		v = new(scoring.Unsigned(*v, decimals))
	}
	if Defined(v) && *v > 0 && x.Mode == scoring.ModeDifference {
		return "+" + Fixed(v, decimals)
	}
	return Fixed(v, decimals)
}

// Plain returns a result with the decimals of its unit, and with its sign if it is a difference.
func Plain(x scoring.Result) string { return inUnit(x.Value, x, 0) }

// WithInterval returns a result with its interval.
func WithInterval(x scoring.Result) string {
	if x.Value == nil || x.Low == nil {
		return Plain(x)
	}
	return fmt.Sprintf("%s [%s, %s]", Plain(x), inUnit(x.Low, x, 1), inUnit(x.High, x, 1))
}

// Count returns a number of things in words, in the plural unless it is one.
func Count(n int, thing string) string { return phrases.Count(n, thing) }

// MostListed is the number of values that a sentence lists one by one.
const MostListed = 3

// Enumerate joins words as a sentence does.
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Shortlist lists names in a sentence: all of up to three, else the first two and the number of the others.
func Shortlist(names []string) string {
	if more := len(names) - MostListed + 1; more > 1 {
		names = append(slices.Clone(names[:MostListed-1]), fmt.Sprintf("%d more", more))
	}
	return Enumerate(names)
}

// Remarks gathers notes on numbers: one line for all numbers that have the same note.
type Remarks struct {
	notes []string
	names map[string][]string
}

// Add adds a note on the number with a name; "" is no note.
func (r *Remarks) Add(name, note string) {
	if note == "" {
		return
	}
	if r.names == nil {
		r.names = map[string][]string{}
	}
	if r.names[note] == nil {
		r.notes = append(r.notes, note)
	}
	if !slices.Contains(r.names[note], name) {
		r.names[note] = append(r.names[note], name)
	}
}

// Lines returns the notes, each with the names before it.
func (r *Remarks) Lines() []string {
	lines := make([]string, len(r.notes))
	for i, note := range r.notes {
		lines[i] = strings.Join(r.names[note], ", ") + ": " + note
	}
	return lines
}
