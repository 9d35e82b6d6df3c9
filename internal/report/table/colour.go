package table

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/scoring"
)

// levelMarks lists the levels of judges, each with a shape and a colour.
var levelMarks = []struct {
	level  scoring.UsabilityLevel
	shape  string
	colour text.Color
}{
	{level: scoring.LevelStrong, shape: "●●●", colour: text.FgGreen},
	{level: scoring.LevelUsable, shape: "●●○", colour: text.FgBlue},
	{level: scoring.LevelWeak, shape: "●○○", colour: text.FgYellow},
	{level: scoring.LevelUnusable, shape: "○○○", colour: text.FgRed},
	{level: scoring.LevelUnknown, shape: "···", colour: text.Faint},
}

// LevelWithSymbol returns a level as a shape and a word: ●●○ usable. A [ColouredWriter] adds the colour.
func LevelWithSymbol(level scoring.UsabilityLevel) string {
	for _, l := range levelMarks {
		if l.level == level {
			return l.shape + " " + string(level)
		}
	}
	return string(level)
}

// ColouredWriter wraps the writer of a terminal that shows colours. The words that LevelWithSymbol returns appear in
// colour; tables also have bold titles and faint notes.
type ColouredWriter struct{ io.Writer }

// Write writes b with levels in colour. A level is not recognized if its words are split between two calls.
func (c ColouredWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, colourReplacer.Replace(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// colourReplacer puts the escape sequences of colours around levels.
var colourReplacer = func() *strings.Replacer {
	var pairs []string
	for _, l := range levelMarks {
		pairs = append(pairs, LevelWithSymbol(l.level), l.colour.EscapeSeq()+LevelWithSymbol(l.level)+text.EscapeReset)
	}
	return strings.NewReplacer(pairs...)
}()

// Bold returns a line in bold if w is a [ColouredWriter].
func Bold(w io.Writer, line string) string { return styled(w, text.Bold, line) }

// Faint returns a less important line in a faint colour if w is a [ColouredWriter].
func Faint(w io.Writer, line string) string { return styled(w, text.Faint, line) }

// styled returns a line with the escape sequences of a style if w is [ColouredWriter].
func styled(w io.Writer, style text.Color, line string) string {
	if _, coloured := w.(ColouredWriter); !coloured || line == "" {
		return line
	}
	return style.EscapeSeq() + line + text.EscapeReset
}
