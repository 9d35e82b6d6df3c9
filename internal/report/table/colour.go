package table

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"gavel/scoring"
)

// levels have a shape that tells them apart without their colour.
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

// Level writes a level as a shape and a word: ●●○ usable. [Coloured] shows it in its colour.
func Level(level scoring.Level) string {
	for _, l := range levels {
		if l.level == level {
			return l.shape + " " + string(level)
		}
	}
	return string(level)
}

// Coloured wraps a terminal that shows colours. The words of [Level] that are written to it appear in colour; tables
// also have bold titles and faint notes there.
type Coloured struct{ io.Writer }

// Write colours levels. The words of one must come in one call.
func (c Coloured) Write(b []byte) (int, error) {
	if _, err := io.WriteString(c.Writer, inColour.Replace(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

var inColour = func() *strings.Replacer {
	var pairs []string
	for _, l := range levels {
		pairs = append(pairs, Level(l.level), l.colour.EscapeSeq()+Level(l.level)+text.EscapeReset)
	}
	return strings.NewReplacer(pairs...)
}()

// Bold and Faint style the lines that stand out on a terminal with colours, and those that may be passed over.
func Bold(w io.Writer, line string) string  { return styled(w, text.Bold, line) }
func Faint(w io.Writer, line string) string { return styled(w, text.Faint, line) }

func styled(w io.Writer, style text.Color, line string) string {
	if _, coloured := w.(Coloured); !coloured || line == "" {
		return line
	}
	return style.EscapeSeq() + line + text.EscapeReset
}
