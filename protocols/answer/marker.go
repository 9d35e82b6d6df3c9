package answer

import (
	"errors"
	"regexp"
	"strings"
	"unicode"

	"gavel/datasets"
	"gavel/judging"
	"gavel/protocols/reading"
)

// markerOption is for replies that mark the answer in their own way, such as a line "A: 26" in imported files. As an
// option of the protocol it is stored with the run, so that replies are read with it again.
var markerOption = judging.Option{
	Name:  "marker",
	Label: "What marks the answer",
	Usage: "the answer stands after `TEXT` at the start of a line, as \"A:\" in few-shot replies; " +
		"without such a line, the usual rules apply",
	Check: func(value string) error {
		if value == "" {
			return nil // none
		}
		return checkMarker(value)
	},
}

// checkMarker returns an error unless text is one line that is not blank.
func checkMarker(text string) error {
	if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") {
		return errors.New("it is a text of one line, such as \"A:\"")
	}
	return nil
}

// markerRule names the rule that reads an answer after the run's marker.
const markerRule = "marker"

// letterFirst matches a text that begins with a single capital letter, also in a bracket or in bold type.
var letterFirst = regexp.MustCompile(`^[\s*]*\(?([A-Z])(?:\W|$)`)

// readMarked reads the answer after the run's marker: in the last line where an answer follows the marker, or in the
// first if method.First is set. ok is false without such a line.
func (p answer) readMarked(
	s judging.Presentation, reply string, method judging.ReadingOptions,
) (v judging.Verdict, ok bool) {
	if p.answerMarker == "" {
		return v, false
	}
	begin := 0
	for line := range strings.Lines(reply) {
		trimmed := strings.TrimLeftFunc(line, unicode.IsSpace)
		from := begin + len(line) - len(trimmed) + len(p.answerMarker)
		begin += len(line)
		rest, hasMarker := strings.CutPrefix(strings.TrimRightFunc(trimmed, unicode.IsSpace), p.answerMarker)
		if !hasMarker {
			continue
		}
		if verdict, hasAnswer := readAfterMarker(s, rest); hasAnswer {
			v, ok = verdict, true
			v.Span = v.Span.Shift(from)
			if method.FirstAnswer {
				break
			}
		}
	}
	return v, ok
}

// readAfterMarker reads the answer at the beginning of rest, the text of a line after the
// marker; false if there is none.
func readAfterMarker(s judging.Presentation, rest string) (v judging.Verdict, ok bool) {
	if s.Shape == datasets.ShapeNumber {
		text := reading.ASCIIDigits(rest)
		n, ok := numberOfSentence(text)
		if !ok {
			return v, false
		}
		return numberVerdict(n, 0, markerRule, text, rest), true
	}
	m := letterFirst.FindStringSubmatchIndex(rest)
	if m == nil {
		return v, false
	}
	return letterVerdict(s, rest[m[2]:m[3]], markerRule, judging.Span{Start: m[2], End: m[3]}), true
}
