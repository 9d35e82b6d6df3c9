package table

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/scoring"
)

// levels lists the levels of judges, each with a shape and a colour.
var levels = []struct {
	level  scoring.Level
	shape  string
	colour text.Color
}{
	{level: scoring.Strong, shape: "●●●", colour: text.FgGreen},
	{level: scoring.Usable, shape: "●●○", colour: text.FgBlue},
	{level: scoring.Weak, shape: "●○○", colour: text.FgYellow},
	{level: scoring.Unusable, shape: "○○○", colour: text.FgRed},
	{level: scoring.Unknown, shape: "···", colour: text.Faint},
}

// Level returns a level as a shape and a word: ●●○ usable. A [Coloured] writer adds the colour.
func Level(level scoring.Level) string {
	for _, l := range levels {
		if l.level == level {
			return l.shape + " " + string(level)
		}
	}
	return string(level)
}

// Coloured wraps the writer of a terminal that shows colours. The words that Level returns appear in colour; tables
// also have bold titles and faint notes.
type Coloured struct{ io.Writer }

// Write writes b with levels in colour. A level is not recognized if its words are split between two calls.
func (c Coloured) Write(b []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, inColour.Replace(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// inColour puts the escape sequences of colours around levels.
var inColour = func() *strings.Replacer {
	var pairs []string
	for _, l := range levels {
		pairs = append(pairs, Level(l.level), l.colour.EscapeSeq()+Level(l.level)+text.EscapeReset)
	}
	return strings.NewReplacer(pairs...)
}()

// Bold returns a line in bold if w is [Coloured].
func Bold(w io.Writer, line string) string { return styled(w, text.Bold, line) }

// Faint returns a less important line in a faint colour if w is [Coloured].
func Faint(w io.Writer, line string) string { return styled(w, text.Faint, line) }

// styled returns a line with the escape sequences of a style if w is [Coloured].
func styled(w io.Writer, style text.Color, line string) string {
	if _, coloured := w.(Coloured); !coloured || line == "" {
		return line
	}
	return style.EscapeSeq() + line + text.EscapeReset
}
