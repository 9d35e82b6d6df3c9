package reading

import (
	"slices"
	"strings"
)

// Number reads the number with which a reply answers. Match.Value has it in plain form: 1450 for "$1,450.00".
func Number(reply string) Match {
	v := normalize(reply)
	f := v.statedNumber()
	if f.Outcome == "" {
		return v.lastNumber()
	}
	if matchesRule(v.reply[f.End:], "revised") {
		last := v.lastNumber()
		if last.Start > f.End {
			return f.asConflict()
		}
	}
	return f
}

// numberCues are words and marks that announce a number as the answer, in several languages.
var numberCues = newLexicon(strings.Fields(`answer ans: result antwort
	réponse respuesta risposta resposta résultat "total" ответ 答案 答え 정답 답은
	boxed{ ####`))

// statedNumber returns the last number that a cue such as "answer" announces; hypothetical answers do not count.
func (v *normalizedReply) statedNumber() Match {
	all := numberCues.findAll(v.lower)
	slices.Reverse(all)
	for _, m := range all[:min(len(all), maxLabelsToExamine)] {
		isUnreal := matchesRule(textAfter(v.lower, m[1], 40), "hypothetical")
		if f := v.numberAfter(m[0], m[1]); f.Outcome != "" && !isUnreal {
			return f
		}
	}
	return Match{}
}

// numberAfter returns the number that the cue at bytes start to end of the view announces; an empty match for none.
func (v *normalizedReply) numberAfter(start, end int) (f Match) {
	rest := textAfter(v.text, end, rightWindow)
	switch v.lower[start:end] {
	case "boxed{":
		m := findRuleMatch(rest, "box")
		if m == nil || !v.isClaimedAt(start) {
			return f
		}
		f = v.evaluateNumber(ruleBoxed, rest[:m[1]], end)
		if f.Outcome != "" && matchesRule(textBefore(v.lower, start, 24), "or-boxed") {
			f = f.asConflict()
		}
		return f
	case "####":
		line, _, _ := strings.Cut(rest, "\n")
		if !matchesRule(line, "hashed") {
			return f
		}
		return v.evaluateNumber(ruleHashes, line, end)
	}
	m := findRuleMatch(strings.ToLower(rest), "after-answer-number")
	if m == nil || !v.isClaimedAt(start) || matchesRule(v.statementBefore(start), "another") {
		return f
	}
	return v.evaluateNumber(ruleAnswer, v.announcedText(end+m[1]), end+m[1])
}

// announcedText returns the text that a cue before byte i announces: the rest of the line or, if the line has only
// marks left, the next line with content.
func (v *normalizedReply) announcedText(i int) string {
	lead := textAfter(v.text, i, 40)
	j := i + len(lead) - len(strings.TrimLeft(lead, " \t\n:\"'([{$|-="))
	line, _, _ := strings.Cut(v.statementAfter(j), "\n")
	return v.text[i:j] + line
}

// evaluateNumber returns the value of s, a text at byte i of the view: its first number that is not denied, or the last
// value of a chain of equations. rule becomes the match's rule.
func (v *normalizedReply) evaluateNumber(rule, s string, i int) Match {
	from := 0
	for range 4 {
		n, ok := v.nextNumber(s, from)
		if !ok || matchesRule(s[:n.Start], "sentence") {
			return Match{}
		}
		if !matchesRule(textBefore(s, n.Start, 24), "negation") && !matchesRule(s[:min(len(s), n.End+4)], "item-number") {
			return v.expressionValue(rule, s, i, n)
		}
		from = n.End
	}
	return Match{}
}

// expressionValue returns the value of the expression in s that begins with the number n; s stands at byte i of the
// view. The match is a conflict if the expression has no single value.
func (v *normalizedReply) expressionValue(rule, s string, i int, n Numeral) Match {
	n.addGroups(s)
	if matchesRule(s[:n.Start], "minus") {
		n.digits = "-" + n.digits
	}
	best := n
	isWhole := isStandaloneNumber(s, &n) && !matchesRule(s[:n.Start], "radical")
	if isWhole {
		best = n
	}
	end := len(s)
	if m := findRuleMatch(s[n.End:], "clause"); m != nil {
		end = n.End + m[0]
	}
	for _, m := range rulePattern("equals").FindAllStringIndex(s[n.End:end], 40) {
		next, ok := v.nextNumber(s, n.End+m[1])
		if !ok || !matchesRule(s[n.End+m[1]:next.Start], "after-equals") {
			continue
		}
		if isStandaloneNumber(s, &next) {
			best = next
			isWhole = true
		}
	}
	or := rulePattern("or-else").FindString(s[best.End:])
	if or != "" && !matchesRule(strings.TrimLeft(s[best.End+len(or):], digitsAndPoint), "precision") {
		isWhole = false
	}
	if m := findRuleMatch(s, "unknowns"); m != nil && m[0] <= n.Start && n.Start < m[1] {
		isWhole = false
	}
	if !isWhole || matchesRule(s[best.End:], "span") {
		return v.conflictAt(rule, i+n.Start, i+best.End)
	}
	return v.result(rule, best.CanonicalText(), i+best.Start, i+best.End)
}

// addGroups extends the number n in the text s by groups of three digits after blanks: "118 000", "1 250,50".
func (n *Numeral) addGroups(s string) {
	whole := strings.TrimPrefix(n.digits, "-")
	m := matchRule(s[n.End:], "spaced-out")
	if m == nil || len(whole) > 3 {
		return
	}
	n.digits += strings.NewReplacer(" ", "", ",", ".").Replace(m[1])
	n.End += len(m[1])
	n.Text = s[n.Start:n.End]
}

// digitsAndPoint lists the characters of the number before "decimal places": "18 to 2 decimal places".
const digitsAndPoint = "0123456789.,"

// lastNumber returns the number of the reply's last sentence that has one: the one after its last equals sign, else the
// one in bold type, else the last one.
func (v *normalizedReply) lastNumber() Match {
	end := len(v.text)
	for range maxLabelsToExamine {
		start := strings.LastIndexByte(v.text[:end], '\n') + 1
		if f := v.lastNumberInLine(start, end); f.Outcome != "" {
			return f
		}
		if start == 0 {
			break
		}
		end = start - 1
	}
	return Match{Outcome: None}
}

// maxLineBytes is the number of bytes that lastNumber examines of a line, at the line's end.
const maxLineBytes = 4000

// lastNumberInLine returns the number of the last sentence in bytes start to end of the view, a line; an empty match
// for none.
func (v *normalizedReply) lastNumberInLine(start, end int) Match {
	start = max(start, end-maxLineBytes)
	line := v.text[start:end]
	var all []Numeral
	for n, ok := v.nextNumber(line, 0); ok; n, ok = v.nextNumber(line, n.End) {
		isPart := isListNumber(line, n) || matchesRule(line[n.End:], "precision") ||
			len(all) > 0 && all[len(all)-1].unitEnd(line) > n.Start
		if !isPart {
			isApart := isDigit(line, n.End+1) && v.usesDecimalComma()
			if isApart || strings.HasSuffix(line[:n.Start], "$") || strings.Contains(n.Text, "$") {
				n.addGroups(line)
			}
			isStandaloneNumber(line, &n) // includes its power of ten
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return Match{}
	}
	last := all[len(all)-1]
	from := sentenceStart(line, last.Start)
	if k := strings.LastIndexAny(line[:last.Start], "="); k >= from {
		if m := findRuleMatch(line[from:k+1], "unknowns"); m != nil && from+m[1] == k+1 {
			return v.conflictAt(ruleEquality, start+last.Start, start+last.End)
		}
		if n, ok := v.nextNumber(line, k+1); ok && matchesRule(line[k+1:n.Start], "after-equals") {
			if f := v.expressionValue(ruleEquality, line, start, n); f.Outcome == Decided {
				return f
			}
		}
		return v.evaluateNumber(ruleEquality, line[from:], start+from)
	}
	return v.boldOrLastNumber(line, start, all, from)
}

// boldOrLastNumber returns the last number in bold type in the line's sentence from byte from on; else the line's last
// number. all lists the line's numbers, start is its place in the view. Denied numbers do not count.
func (v *normalizedReply) boldOrLastNumber(line string, start int, all []Numeral, from int) (f Match) {
	all = slices.DeleteFunc(all, func(n Numeral) bool {
		return matchesRule(textBefore(line, n.Start, 24), "negation")
	})
	for _, n := range slices.Backward(all) {
		if n.Start >= from && v.isBold(start+n.Start, start+n.End) {
			return v.result(ruleBold, n.CanonicalText(), start+n.Start, start+n.End)
		}
	}
	if len(all) == 0 {
		return f
	}
	n := all[len(all)-1]
	f = v.result(ruleLastNumber, n.CanonicalText(), start+n.Start, start+n.End)
	between := ""
	if len(all) > 1 {
		between = line[all[len(all)-2].End:n.End]
	}
	isPart := matchesRule(between, "goes-on", "either-or")
	switch {
	case isPart || isTimeOrDate(line, n) || n.unclear:
		return f.asConflict()
	case matchesRule(textBefore(v.lower, len(v.lower), 4*rightWindow), "refusal"):
		return Match{Outcome: None}
	}
	return f
}

// sentenceStart returns the beginning of the sentence of line that contains byte position.
func sentenceStart(line string, position int) int {
	from := 0
	for _, m := range rulePattern("sentence").FindAllStringIndex(line[:position], -1) {
		if k := m[0]; !endsAbbreviated(strings.ToLower(line[:k])) {
			from = k + 1
		}
	}
	return from
}

// isBold reports whether bytes i to j of the view are in bold type in the reply.
func (v *normalizedReply) isBold(i, j int) bool {
	start, end := v.span(i, j)
	return strings.HasSuffix(strings.TrimRight(v.reply[:start], `$\(`), "**") &&
		strings.Contains(textAfter(v.reply, end, 24), "**")
}
