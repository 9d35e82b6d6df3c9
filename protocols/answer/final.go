package answer

import (
	"regexp"
	"strings"

	"gavel/judging"
	"gavel/protocols/reading"
)

// Rules by which the final answer to an open question is read: the formats that JudgeBench's sources ask for (MMLU-Pro
// and AMC five equal letters, LiveBench's mathematics a box, its puzzles bold type), and the text after the word
// "answer". There is no rule for code.
const (
	RuleFiveEqualLetters = "five-letters"
	ruleAfterAnswerWord  = "answer"
	ruleBoxed            = "boxed"
	ruleBold             = "bold"
)

// FinalAnswer is the final answer in a reply to an open question; the zero value is none.
type FinalAnswer struct {
	Value, Rule string       // the answer in plain form; the rule that found it
	Span        judging.Span // place of the answer in the reply
}

var (
	// Patterns of final answers: bold type, the text after the word "answer", and an option's
	// letter alone, as "(C)" or "C.".
	bold            = regexp.MustCompile(`\*\*([^*\n]{1,80})\*\*`)
	afterAnswerWord = regexp.MustCompile(`(?im)\banswer(?: is:?|:)[ \t*]*(\S.{0,80})`)
	optionOnly      = regexp.MustCompile(`^(?:\(([A-Z])\)|([A-Z])[.*)]*$)`)
)

// ReadFinal reads the final answer to an open question from reply. The first rule that finds one decides; where its
// pattern occurs several times, the last place counts.
func ReadFinal(reply string) FinalAnswer {
	box := lastBox(reply)
	for _, part := range []judging.Span{box, {End: len(reply)}} {
		if letter, span := fiveEqualLetters(reply[part.Start:part.End]); letter != "" {
			return FinalAnswer{Value: letter, Rule: RuleFiveEqualLetters, Span: span.Shift(part.Start)}
		}
	}
	for _, f := range []FinalAnswer{
		{Rule: ruleBoxed, Span: box},
		{Rule: ruleAfterAnswerWord, Span: groupSpan(afterAnswerWord, reply, false)},
		{Rule: ruleBold, Span: groupSpan(bold, reply, false)},
	} {
		f.Value = plainFinal(reply[f.Span.Start:f.Span.End])
		if f.Value != "" {
			return f
		}
	}
	return FinalAnswer{}
}

// fiveEqualLetters returns the last word of five equal capital letters in text, such as CCCCC, as one small letter: c.
func fiveEqualLetters(text string) (letter string, span judging.Span) {
	for i := len(text); i > 0; {
		end := i
		for i > 0 && reading.IsLetter(text[i-1]) {
			i--
		}
		if word := text[i:end]; len(word) == 5 && word[0] <= 'Z' && word == strings.Repeat(word[:1], 5) {
			return strings.ToLower(word[:1]), judging.Span{Start: i, End: end}
		}
		if i == end {
			i--
		}
	}
	return "", span
}

// lastBox returns the place of the contents of the last \boxed{…} in text, with balanced
// braces; the zero Span for none.
func lastBox(text string) judging.Span {
	const begin = `\boxed{`
	i := strings.LastIndex(text, begin)
	if i < 0 {
		return judging.Span{}
	}
	i += len(begin)
	inside := text[i:]
	depth := 1
	for offset := range len(inside) {
		switch inside[offset] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return judging.Span{Start: i, End: i + offset}
		}
	}
	return judging.Span{}
}

// notationReplacer removes spaces and LaTeX commands in which two notations of the same answer may differ.
var notationReplacer = strings.NewReplacer(`\$`, "", " ", "", "\t", "", "$", "", `\left`, "", `\right`, "", `\,`, "",
	`\!`, "", `\ `, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`)

// plainFinal returns a final answer in plain form: an option by its small letter, a number without its unit.
func plainFinal(text string) string {
	if m := optionOnly.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return strings.ToLower(m[1] + m[2])
	}
	text = strings.Trim(numberWithUnitPattern.ReplaceAllString(text, "$1"), ".:,;* ")
	text = reading.ASCIIDigits(strings.ToLower(strings.Trim(notationReplacer.Replace(text), ".:,;*")))
	if n, ok := reading.NextNumeral(text, 0); ok && n.Start == 0 && strings.Trim(text[n.End:], `\%°`) == "" {
		return n.CanonicalText()
	}
	return text
}

// numberWithUnitPattern matches a number and the words after it, such as "12 metres". In 2x, without a space, x is not
// a unit.
var numberWithUnitPattern = regexp.MustCompile(`^([^\s\pL]*\pN)(?:\s+\pL+)+[.*\s]*$`)
