package reading

import (
	"regexp"
	"strings"
)

// Number reads the number that a reply answers with. A number is written plainly: 1450 for "$1,450.00".
func Number(reply string) Found {
	v := undress(reply)
	if f, ok := v.statedNumber(); ok {
		return f
	}
	return v.lastNumber()
}

// statedNumber is the number of the last statement that has one.
func (v *view) statedNumber() (Found, bool) {
	return v.statement([]string{"answer", "答案", "boxed{", "####"}, func(word string, start, end int) (Found, bool) {
		switch word {
		case "boxed{":
			if inside, closed := v.box(end); closed && v.claims(start) {
				return v.evaluate(ruleBoxed, v.text[end:end+len(inside)+1], end)
			}
		case "####":
			line, _, _ := strings.Cut(v.text[end:min(len(v.text), end+after)], "\n")
			if n, found := NextNumeral(line, 0); found && strings.Trim(line[:n.Start], " $#:") == "" {
				return v.evaluate(ruleHashes, line, end)
			}
		default:
			if at := v.numberStatement(start, end); at >= 0 && v.claims(start) && !notLast.MatchString(v.upTo(start)) {
				return v.evaluate(ruleAnswer, v.complement(ruleAnswer, at), at)
			}
		}
		return Found{}, false
	})
}

// afterAnswerNumber stands between "answer" and the number: fewer words than before a letter, since any number may
// follow.
var (
	afterAnswerNumber = regexp.MustCompile(`^s?["']?(?:\s+(?:to|for|of|in|here|should|would|must|will|the|this|question|problem|part|your|our|then|therefore|thus|\(?[a-d]\))){0,8}(?:\s*(?:\b(?:is|be|are|was)\b|:|=|→|->)){1,3}`)
	chineseIs         = regexp.MustCompile(`^\s*(?:应该|应)?(?:是|为|:)`)
	arabic            = regexp.MustCompile(`^[\s:]*\(?\s*(?:in )?arabic numerals?\s*\)?[\s:]*`)
)

func (v *view) numberStatement(start, end int) int {
	if isLetterBefore(v.text, start) {
		return -1
	}
	if at := v.underHeading(start, end); at > 0 {
		return at
	}
	window := v.lower[end:min(len(v.lower), end+after)]
	m := afterAnswerNumber.FindStringIndex(window)
	if m == nil {
		m = chineseIs.FindStringIndex(window)
	}
	if m == nil {
		if m = arabic.FindStringIndex(window); m == nil || !strings.Contains(window[:m[1]], "arabic") {
			return -1
		}
	}
	at := end + m[1]
	if m := arabic.FindStringIndex(v.lower[at:min(len(v.lower), at+60)]); m != nil {
		at += m[1]
	}
	return at
}

var (
	// clause begins what is no part of an expression any more. Units and other words may be: "$5 per hour = $40".
	clause   = regexp.MustCompile(`(?i)[;?]|!(?:\s+\pL|\s*$)|,\s|\.\s+\S|\(\s*(?:i\.e|that|which|since|because|or)|\b(?:because|since|where|when|while|if|with|which|so|given|assuming|but|not|or|after|as|from)\b`)
	sign_    = `(?:[+*/×÷·^−]|-|\bx\b|\\times|\\cdot|\\div|\btimes\b|\bplus\b|\bminus\b|\bdivided by\b|\bmod\b)`
	goesOn   = regexp.MustCompile(`^[\s)}\]%]*(?:[a-zA-Z.]{1,12}[\s)]*)?` + sign_ + `[\s({\[]*[$€£]?\\?(?:sqrt|frac|pi)?[\s({\[]*-?[\d.]`)
	power10  = regexp.MustCompile(`^\s*(?:×|x|X|\*|·|\\times|\\cdot)\s*10\s*(?:\^|\*\*)\s*\{?\(?\s*([-−+]?\d{1,3})\s*\)?\}?`)
	symbolic = regexp.MustCompile(`^(?:[²³⁴⁵]|:\d(?:\D|$)|[xyzianbpqrtuv](?:[^\pL]|$)|\([a-z]\b)|^\s?(?:\\?sqrt\b|√|π|\\pi\b|\\sqrt|pi\b|\^|!\s*[=/*×·+^}$)\\-]|\^\{)`)
	orElse   = regexp.MustCompile(`^[\s)}\]%"']*(?:[a-zA-Z]{1,12}\s+){0,2}(?:or|and|to|through)\s+(?:(?:maybe|perhaps|possibly|even|about)\s+)?[$€£]?-?\d`)
	span_    = regexp.MustCompile(`^\s*(?:(?:–|—|-|~)\s*[$€£]?\d|,\s*[$€£]?-?\d[\d.,]*\s*(?:$|[.})\],]|and\b|or\b))`)
	negation = regexp.MustCompile(`(?i)\b(?:not|isn't|never|rather than|instead of)\s+(?:just |simply |be |equal to |exactly |about |only |a |an |the )?[$€£\\(\[]*$`)
	equals   = regexp.MustCompile(`=|≈|≡|\\approx\b|\b(?:equals|is equal to|gives|comes to|which is|i\.e\.)(?:\s|$)`)
	// restated joins an expression to its value.
	restated = regexp.MustCompile(`^,\s+(?:which (?:is|equals|gives|comes to)|i\.e\.,?)\s+`)
	// unitPower is the power of a unit, which is no part of an expression.
	unitPower = regexp.MustCompile(`^\s*[)]?\s*(?:(?:square |cubic )?(?:[kcdmn]?m|ft|in|inch|inches|feet|yd|yards?|mi|miles?|meters?|metres?|units?|s|sec|g|kg|h|hr)(?:\s*/\s*(?:[kcdm]?m|s|sec|h|hr))?)\s*\^\s*[{(]?-?\d+[})]?|^\s*\^\s*\{?\\circ\b\}?`)
	// precision says how exact a number is.
	precision   = regexp.MustCompile(`^\s*(?:decimals?|decimal places?|d\.?p\b|significant|sig\b|s\.?f\b)`)
	scaled      = regexp.MustCompile(`^\s+(?i:(thousand|million|billion|trillion)s?)\b`)
	scaledMoney = regexp.MustCompile(`^(?:[kKM]|bn)\b`)
	// afterEquals stands between a sign of equality and the number.
	afterEquals = regexp.MustCompile(`^(?:[^\pL]|about|approximately|roughly|exactly|\\[a-zA-Z]+|USD|Rs)*$`)
	sentence    = regexp.MustCompile(`[.!?]["')*\]]*\s+\S*\pL`)
)

// evaluate reads the value of what is said at i of the view: the number, or the last value of a chain of equations.
func (v *view) evaluate(rule, s string, i int) (Found, bool) {
	from := 0
	for range 4 {
		n, ok := NextNumeral(s, from)
		if !ok || sentence.MatchString(s[:n.Start]) {
			return Found{}, false
		}
		if !negation.MatchString(s[max(0, n.Start-24):n.Start]) {
			return v.valueFrom(rule, s, i, n)
		}
		from = n.End
	}
	return Found{}, false
}

// valueFrom is the value of the expression that begins with the number n.
func (v *view) valueFrom(rule, s string, i int, n Numeral) (Found, bool) {
	n.spaced(s)
	if m := minus.FindString(s[:n.Start]); m != "" && n.digits[0] != '-' {
		n.digits = "-" + n.digits
	}
	best, whole := n, v.single(s, &n) && !radical.MatchString(s[:n.Start])
	if whole {
		best = n
	}
	if m := correctedNumber.FindStringSubmatchIndex(v.text[i+n.End : min(len(v.text), i+n.End+before)]); m != nil {
		if next, ok := NextNumeral(v.text[:min(len(v.text), i+n.End+before)], i+n.End+m[2]); ok {
			v.single(v.text, &next)
			return v.found(rule, next.Value(), next.Start, next.End), true
		}
	}
	end := len(s)
	if m := clause.FindStringIndex(s[n.End:]); m != nil {
		end = n.End + m[0]
		if r := restated.FindStringIndex(s[end:]); r != nil && !whole {
			if end, r = end+r[1], clause.FindStringIndex(s[end+r[1]:]); r != nil {
				end += r[0]
			} else {
				end = len(s)
			}
		}
	}
	for _, m := range equals.FindAllStringIndex(s[n.End:end], 40) {
		next, ok := NextNumeral(s, n.End+m[1])
		if !ok || next.Start >= end || !afterEquals.MatchString(s[n.End+m[1]:next.Start]) {
			continue
		}
		if v.single(s, &next) {
			best, whole = next, true
		}
	}
	if m := orElse.FindString(s[best.End:]); m != "" && !precision.MatchString(strings.TrimLeft(s[best.End+len(m):], digitsAndPoint)) {
		whole = false
	}
	if !whole || span_.MatchString(s[best.End:]) {
		return v.several(rule, i+n.Start, i+best.End), true
	}
	return v.found(rule, best.Value(), i+best.Start, i+best.End), true
}

var (
	// correctedNumber follows a number that the next one takes the place of: "6. Wait, no, 5."
	correctedNumber = regexp.MustCompile(`^[)\]}"'$]*[\s.,;:!…—–-]+(?i:(?:(?:oh|oops|hmm|no)\b[\s,.…]+)?(?:no|wait|sorry|actually|correction|scratch that|or rather|i mean|make that)\b)(?i:[\s.,;:!…—–-]+(?:no|wait|actually|sorry|rather|i mean|it'?s|it is|that'?s|it should be|that's (?:wrong|not right)|make that)\b)*[\s.,;:!…—–-]*[$€£]?(\d[\d.,]*)[.!]?\s*(?:\n|$)`)
	// minus is a sign in words.
	minus = regexp.MustCompile(`(?i)(?:^|\bis|[:=])\s*(?:negative|minus)\s+$`)
	// radical goes before a number that is under a root, or over what is no number.
	radical = regexp.MustCompile(`(?:\\?sqrt\s*[{(]|√\s*\(?)$`)
	// spacedOut are groups of three digits after plain spaces.
	spacedOut = regexp.MustCompile(`^((?: \d{3})+)(?:[^\d,./]|[.,]\D|[.,]?$)`)
)

// spaced takes in groups of three digits that a statement sets apart by plain spaces: "118 000".
func (n *Numeral) spaced(s string) {
	whole := strings.TrimPrefix(n.digits, "-")
	m := spacedOut.FindStringSubmatch(s[n.End:])
	if m == nil || len(whole) > 3 || strings.Trim(whole, "0123456789") != "" {
		return
	}
	n.digits, n.End = n.digits+strings.ReplaceAll(m[1], " ", ""), n.End+len(m[1])
	n.Written = s[n.Start:n.End]
}

const digitsAndPoint = "0123456789.,"

// powers of ten, by their words.
var powers = map[string]string{"thousand": "e3", "million": "e6", "billion": "e9", "trillion": "e12", "k": "e3", "m": "e6", "bn": "e9"}

// single tells whether a number stands for itself, and is no part of an expression; with a power of ten, or a word for
// one, it is one.
func (v *view) single(s string, n *Numeral) bool {
	if !strings.ContainsAny(n.digits, "/e") {
		if m := scaled.FindStringSubmatch(s[n.End:]); m != nil {
			n.digits, n.End = n.digits+powers[strings.ToLower(m[1])], n.End+len(m[0])
		} else if m := scaledMoney.FindString(s[n.End:]); m != "" && (m != "M" && m != "bn" || strings.ContainsAny(s[n.Start:n.End]+s[max(0, n.Start-1):n.Start], "$")) {
			n.digits, n.End = n.digits+powers[strings.ToLower(m)], n.End+len(m)
		}
	}
	if m := power10.FindStringSubmatchIndex(s[n.End:]); m != nil && !strings.ContainsAny(n.digits, "/e") {
		n.digits += "e" + strings.TrimPrefix(strings.ReplaceAll(s[n.End+m[2]:n.End+m[3]], "−", "-"), "+")
		n.End += m[1]
	}
	end := n.End + len(unitPower.FindString(s[n.End:]))
	return !goesOn.MatchString(s[end:]) && !symbolic.MatchString(s[end:])
}

func (n Numeral) Value() string { return Plain(n.Rational()) }

// lastNumber is the number of the last sentence that has one: after its last sign of equality, else in bold, else the
// last.
func (v *view) lastNumber() Found {
	end := len(v.text)
	for range lookBack {
		start := strings.LastIndexByte(v.text[:end], '\n') + 1
		if f, ok := v.numberOfLine(start, end); ok {
			return f
		}
		if start == 0 {
			break
		}
		end = start - 1
	}
	return Found{Outcome: None}
}

// longLine is as much of a line as is looked at.
const longLine = 4000

func (v *view) numberOfLine(start, end int) (Found, bool) {
	start = max(start, end-longLine)
	line := v.text[start:end]
	var all []Numeral
	for n, ok := NextNumeral(line, 0); ok; n, ok = NextNumeral(line, n.End) {
		if !v.isMarker(line, n) && !precision.MatchString(line[n.End:]) && !(len(all) > 0 && isPower(line, all[len(all)-1], n)) {
			if n.Start > 0 && strings.HasSuffix(line[:n.Start], "$") || strings.Contains(n.Written, "$") {
				n.spaced(line)
			}
			v.single(line, &n) // with its power of ten
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return Found{}, false
	}
	last := all[len(all)-1]
	from := lastSentence(line, last.Start)
	if k := strings.LastIndexAny(line[:last.Start], "="); k >= from {
		if n, ok := NextNumeral(line, k+1); ok && afterEquals.MatchString(line[k+1:n.Start]) {
			if f, _ := v.valueFrom(ruleEquality, line, start, n); f.Outcome == Stated {
				return f, true
			}
		}
		return v.evaluate(ruleEquality, line[from:], start+from)
	}
	var bold *Numeral
	for k := len(all) - 1; k >= 0 && all[k].Start >= from; k-- {
		n := all[k]
		if negation.MatchString(line[max(0, n.Start-24):n.Start]) {
			continue
		}
		if v.inBold(start+n.Start, start+n.End) {
			bold = &all[k]
			break
		}
	}
	if bold != nil {
		return v.found(ruleBold, bold.Value(), start+bold.Start, start+bold.End), true
	}
	return v.lastOf(line, start, all, from)
}

// isPower tells whether a number is the power of the unit of the one before it.
func isPower(line string, previous, n Numeral) bool {
	m := unitPower.FindStringIndex(line[previous.End:])
	return m != nil && previous.End+m[1] > n.Start
}

// lastOf is the last number that is not denied.
func (v *view) lastOf(line string, start int, all []Numeral, from int) (Found, bool) {
	last := len(all) - 1
	for last > 0 && goesOn.MatchString(line[all[last-1].End:all[last].End]) {
		last--
	}
	if last == len(all)-1 || last == 0 || all[last-1].Start < from || !restates.MatchString(line[all[last-1].End:all[last].Start]) {
		last = len(all) - 1
	} else {
		last--
	}
	for k := last; k >= 0; k-- {
		n := all[k]
		if negation.MatchString(line[max(0, n.Start-24):n.Start]) {
			continue
		}
		if k > 0 && all[k-1].Start >= from && eitherOr.MatchString(line[all[k-1].End:n.Start]) {
			return v.several(ruleLast, start+all[k-1].Start, start+n.End), true
		}
		return v.found(ruleLast, n.Value(), start+n.Start, start+n.End), true
	}
	return Found{}, false
}

// restates stands between a number and an expression of it.
var restates = regexp.MustCompile(`[\s,(](?:i\.e\.|since|because|as|namely),?[\s($]*$`)

var eitherOr = regexp.MustCompile(`^[\s)%]*(?:[a-zA-Z]{1,12}\s+)?or\s+(?:maybe |perhaps |even )?[$€£]?$`)

// isMarker tells whether a number is that of a list's item.
func (v *view) isMarker(line string, n Numeral) bool {
	if strings.TrimLeft(line[:n.Start], " \t(") != "" {
		return false
	}
	rest := line[n.End:]
	return len(rest) > 1 && (rest[0] == '.' || rest[0] == ')' || rest[0] == ':') && strings.TrimSpace(rest[1:]) != ""
}

// lastSentence is where the sentence begins that holds at.
func lastSentence(line string, at int) int {
	from := 0
	for _, m := range sentence.FindAllStringIndex(line[:at], -1) {
		if k := m[0]; !abbreviated(strings.ToLower(line[:k])) {
			from = k + 1
		}
	}
	return from
}

// inBold tells whether bytes i to j of the view are in bold type in the reply.
func (v *view) inBold(i, j int) bool {
	start, end := v.span(i, j)
	return strings.HasSuffix(strings.TrimRight(v.reply[:start], `$\(`), "**") && strings.Contains(v.reply[end:min(len(v.reply), end+24)], "**")
}
