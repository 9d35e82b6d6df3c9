package answer

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// Rules that find an answer in a reply (PROTOCOLS.md §2).
const (
	ruleAnswerIs    = "answer-is"    // "the answer is (C)", "The answer is $1,450"
	ruleAnswerColon = "answer-colon" // "Answer: C"
	ruleLastLetter  = "last-letter"  // lenient: the last letter that stands alone
	RuleLastNumber  = "last-number"  // the last number of the reply
)

// The rules for a letter, as MMLU-Pro's script has them.
var (
	letterAfterIs    = regexp.MustCompile(`answer is \(?([A-J])\)?`)
	letterAfterColon = regexp.MustCompile(`.*[aA]nswer:\s*([A-J])`) // the last of its line
)

// findLetter finds where the letter stands that a reply answers with.
func findLetter(reply string, how judging.Reading) (at judging.Span, rule string) {
	at = binding(letterAfterIs, reply, how.First)
	if !at.Nowhere() {
		return at, ruleAnswerIs
	}
	word := strings.Index(reply, "nswer:")
	if word >= 0 { // most replies have none, and the expression is slow
		line := strings.LastIndexByte(reply[:word], '\n') + 1
		at = binding(letterAfterColon, reply[line:], how.First)
		if !at.Nowhere() {
			return at.Shift(line), ruleAnswerColon
		}
	}
	if how.Lenient {
		at = lastLetter(reply)
		if !at.Nowhere() {
			return at, ruleLastLetter
		}
	}
	return judging.Span{}, ""
}

// Said is what the paper's rules read from an answer to a question of a shape; "" for nothing.
func Said(shape datasets.Shape, text string) string {
	v := answer{}.Parse(judging.Presentation{Shape: shape}, text, judging.Reading{Policy: judging.Unique})
	return cmp.Or(v.Answer, v.Label) // of a number the label is as it is written
}

// binding is the group of the last match, or the first.
func binding(find *regexp.Regexp, text string, first bool) (at judging.Span) {
	for from := 0; ; from = at.End {
		m := find.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return at
		}
		at = judging.Span{Start: from + m[2], End: from + m[3]}
		if first {
			return at
		}
	}
}

// lastLetter is the last letter that stands alone. What is a word is as Python
// has it: in "ΔE" the E does not stand alone, as it would for \b in Go.
func lastLetter(text string) judging.Span {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] < 'A' || text[i] > 'J' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+1:])
		if !wordRune(before) && !wordRune(after) {
			return judging.Span{Start: i, End: i + 1}
		}
	}
	return judging.Span{}
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// theAnswerIs is what the prompt asks for, with what it says in brackets, which some repeat.
var theAnswerIs = regexp.MustCompile(`(?i)\bthe answer is\b(?:[\s:*_]*\(\s*(?:in )?arabic numerals?\s*\))?`)

// findNumber finds the number that a reply answers with: the one after the last "The answer is" that has one, or after
// the first such; else the last number of the reply.
func findNumber(reply string, how judging.Reading) judging.Verdict {
	text := reading.PlainDigits(reply)
	asked := theAnswerIs.FindAllStringIndex(text, -1)
	if !how.First {
		slices.Reverse(asked)
	}
	next := len(text)
	for i, at := range asked {
		// Up to the next such phrase: no part of a reply is read twice.
		if how.First {
			next = len(text)
			if i+1 < len(asked) {
				next = asked[i+1][0]
			}
		}
		if n, ok := numberOfSentence(text[at[1]:next]); ok {
			return numberVerdict(n, at[1], ruleAnswerIs, text, reply)
		}
		next = at[0]
	}
	if n, ok := lastNumber(text); ok {
		return numberVerdict(n, 0, RuleLastNumber, text, reply)
	}
	return judging.Silent(judging.NoVerdict)
}

// numberVerdict is that of a number which stands so many bytes into the text that was
// made of a reply: its value in its plain form, and as the judge has it.
func numberVerdict(n reading.Numeral, from int, rule, text, reply string) judging.Verdict {
	at := judging.Span{Start: from + n.Start, End: from + n.End}
	if text != reply { // as many characters, not as many bytes
		at.Start, at.End = sameCharacter(text, at.Start, reply), sameCharacter(text, at.End, reply)
	}
	return judging.Verdict{
		Outcome: judging.Decided,
		Choice:  judging.Nobody,
		Answer:  n.Value(),
		Label:   n.Written,
		Rule:    rule,
		Span:    at,
	}
}

// sameCharacter is where the character at a place of a text stands in another text of as many characters.
func sameCharacter(text string, at int, other string) int {
	n := utf8.RuneCountInString(text[:at])
	for i := range other {
		if n == 0 {
			return i
		}
		n--
	}
	return len(other)
}

// lastNumber is the last one of a text.
func lastNumber(text string) (last reading.Numeral, ok bool) {
	for n, more := reading.NextNumeral(text, 0); more; n, more = reading.NextNumeral(text, n.End) {
		last, ok = n, true
	}
	return last, ok
}

// newSentence is where a sentence ends and another begins. After "Rs. 50" and "approx. 50" none does.
var newSentence = regexp.MustCompile(`[.!?]["')*\]]*\s+\S*\pL`)

// numberOfSentence is the number that follows "The answer is": in what is left of its sentence or, where nothing is
// left of its line but marks, in the next line that has more. Of "3 + 4 = 7" it is what stands last.
func numberOfSentence(text string) (reading.Numeral, bool) {
	from, line := 0, text
	for {
		var more bool
		line, _, more = strings.Cut(text[from:], "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || !more {
			break
		}
		from += len(line) + 1
	}
	n, ok := reading.NextNumeral(line, 0)
	if !ok || newSentence.MatchString(line[:n.Start]) {
		return reading.Numeral{}, false
	}
	if sum := sumUpTo.FindString(line[n.End:]); strings.ContainsAny(sum, "+-−*×÷/") {
		end := n.End + len(sum)
		if last, ok := reading.NextNumeral(line, end); ok && !strings.ContainsFunc(line[end:last.Start], unicode.IsLetter) {
			n = last
		}
	}
	n.Start, n.End = n.Start+from, n.End+from
	return n, true
}

// sumUpTo is the rest of a sum up to its last sign of equality.
var sumUpTo = regexp.MustCompile(`^[\s0-9.,+\-−*×÷/()$€£%\\{}=]*=`)

// readNumber reads a text that is one number, however it is written.
func readNumber(text string) (*big.Rat, bool) {
	text = reading.PlainDigits(text)
	n, ok := reading.NextNumeral(text, 0)
	if !ok {
		return nil, false
	}
	if _, more := reading.NextNumeral(text, n.End); more {
		return nil, false
	}
	return n.Rational(), true
}

// SameNumber tells whether two texts are the same number: 45.0 and 45, $1,450
// and 1450. A text that is none is the same as nothing.
func SameNumber(a, b string) bool {
	x, ok := readNumber(a)
	y, yes := readNumber(b)
	return ok && yes && x.Cmp(y) == 0
}
