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

// Rules by which an answer is read from a reply (PROTOCOLS.md §2).
const (
	ruleAnswerIs    = "answer-is"    // after "answer is": "the answer is (C)", "The answer is $1,450"
	ruleAnswerColon = "answer-colon" // after "answer:": "Answer: C"
	ruleLastLetter  = "last-letter"  // the last capital letter that stands alone; in lenient reading only
	RuleLastNumber  = "last-number"  // the last number of the reply, where no phrase announces the answer
)

// Patterns of MMLU-Pro's own script for the letter of an answer.
var (
	letterAfterIs    = regexp.MustCompile(`answer is \(?([A-J])\)?`)
	letterAfterColon = regexp.MustCompile(`.*[aA]nswer:\s*([A-J])`) // of several in a line the last
)

// findLetter returns the place of the letter that answers a multiple-choice question, and the name of the rule that
// found it; zero values if reply has no such letter.
func findLetter(reply string, method judging.ReadingOptions) (span judging.Span, rule string) {
	span = groupSpan(letterAfterIs, reply, method.FirstAnswer)
	if !span.IsZero() {
		return span, ruleAnswerIs
	}
	word := strings.Index(reply, "nswer:")
	if word >= 0 { // most replies lack it, and the expression is slow
		line := strings.LastIndexByte(reply[:word], '\n') + 1
		span = groupSpan(letterAfterColon, reply[line:], method.FirstAnswer)
		if !span.IsZero() {
			return span.Shift(line), ruleAnswerColon
		}
	}
	if method.Lenient {
		span = lastLetter(reply)
		if !span.IsZero() {
			return span, ruleLastLetter
		}
	}
	return span, ""
}

// ReadValue returns the answer that the paper's rules read from text, a reply to a question of the given shape; "" for
// none.
func ReadValue(shape datasets.Shape, text string) string {
	v := answer{}.Parse(judging.Presentation{Shape: shape}, text, judging.ReadingOptions{
		LabelPolicy: judging.PolicyUniqueLabel,
	})
	return cmp.Or(v.Answer, v.Label) // for a number, Label has it as written and Answer in plain form
}

// groupSpan returns the place in text of find's first group: in the last match, or in the first one if first is set;
// the zero Span without a match.
func groupSpan(find *regexp.Regexp, text string, first bool) (span judging.Span) {
	for from := 0; ; from = span.End {
		m := find.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return span
		}
		span = judging.Span{Start: from + m[2], End: from + m[3]}
		if first {
			return span
		}
	}
}

// lastLetter returns the place of the last letter from A to J that stands alone. Words are as in Python: the E of "ΔE"
// is part of a word, and for Go's \b it would not be.
func lastLetter(text string) judging.Span {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] < 'A' || text[i] > 'J' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+1:])
		if !isWordRune(before) && !isWordRune(after) {
			return judging.Span{Start: i, End: i + 1}
		}
	}
	return judging.Span{}
}

// isWordRune reports whether r is part of a word, as Python's \w does.
func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// theAnswerIs matches the phrase that the prompt asks for, with the words in brackets that some models repeat.
var theAnswerIs = regexp.MustCompile(`(?i)\bthe answer is\b(?:[\s:*_]*\(\s*(?:in )?arabic numerals?\s*\))?`)

// findNumber reads the number of a reply: the one after the last "The answer is" that is followed by a number (the
// first such phrase if method.First is set); without such a phrase, the last number of the reply.
func findNumber(reply string, method judging.ReadingOptions) judging.Verdict {
	text := reading.ASCIIDigits(reply)
	phrases := theAnswerIs.FindAllStringIndex(text, -1)
	if !method.FirstAnswer {
		slices.Reverse(phrases)
	}
	next := len(text)
	for i, phrase := range phrases {
		// Only up to the next phrase, so that no part of a reply is read twice.
		if method.FirstAnswer {
			next = len(text)
			if i+1 < len(phrases) {
				next = phrases[i+1][0]
			}
		}
		if n, ok := numberOfSentence(text[phrase[1]:next]); ok {
			return numberVerdict(n, phrase[1], ruleAnswerIs, text, reply)
		}
		next = phrase[0]
	}
	if n, ok := lastNumber(text); ok {
		return numberVerdict(n, 0, RuleLastNumber, text, reply)
	}
	return judging.EmptyVerdict(judging.NoVerdict)
}

// numberVerdict returns the verdict for the number n, whose offsets count from byte from of text. text is reply with
// plain digits; the verdict's span is in reply, and its label is the number as the model wrote it.
func numberVerdict(n reading.Numeral, from int, rule, text, reply string) judging.Verdict {
	span := judging.Span{Start: from + n.Start, End: from + n.End}
	if text != reply { // the texts have the same number of characters, not of bytes
		span.Start, span.End = matchingOffset(text, span.Start, reply), matchingOffset(text, span.End, reply)
	}
	return judging.Verdict{
		Outcome: judging.Decided,
		Choice:  judging.NoCandidate,
		Answer:  n.CanonicalText(),
		Label:   n.Text,
		Rule:    rule,
		Span:    span,
	}
}

// matchingOffset converts a byte offset in text to the byte offset of the same character in other. Both texts have the
// same number of characters.
func matchingOffset(text string, offset int, other string) int {
	n := utf8.RuneCountInString(text[:offset])
	for i := range other {
		if n == 0 {
			return i
		}
		n--
	}
	return len(other)
}

// lastNumber returns the last number in a text.
func lastNumber(text string) (last reading.Numeral, ok bool) {
	for n, more := reading.NextNumeral(text, 0); more; n, more = reading.NextNumeral(text, n.End) {
		last, ok = n, true
	}
	return last, ok
}

// newSentence matches the end of a sentence and the beginning of the next. "Rs. 50" and "approx. 50" do not match.
var newSentence = regexp.MustCompile(`[.!?]["')*\]]*\s+\S*\pL`)

// numberOfSentence returns the number that follows "The answer is". text is the reply after that phrase. The number is
// in the rest of the sentence or, if the line has only punctuation left, in the next line with a letter or a digit. For
// "3 + 4 = 7" it is the last number.
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
	if sum := sumBeforeEquals.FindString(line[n.End:]); strings.ContainsAny(sum, "+-−*×÷/") {
		end := n.End + len(sum)
		if last, ok := reading.NextNumeral(line, end); ok && !strings.ContainsFunc(line[end:last.Start], unicode.IsLetter) {
			n = last
		}
	}
	n.Start, n.End = n.Start+from, n.End+from
	return n, true
}

// sumBeforeEquals matches a sum such as "3 + 4 = 7" from after its first number up to its last equals sign.
var sumBeforeEquals = regexp.MustCompile(`^[\s0-9.,+\-−*×÷/()$€£%\\{}=]*=`)

// readNumber returns the value of the number in text, in any notation; false if text has no number or several.
func readNumber(text string) (*big.Rat, bool) {
	text = reading.ASCIIDigits(text)
	n, ok := reading.NextNumeral(text, 0)
	if !ok {
		return nil, false
	}
	if _, more := reading.NextNumeral(text, n.End); more {
		return nil, false
	}
	return n.Rational(), true
}

// SameNumber reports whether two texts have the same number: 45.0 and 45, $1,450 and 1450. It is false if either has no
// number or several.
func SameNumber(a, b string) bool {
	x, ok := readNumber(a)
	y, yes := readNumber(b)
	return ok && yes && x.Cmp(y) == 0
}
