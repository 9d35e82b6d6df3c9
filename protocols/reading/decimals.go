package reading

import (
	"strings"
	"unicode"
)

// decimalCommaWords lists words of languages that write 1.250,5 for 1,250.5.
var decimalCommaWords = newLexicon(strings.Fields(`ist sind und das est sont une sono della che são uma antwort
	respuesta risposta resposta réponse è é`))

// hasDecimalComma reports whether the reply has words of a language that writes 1.250,5 for 1,250.5.
func (v *normalizedReply) hasDecimalComma() bool {
	isCyrillic := func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
	return strings.ContainsFunc(v.lower, isCyrillic) || len(decimalCommaWords.findAll(v.lower)) > 0
}

// nextNumber finds the first number in text at or after byte from. Unlike NextNumeral it also reads decimal commas and,
// in replies whose language has them, points as thousands separators.
func (v *normalizedReply) nextNumber(text string, from int) (Numeral, bool) {
	n, ok := NextNumeral(text, from)
	if !ok {
		return n, false
	}
	digits := strings.TrimLeft(n.Text, "-$€£¥₹\\")
	lead, rest := text[:n.Start], strings.ToLower(textAfter(text, n.End, 16))
	isEuro := matchesRule(rest, "euros") || strings.HasSuffix(strings.TrimRight(lead, " "), "€")
	isPointed := matchesRule(digits, "pointed")
	decimals := matchRule(rest, "commaed")
	isListed := len(digits) < 3 && digits != "0" // "{2,3}" is two numbers
	if isListed && !isEuro && !matchesRule(rest, "measured") && !v.usesDecimalComma() {
		decimals = nil
	}
	switch {
	case decimals != nil && (isPointed || matchesRule(digits, "whole-number")) && !strings.HasSuffix(lead, "("):
		n.digits = strings.Replace(n.digits, ".", "", 1) + "." + decimals[1]
		n.End += 1 + len(decimals[1])
	case isPointed && isEuro:
		n.digits = strings.Replace(n.digits, ".", "", 1)
	case isPointed:
		n.unclear = v.usesDecimalComma()
	case matchesRule(digits, "parted") && strings.HasPrefix(digits, "0,"):
		n.digits = strings.Replace(n.digits, "0", "0.", 1)
	case matchesRule(digits, "parted"):
		n.unclear = v.usesDecimalComma() && !isEuro
	}
	n.Text = text[n.Start:n.End]
	return n, true
}

// isTimeOrDate reports whether the number n in the text s is part of a time or a date.
func isTimeOrDate(s string, n Numeral) bool {
	return matchesRule(textAfter(s, n.End, 40), "clock-after") || matchesRule(textBefore(s, n.Start, 16), "clock-before")
}

// powers maps words such as "million" to powers of ten as exponents: e6.
var powerOfTenWords = keyValueMap(`thousand e3 million e6 billion e9 trillion e12 lakh e5 crore e7 k e3 m e6 bn e9
	万 e4 萬 e4 만 e4 百万 e6 백만 e6 千万 e7 천만 e7 亿 e8 億 e8 억 e8`)

// isStandaloneNumber extends the number n in the text s by a power of ten, or a word for one ("2 million"), and reports
// whether it is a value of its own: no part of a larger expression, a time or a date.
func isStandaloneNumber(s string, n *Numeral) bool {
	if !strings.ContainsAny(n.digits, "/e") {
		if m := matchRule(s[n.End:], "scaled"); m != nil {
			power := powerOfTenWords[strings.ToLower(m[1]+m[2])]
			n.digits += power
			n.End += len(m[0])
			n.unclear = n.unclear || power == "" || m[2] != "" && isDigit(s, n.End)
		} else if m := rulePattern("scaled-money").FindString(s[n.End:]); m == "k" || m == "K" ||
			m != "" && strings.Contains(s[max(0, n.Start-1):n.End], "$") {
			n.digits += powerOfTenWords[strings.ToLower(m)]
			n.End += len(m)
		}
	}
	if m := findRuleMatch(s[n.End:], "power10"); m != nil && !strings.ContainsAny(n.digits, "/e") {
		n.digits += "e" + strings.TrimPrefix(strings.ReplaceAll(s[n.End+m[2]:n.End+m[3]], "−", "-"), "+")
		n.End += m[1]
	}
	return !n.unclear && !isTimeOrDate(s, *n) && !matchesRule(s[n.unitEnd(s):], "goes-on", "symbolic")
}

// unitEnd returns the end of the number n in the text s with the power of a unit after it, if there is one.
func (n Numeral) unitEnd(s string) int {
	if m := findRuleMatch(s[n.End:], "unit-power"); m != nil {
		return n.End + m[1]
	}
	return n.End
}

// CanonicalText returns the number in its shortest form: 1450 for $1,450.00.
func (n Numeral) CanonicalText() string { return FormatNumber(n.Rational()) }

// isListNumber reports whether the number n begins the line as the number of a list's item: "2." or "(2)".
func isListNumber(line string, n Numeral) bool {
	return strings.TrimLeft(line[:n.Start], " \t(") == "" && matchesRule(line[n.End:], "marker-ends")
}
