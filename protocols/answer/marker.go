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

// markerOption is for replies that say their answer in a way of their own, as imported files do: "A: 26" on a line. It
// is an option of the protocol, and so part of the run: stored replies are read again by it.
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

func checkMarker(text string) error {
	if strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") {
		return errors.New("it is a text of one line, such as \"A:\"")
	}
	return nil
}

// ruleMarker found an answer after the marker of the run.
const ruleMarker = "marker"

// letterFirst is a letter that stands alone at the beginning.
var letterFirst = regexp.MustCompile(`^[\s*]*\(?([A-Z])(?:\W|$)`)

// marked reads what stands behind the marker: the last line that has an answer there binds, or the first.
func (p answer) marked(s judging.Presentation, reply string, how judging.Reading) (v judging.Verdict, ok bool) {
	if p.marker == "" {
		return v, false
	}
	begin := 0
	for line := range strings.Lines(reply) {
		said := strings.TrimLeftFunc(line, unicode.IsSpace)
		from := begin + len(line) - len(said) + len(p.marker)
		begin += len(line)
		rest, has := strings.CutPrefix(strings.TrimRightFunc(said, unicode.IsSpace), p.marker)
		if !has {
			continue
		}
		if found, reads := behind(s, rest); reads {
			v, ok = found, true
			v.Span = v.Span.Shift(from)
			if how.First {
				break
			}
		}
	}
	return v, ok
}

// behind reads what stands behind one marker.
func behind(s judging.Presentation, rest string) (judging.Verdict, bool) {
	if s.Shape == datasets.Number {
		text := reading.PlainDigits(rest)
		n, ok := numberOfSentence(text)
		if !ok {
			return judging.Verdict{}, false
		}
		return numberVerdict(n, 0, ruleMarker, text, rest), true
	}
	m := letterFirst.FindStringSubmatchIndex(rest)
	if m == nil {
		return judging.Verdict{}, false
	}
	return placed(s, rest[m[2]:m[3]], ruleMarker, judging.Span{Start: m[2], End: m[3]}), true
}

// markerSettings are settings with a marker.
func markerSettings(text string) (judging.Settings, error) {
	if err := checkMarker(text); err != nil {
		return nil, err
	}
	return judging.Settings{markerOption.Name: text}, nil
}
