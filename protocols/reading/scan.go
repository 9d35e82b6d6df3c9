package reading

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Numeral is a number in a text.
type Numeral struct {
	Start, End int    // place in the text, in bytes, with sign and currency
	Text       string // the number as written
	digits     string // value as big.Rat reads it, with sign, decimals and exponent
	unclear    bool   // its comma or point may separate thousands or decimals
}

// maxDigits is the number of digits of the longest accepted number; longer ones are ids or noise.
const maxDigits = 60

// NextNumeral finds the first number in text at or after byte from; false for none.
func NextNumeral(text string, from int) (Numeral, bool) {
	for i := from; i < len(text); i++ {
		if !isDigit(text, i) && !(text[i] == '.' && isDigit(text, i+1)) {
			continue
		}
		end := i + len(digitsFrom(text, i))
		if !inWord(text, i) && end-i <= maxDigits && !(text[i] == '.' && i > 0 && (text[i-1] == '.' || isDigit(text, i-1))) {
			return numeralAt(text, i), true
		}
		i = max(i, end-1)
	}
	return Numeral{}, false
}

// numeralAt reads the number in text whose digits begin at byte i.
func numeralAt(text string, i int) Numeral {
	digits, end := wholePart(text, i)
	whole := true
	if end < len(text) && text[end] == '.' && isDigit(text, end+1) {
		whole = false
		decimals := digitsFrom(text, end+1)
		digits += "." + decimals[:min(len(decimals), maxDigits)]
		end += 1 + len(decimals)
	}
	if e := rulePattern("exponent").FindString(textAfter(text, end, 8)); e != "" && !isWordCharacterAt(text, end+len(e)) {
		whole = false
		digits += e
		end += len(e)
	}
	if whole {
		digits, end = extendToFraction(text, i, digits, end)
	}
	lead := i
	for _, frac := range []string{`\frac{`, `\dfrac{`, `\tfrac{`, `\frac`} {
		if strings.HasSuffix(text[:i], frac) {
			lead = i - len(frac)
		}
	}
	start, minus := findMinusSign(text, lead)
	if minus {
		digits = "-" + digits
	}
	return Numeral{Start: start, End: end, Text: text[start:end], digits: digits}
}

// Rational returns the exact value of the number. big.Rat can always read its digits.
func (n Numeral) Rational() *big.Rat {
	r, _ := new(big.Rat).SetString(n.digits)
	return r
}

// wholePart reads digits at byte i of text, including groups of three after thousands separators, and returns their
// end. "1.450.000" has points as separators; "1.450" is a decimal number.
func wholePart(text string, i int) (digits string, end int) {
	if m := matchRule(textAfter(text, i, 2*maxDigits), "thousands"); m != nil {
		grouped := m[1] + m[2]
		return rulePattern("not-digits").ReplaceAllString(grouped, ""), i + len(grouped)
	}
	digits = digitsFrom(text, i)
	return digits, i + len(digits)
}

// extendToFraction extends the whole number at bytes start to end of text, whose plain form is digits, if it is part of
// 3/4, 2 1/2 or \frac{3}{4}, but not of a date such as 3/4/2024. It returns the new plain form and end.
func extendToFraction(text string, start int, digits string, end int) (string, int) {
	lead := text[:start]
	if len(digits) == 2 && strings.HasSuffix(lead, "frac") && digits[1] != '0' { // \frac12
		return fractionText(digits[:1], digits[1:]), end
	}
	m := matchRule(textAfter(text, end, 32), "fractional")
	if m == nil {
		return digits, end
	}
	over := m[1] + m[3]
	under := m[2] + m[4] + m[5] + m[6]
	rest := text[end+len(m[0]):]
	isLatex := strings.HasPrefix(m[0], "}")
	switch {
	case strings.Trim(under, "0") == "", isLatex && !strings.HasSuffix(lead, "frac{"),
		!isLatex && (strings.HasSuffix(lead, "/") || matchesRule(rest, "part-of-more")):
		return digits, end
	}
	if over == "" {
		return fractionText(digits, under), len(text) - len(rest)
	}
	whole, _ := new(big.Rat).SetString(digits)
	part, _ := new(big.Rat).SetString(fractionText(over, under))
	if part.Cmp(big.NewRat(1, 1)) >= 0 {
		return digits, end
	}
	return whole.Add(whole, part).String(), len(text) - len(rest)
}

// fractionText returns the fraction over/under without leading zeros, because big.Rat reads 010/3 as octal.
func fractionText(over, under string) string {
	return cmp.Or(strings.TrimLeft(over, "0"), "0") + "/" + strings.TrimLeft(under, "0")
}

// findMinusSign returns where the number whose digits begin at byte start of text begins with its minus sign, and
// whether it has one. A currency may stand between. A dash after a word or a number is not a minus: "10-15" is two
// numbers.
func findMinusSign(text string, start int) (int, bool) {
	before := strings.TrimRight(text[:start], `$€£¥₹\`)
	for _, lead := range []string{before, text[:start]} { // -$5, then $-5
		for _, dash := range "-−–－" {
			if rest, ok := strings.CutSuffix(lead, string(dash)); ok {
				r, _ := utf8.DecodeLastRuneInString(rest)
				if rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(")]}%-−–", r) {
					return len(rest), true
				}
			}
		}
	}
	return start, false
}

// currencies lists words for money that may stand before a number without a space.
var currencies = strings.Fields("USD US EUR GBP INR Rs")

// inWord reports whether the digits at byte i of text are part of a short word, as in "CO2".
func inWord(text string, i int) bool {
	start := i
	for start > 0 && i-start < 16 {
		r, size := utf8.DecodeLastRuneInString(text[:start])
		if !unicode.IsLetter(r) || isUnspaced(r) {
			break
		}
		start -= size
	}
	isCommand := strings.HasSuffix(text[:start], `\`) // LaTeX, as in \times3
	return start < i && !slices.Contains(currencies, text[start:i]) && !isCommand
}

// isDigit reports whether byte i of text is one of 0 to 9.
func isDigit(text string, i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }

// isWordCharacterAt reports whether a letter or a digit stands at byte i of text.
func isWordCharacterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// digitsFrom returns the run of digits that begins at byte i of text.
func digitsFrom(text string, i int) string {
	end := i
	for isDigit(text, end) {
		end++
	}
	return text[i:end]
}

// FormatNumber returns a number in its shortest form: 45 for 45.0, a decimal number where that
// is exact, else a fraction.
func FormatNumber(r *big.Rat) string {
	if digits, exact := r.FloatPrec(); exact {
		return r.FloatString(digits)
	}
	return r.RatString()
}

// ASCIIDigits converts the decimal digits of all scripts to 0 to 9.
func ASCIIDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf || !unicode.Is(unicode.Nd, r) {
			return r
		}
		return toASCIIDigit(r)
	}, text)
}

// toASCIIDigit converts a decimal digit of any script to 0 to 9.
func toASCIIDigit(r rune) rune {
	before := rune(0) // digits of the same script before r: they form rows of ten, beginning with zero
	for unicode.Is(unicode.Nd, r-before-1) {
		before++
	}
	return '0' + before%10
}
