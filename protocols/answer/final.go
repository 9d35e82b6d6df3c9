package answer

import (
	"regexp"
	"strings"

	"gavel/protocols/reading"
)

// Rules that find the final answer of a reply to an open question: as JudgeBench's
// sources ask for it (MMLU-Pro and AMC for the letter five times, LiveBench's
// mathematics for a box, its puzzles for bold type), and after the word itself. Of
// code there is none.
const (
	RuleFiveLetters = "five-letters"
	RuleAnswer      = "answer"
	RuleBoxed       = "boxed"
	RuleBold        = "bold"
)

// FinalAnswer is the final answer of a reply; the zero value is none.
type FinalAnswer struct{ Value, Rule string }

var (
	bold       = regexp.MustCompile(`\*\*([^*\n]{1,80})\*\*`)
	afterWord  = regexp.MustCompile(`(?im)\banswer(?: is:?|:)[ \t*]*(\S.{0,80})`)
	optionOnly = regexp.MustCompile(`^(?:\(([A-Z])\)|([A-Z])[.*)]*$)`)
)

// Final finds the last one by the first rule that finds any.
func Final(reply string) FinalAnswer {
	box := lastBox(reply)
	for _, f := range []FinalAnswer{
		{fiveLetters(box), RuleFiveLetters},
		{fiveLetters(reply), RuleFiveLetters},
		{plainFinal(box), RuleBoxed},
		{plainFinal(binding(afterWord, reply, false)), RuleAnswer},
		{plainFinal(binding(bold, reply, false)), RuleBold},
	} {
		if f.Value != "" {
			return f
		}
	}
	return FinalAnswer{}
}

// fiveLetters is the last capital that stands five times in a row, as a word.
func fiveLetters(text string) string {
	for i := len(text); i > 0; {
		end := i
		for i > 0 && isLetter(text[i-1]) {
			i--
		}
		if word := text[i:end]; len(word) == 5 && word[0] <= 'Z' && word == strings.Repeat(word[:1], 5) {
			return strings.ToLower(word[:1])
		}
		if i == end {
			i--
		}
	}
	return ""
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// lastBox is what stands in the last \boxed{…}, braces inside it balanced.
func lastBox(text string) string {
	const begin = `\boxed{`
	i := strings.LastIndex(text, begin)
	if i < 0 {
		return ""
	}
	inside := text[i+len(begin):]
	depth := 1
	for at := range len(inside) {
		switch inside[at] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return inside[:at]
		}
	}
	return ""
}

// dressing is what two ways of writing one answer differ in.
var dressing = strings.NewReplacer(`\$`, "", " ", "", "\t", "", "$", "", `\left`, "", `\right`, "", `\,`, "", `\!`, "", `\ `, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`)

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

// withoutUnit is a number and the words after it: in 2x, without a space, the x
// is none.
var withoutUnit = regexp.MustCompile(`^([^\s\pL]*\pN)(?:\s+\pL+)+[.*\s]*$`)
