// Package markup prepares texts of models and datasets for pages: inert text, replies laid out as Markdown, and replies
// with the verdict marked. These texts count as hostile. HTML from this package is harmless, and html/template escapes
// the rest.
package markup

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gavel/judging"
)

// Marks around a verdict on its way through Markdown. No other text has them, since Visible replaces them.
const (
	markBegin = '\uE000'
	markEnd   = '\uE001'
)

// MakeVisible returns a text that is safe to show: visible signs replace control characters, escape sequences, and
// characters that change the direction of writing. Newlines and tabs stay.
func MakeVisible(s string) string {
	if strings.IndexFunc(s, isInvisible) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		switch {
		case !isInvisible(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // its symbol, such as ␛
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// isInvisible reports whether a character is a control character or invisible, so that Visible replaces it by a sign.
func isInvisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == markBegin || r == markEnd, r == '\u2028' || r == '\u2029', r == '\uFEFF':
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags: invisible letters
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Segment holds a piece of a reply: the verdict, or the text before or after it.
type Segment struct {
	Text    string `json:"text"`
	Verdict bool   `json:"verdict,omitempty"`
}

// Segments splits a reply, as visible text, around verdict: the position of the verdict's words in the reply.
func Segments(reply string, verdict judging.Span) []Segment {
	if verdict.IsZero() {
		return []Segment{{Text: MakeVisible(reply)}}
	}
	all := []Segment{
		{Text: MakeVisible(reply[:verdict.Start])},
		{Text: MakeVisible(reply[verdict.Start:verdict.End]), Verdict: true},
		{Text: MakeVisible(reply[verdict.End:])},
	}
	return slices.DeleteFunc(all, func(s Segment) bool { return s.Text == "" })
}

// MarkVerdict joins the pieces of a reply, with markBegin and markEnd around the verdict.
func MarkVerdict(reply []Segment) string {
	var b strings.Builder
	for _, s := range reply {
		if s.Verdict {
			s.Text = string(markBegin) + s.Text + string(markEnd)
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// Shorten returns a text as visible text on one line. Of a text longer than limit characters it keeps the beginning.
func Shorten(text string, limit int) string {
	words := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if runes := []rune(words); len(runes) > limit {
		words = string(runes[:limit]) + "…"
	}
	return MakeVisible(words)
}
