package reading

import (
	"strings"
	"unicode"
)

var (
	// continental are words of texts that write 1.250,5 for 1,250.5.
	continental = newLexicon(strings.Fields(`ist sind und das est sont une sono della che são uma antwort respuesta risposta resposta
		réponse è é`))
	euros = compile(`^\s*(?:€|euros?\b|eur\b)`)
	// pointed is a number whose point parts thousands or decimals, commaed what a comma adds to one, or parts.
	pointed     = compile(`^[1-9]\d{0,2}\.\d{3}$`)
	wholeNumber = compile(`^\d[\d,. \x{a0}\x{202f}]*$`)
	commaed     = compile(`^,(\d{1,2}|\d{4,12})(?:[^\d,]|,\D|,?$)`)
	// measured begins with a decimal comma and a unit, which no list of numbers has.
	measured = compile(`^,\d+\s?(?:%|°|(?:[kcm]?m|k?g|m?l|h|ms|s|min|mph|k?wh?|v)\b)`)
	parted   = compile(`^\d{1,3},\d{3}$`)
)

func (v *view) hasContinental() bool {
	isCyrillic := func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }
	return strings.ContainsFunc(v.lower, isCyrillic) || len(continental.in(v.lower)) > 0
}

// nextNumber is NextNumeral with a decimal comma, and with the points that part thousands where a comma parts decimals.
func (v *view) nextNumber(text string, from int) (Numeral, bool) {
	n, ok := NextNumeral(text, from)
	if !ok {
		return n, false
	}
	digits := strings.TrimLeft(n.Written, "-$€£¥₹\\")
	lead, rest := text[:n.Start], strings.ToLower(text[n.End:min(len(text), n.End+16)])
	isEuro := euros.MatchString(rest) || strings.HasSuffix(strings.TrimRight(lead, " "), "€")
	isPointed := pointed.MatchString(digits)
	decimals := commaed.findString(rest)
	isListed := len(digits) < 3 && digits != "0" // "{2,3}" is two numbers
	if isListed && !isEuro && !measured.MatchString(rest) && !v.isContinental() {
		decimals = nil
	}
	switch {
	case decimals != nil && (isPointed || wholeNumber.MatchString(digits)) && !strings.HasSuffix(lead, "("):
		n.digits = strings.Replace(n.digits, ".", "", 1) + "." + decimals[1]
		n.End += 1 + len(decimals[1])
	case isPointed && isEuro:
		n.digits = strings.Replace(n.digits, ".", "", 1)
	case isPointed:
		n.unclear = v.isContinental()
	case parted.MatchString(digits) && strings.HasPrefix(digits, "0,"):
		n.digits = strings.Replace(n.digits, "0", "0.", 1)
	case parted.MatchString(digits):
		n.unclear = v.isContinental() && !isEuro
	}
	n.Written = text[n.Start:n.End]
	return n, true
}

var (
	clockAfter = compile(`^\s?(?i:h\s?[0-5]\d(?:\D|$)|uhr\b)
		|^\s?(?:時(?:[^間]|$)|时(?:[^间]|$)|点(?:\d|半|钟|$)|시(?:[^간]|$))
		|^:(?:0[1-9]|[1-5]\d)(?:\D|$)
		|^[-/.]\d{1,2}[-/.]\d{2,4}\b
		|^\.?(?:\s+de)?\s+\pL{3,10}\.?,?(?:\s+de)?\s+(?:1\d|20)\d\d\b`)
	clockBefore = compile(`\d:$|(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november
		|december)\s+$`)
)

// clock tells whether a number is a part of a time or of a date.
func clock(s string, n Numeral) bool {
	return clockAfter.MatchString(s[n.End:min(len(s), n.End+40)]) ||
		clockBefore.MatchString(s[max(0, n.Start-16):n.Start])
}

// powers of ten, by their words.
var powers = pairs(`thousand e3 million e6 billion e9 trillion e12 lakh e5 crore e7 k e3 m e6 bn e9
	万 e4 萬 e4 만 e4 百万 e6 백만 e6 千万 e7 천만 e7 亿 e8 億 e8 억 e8`)

// single tells whether a number stands for itself, and is no part of an expression; with a power of ten, or a word for
// one, it is one.
func (v *view) single(s string, n *Numeral) bool {
	if !strings.ContainsAny(n.digits, "/e") {
		if m := scaled.findString(s[n.End:]); m != nil {
			power := powers[strings.ToLower(m[1]+m[2])]
			n.digits += power
			n.End += len(m[0])
			n.unclear = n.unclear || power == "" || m[2] != "" && isDigit(s, n.End)
		} else if m := scaledMoney.regular().FindString(s[n.End:]); m == "k" || m == "K" ||
			m != "" && strings.Contains(s[max(0, n.Start-1):n.End], "$") {
			n.digits += powers[strings.ToLower(m)]
			n.End += len(m)
		}
	}
	if m := power10.find(s[n.End:]); m != nil && !strings.ContainsAny(n.digits, "/e") {
		n.digits += "e" + strings.TrimPrefix(strings.ReplaceAll(s[n.End+m[2]:n.End+m[3]], "−", "-"), "+")
		n.End += m[1]
	}
	end := n.End + len(unitPower.regular().FindString(s[n.End:]))
	return !n.unclear && !clock(s, *n) && !goesOn.MatchString(s[end:]) && !symbolic.MatchString(s[end:])
}

func (n Numeral) Value() string { return Plain(n.Rational()) }

var markerEnds = compile(`^[.):]\s*\S`)

// isMarker tells whether a number is that of a list's item.
func (v *view) isMarker(line string, n Numeral) bool {
	if strings.TrimLeft(line[:n.Start], " \t(") != "" {
		return false
	}
	return markerEnds.MatchString(line[n.End:])
}
