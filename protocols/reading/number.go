package reading

import (
	"slices"
	"strings"
)

// Number reads the number that a reply answers with. A number is written plainly: 1450 for "$1,450.00".
func Number(reply string) Found {
	v := undress(reply)
	f, ok := v.statedNumber()
	if !ok {
		return v.lastNumber()
	}
	if revised.MatchString(v.reply[f.End:]) {
		last := v.lastNumber()
		if last.Start > f.End && last.Value != f.Value {
			return f.conflict()
		}
	}
	return f
}

var (
	// revised begins what may take the place of the answer.
	revised = compile(`(?i)[.!?\n]\s*(?:no,|(?:wait|actually|correction|oops|hmm+|hold on)\b)`)
	// box is what a box holds, with the brace that closes it; orBoxed goes before another box.
	box     = compile(`^(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`)
	orBoxed = compile(`\}\W*\b(?:or|and)\b\W*$`)
	hashed  = compile(`^[ $#:]*[-−]?[$€£]?\.?\d`)
)

// numberCues announce a number, in the languages of words.go.
var numberCues = newLexicon(strings.Fields(`answer ans: result antwort
	réponse respuesta risposta resposta résultat "total" ответ 答案 答え 정답 답은
	boxed{ ####`))

// statedNumber is the number of the last statement that has one; what would be so is none.
func (v *view) statedNumber() (f Found, ok bool) {
	all := numberCues.in(v.lower)
	slices.Reverse(all)
	for _, m := range all[:min(len(all), lookBack)] {
		isUnreal := hypothetical.MatchString(v.lower[m[1]:min(len(v.lower), m[1]+40)]) &&
			!concluding.MatchString(v.upTo(m[0]))
		if f, ok := v.numberAfter(m[0], m[1]); ok && !isUnreal {
			return f, true
		}
	}
	return Found{}, false
}

// numberAfter is the number that the word announces that stands at bytes start to end.
func (v *view) numberAfter(start, end int) (f Found, ok bool) {
	rest := v.text[end:min(len(v.text), end+after)]
	switch v.lower[start:end] {
	case "boxed{":
		m := box.find(rest)
		if m == nil || !v.claims(start) {
			return f, false
		}
		f, ok = v.evaluate(ruleBoxed, rest[:m[1]], end)
		if ok && orBoxed.MatchString(v.lower[max(0, start-24):start]) {
			f = f.conflict()
		}
		return f, ok
	case "####":
		line, _, _ := strings.Cut(rest, "\n")
		if !hashed.MatchString(line) {
			return f, false
		}
		return v.evaluate(ruleHashes, line, end)
	}
	m := afterAnswerNumber.find(strings.ToLower(rest))
	if m == nil || wordBefore(v.lower, start) || !v.claims(start) || another.MatchString(v.upTo(start)) {
		return f, false
	}
	return v.evaluate(ruleAnswer, v.complement(end+m[1]), end+m[1])
}

var (
	hypothetical = compile(`^\s*(?:choice |option )?would (?:be|have been)\b`)
	// afterAnswerNumber stands between "answer" and the number: any number may follow, so few words may.
	afterAnswerNumber = compile(`^s?["']?(?:\s+(?:
			to|for|of|in|here|should|would|must|will|the|this|question|problem|part|your|our|then|therefore|thus|final
			|correcta|correcte|corretta|correta
			|\(?[a-d]\)|\(?(?:in )?arabic numerals?\)?
		)){0,8}(?:\s*(?:
			\b(?:is|be|are|was|ist|lautet|est|es)\b|è|é|:|=|→|->|—|\(arabic numerals?\):?
		)){1,3}
		|^\s*(?:应该|应)?(?:是|为|は|은|는|:)|^은
		|^["']?[ \t]*\n\s*`)
)

// complement is what a statement says from i on: the rest of its line, or the next line that has something.
func (v *view) complement(i int) string {
	lead := v.text[i:min(len(v.text), i+40)]
	j := i + len(lead) - len(strings.TrimLeft(lead, " \t\n:\"'([{$|-="))
	line, _, _ := strings.Cut(v.rest(j), "\n")
	return v.text[i:j] + line
}

var (
	// clause begins what is no part of an expression any more. Units and other words may be: "$5 per hour = $40".
	clause = compile(`(?i)
		[;?]|!(?:\s+\pL|\s*$)|,\s|\.\s+\S
		|\(\s*(?:i\.e|that|which|since|because|or)
		|\b(?:because|since|where|when|while|if|with|which|so|given|assuming|but|not|or|after|as|from)\b`)
	sign_  = `(?:[+*/×÷·^−]|-|\bx\b|\\times|\\cdot|\\div|\btimes\b|\bplus\b|\bminus\b|\bdivided by\b|\bmod\b)`
	goesOn = compile(`^[\s)}\]%]*(?:[a-zA-Z.]{1,12}[\s)]*)?` + sign_ + `
		[\s({\[]*[$€£]?\\?(?:sqrt|frac|pi)?[\s({\[]*-?[\d.]`)
	power10  = compile(`^\s*(?:×|x|X|\*|·|\\times|\\cdot)\s*10\s*(?:\^|\*\*)\s*\{?\(?\s*([-−+]?\d{1,3})\s*\)?\}?`)
	symbolic = compile(`^(?:[²³⁴⁵]|:\d(?:\D|$)|[xyzianbpqrtuv](?:[^\pL]|$)|\([a-z]\b)
		|^\s?(?:\\?sqrt\b|√|π|\\pi\b|\\sqrt|pi\b|\^|!\s*[=/*×·+^}$)\\-]|\^\{)`)
	orElse = compile(`^[\s)}\]%"']*(?:[a-zA-Z]{1,12}\s+){0,2}
		(?:or|and|to|through|oder|und|ou|et|o|y|e|или)\s+
		(?:(?:maybe|perhaps|possibly|even|about)\s+)?[$€£]?-?\d`)
	span_    = compile(`^\s*(?:(?:–|—|-|~)\s*[$€£]?\d|,\s*[$€£]?-?\d[\d.,]*\s*(?:$|[.})\],]|and\b|or\b))`)
	negation = compile(`(?i)\b(?:not|isn't|never|rather than|instead of)\s+
		(?:just |simply |be |equal to |exactly |about |only |a |an |the )?[$€£\\(\[]*$`)
	equals = compile(`=|≈|≡|\\approx\b|\b(?:equals|is equal to|gives|comes to|which is|i\.e\.)(?:\s|$)`)
	// unitPower is the power of a unit, which is no part of an expression.
	unitPower = compile(`^\s*[)]?\s*(?:
			(?:square |cubic )?
			(?:[kcdmn]?m|ft|in|inch|inches|feet|yd|yards?|mi|miles?|meters?|metres?|units?|s|sec|g|kg|h|hr)
			(?:\s*/\s*(?:[kcdm]?m|s|sec|h|hr))?
		)\s*\^\s*[{(]?-?\d+[})]?
		|^\s*\^\s*\{?\\circ\b\}?`)
	// precision says how exact a number is.
	precision = compile(`^\s*(?:decimals?|decimal places?|d\.?p\b|significant|sig\b|s\.?f\b)`)
	scaled    = compile(`^\s+(?i:(thousand|million|billion|trillion|lakh|crore)s?)\b
		|^\s?([百千백천]?[万萬만亿億억]|[百千백천])`)
	scaledMoney = compile(`^(?:[kKM]|bn)\b`)
	// afterEquals stands between a sign of equality and the number.
	afterEquals = compile(`^(?:[^\pL]|about|approximately|roughly|exactly|\\[a-zA-Z]+|USD|Rs)*$`)
	sentence    = compile(`[.!?]["')*\]]*\s+\S*\pL`)
)

// evaluate reads the value of what is said at i of the view: the number, or the last value of a chain of equations.
func (v *view) evaluate(rule, s string, i int) (Found, bool) {
	from := 0
	for range 4 {
		n, ok := v.nextNumber(s, from)
		if !ok || sentence.MatchString(s[:n.Start]) {
			return Found{}, false
		}
		if !negation.MatchString(s[max(0, n.Start-24):n.Start]) && !itemNumber.MatchString(s[:min(len(s), n.End+4)]) {
			return v.valueFrom(rule, s, i, n)
		}
		from = n.End
	}
	return Found{}, false
}

// itemNumber is that of a list's item: "1) 5".
var itemNumber = compile(`^[^\pL\d(]*\d{1,2}\)\s\W?\d`)

// valueFrom is the value of the expression that begins with the number n.
func (v *view) valueFrom(rule, s string, i int, n Numeral) (Found, bool) {
	n.spaced(s)
	if minus.MatchString(s[:n.Start]) && n.digits[0] != '-' {
		n.digits = "-" + n.digits
	}
	best := n
	whole := v.single(s, &n) && !radical.MatchString(s[:n.Start])
	if whole {
		best = n
	}
	end := len(s)
	if m := clause.find(s[n.End:]); m != nil {
		end = n.End + m[0]
	}
	for _, m := range equals.regular().FindAllStringIndex(s[n.End:end], 40) {
		next, ok := v.nextNumber(s, n.End+m[1])
		if !ok || next.Start >= end || !afterEquals.MatchString(s[n.End+m[1]:next.Start]) {
			continue
		}
		if v.single(s, &next) {
			best = next
			whole = true
		}
	}
	or := orElse.regular().FindString(s[best.End:])
	if or != "" && !precision.MatchString(strings.TrimLeft(s[best.End+len(or):], digitsAndPoint)) {
		whole = false
	}
	if m := unknowns.find(s); m != nil && m[0] <= n.Start && n.Start < m[1] {
		whole = false
	}
	if !whole || span_.MatchString(s[best.End:]) {
		return v.several(rule, i+n.Start, i+best.End), true
	}
	return v.found(rule, best.Value(), i+best.Start, i+best.End), true
}

var (
	// unknowns are two, each with a value of its own: "x = 5 and y =".
	unknowns = compile(`\b[a-zA-Z]\s*=\s*[$€£]?-?[\d.,/]+\s*\$?
		(?:,|;|\b(?:and|und|et|y|e)\b|和)\s*(?:and\s+)?\$?\\?[a-zA-Z]\s*=`)
	// minus is a sign in words.
	minus = compile(`(?i)(?:^|\bis|[:=])\s*(?:negative|minus)\s+$`)
	// radical goes before a number that is under a root, or over what is no number.
	radical = compile(`(?:\\?sqrt\s*[{(]|√\s*\(?)$`)
	// spacedOut are groups of three digits after plain spaces, and decimals after a comma.
	spacedOut = compile(`^((?: \d{3})+(?:,\d{1,2})?)(?:[^\d,./]|[.,]\D|[.,]?$)`)
)

// spaced takes in groups of three digits that a statement sets apart by plain spaces: "118 000", "1 250,50".
func (n *Numeral) spaced(s string) {
	whole := strings.TrimPrefix(n.digits, "-")
	m := spacedOut.findString(s[n.End:])
	if m == nil || len(whole) > 3 || strings.Trim(whole, "0123456789") != "" {
		return
	}
	n.digits += strings.NewReplacer(" ", "", ",", ".").Replace(m[1])
	n.End += len(m[1])
	n.Written = s[n.Start:n.End]
}

const digitsAndPoint = "0123456789.,"

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
	for n, ok := v.nextNumber(line, 0); ok; n, ok = v.nextNumber(line, n.End) {
		isPart := v.isMarker(line, n) || precision.MatchString(line[n.End:]) ||
			len(all) > 0 && isPower(line, all[len(all)-1], n)
		if !isPart {
			isApart := isDigit(line, n.End+1) && v.isContinental()
			if isApart || strings.HasSuffix(line[:n.Start], "$") || strings.Contains(n.Written, "$") {
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
		if m := unknowns.find(line[from : k+1]); m != nil && from+m[1] == k+1 {
			return v.several(ruleEquality, start+last.Start, start+last.End), true
		}
		if n, ok := v.nextNumber(line, k+1); ok && afterEquals.MatchString(line[k+1:n.Start]) {
			if f, _ := v.valueFrom(ruleEquality, line, start, n); f.Outcome == Stated {
				return f, true
			}
		}
		return v.evaluate(ruleEquality, line[from:], start+from)
	}
	return v.lastOf(line, start, all, from)
}

// isPower tells whether a number is the power of the unit of the one before it.
func isPower(line string, previous, n Numeral) bool {
	m := unitPower.find(line[previous.End:])
	return m != nil && previous.End+m[1] > n.Start
}

// lastOf is the number in bold type of a sentence, else its last one, but for what is denied.
func (v *view) lastOf(line string, start int, all []Numeral, from int) (f Found, ok bool) {
	all = slices.DeleteFunc(all, func(n Numeral) bool {
		return negation.MatchString(line[max(0, n.Start-24):n.Start])
	})
	for _, n := range slices.Backward(all) {
		if n.Start >= from && !n.unclear && v.inBold(start+n.Start, start+n.End) {
			return v.found(ruleBold, n.Value(), start+n.Start, start+n.End), true
		}
	}
	if len(all) == 0 {
		return f, false
	}
	n := all[len(all)-1]
	f = v.found(ruleLast, n.Value(), start+n.Start, start+n.End)
	between := ""
	if len(all) > 1 {
		between = line[all[len(all)-2].End:n.End]
	}
	isPart := between != "" && (goesOn.MatchString(between) || eitherOr.MatchString(between))
	switch {
	case isPart || clock(line, n) || n.unclear:
		return f.conflict(), true
	case refusal.MatchString(v.lower[max(0, len(v.lower)-4*after):]):
		return Found{Outcome: None}, true
	}
	return f, true
}

var eitherOr = compile(`^[\s)%]*(?:[a-zA-Z]{1,12}\s+)?or\s+(?:maybe |perhaps |even )?[$€£]?-?\d`)

// lastSentence is where the sentence begins that holds at.
func lastSentence(line string, at int) int {
	from := 0
	for _, m := range sentence.regular().FindAllStringIndex(line[:at], -1) {
		if k := m[0]; !abbreviated(strings.ToLower(line[:k])) {
			from = k + 1
		}
	}
	return from
}

// inBold tells whether bytes i to j of the view are in bold type in the reply.
func (v *view) inBold(i, j int) bool {
	start, end := v.span(i, j)
	return strings.HasSuffix(strings.TrimRight(v.reply[:start], `$\(`), "**") &&
		strings.Contains(v.reply[end:min(len(v.reply), end+24)], "**")
}
