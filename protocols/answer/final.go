package answer

import (
	"regexp"
	"strings"

	"gavel/judging"
	"gavel/protocols/reading"
)

// Rules that find the final answer of a reply to an open question: as JudgeBench's sources ask for it (MMLU-Pro and AMC
// for the letter five times, LiveBench's mathematics for a box, its puzzles for bold type), and after the word itself.
// Of code there is none.
const (
	RuleFiveLetters = "five-letters"
	ruleAnswer      = "answer"
	ruleBoxed       = "boxed"
	ruleBold        = "bold"
)

// FinalAnswer is the final answer of a reply, and where it stands; the zero value is none.
type FinalAnswer struct {
	Value, Rule string
	Span        judging.Span
}

var (
	bold       = regexp.MustCompile(`\*\*([^*\n]{1,80})\*\*`)
	afterWord  = regexp.MustCompile(`(?im)\banswer(?: is:?|:)[ \t*]*(\S.{0,80})`)
	optionOnly = regexp.MustCompile(`^(?:\(([A-Z])\)|([A-Z])[.*)]*$)`)
)

// Final finds the last one by the first rule that finds any.
func Final(reply string) FinalAnswer {
	box := lastBox(reply)
	inBox := reply[box.Start:box.End]
	if letter, at := fiveLetters(inBox); letter != "" {
		return FinalAnswer{Value: letter, Rule: RuleFiveLetters, Span: at.Shift(box.Start)}
	}
	if letter, at := fiveLetters(reply); letter != "" {
		return FinalAnswer{Value: letter, Rule: RuleFiveLetters, Span: at}
	}
	for _, f := range []FinalAnswer{
		{Rule: ruleBoxed, Span: box},
		{Rule: ruleAnswer, Span: binding(afterWord, reply, false)},
		{Rule: ruleBold, Span: binding(bold, reply, false)},
	} {
		f.Value = plainFinal(reply[f.Span.Start:f.Span.End])
		if f.Value != "" {
			return f
		}
	}
	return FinalAnswer{}
}

// fiveLetters is the last capital that stands five times in a row, as a word.
func fiveLetters(text string) (letter string, at judging.Span) {
	for i := len(text); i > 0; {
		end := i
		for i > 0 && isLetter(text[i-1]) {
			i--
		}
		if word := text[i:end]; len(word) == 5 && word[0] <= 'Z' && word == strings.Repeat(word[:1], 5) {
			return strings.ToLower(word[:1]), judging.Span{Start: i, End: end}
		}
		if i == end {
			i--
		}
	}
	return "", at
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// lastBox is where what stands in the last \boxed{…} does, braces inside it balanced.
func lastBox(text string) judging.Span {
	const begin = `\boxed{`
	i := strings.LastIndex(text, begin)
	if i < 0 {
		return judging.Span{}
	}
	i += len(begin)
	inside := text[i:]
	depth := 1
	for at := range len(inside) {
		switch inside[at] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return judging.Span{Start: i, End: i + at}
		}
	}
	return judging.Span{}
}

// dressing is what two ways of writing one answer differ in.
var dressing = strings.NewReplacer(`\$`, "", " ", "", "\t", "", "$", "", `\left`, "", `\right`, "", `\,`, "",
	`\!`, "", `\ `, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`)

// plainFinal is an answer without what does not count: an option by its letter, a
// number in its plain form and without its unit.
func plainFinal(text string) string {
	if m := optionOnly.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return strings.ToLower(m[1] + m[2])
	}
	text = strings.Trim(withoutUnit.ReplaceAllString(text, "$1"), ".:,;* ")
	text = reading.PlainDigits(strings.ToLower(strings.Trim(dressing.Replace(text), ".:,;*")))
	if n, ok := reading.NextNumeral(text, 0); ok && n.Start == 0 && strings.Trim(text[n.End:], `\%°`) == "" {
		return n.Value()
	}
	return text
}

// withoutUnit is a number and the words after it: in 2x, without a space, the x is none.
var withoutUnit = regexp.MustCompile(`^([^\s\pL]*\pN)(?:\s+\pL+)+[.*\s]*$`)
