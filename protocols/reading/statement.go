package reading

import (
	"slices"
	"strings"
	"unicode"
)

// Numbers of bytes before and after a label at which the readers look in the label's statement.
const (
	leftWindow  = 160
	rightWindow = 300
)

// statementStarts returns the beginnings of the view's statements, the units in which answers are claimed. A statement
// is a sentence; a new line begins another one, except after a heading or a colon.
func (v *normalizedReply) statementStarts() []int {
	starts := []int{0}
	line, gap := 0, 0
	for i := 0; i < len(v.lower); i++ {
		switch v.lower[i] {
		case '\n':
			gap++
			content := strings.TrimSpace(v.lower[line:max(line, i)])
			if content != "" {
				gap = 0
			}
			if !(gap < 3 && (content == "" || announces(content))) || content == "" && starts[len(starts)-1] == line {
				starts = append(starts, i+1)
			}
			line = i + 1
		case '.', '!', '?', ';':
			if v.endsSentence(i) {
				starts = append(starts, i+1)
			}
		}
	}
	return starts
}

// endsSentence reports whether the punctuation mark at byte i of the view ends a sentence.
func (v *normalizedReply) endsSentence(i int) bool {
	next := strings.TrimLeft(textAfter(v.lower, i+1, 3), `"')`)
	switch {
	case next == "" || next[0] == '\n':
		return true
	case next[0] != ' ' || v.lower[i] == '!' && strings.HasPrefix(next, " ="):
		return false
	}
	return v.lower[i] != '.' || !endsAbbreviated(textBefore(v.lower, i, 8))
}

// headingLeads may precede the last word in a heading of an answer: "My final verdict".
var headingLeads = strings.Fields("my the final correct overall best")

// announces reports whether a line is the heading of an answer, or ends so that the next line continues it.
func announces(line string) bool {
	line = line[max(0, len(line)-60):]
	bare := strings.TrimRight(line, " \t\"'$[(")
	if strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "=") || lastWordStart(bare, []string{"is", "are"}) >= 0 {
		return true
	}
	end := answerWords.matchEnd(line, headingWordOffset(line))
	return end > 0 && matchesRule(line[end:], "heading-ends")
}

// headingWordOffset returns the position of the word that follows leads such as "my final" at the beginning of a line.
func headingWordOffset(line string) int {
	start := max(0, strings.IndexFunc(line, unicode.IsLetter))
	for {
		lead := slices.IndexFunc(headingLeads, func(lead string) bool { return strings.HasPrefix(line[start:], lead+" ") })
		if lead < 0 {
			return start
		}
		start = len(line) - len(strings.TrimLeft(line[start+len(headingLeads[lead]):], " "))
	}
}

// abbreviations end with a full stop that does not end a sentence.
var abbreviations = strings.Fields("approx e.g i.e rs no nr vs mr mrs dr eq fig st resp ca z.b ans")

// endsAbbreviated reports whether s, the text before a full stop, ends with an abbreviation.
func endsAbbreviated(s string) bool { return lastWordStart(s, abbreviations) >= 0 }

// statementBounds returns the bounds of the statement that contains byte i of the view.
func (v *normalizedReply) statementBounds(i int) (from, to int) {
	if v.starts == nil {
		v.starts = v.statementStarts()
	}
	n, exact := slices.BinarySearch(v.starts, i)
	if !exact {
		n--
	}
	to = len(v.text)
	if n+1 < len(v.starts) {
		to = v.starts[n+1]
	}
	return v.starts[n], to
}

// gap returns the text between two labels.
func (v *normalizedReply) gap(first, second label) string {
	return v.lower[first.end:max(first.end, second.start)]
}

// statementBefore returns the part of a statement before byte i of the view, in lower case, up to leftWindow bytes.
func (v *normalizedReply) statementBefore(i int) string {
	from, _ := v.statementBounds(i)
	return v.lower[max(from, i-leftWindow):i]
}

// statementAfter returns the part of a statement from byte i of the view on, up to rightWindow bytes.
func (v *normalizedReply) statementAfter(i int) string {
	_, to := v.statementBounds(i)
	return v.text[i:min(to, i+rightWindow)]
}
