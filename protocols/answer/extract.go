package answer

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel/judging"
	"gavel/protocols/reading"
)

// Rules that find an answer in a reply (PROTOCOLS.md §2).
const (
	RuleAnswerIs    = "answer-is"    // "the answer is (C)", "The answer is $1,450"
	RuleAnswerColon = "answer-colon" // "Answer: C"
	RuleLastLetter  = "last-letter"  // lenient: the last letter that stands alone
	RuleLastNumber  = "last-number"  // the last number of the reply
)

// The rules for a letter, as MMLU-Pro's script has them.
var (
	letterAfterIs    = regexp.MustCompile(`answer is \(?([A-J])\)?`)
	letterAfterColon = regexp.MustCompile(`.*[aA]nswer:\s*([A-J])`) // the last of its line
)

// findLetter finds the letter that a reply answers with; "" where there is none.
func findLetter(reply string, how judging.Reading) (letter, rule string) {
	for _, r := range []struct {
		rule string
		find *regexp.Regexp
	}{{RuleAnswerIs, letterAfterIs}, {RuleAnswerColon, letterAfterColon}} {
		if letter = binding(r.find, reply, how.First); letter != "" {
			return letter, r.rule
		}
	}
	if how.Lenient {
		if letter = lastLetter(reply); letter != "" {
			return letter, RuleLastLetter
		}
	}
	return "", ""
}

// binding is the group of the last match, or the first.
func binding(find *regexp.Regexp, text string, first bool) string {
	found := ""
	for {
		m := find.FindStringSubmatchIndex(text)
		if m == nil {
			return found
		}
		if found = text[m[2]:m[3]]; first {
			return found
		}
		text = text[m[3]:]
	}
}

// lastLetter is the last letter that stands alone. What is a word is as Python
// has it: in "ΔE" the E does not stand alone, as it would for \b in Go.
func lastLetter(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] < 'A' || text[i] > 'J' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+1:])
		if !wordRune(before) && !wordRune(after) {
			return text[i : i+1]
		}
	}
	return ""
}

func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// theAnswerIs is what the prompt asks for, with what it says in brackets, which
// some repeat.
var theAnswerIs = regexp.MustCompile(`(?i)\bthe answer is\b(?:[\s:*_]*\(\s*(?:in )?arabic numerals?\s*\))?`)

// findNumber finds the number that a reply answers with: the one after the last
// "The answer is" that has one, or after the first such; else the last number
// of the reply. written is as the judge has it, value in its plain form.
func findNumber(reply string, how judging.Reading) (value, written, rule string) {
	reply = reading.PlainDigits(reply)
	asked := theAnswerIs.FindAllStringIndex(reply, -1)
	if !how.First {
		slices.Reverse(asked)
	}
	next := len(reply)
	for i, at := range asked {
		// Up to the next such phrase: no part of a reply is read twice.
		if how.First {
			next = len(reply)
			if i+1 < len(asked) {
				next = asked[i+1][0]
			}
		}
		if n, ok := numberOfSentence(reply[at[1]:next]); ok {
			return n.Value(), n.Written, RuleAnswerIs
		}
		next = at[0]
	}
	if n, ok := lastNumber(reply); ok {
		return n.Value(), n.Written, RuleLastNumber
	}
	return "", "", ""
}

// lastNumber is the last one of a text.
func lastNumber(text string) (last reading.Numeral, ok bool) {
	for n, more := reading.NextNumeral(text, 0); more; n, more = reading.NextNumeral(text, n.End) {
		last, ok = n, true
	}
	return last, ok
}

// newSentence is where a sentence ends and another begins. After "Rs. 50" and
// "approx. 50" none does.
var newSentence = regexp.MustCompile(`[.!?]["')*\]]*\s+\S*\pL`)

// numberOfSentence is the number that follows "The answer is": in what is left
// of its sentence or, where nothing is left of its line but marks, in the next
// line that has more. Of "3 + 4 = 7" it is what stands last.
func numberOfSentence(text string) (reading.Numeral, bool) {
	line := text
	for {
		var more bool
		line, text, more = strings.Cut(text, "\n")
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || !more {
			break
		}
	}
	n, ok := reading.NextNumeral(line, 0)
	if !ok || newSentence.MatchString(line[:n.Start]) {
		return reading.Numeral{}, false
	}
	if sum := sumUpTo.FindString(line[n.End:]); strings.ContainsAny(sum, "+-−*×÷/") {
		end := n.End + len(sum)
		if last, ok := reading.NextNumeral(line, end); ok && !strings.ContainsFunc(line[end:last.Start], unicode.IsLetter) {
			return last, true
		}
	}
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
